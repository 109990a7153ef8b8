// SPDX-License-Identifier: GPL-2.0-or-later
#include "workloads/exchange.h"

#include <errno.h>
#include <sched.h>

#include "base/clock.h"
#include "workloads/installs.h"
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

bool exchange_await_credit(struct pair *pair, unsigned upto)
{
	struct side *side = &pair->from->sender;
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

/* Whether every sender of this target has all its CQEs, or gave up. */
static bool all_sent(const struct pair *pair)
{
	for (unsigned i = 0; i < pair->spokes; i++)
		if (!atomic_load_explicit(&pair[i].sent_all, memory_order_acquire))
			return false;
	return true;
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
	if (all_sent(pair) &&
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

	while (!all_sent(pair)) {
		if (spin(pair, &spins) && !may_wait(pair, &pair->receiver, since_ns))
			return;
	}
	if (!pair->shape->skip_cqe)
		take_ready(pair, &head, pair->shape->used);
	give_back(pair, head);
}

void exchange_receive(struct pair *pair)
{
	if (pair->shape->poll)
		receive_polling(pair);
	else if (pair->shape->wait)
		receive_waiting(pair);
	else
		receive_afterwards(pair);
	pair->receiver.end_ns = clock_now_ns();
}

static void reset(struct pair *pair)
{
	rig_reset_side(&pair->sender, &pair->sent);
	rig_reset_side(&pair->receiver, &pair->arrived);
	atomic_store_explicit(&pair->sent_all, false, memory_order_relaxed);
	atomic_store_explicit(&pair->reaped_count, 0, memory_order_relaxed);
}

int exchange_prepare(struct pair *pair, struct error *e)
{
	/* Of a fan-out every receiver does so for its own pair. */
	for (unsigned i = 0; i < (pair->shape->fan_in ? pair->spokes : 1); i++)
		reset(&pair[i]);
	return rig_prepare_target(pair, e);
}

int exchange_judge(struct pair *pair, bool message, struct error *e)
{
	const struct shape *shape = pair->shape;
	struct installs installs = {
		.pair = pair->index,
		.slots = shape->slots,
		.used = shape->used,
		.explicit_slot = shape->explicit_slot,
		.message = message,
		.skip_cqe = shape->skip_cqe,
		.sent = shape->fan_in ? &pair->gathered : &pair->sent,
		.arrived = &pair->arrived,
		.arrived_left = uring_ready(&pair->target),
		.overflow = pair->receiver.overflow || uring_overflowed(&pair->target) ||
			    *pair->target.cq.koverflow,
		.dropped = *pair->target.sq.kdropped,
	};
	int result = 0;

	for (unsigned i = 0; i < (shape->fan_in ? pair->spokes : 1); i++) {
		const struct io_uring *source = &pair[i].from->source;

		installs.sent_left += uring_ready(source);
		installs.overflow |= uring_overflowed(source);
		installs.dropped += *source->sq.kdropped;
	}
	/* A full CQ makes the poller wait in vain: the overflow is the cause, so it is judged
	 * first. */
	if (!installs.overflow)
		result = rig_judge_sides(pair, e);
	if (!result && shape->fan_in && !installs.overflow)
		result = rig_gather_sent(pair, e);
	return result ? result : installs_judge(&installs, pair->slot_of, pair->taken, e);
}
