/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_COMMANDS_PHASE_TABLE_H
#define RINGSCALE_COMMANDS_PHASE_TABLE_H

#include <stdio.h>

#include "commands/point_layout.h"
#include "engine/tally.h"

/* What each phase of a ring's and a table's life takes, in a sweep of one workload. 0 or -errno. */
int phase_table_print(const struct tally *tally, const struct layout *layout, FILE *out);

#endif
