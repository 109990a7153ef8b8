// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/machine_time.h"

#include <sys/resource.h>

#include "base/clock.h"
#include "engine/record.h"

/* /proc/stat counts in 10 ms: shorter blocks say nothing about other CPU time. */
#define LONG_BLOCK_NS INT64_C(1000000000)

static int64_t children_cpu_ns(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * INT64_C(1000000000) +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * INT64_C(1000);
}

void machine_time_start(struct machine_time *time)
{
	time->start_ns = clock_now_ns();
	time->own_ns = children_cpu_ns();
	noise_cpu_time(&time->cpu);
}

void machine_time_record(const struct machine_time *start, json_t *record)
{
	struct machine_time now;
	int64_t steal_ns = NOISE_UNKNOWN, foreign_ns = NOISE_UNKNOWN, elapsed_ns;

	machine_time_start(&now);
	elapsed_ns = now.start_ns - start->start_ns;
	if (elapsed_ns >= LONG_BLOCK_NS) {
		if (start->cpu.steal_ns != NOISE_UNKNOWN)
			steal_ns = now.cpu.steal_ns - start->cpu.steal_ns;
		if (start->cpu.busy_ns != NOISE_UNKNOWN) {
			foreign_ns = now.cpu.busy_ns - start->cpu.busy_ns -
				     (now.own_ns - start->own_ns);
			foreign_ns = foreign_ns > 0 ? foreign_ns : 0;
		}
	}
	json_object_set_new(record, "started_ns", json_integer(start->start_ns));
	json_object_set_new(record, "elapsed_ns", json_integer(elapsed_ns));
	json_object_set_new(record, "steal_ns", record_number(steal_ns));
	json_object_set_new(record, "foreign_cpu_ns", record_number(foreign_ns));
}
