// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/noise.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "machine/files.h"

/* About 2 ms of a chain whose every step waits for a multiplication. */
#define PROBE_STEPS 2000000

void noise_open(struct noise_source *source)
{
	/* The kernel resolves thread-self when opening: the descriptor stays with this thread. */
	source->schedstat_fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	source->sched_fd = open("/proc/thread-self/sched", O_RDONLY | O_CLOEXEC);
}

void noise_close(struct noise_source *source)
{
	if (source->schedstat_fd >= 0)
		close(source->schedstat_fd);
	if (source->sched_fd >= 0)
		close(source->sched_fd);
	source->schedstat_fd = source->sched_fd = -1;
}

int64_t noise_parse_run_delay(const char *schedstat)
{
	int64_t run, delay, slices;

	if (sscanf(schedstat, "%" SCNd64 " %" SCNd64 " %" SCNd64, &run, &delay, &slices) != 3)
		return NOISE_UNKNOWN;
	/* Three zeroes: the kernel keeps no such statistics. A thread that asks has run. */
	return run || slices ? delay : NOISE_UNKNOWN;
}

int64_t noise_parse_migrations(const char *sched)
{
	const char *line = strstr(sched, "nr_migrations");
	int64_t value;

	line = line ? strchr(line, ':') : NULL;
	return line && sscanf(line + 1, "%" SCNd64, &value) == 1 ? value : NOISE_UNKNOWN;
}

/* Reads a file of /proc from its start again: the kernel makes its text anew each time. */
static int read_again(int fd, char *buffer, size_t size)
{
	ssize_t length;

	if (fd < 0)
		return -EBADF;
	length = pread(fd, buffer, size - 1, 0);
	if (length <= 0)
		return -EIO;
	buffer[length] = '\0';
	return 0;
}

void noise_read(const struct noise_source *source, struct noise *now)
{
	char text[4096];
	struct rusage usage;

	*now = (struct noise){ NOISE_UNKNOWN, NOISE_UNKNOWN, NOISE_UNKNOWN };
	if (!getrusage(RUSAGE_THREAD, &usage))
		now->involuntary_switches = usage.ru_nivcsw;
	if (!read_again(source->schedstat_fd, text, sizeof(text)))
		now->run_delay_ns = noise_parse_run_delay(text);
	if (!read_again(source->sched_fd, text, sizeof(text)))
		now->migrations = noise_parse_migrations(text);
}

static int64_t since(int64_t before, int64_t after)
{
	return before == NOISE_UNKNOWN || after == NOISE_UNKNOWN ? NOISE_UNKNOWN : after - before;
}

struct noise noise_since(const struct noise *before, const struct noise *after)
{
	return (struct noise){
		.run_delay_ns = since(before->run_delay_ns, after->run_delay_ns),
		.involuntary_switches = since(before->involuntary_switches,
					      after->involuntary_switches),
		.migrations = since(before->migrations, after->migrations),
	};
}

int64_t noise_spin_probe(void)
{
	uint64_t x = 1;
	int64_t start_ns = clock_now_ns();

	for (int i = 0; i < PROBE_STEPS; i++) {
		x = x * UINT64_C(6364136223846793005) + 1;
		/* Keeps the compiler from folding several steps into one. */
		__asm__ volatile("" : "+r"(x));
	}
	return clock_now_ns() - start_ns;
}

void noise_parse_cpu_time(const char *stat, int64_t ticks_per_second, struct cpu_time *now)
{
	/* user nice system idle iowait irq softirq steal; guest time is in user already. */
	int64_t t[8];

	*now = (struct cpu_time){ NOISE_UNKNOWN, NOISE_UNKNOWN };
	if (ticks_per_second < 1 ||
	    sscanf(stat, "cpu %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64
		   " %" SCNd64 " %" SCNd64, &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6],
		   &t[7]) != 8)
		return;
	now->busy_ns = (t[0] + t[1] + t[2] + t[5] + t[6]) * (1000000000 / ticks_per_second);
	now->steal_ns = t[7] * (1000000000 / ticks_per_second);
}

void noise_cpu_time(struct cpu_time *now)
{
	char line[512];

	if (machine_read_line_under("", "/proc/stat", line, sizeof(line)) < 0)
		line[0] = '\0';
	noise_parse_cpu_time(line, sysconf(_SC_CLK_TCK), now);
}
