// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/counters.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "machine/identity.h"
#include "machine/noise.h"

const char *const counter_names[COUNTER_COUNT] = {
	"cycles_user", "cycles_kernel", "instructions_user", "instructions_kernel",
	"llc_misses_user", "llc_misses_kernel", "punts",
};

static const uint64_t events[] = {
	PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CACHE_MISSES,
};

/* Whether a kernel list such as "0-7,12" names this PU. */
static bool list_holds(const char *list, int pu)
{
	while (*list) {
		char *end;
		long first = strtol(list, &end, 10), last = first;

		if (end == list)
			return false;
		if (*end == '-')
			last = strtol(end + 1, &end, 10);
		if (pu >= first && pu <= last)
			return true;
		list = *end == ',' ? end + 1 : end;
	}
	return false;
}

/*
 * The PMU type that a hardware event must name on a hybrid machine (in the upper
 * half of its config, Linux 5.13 on); 0 where there is one PMU for all.
 */
static uint64_t hybrid_type(int pu)
{
	static const char *const names[] = { "cpu_core", "cpu_atom", "cpu_lowpower" };
	char path[96], text[4096];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/cpus", names[i]);
		if (machine_read_line(path, text, sizeof(text)) < 0 || !list_holds(text, pu))
			continue;
		snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", names[i]);
		if (machine_read_line(path, text, sizeof(text)) > 0)
			return strtoull(text, NULL, 10);
	}
	return 0;
}

static int open_event(uint64_t event, bool kernel, uint64_t type)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attributes),
		.config = type << 32 | event,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.exclude_user = kernel,
		.exclude_kernel = !kernel,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* The number of the tracepoint by which io_uring tells of a request that it hands to io-wq; 0: not
 * told. */
static uint64_t punt_event(void)
{
	static const char *const folders[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	char path[128], text[32];

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(path, sizeof(path), "%s/events/io_uring/io_uring_queue_async_work/id",
			 folders[i]);
		if (machine_read_line(path, text, sizeof(text)) > 0)
			return strtoull(text, NULL, 10);
	}
	return 0;
}

/* Counted, not traced. It fires in the task that submits, in the kernel. */
static int open_punts(void)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attributes),
		.config = punt_event(),
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	if (!attributes.config)
		return -1;
	return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

void counters_open(struct counters *counters, int pu)
{
	uint64_t type = hybrid_type(pu);

	counters->open = 0;
	for (int i = 0; i < COUNTER_COUNT; i++) {
		counters->fds[i] = i == COUNTER_PUNTS ? open_punts()
						      : open_event(events[i / 2], i % 2, type);
		counters->open += counters->fds[i] >= 0;
	}
}

void counters_close(struct counters *counters)
{
	for (int i = 0; i < COUNTER_COUNT; i++)
		if (counters->fds[i] >= 0)
			close(counters->fds[i]);
	counters->open = 0;
}

int counters_files(int pu)
{
	struct counters counters;
	int open;

	counters_open(&counters, pu);
	open = counters.open;
	counters_close(&counters);
	return open;
}

void counters_read(const struct counters *counters, int64_t values[COUNTER_COUNT])
{
	for (int i = 0; i < COUNTER_COUNT; i++) {
		struct {
			uint64_t value, enabled, running;
		} now;

		values[i] = NOISE_UNKNOWN;
		if (!counters->open || counters->fds[i] < 0 ||
		    read(counters->fds[i], &now, sizeof(now)) != sizeof(now))
			continue;
		if (now.running == now.enabled)
			values[i] = (int64_t)now.value;
	}
}
