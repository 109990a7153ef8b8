/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_WORKLOADS_EXCHANGE_H
#define RINGSCALE_WORKLOADS_EXCHANGE_H

#include "base/clock.h"
#include "base/uring.h"
#include "workloads/reap.h"
#include "workloads/submit.h"
#include "workloads/workload.h"

/*
 * What workloads have in common in which senders submit MSG_RING requests to a target, a batch an
 * enter, and a receiver reaps what arrives: send-fd and its control msg-data, which must differ in
 * the request and in nothing else. The functions with the signature of a hook serve as one.
 */

/* Hook prepare: the counters of both sides back to nothing, then the target. */
int exchange_prepare(struct pair *pair, struct error *e);

/* Hook receive: as the shape says. */
void exchange_receive(struct pair *pair);

/* Hook check, all but what lies in the slots: calls, counts, every CQE; fills slot_of. `message`:
 * as in struct installs. */
int exchange_judge(struct pair *pair, bool message, struct error *e);

/* Waits until the target's CQ has room for installs up to `upto`. False: no more waiting. */
bool exchange_await_credit(struct pair *pair, unsigned upto);

/* Writes the SQEs of installs first .. first + count - 1, each from the template. */
struct exchange_fill {
	void (*batch)(struct pair *pair, const struct io_uring_sqe *template,
		      unsigned first, unsigned count);
};

/*
 * The functions below are inlined with a constant fill, so that every workload gets a loop of its
 * own without an indirect call.
 */
static inline __attribute__((always_inline)) bool
exchange_send_batch(struct pair *pair, const struct io_uring_sqe *template, unsigned done,
		    unsigned count, struct exchange_fill fill)
{
	const struct shape *shape = pair->shape;
	struct io_uring *source = &pair->from->source;

	if (shape->credits && !exchange_await_credit(pair, done + count))
		return false;
	fill.batch(pair, template, pair->first + done, count);
	uring_publish(source, count);
	if (!submit_batch(pair->from, source, count))
		return false;
	reap_ready(source, count, &pair->sent);
	if (!shape->split && !shape->skip_cqe)
		reap_ready(&pair->target, count, &pair->arrived);
	return true;
}

/* A batch to each target in turn. Source slot i holds the file of pair i, unless every install has
 * one. */
static inline __attribute__((always_inline)) void
exchange_send_out(struct pair *hub, const struct io_uring_sqe *template, struct exchange_fill fill)
{
	const struct shape *shape = hub->shape;
	struct io_uring_sqe one = *template;

	for (unsigned done = 0; done < shape->used;) {
		unsigned left = shape->used - done;
		unsigned count = left < shape->batch ? left : shape->batch;

		for (unsigned i = 0; i < hub->spokes; i++) {
			one.fd = hub[i].target.ring_fd;
			one.addr3 = template->addr == IORING_MSG_SEND_FD ? i : 0;
			if (!exchange_send_batch(&hub[i], &one, done, count, fill))
				return;
		}
		done += count;
	}
}

/* Hook send, for a template whose fd is the pair's target. */
static inline __attribute__((always_inline)) void
exchange_send(struct pair *pair, const struct io_uring_sqe *template, struct exchange_fill fill)
{
	const struct shape *shape = pair->shape;

	if (shape->fan_out) {
		exchange_send_out(pair, template, fill);
	} else {
		for (unsigned done = 0; done < pair->count;) {
			unsigned left = pair->count - done;
			unsigned count = left < shape->batch ? left : shape->batch;

			if (!exchange_send_batch(pair, template, done, count, fill))
				break;
			done += count;
		}
	}
	pair->sender.end_ns = clock_now_ns();
	if (shape->split)
		for (unsigned i = 0; i < (shape->fan_out ? pair->spokes : 1); i++)
			atomic_store_explicit(&pair[i].sent_all, true, memory_order_release);
}

#endif
