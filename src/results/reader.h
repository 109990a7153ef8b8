/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_RESULTS_READER_H
#define RINGSCALE_RESULTS_READER_H

#include <jansson.h>
#include <stddef.h>

#include "base/error.h"

/*
 * A result file in memory: its header, its block records and its end. Lines
 * that cannot be used (torn last line, no JSON, no or an unknown record, a block
 * with a broken frame, twice there or behind the end) are named in `notes`
 * with their line number and left out; the rest is there. Every block that is
 * there has the frame of frame.h, every profile passed profile_check.
 *
 * A second header starts another run: its blocks were measured under other
 * conditions, so they are kept apart in `next`.
 */
struct result {
	char *path;
	json_t *header;
	json_t **blocks;
	size_t block_count;
	json_t *profiles;	/* array of profile records; NULL where there is none */
	json_t *end;		/* NULL where the run did not come to its end */
	size_t resume_count;	/* times the run was resumed */
	struct result *next;	/* next run in the file, else NULL; without path and notes */
	char **notes;
	size_t note_count;
};

/* So many notes are kept; one more then counts the rest. */
#define RESULT_NOTES_MAX 100

/*
 * Reads a file (or a pipe) of lines of any length. ERROR_FAILED where it cannot be
 * opened, has no header, or a header of a schema other than RESULT_SCHEMA (naming
 * the line); the notes made up to there remain. Returns 0 or -errno.
 * result_release frees everything, also after failure.
 */
int result_read(struct result *result, const char *path, struct error *e);
void result_release(struct result *result);

#endif
