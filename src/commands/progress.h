/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_COMMANDS_PROGRESS_H
#define RINGSCALE_COMMANDS_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A line on stderr that is written over: how many blocks are done and how long
 * the rest will take. Only on a terminal, and only between blocks.
 */
struct progress {
	bool shown;		/* stderr is a terminal and nobody asked for quiet */
	bool dirty;		/* the line stands on the screen */
	int64_t start_ns;
};

void progress_start(struct progress *progress, bool quiet);

/* `done` of `count` blocks are done; `what` comes next. */
void progress_show(struct progress *progress, size_t done, size_t count, const char *what);

/* Takes the line off the screen, before anything else is printed. */
void progress_clear(struct progress *progress);

#endif
