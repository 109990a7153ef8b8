/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_MACHINE_COUNTERS_H
#define RINGSCALE_MACHINE_COUNTERS_H

#include <stdint.h>

/*
 * Hardware counters of the calling thread, user and kernel apart, and how many of its requests were
 * punted to io-wq, read around the timed calls and never inside them. What this machine or its
 * settings (kernel.perf_event_paranoid) deny is NOISE_UNKNOWN, and so is what had to share a
 * hardware counter and was only estimated.
 */
enum counter {
	COUNTER_CYCLES_USER,
	COUNTER_CYCLES_KERNEL,
	COUNTER_INSTRUCTIONS_USER,
	COUNTER_INSTRUCTIONS_KERNEL,
	COUNTER_LLC_MISSES_USER,
	COUNTER_LLC_MISSES_KERNEL,
	COUNTER_PUNTS,			/* the tracepoint io_uring:io_uring_queue_async_work; needs tracefs */
	COUNTER_COUNT
};

/* Names in the result file, in the order of enum counter. */
extern const char *const counter_names[COUNTER_COUNT];

struct counters {
	int fds[COUNTER_COUNT];		/* -1: denied */
	int open;			/* how many are not */
};

/* Opens what there is for the calling thread, which is bound to `pu`: on hybrid
 * machines the counters of that PU's own PMU. Never fails: see above. */
void counters_open(struct counters *counters, int pu);
void counters_close(struct counters *counters);

/* Descriptors that counters_open takes for a thread on `pu`: 0 where all are denied. */
int counters_files(int pu);

/* Reads all: one system call each, none where all are denied. */
void counters_read(const struct counters *counters, int64_t values[COUNTER_COUNT]);

#endif
