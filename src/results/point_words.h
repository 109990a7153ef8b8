/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_RESULTS_POINT_WORDS_H
#define RINGSCALE_RESULTS_POINT_WORDS_H

#include <jansson.h>
#include <stddef.h>

/*
 * Points of result files in words, for tables: "send-fd, slots 4096, cycle fresh". A few
 * axes are always told; any other is where it alone tells two of the points apart, so that no
 * two of them read the same.
 */
enum point_part {
	POINT_ALL,
	POINT_COMMON,	/* what holds for all of the points */
	POINT_VARYING,	/* and what does not */
};

/* How pieces are put together. */
struct point_style {
	const char *between;
	size_t width;	/* a line that would be longer is broken between pieces; 0: never */
};

/*
 * `points`: array of the "point" objects among which `point`, one of them, stands. The text is cut
 * where it does not fit into `size` bytes; it may be empty.
 */
void point_words(const json_t *points, const json_t *point, enum point_part part,
		 const struct point_style *style, char *text, size_t size);

#endif
