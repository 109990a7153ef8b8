/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_COMMANDS_COST_TABLES_H
#define RINGSCALE_COMMANDS_COST_TABLES_H

#include <stdio.h>

#include "commands/point_layout.h"
#include "engine/tally.h"

/* What an install costs at each point of a sweep of one workload. Each prints one table and returns 0 or
 * -errno; the second and the third print nothing where they have no rows. */

/* Cost, rate, efficiency and flags of every point. */
int cost_table_print(const struct tally *tally, const struct layout *layout, FILE *out);

/* Points of several pairs: what the mean over them hides. */
int pairs_table_print(const struct tally *tally, const struct layout *layout, FILE *out);

/* Installs that were punted to workers of io-wq. */
int workers_table_print(const struct tally *tally, const struct layout *layout, FILE *out);

#endif
