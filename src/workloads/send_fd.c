// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * send-fd: installs the source ring's file into the target's table, one
 * MSG_RING SEND_FD an install. What `send` and `receive` do is what a program would
 * have to do: fill SQEs, enter, reap both CQs.
 */
#include <errno.h>
#include <sched.h>

#include "base/clock.h"
#include "base/uring.h"
#include "workloads/installs.h"
#include "workloads/list.h"
#include "workloads/reap.h"
#include "workloads/rig.h"

/* Spins between two looks at the clock, the overflow flag and the stop flag. */
#define SPINS_PER_LOOK 1024
/* The same where every spin lets other threads of the PU run. */
#define YIELDS_PER_LOOK 16

/* One idle spin; whether it is time for a look. */
static bool spin(const struct pair *pair, unsigned *spins)
{
	if (!pair->shape->yield) {
		clock_pause();
		return ++*spins % SPINS_PER_LOOK == 0;
	}
	sched_yield();
	return ++*spins % YIELDS_PER_LOOK == 0;
}

static bool stopped(const struct pair *pair)
{
	return atomic_load_explicit(pair->stop, memory_order_relaxed);
}

/* At a look: whether to go on waiting. */
static bool may_wait(const struct pair *pair, struct side *side, int64_t since_ns)
{
	if (stopped(pair))
		return false;
	if (clock_now_ns() - since_ns < pair->shape->timeout_ns)
		return true;
	side->timed_out = true;
	return false;
}

/* Waits until the target's CQ has room for installs up to `upto`. */
static bool await_credit(struct pair *pair, unsigned upto)
{
	struct side *side = &pair->sender;
	int64_t start;
	unsigned spins = 0;

	if (upto - atomic_load_explicit(&pair->reaped_count, memory_order_acquire) <=
	    pair->shape->cq)
		return true;
	start = clock_now_ns();
	while (upto - atomic_load_explicit(&pair->reaped_count, memory_order_acquire) >
	       pair->shape->cq) {
		if (spin(pair, &spins) && !may_wait(pair, side, start))
			return false;
	}
	side->stall_ns += clock_now_ns() - start;
	return true;
}

/*
 * Writes all 64 bytes of every SQE of a batch: a template, then what differs. Two functions are made
 * of it, as one more store for the source slot would not be free. They are not inlined, and the
 * template is behind a restrict pointer, so that the compiler keeps it in registers; built in
 * place it would be stored in pieces and loaded whole, a stall for every SQE.
 */
static inline __attribute__((always_inline)) void
fill_sqes(struct pair *pair, const struct io_uring_sqe *restrict template, unsigned first,
	  unsigned count, bool per_slot)
{
	struct io_uring_sqe *restrict sqes = pair->source.sq.sqes;
	unsigned at = pair->source.sq.sqe_tail, mask = *pair->source.sq.kring_mask;
	unsigned slot = template->file_index, step = 0;
	uint64_t tag = installs_tag(pair->index, first);

	if (pair->shape->explicit_slot) {
		slot = first + 1;
		step = 1;
	}
	for (unsigned end = at + count; at != end; at++, slot += step, tag++) {
		struct io_uring_sqe *sqe = &sqes[at & mask];

		*sqe = *template;
		sqe->off = tag;
		sqe->user_data = tag;
		sqe->file_index = slot;
		if (per_slot)
			sqe->addr3 = first++;
	}
}

static __attribute__((noinline)) void fill_batch(struct pair *pair,
						 const struct io_uring_sqe *restrict template,
						 unsigned first, unsigned count)
{
	fill_sqes(pair, template, first, count, false);
}

static __attribute__((noinline)) void fill_batch_per_slot(struct pair *pair,
							  const struct io_uring_sqe *restrict template,
							  unsigned first, unsigned count)
{
	fill_sqes(pair, template, first, count, true);
}

/* Enters with a published batch and stays until its source CQEs are in the ring. */
static bool submit(struct pair *pair, unsigned count)
{
	struct io_uring *source = &pair->source;
	struct side *side = &pair->sender;
	unsigned left = count;

	while (left) {
		int taken = uring_enter(source, left, 0, 0);

		if (taken > 0) {
			left -= (unsigned)taken;
		} else if (taken != -EINTR) {
			side->error = taken ? -taken : EIO;
			return false;
		}
	}
	/* Punted to io-wq where the target's lock was taken: rare, and waited for. */
	while (uring_ready(source) < count) {
		int result = uring_enter(source, 0, count, pair->shape->timeout_ns);

		if (result == -EINTR && !stopped(pair))
			continue;
		if (result < 0) {
			side->timed_out = result == -ETIME;
			side->error = side->timed_out ? 0 : -result;
			return false;
		}
	}
	return true;
}

static void reset(struct side *side, struct arrivals *arrivals)
{
	side->stall_ns = 0;
	side->error = 0;
	side->overflow = false;
	side->timed_out = false;
	arrivals->count = 0;
}

static void send_fd_send(struct pair *pair)
{
	const struct shape *shape = pair->shape;
	bool reap_target = !shape->split && !shape->skip_cqe;
	struct io_uring_sqe template;

	uring_prep_send_fd(&template, pair->target.ring_fd, 0, IORING_FILE_INDEX_ALLOC, 0, 0,
			   shape->skip_cqe ? IORING_MSG_RING_CQE_SKIP : 0);
	for (unsigned done = 0; done < shape->used;) {
		unsigned left = shape->used - done;
		unsigned count = left < shape->batch ? left : shape->batch;

		if (shape->credits && !await_credit(pair, done + count))
			break;
		if (shape->per_slot)
			fill_batch_per_slot(pair, &template, done, count);
		else
			fill_batch(pair, &template, done, count);
		uring_publish(&pair->source, count);
		if (!submit(pair, count))
			break;
		reap_ready(&pair->source, count, &pair->sent);
		if (reap_target)
			reap_ready(&pair->target, count, &pair->arrived);
		done += count;
	}
	pair->sender.end_ns = clock_now_ns();
	if (shape->split)
		atomic_store_explicit(&pair->sent_all, true, memory_order_release);
}

