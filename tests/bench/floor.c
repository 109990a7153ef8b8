// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How far send-fd stands above its floor: f0 (4096 installs into a fresh table,
 * batch 64, ring 256) and bare, in turn, a fill of each a round, ABBA so that neither
 * always comes first. Prints the median of the paired ratios with its interval.
 *
 * usage: floor [ROUNDS]
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "engine/files.h"
#include "stats/ratio.h"
#include "stats/summary.h"
#include "workloads/list.h"

#define SLOTS 4096
#define WARMUP 20
#define GOAL 1.03

static const struct shape f0 = {
	.slots = SLOTS, .used = SLOTS, .batch = 64, .ring = 256, .cq = 512,
	.timeout_ns = 5000000000,
};

static void die(const struct error *e)
{
	fprintf(stderr, "floor: %s\n", e->text);
	exit(error_exit_status(e->kind));
}

static void *memory(size_t size)
{
	void *block = calloc(SLOTS, size);

	if (!block)
		exit(1);
	return block;
}

static void set_up(struct pair *pair, const struct workload *workload, const struct files *files,
		   int index, _Atomic bool *stop)
{
	struct error e = ERROR_INIT;

	pair->shape = &f0;
	pair_stand_alone(pair);
	pair->file = files->fds[index];
	pair->stamp = files->stamps[index];
	pair->sender_pu = sched_getcpu();
	pair->stop = stop;
	pair->sent.cqes = memory(sizeof(*pair->sent.cqes));
	pair->arrived.cqes = memory(sizeof(*pair->arrived.cqes));
	pair->read_back = memory(sizeof(*pair->read_back));
	pair->slot_of = memory(sizeof(*pair->slot_of));
	pair->taken = memory(1);
	if (workload->open(pair, &e))
		die(&e);
}

/* ns per install of one verified fill. */
static double fill(struct pair *pair, const struct workload *workload)
{
	struct error e = ERROR_INIT;
	int64_t start_ns;

	if (workload->prepare(pair, &e) || (workload->arm && workload->arm(pair, &e)))
		die(&e);
	start_ns = clock_now_ns();
	workload->send(pair);
	if (workload->check(pair, &e))
		die(&e);
	if (workload->finish(pair, true, &e))
		die(&e);
	return (double)(pair->sender.end_ns - start_ns) / SLOTS;
}

static void pin_here(void)
{
	cpu_set_t here;

	CPU_ZERO(&here);
	CPU_SET(sched_getcpu(), &here);
	sched_setaffinity(0, sizeof(here), &here);
}

int main(int argc, char **argv)
{
	size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 2000;
	double *sent = calloc(rounds, sizeof(double)), *bare = calloc(rounds, sizeof(double));
	static struct pair pairs[2];
	static _Atomic bool stop;
	struct files files = { 0 };
	struct error e = ERROR_INIT;
	struct median_interval ratio;

	if (rounds < 6 || !sent || !bare) {
		fprintf(stderr, "usage: floor [ROUNDS], at least 6\n");
		return 2;
	}
	pin_here();
	if (files_make(&files, 2, &e) || files_take(&files, &e))
		die(&e);
	set_up(&pairs[0], &send_fd_workload, &files, 0, &stop);
	set_up(&pairs[1], &bare_workload, &files, 1, &stop);
	for (size_t i = 0; i < WARMUP + rounds; i++) {
		size_t at = i < WARMUP ? 0 : i - WARMUP;

		if (i % 2) {
			bare[at] = fill(&pairs[1], &bare_workload);
			sent[at] = fill(&pairs[0], &send_fd_workload);
		} else {
			sent[at] = fill(&pairs[0], &send_fd_workload);
			bare[at] = fill(&pairs[1], &bare_workload);
		}
	}
	ratio = ratio_median(sent, bare, rounds, 0.95);
	printf("f0    median %.1f ns/install over %zu rounds, all verified\n",
	       summary_of(sent, rounds).median, rounds);
	printf("bare  median %.1f ns/install\n", summary_of(bare, rounds).median);
	printf("f0 / bare  median of paired ratios %.4f, 95 %% interval %.4f to %.4f (goal: at most %.2f)\n",
	       ratio.median, ratio.low, ratio.high, GOAL);
	return 0;
}
