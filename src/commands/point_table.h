/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_COMMANDS_POINT_TABLE_H
#define RINGSCALE_COMMANDS_POINT_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "engine/tally.h"

#define POINT_TABLE_WIDTH 80

/*
 * Prints a sweep's figures: the axes that are the same everywhere on lines
 * above, then a row for every point (and kind of pair, where there are several kinds), their
 * phases where rings outlast a fill, then what the flags in it mean. `kinds`: name the kinds of
 * cores in a column. Returns 0 or -errno.
 */
int point_table_print(const struct tally *tally, bool kinds, FILE *out);

#endif
