/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_ENGINE_RESUME_H
#define RINGSCALE_ENGINE_RESUME_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "engine/record.h"
#include "engine/sweep.h"
#include "results/reader.h"

/*
 * Going on with a run that did not come to its end. Its sweep is built anew from the
 * command line and the seed in its header; that it is the same sweep, on the same machine, in
 * the same boot, is not taken for granted but compared here.
 */

/*
 * Compares a file's header with the one that this process would write for the same run: boot,
 * program, clock, masks, topology (without hwloc's remarks and counts of huge pages), method, seed,
 * points. 0, or -EINVAL with an ERROR_USAGE that names what differs, both values and the way
 * out. What is unknown in either is not the same.
 */
int resume_compare(const char *path, const json_t *file, const json_t *now, struct error *e);

/*
 * Takes the steps whose block is in `result` out of steps[0..*count), the others staying in their order.
 * points[i] (room for result->block_count) receives the index of the point of blocks[i]. A
 * block is a result, valid or not. Refuses blocks that are not of this sweep. 0 or -errno.
 */
int resume_skip(const struct sweep *sweep, const struct method *method,
		const struct result *result, struct step *steps, size_t *count, unsigned *points,
		struct error *e);

/* The `resume` record. A new object, NULL without memory. */
json_t *resume_record(const struct record_run *run, bool cut_line, size_t blocks_done);

#endif
