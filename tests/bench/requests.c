// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How far `enter` and `update-files` stand above floors of their own: the same requests in as many
 * enters, all of them filled before the clock starts, completions advanced over unread, nothing
 * stored. On one and the same ring, in turn, a fill of each a round, ABBA so that neither always comes first. Prints the median
 * of the paired ratios with its interval.
 *
 * usage: requests [ROUNDS]
 */
#include <stdio.h>

#include "base/clock.h"
#include "base/uring.h"
#include "stats/ratio.h"
#include "stats/summary.h"
#include "support.h"
#include "workloads/list.h"
#include "workloads/update.h"

#define COUNT 4096
#define WARMUP 20
#define DEFERRED (IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN)

/* As preset registered-ring has it at batch 1, and preset rsrc-update. */
static const struct shape enter_shape = {
	.target_flags = DEFERRED, .table = TABLE_NONE, .one_ring = true, .registered = true, .reuse = true,
	.slots = COUNT, .used = COUNT, .batch = 1, .ring = 256, .cq = 512,
	.timeout_ns = 5000000000,
};
/* The ring holds two times round the table: its places hold the same updates when it turns. */
static const struct shape update_shape = {
	.target_flags = DEFERRED, .table = TABLE_FILES, .one_ring = true, .registered = true, .reuse = true,
	.slots = 128, .used = COUNT, .batch = 32, .ring = 256, .cq = 512,
	.timeout_ns = 5000000000,
};

static void check(struct pair *pair, const struct workload *workload)
{
	struct error e = ERROR_INIT;

	if (workload->check(pair, &e))
		bench_die(&e);
}

static void prepare(struct pair *pair, const struct workload *workload)
{
	struct error e = ERROR_INIT;

	if (workload->prepare(pair, &e))
		bench_die(&e);
}

/* ns a request of one verified fill. */
static double measured(struct pair *pair, const struct workload *workload)
{
	int64_t start_ns;

	prepare(pair, workload);
	start_ns = clock_now_ns();
	workload->send(pair);
	check(pair, workload);
	return (double)(pair->sender.end_ns - start_ns) / COUNT;
}

static void fill_nops(struct pair *pair)
{
	for (unsigned i = 0; i < *pair->target.sq.kring_entries; i++)
		*uring_sqe(&pair->target, i) = (struct io_uring_sqe){ .opcode = IORING_OP_NOP, .fd = -1 };
}

static void fill_updates(struct pair *pair)
{
	const struct update *update = update_of(pair);

	for (unsigned i = 0; i < *pair->target.sq.kring_entries; i++)
		*uring_sqe(&pair->target, i) = (struct io_uring_sqe){
			.opcode = IORING_OP_FILES_UPDATE, .fd = -1, .len = 1,
			.off = (update->next + i) % pair->shape->slots,
			.addr = (uintptr_t)update->entries[update_which(pair, update->next + i)],
		};
}

/* The same of a floor, in which only what an enter took is looked at. */
static double floor_of(struct pair *pair, void (*fill)(struct pair *pair))
{
	struct io_uring *ring = &pair->target;
	unsigned batch = pair->shape->batch, flags = uring_enter_flags(ring), done = 0;
	/* In registers: a page that is touched behind a system call may have to be looked up again. */
	unsigned *sq_tail = ring->sq.ktail, *cq_head = ring->cq.khead;
	unsigned tail = ring->sq.sqe_tail, head = *cq_head;
	int fd = ring->enter_ring_fd;
	int64_t start_ns, end_ns;

	fill(pair);
	start_ns = clock_now_ns();
	for (; done < COUNT; done += batch) {
		__atomic_store_n(sq_tail, tail += batch, __ATOMIC_RELEASE);
		if (uring_enter_call(fd, batch, 0, flags, NULL, 0) != (long)batch)
			break;
		__atomic_store_n(cq_head, head += batch, __ATOMIC_RELEASE);
	}
	end_ns = clock_now_ns();
	ring->sq.sqe_head = ring->sq.sqe_tail = tail;
	if (done < COUNT) {
		struct error e = ERROR_INIT;

		error_set(&e, ERROR_FAILED, 0, "the floor's io_uring_enter failed");
		bench_die(&e);
	}
	return (double)(end_ns - start_ns) / COUNT;
}

static void compare(const struct workload *workload, const struct shape *shape,
		    void (*fill)(struct pair *pair), const struct files *files, int index,
		    size_t rounds, double *sent, double *bare)
{
	static _Atomic bool stop;
	static const struct pair none;
	struct pair pair = none;
	struct median_interval ratio;

	bench_open(&pair, workload, shape, files, index, &stop);
	prepare(&pair, workload);
	for (size_t i = 0; i < WARMUP + rounds; i++) {
		size_t at = i < WARMUP ? 0 : i - WARMUP;

		if (i % 2) {
			bare[at] = floor_of(&pair, fill);
			sent[at] = measured(&pair, workload);
		} else {
			sent[at] = measured(&pair, workload);
			bare[at] = floor_of(&pair, fill);
		}
	}
	ratio = ratio_median(sent, bare, rounds, 0.95);
	printf("%s, batch %u, registered ring\n", workload->name, shape->batch);
	printf("verified  median %.1f ns/%s over %zu rounds (%.2f M/s)\n",
	       summary_of(sent, rounds).median, workload->unit, rounds,
	       1e3 / summary_of(sent, rounds).median);
	printf("floor     median %.1f ns/%s\n", summary_of(bare, rounds).median, workload->unit);
	printf("verified / floor  median of paired ratios %.4f, 95 %% interval %.4f to %.4f\n",
	       ratio.median, ratio.low, ratio.high);
}

int main(int argc, char **argv)
{
	struct files files = { 0 };
	double *sent, *bare;
	size_t rounds = bench_rounds(argc, argv, 2000, &sent, &bare);

	bench_pin();
	bench_files(&files, 2);
	compare(&enter_workload, &enter_shape, fill_nops, &files, 0, rounds, sent, bare);
	compare(&update_files_workload, &update_shape, fill_updates, &files, 1, rounds, sent, bare);
	return 0;
}
