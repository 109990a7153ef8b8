/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_ENGINE_FILES_H
#define RINGSCALE_ENGINE_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/point.h"

/*
 * The files that a block installs, made by the coordinator: a memfd a pair,
 * each with a stamp of its own in its first 8 bytes.
 *
 * A block opens its own description of each and locks it. The lock lives as long
 * as the description, that is until the last table that holds it is gone: the coordinator,
 * which keeps another description, sees the end of the asynchronous teardown by it.
 */
struct files {
	int *fds;
	uint64_t *stamps;	/* never 0 */
	int count;
};

/* How many files a block of this point installs: one a pair. */
int files_needed(const struct point *point);

/* 0 or -errno (open files, memory). files_close releases, also after failure. */
int files_make(struct files *files, int count, struct error *e);
void files_close(struct files *files);

/* In the block's process: replaces every descriptor by a locked description of
 * its own, O_NONBLOCK so that reads of it complete inline. */
int files_take(struct files *files, struct error *e);

/* Whether a block's descriptions are all gone. */
bool files_are_free(const struct files *files);

#endif
