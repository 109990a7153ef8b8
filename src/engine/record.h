/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_ENGINE_RECORD_H
#define RINGSCALE_ENGINE_RECORD_H

#include <jansson.h>

#include "engine/sweep.h"
#include "engine/team.h"
#include "machine/limits.h"

/*
 * What goes into the result file (doc/result-schema.json). Every function
 * returns a new object that the caller owns, or NULL without memory.
 */

/* What a header says besides machine and points. Borrowed. */
struct record_run {
	int argc;
	char **argv;
	const char *label, *preset;	/* NULL: null */
	const char *version;
	struct limits before, after;
};

json_t *record_header(const struct record_run *run, const struct sweep *sweep,
		      const struct method *method, const struct topology *topology);

/* axis -> resolved value: integers for counts, texts for names. */
json_t *record_point(const struct point *point);

/* The frame of a block in which nothing was measured yet: valid is false, `reason` says why. */
json_t *record_block_frame(const struct point *point, unsigned block, const char *reason);

/* The block that a team has run; `failed` is what ended it early (ERROR_NONE: nothing). */
json_t *record_block(const struct team *team, unsigned block, const struct error *failed);

json_t *record_end(const char *status, int exit_status, size_t blocks, size_t valid_blocks,
		   int64_t elapsed_ns);

/* Any text of a command line, NULL as null: bytes that are no UTF-8, which JSON cannot hold,
 * become question marks. */
json_t *record_text(const char *text);
json_t *record_argv(int argc, char **argv);

/* Now, as 2026-01-31T23:59:59Z. */
json_t *record_utc(void);

/* ns or counts that may be unknown: null, never 0. */
json_t *record_number(int64_t value);

#endif
