/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_RESULTS_READER_PARTS_H
#define RINGSCALE_RESULTS_READER_PARTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "results/reader.h"

/* Between the files of the reader: reader.c goes through a file, reader_records.c takes its records. */

/* Where the reading of a file stands. */
struct reading {
	struct result *first; /* holds path and notes */
	struct result *run;   /* whose lines these are; NULL where there is no header we know */
	size_t line;	      /* from 1 */
	size_t not_noted;
	bool ended;   /* the run has an end record, and was not resumed after it */
	json_t *seen; /* "id/block" of the run's blocks -> line */
};

/* "... no memory to read on", with the line. Returns -ENOMEM. */
int reading_no_memory(const struct reading *reading, struct error *e);

/* Puts `text`, which it takes (NULL: its allocation failed), behind the notes. 0 or -ENOMEM. */
int reading_add_note(struct result *result, char *text);

/* Adds "line N: ..." to the notes. Returns 0 or -ENOMEM. */
int reading_note(struct reading *reading, struct error *e, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts a record into the run it belongs to, or notes why not; the caller keeps its reference. Returns
 * 0, or -errno where the file cannot be read on. */
int reading_take_record(struct reading *reading, json_t *record, struct error *e);

#endif
