// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How far send-fd stands above its floor: f0 (4096 installs into a fresh table,
 * batch 64, ring 256) and bare, in turn, a fill of each a round, ABBA so that neither
 * always comes first. Prints the median of the paired ratios with its interval.
 *
 * usage: floor [ROUNDS]
 */
#include <stdio.h>

#include "base/clock.h"
#include "stats/ratio.h"
#include "stats/summary.h"
#include "support.h"
#include "workloads/list.h"

#define SLOTS 4096
#define WARMUP 20
#define GOAL 1.03

static const struct shape f0 = {
	.slots = SLOTS, .used = SLOTS, .batch = 64, .ring = 256, .cq = 512,
	.timeout_ns = 5000000000,
};

/* ns per install of one verified fill. */
static double fill(struct pair *pair, const struct workload *workload)
{
	struct error e = ERROR_INIT;
	int64_t start_ns;

	if (workload->prepare(pair, &e) || (workload->arm && workload->arm(pair, &e)))
		bench_die(&e);
	start_ns = clock_now_ns();
	workload->send(pair);
	if (workload->check(pair, &e))
		bench_die(&e);
	if (workload->finish(pair, true, &e))
		bench_die(&e);
	return (double)(pair->sender.end_ns - start_ns) / SLOTS;
}

int main(int argc, char **argv)
{
	static struct pair pairs[2];
	static _Atomic bool stop;
	struct files files = { 0 };
	struct median_interval ratio;
	double *sent, *bare;
	size_t rounds = bench_rounds(argc, argv, 2000, &sent, &bare);

	bench_pin();
	bench_files(&files, 2);
	bench_open(&pairs[0], &send_fd_workload, &f0, &files, 0, &stop);
	bench_open(&pairs[1], &bare_workload, &f0, &files, 1, &stop);
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
