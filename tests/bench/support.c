// SPDX-License-Identifier: GPL-2.0-or-later
#include "support.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

void bench_die(const struct error *e)
{
	fprintf(stderr, "bench: %s\n", e->text);
	exit(error_exit_status(e->kind));
}

static void *memory(size_t count, size_t size)
{
	void *block = calloc(count, size);

	if (!block)
		exit(1);
	return block;
}

void bench_open(struct pair *pair, const struct workload *workload, const struct shape *shape,
		const struct files *files, int index, _Atomic bool *stop)
{
	unsigned larger = shape->slots > shape->used ? shape->slots : shape->used;
	struct error e = ERROR_INIT;

	pair->shape = shape;
	pair_stand_alone(pair);
	pair->file = files->fds[index];
	pair->stamp = files->stamps[index];
	pair->sender_pu = sched_getcpu();
	pair->stop = stop;
	pair->sent.cqes = memory(shape->used, sizeof(*pair->sent.cqes));
	pair->arrived.cqes = memory(shape->used, sizeof(*pair->arrived.cqes));
	pair->read_back = memory(shape->used, sizeof(*pair->read_back));
	pair->slot_of = memory(shape->used, sizeof(*pair->slot_of));
	pair->taken = memory(larger, 1);
	if (workload->open(pair, &e))
		bench_die(&e);
}

void bench_files(struct files *files, int count)
{
	struct error e = ERROR_INIT;

	if (files_make(files, count, &e) || files_take(files, &e))
		bench_die(&e);
}

void bench_pin(void)
{
	cpu_set_t here;

	CPU_ZERO(&here);
	CPU_SET(sched_getcpu(), &here);
	sched_setaffinity(0, sizeof(here), &here);
}

size_t bench_rounds(int argc, char **argv, size_t initial, double **a, double **b)
{
	size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : initial;

	if (rounds < 6 || rounds > 1000000) {
		fprintf(stderr, "usage: %s [ROUNDS], 6 to 1000000\n", argv[0]);
		exit(2);
	}
	*a = memory(rounds, sizeof(double));
	*b = memory(rounds, sizeof(double));
	return rounds;
}
