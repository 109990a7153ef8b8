/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_COMMANDS_RECLAIM_TABLE_H
#define RINGSCALE_COMMANDS_RECLAIM_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "engine/tally.h"
#include "stats/line.h"

/* Prints the figures of a sweep of removals: a row a point, then how the delay of release depends
 * on the time that a request stays pending. 0 or -errno. */
int reclaim_table_print(const struct tally *tally, bool kinds, FILE *out);

/*
 * Mean release delay over measured pending time, a value a block, of all points that differ from
 * point `index` in --hold alone. *holds receives how many such points have been measured,
 * that one included. Its half interval is of blocks, not of boots. All NAN without memory.
 */
struct line reclaim_delay_line(const struct tally *tally, unsigned index, const char *kinds,
			       unsigned *holds);

#endif
