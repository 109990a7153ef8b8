/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_COMMANDS_PAYOFF_TABLE_H
#define RINGSCALE_COMMANDS_PAYOFF_TABLE_H

#include <stdio.h>

#include "engine/tally.h"

/*
 * Cost beside release on one kernel: a column for every number of pairs, a table for every kind
 * of cores. Prints nothing unless the sweep has both installs and removals. 0 or -errno.
 */
int payoff_table_print(const struct tally *tally, FILE *out);

#endif
