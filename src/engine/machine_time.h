/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_ENGINE_MACHINE_TIME_H
#define RINGSCALE_ENGINE_MACHINE_TIME_H

#include <jansson.h>
#include <stdint.h>

#include "machine/noise.h"

/* CPU time of the whole machine during a block, as far as it says something. */
struct machine_time {
	int64_t start_ns, elapsed_ns;
	int64_t own_ns;
	struct cpu_time cpu;
};

void machine_time_start(struct machine_time *time);

/* Writes started_ns, elapsed_ns, steal_ns and foreign_cpu_ns, as seen from `start`, into a block's record. */
void machine_time_record(const struct machine_time *start, json_t *record);

#endif
