/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_COMMANDS_DIFFERENCE_TABLES_H
#define RINGSCALE_COMMANDS_DIFFERENCE_TABLES_H

#include <stdio.h>

#include "commands/point_layout.h"
#include "engine/tally.h"

/* Two points of a sweep of one workload, block by block. Each prints one table, nothing where it has no
 * rows, and returns 0 or -errno. */

/* --with-control: what an install costs beyond a message that goes the same way. */
int control_table_print(const struct tally *tally, const struct layout *layout, FILE *out);

/* Both settings of --ring-fd. */
int ring_fd_table_print(const struct tally *tally, const struct layout *layout, FILE *out);

#endif
