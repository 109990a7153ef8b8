/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_MACHINE_LAB_CLOCK_H
#define RINGSCALE_MACHINE_LAB_CLOCK_H

#include <stdbool.h>

/* The kernel parameter by which `ringscale vm` tells its guest what its clock counts. */
#define LAB_CLOCK_PARAMETER "ringscale.clock"

/*
 * Whether the clocks of this machine count instructions: a guest of `ringscale vm --clock path`,
 * where a ns is an instruction. What is measured there is path length, never time.
 */
bool lab_clock_counts(void);

/*
 * On such a machine every other thread's instructions would count too, for there is one CPU. Puts
 * the calling thread, and all that it starts, before the others (SCHED_RR). 0 or -errno.
 */
int lab_clock_claim_cpu(void);

/*
 * On such a machine: leaves this process's memory map where the lab takes it from, so that who
 * watched instructions can name them. The map of blocks is the same: they are forked. For the end,
 * when nothing is measured any more; a map that cannot be left is none.
 */
#define LAB_MAP_PATH "/lab/maps"
void lab_clock_leave_map(void);

#endif
