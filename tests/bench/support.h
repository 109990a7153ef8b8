/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_SUPPORT_H
#define BENCH_SUPPORT_H

#include "engine/files.h"
#include "workloads/workload.h"

/* What the programs here have in common. They end the process where something fails. */

/* Says why, and exits. */
__attribute__((noreturn)) void bench_die(const struct error *e);

/* A pair on this thread with files->fds[index], its workload open. `pair` is zeroed. */
void bench_open(struct pair *pair, const struct workload *workload, const struct shape *shape,
		const struct files *files, int index, _Atomic bool *stop);

/* `count` locked files. */
void bench_files(struct files *files, int count);

/* Stays on the PU where it is. */
void bench_pin(void);

/* The number of rounds on the command line, at least 6, else `initial`; two arrays of as many. */
size_t bench_rounds(int argc, char **argv, size_t initial, double **a, double **b);

#endif
