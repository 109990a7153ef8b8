/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_MACHINE_IOWQ_H
#define RINGSCALE_MACHINE_IOWQ_H

#include <stdint.h>

/*
 * The io-wq workers of this process: threads of the kernel, named iou-wrk-TID after the task
 * whose request they took over. One ends with that task, or after some seconds without work,
 * and is seen no more. NOISE_UNKNOWN where it cannot be read.
 */
struct iowq_use {
	int64_t tasks;		/* threads of the process, the workers among them */
	int64_t workers;
	int64_t cpu_ns;		/* of all of them, since they began */
};

void iowq_read(struct iowq_use *use);

/* The same from a folder like /proc/self/task: TID/comm and TID/schedstat. */
void iowq_read_under(const char *tasks, struct iowq_use *use);

#endif
