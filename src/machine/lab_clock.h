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

#endif