/* Copies up to `most` CQEs without giving them back; the caller publishes once a batch. */
static unsigned take_ready(struct pair *pair, unsigned *head, unsigned most)
{
	unsigned ready = __atomic_load_n(pair->target.cq.ktail, __ATOMIC_ACQUIRE) - *head;

	if (ready > most)
		ready = most;
	if (ready) {
		reap_copy(&pair->target, *head, ready, &pair->arrived);
		*head += ready;
	}
	return ready;
}

static void give_back(struct pair *pair, unsigned head)
{
	reap_publish(&pair->target, head);
	atomic_store_explicit(&pair->reaped_count, pair->arrived.count, memory_order_release);
}

/*
 * An idle look of the polling receiver: whether more can come. The sender's last source CQE
 * follows its target CQE, so once all are sent, what is not there is missing.
 */
static bool more_can_come(struct pair *pair, unsigned head, int64_t since_ns)
{
	if (uring_overflowed(&pair->target)) {
		pair->receiver.overflow = true;
		return false;
	}
	if (atomic_load_explicit(&pair->sent_all, memory_order_acquire) &&
	    __atomic_load_n(pair->target.cq.ktail, __ATOMIC_ACQUIRE) == head)
		return false;
	return may_wait(pair, &pair->receiver, since_ns);
}

static void receive_polling(struct pair *pair)
{
	const struct shape *shape = pair->shape;
	unsigned head = *pair->target.cq.khead, published = head, spins = 0;
	int64_t since_ns = pair->receiver.start_ns;

	while (pair->arrived.count < shape->used) {
		if (!take_ready(pair, &head, shape->used - pair->arrived.count)) {
			if (spin(pair, &spins) && !more_can_come(pair, head, since_ns))
				break;
		} else if (head - published >= shape->batch) {
			give_back(pair, head);
			published = head;
		}
	}
	give_back(pair, head);
}

static void receive_waiting(struct pair *pair)
{
	const struct shape *shape = pair->shape;
	unsigned head = *pair->target.cq.khead;

	while (pair->arrived.count < shape->used) {
		unsigned left = shape->used - pair->arrived.count;
		unsigned want = left < shape->batch ? left : shape->batch;
		int result;

		/* The enter below flushes the overflow list and clears its only trace. */
		pair->receiver.overflow |= uring_overflowed(&pair->target);
		result = uring_enter(&pair->target, 0, want, shape->timeout_ns);
		take_ready(pair, &head, left);
		give_back(pair, head);
		if (result == -EINTR && !stopped(pair))
			continue;
		if (result < 0) {
			pair->receiver.timed_out = result == -ETIME;
			pair->receiver.error = pair->receiver.timed_out ? 0 : -result;
			break;
		}
	}
}

static void receive_afterwards(struct pair *pair)
{
	int64_t since_ns = pair->receiver.start_ns;
	unsigned head = *pair->target.cq.khead, spins = 0;

	while (!atomic_load_explicit(&pair->sent_all, memory_order_acquire)) {
		if (spin(pair, &spins) && !may_wait(pair, &pair->receiver, since_ns))
			return;
	}
	if (!pair->shape->skip_cqe)
		take_ready(pair, &head, pair->shape->used);
	give_back(pair, head);
}

static void send_fd_receive(struct pair *pair)
{
	if (pair->shape->poll)
		receive_polling(pair);
	else if (pair->shape->wait)
		receive_waiting(pair);
	else
		receive_afterwards(pair);
	pair->receiver.end_ns = clock_now_ns();
}

/* Before the start gate: the counters of both sides back to nothing. */
static int send_fd_prepare(struct pair *pair, struct error *e)
{
	reset(&pair->sender, &pair->sent);
	reset(&pair->receiver, &pair->arrived);
	atomic_store_explicit(&pair->sent_all, false, memory_order_relaxed);
	atomic_store_explicit(&pair->reaped_count, 0, memory_order_relaxed);
	return rig_prepare_target(pair, e);
}

static int send_fd_check(struct pair *pair, struct error *e)
{
	const struct shape *shape = pair->shape;
	struct installs installs = {
		.pair = pair->index,
		.slots = shape->slots,
		.used = shape->used,
		.explicit_slot = shape->explicit_slot,
		.skip_cqe = shape->skip_cqe,
		.sent = &pair->sent,
		.arrived = &pair->arrived,
		.sent_left = uring_ready(&pair->source),
		.arrived_left = uring_ready(&pair->target),
		.overflow = pair->receiver.overflow || uring_overflowed(&pair->target) ||
			    uring_overflowed(&pair->source) || *pair->target.cq.koverflow,
		.dropped = *pair->source.sq.kdropped + *pair->target.sq.kdropped,
	};
	int result = 0;

	/* A full CQ makes the poller wait in vain: the overflow is the cause, so it is judged first. */
	if (!installs.overflow)
		result = rig_judge_sides(pair, e);
	if (!result)
		result = installs_judge(&installs, pair->slot_of, pair->taken, e);
	return result ? result : rig_judge_files(pair, e);
}

const struct workload send_fd_workload = {
	.name = "send-fd",
	.summary = "install a file into another ring's table with MSG_RING SEND_FD",
	.open = rig_open_source,
	.prepare = send_fd_prepare,
	.send = send_fd_send,
	.receive = send_fd_receive,
	.check = send_fd_check,
	.finish = rig_finish_target,
	.close = rig_close_source,
};
