/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_MACHINE_NOISE_H
#define RINGSCALE_MACHINE_NOISE_H

#include <stdint.h>
#include <stdio.h>

/* A counter that could not be read. Null in the file; null is not "undisturbed". */
#define NOISE_UNKNOWN INT64_MIN

/*
 * What the kernel counted for the calling thread; differences of two snapshots
 * are the disturbance of what lies between. The thread opens its own files once.
 */
struct noise_source {
	int schedstat_fd, sched_fd;	/* -1 where unreadable */
};
struct noise {
	int64_t run_delay_ns;		/* time runnable and not running */
	int64_t involuntary_switches;
	int64_t migrations;
};

/* For the calling thread only; files that cannot be opened leave their counters unknown. */
void noise_open(struct noise_source *source);
void noise_close(struct noise_source *source);
void noise_read(const struct noise_source *source, struct noise *now);
/* after - before, unknown where either is. */
struct noise noise_since(const struct noise *before, const struct noise *after);
/* What noise_read takes out of the two files; unknown where it is not there, or not kept. */
int64_t noise_parse_run_delay(const char *schedstat);
int64_t noise_parse_migrations(const char *sched);

/*
 * Interrupts taken by PUs, all kinds added (/proc/interrupts). Slow on big machines: between
 * rounds only.
 */
struct interrupt_counts {
	int64_t *by_pu;		/* index: OS index of the PU */
	int count;
};
int interrupts_read(struct interrupt_counts *counts);	/* 0 or -errno, then all unknown */
/* The same from an open file. PUs without a column (offline) are unknown. */
int interrupts_parse(FILE *file, struct interrupt_counts *counts);
int64_t interrupts_of(const struct interrupt_counts *counts, int pu);
void interrupts_free(struct interrupt_counts *counts);

/*
 * Runs a fixed dependent chain of integer work (about 2 ms) on the calling
 * thread and returns its ns: the same work each time, so that a slower clock, a busy sibling or
 * a neighbour shows.
 */
int64_t noise_spin_probe(void);

/* Machine-wide CPU time since boot in ns: stolen by the hypervisor, and used (all but idle, iowait
 * and what was stolen). The kernel's grain is 10 ms: only worth a look over a second or more. */
struct cpu_time {
	int64_t steal_ns, busy_ns;
};
void noise_cpu_time(struct cpu_time *now);
/* The same from the first line of /proc/stat; stolen time is not in busy_ns. */
void noise_parse_cpu_time(const char *stat, int64_t ticks_per_second, struct cpu_time *now);

#endif
