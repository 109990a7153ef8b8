// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/iowq.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "machine/identity.h"
#include "machine/noise.h"

/* Reads the one line of tasks/tid/name. False: the thread has ended, or there is no such file. */
static bool read_line(const char *tasks, const char *tid, const char *name, char *line, size_t size)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s/%s", tasks, tid, name);
	return machine_read_line(path, line, size) >= 0;
}

/* Adds one thread, if it is a worker. */
static void add_thread(const char *tasks, const char *tid, struct iowq_use *use)
{
	int64_t run_ns, delay_ns, slices;
	char line[128];

	if (!read_line(tasks, tid, "comm", line, sizeof(line)) ||
	    strncmp(line, "iou-wrk-", strlen("iou-wrk-")))
		return;
	use->workers++;
	/* Three zeroes: the kernel keeps no such statistics. */
	if (!read_line(tasks, tid, "schedstat", line, sizeof(line)) ||
	    sscanf(line, "%" SCNd64 " %" SCNd64 " %" SCNd64, &run_ns, &delay_ns, &slices) != 3 ||
	    (!run_ns && !slices))
		use->cpu_ns = NOISE_UNKNOWN;
	if (use->cpu_ns != NOISE_UNKNOWN)
		use->cpu_ns += run_ns;
}

void iowq_read_under(const char *tasks, struct iowq_use *use)
{
	DIR *folder = opendir(tasks);
	const struct dirent *entry;

	*use = (struct iowq_use){ NOISE_UNKNOWN, NOISE_UNKNOWN, NOISE_UNKNOWN };
	if (!folder)
		return;
	*use = (struct iowq_use){ 0 };
	while ((entry = readdir(folder)))
		if (entry->d_name[0] != '.') {
			use->tasks++;
			add_thread(tasks, entry->d_name, use);
		}
	closedir(folder);
}

void iowq_read(struct iowq_use *use)
{
	iowq_read_under("/proc/self/task", use);
}
