// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * enter: what io_uring_enter itself costs. NOPs, a batch an enter, on one ring: no file, no table
 * and no other ring, so that what is left is the call, how the ring is found (by descriptor or
 * by registered index), and the least that a request takes.
 */
#include "base/clock.h"
#include "base/uring.h"
#include "workloads/installs.h"
#include "workloads/list.h"
#include "workloads/requests.h"
#include "workloads/rig.h"
#include "workloads/submit.h"

static int enter_open(struct pair *pair, struct error *e)
{
	(void)pair;
	(void)e;
	return 0;
}

static void enter_close(struct pair *pair)
{
	(void)pair;
}

/* Where everything of a ring lies, so that a batch follows no pointer twice: at one NOP an enter
 * each cold line counts. */
struct view {
	struct io_uring_sqe *sqes;
	const struct io_uring_cqe *cqes;
	unsigned *sq_tail, *cq_head, *cq_tail;
	unsigned sq_mask, cq_mask;
};

static struct view view_of(struct io_uring *ring)
{
	return (struct view){
		.sqes = ring->sq.sqes, .cqes = ring->cq.cqes,
		.sq_tail = ring->sq.ktail, .cq_head = ring->cq.khead, .cq_tail = ring->cq.ktail,
		.sq_mask = *ring->sq.kring_mask, .cq_mask = *ring->cq.kring_mask,
	};
}

static inline void fill_nops(const struct view *view, unsigned at, uint64_t tag, unsigned count)
{
	for (unsigned end = at + count; at != end; at++, tag++)
		view->sqes[at & view->sq_mask] = (struct io_uring_sqe){
			.opcode = IORING_OP_NOP, .fd = -1, .user_data = tag };
}

static inline void copy_cqes(const struct view *view, unsigned head, unsigned count,
			     struct io_uring_cqe *to)
{
	for (unsigned end = head + count; head != end; head++, to++) {
		const struct io_uring_cqe *from = &view->cqes[head & view->cq_mask];

		to->user_data = from->user_data;
		to->res = from->res;
		to->flags = from->flags;
	}
}

/* Two functions are made of it: with `batch` a constant 1, the loops in it are gone. */
static inline __attribute__((always_inline)) void send_nops(struct pair *pair, unsigned batch)
{
	unsigned used = pair->shape->used, done = 0;
	struct io_uring *ring = &pair->target;
	const struct view view = view_of(ring);
	struct io_uring_cqe *to = pair->sent.cqes;
	uint64_t tag = installs_tag(pair->index, 0);
	unsigned tail = ring->sq.sqe_tail, head = *view.cq_head;
	unsigned flags = uring_enter_flags(ring);
	int fd = ring->enter_ring_fd;

	while (done < used) {
		unsigned count = batch == 1 || used - done >= batch ? batch : used - done;
		int taken;

		fill_nops(&view, tail, tag + done, count);
		tail += count;
		__atomic_store_n(view.sq_tail, tail, __ATOMIC_RELEASE);
		taken = (int)uring_enter_call(fd, count, 0, flags, NULL, 0);
		if (taken != (int)count ||
		    __atomic_load_n(view.cq_tail, __ATOMIC_ACQUIRE) - head < count) {
			if (!submit_rest(pair, ring, count, taken))
				break;
		}
		copy_cqes(&view, head, count, to + done);
		head += count;
		__atomic_store_n(view.cq_head, head, __ATOMIC_RELEASE);
		done += count;
	}
	pair->sender.end_ns = clock_now_ns();
	pair->sent.count = done;
	ring->sq.sqe_head = ring->sq.sqe_tail = tail;
}

static __attribute__((noinline)) void send_single(struct pair *pair)
{
	send_nops(pair, 1);
}

static __attribute__((noinline)) void send_batches(struct pair *pair)
{
	send_nops(pair, pair->shape->batch);
}

static void enter_send(struct pair *pair)
{
	if (pair->shape->batch == 1)
		send_single(pair);
	else
		send_batches(pair);
}

static int enter_check(struct pair *pair, struct error *e)
{
	struct requests requests = {
		.pair = pair->index,
		.count = pair->shape->used,
		.unit = enter_workload.unit,
		.done = &pair->sent,
		.left = uring_ready(&pair->target),
		.overflow = uring_overflowed(&pair->target) || *pair->target.cq.koverflow,
		.dropped = *pair->target.sq.kdropped,
	};
	int result = rig_judge_sides(pair, e);

	return result ? result : requests_judge(&requests, pair->taken, e);
}

const struct workload enter_workload = {
	.name = "enter",
	.summary = "what entering a ring costs: NOPs on one ring, no file and no table",
	.unit = "NOP",
	.inline_only = true,
	.one_ring = true,
	.table = TABLE_NONE,
	.sets_tasks = true,
	.open = enter_open,
	.prepare = rig_prepare_alone,
	.send = enter_send,
	.check = enter_check,
	.finish = rig_finish_target,
	.close = enter_close,
};
