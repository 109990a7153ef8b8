/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_WORKLOADS_SUBMIT_H
#define RINGSCALE_WORKLOADS_SUBMIT_H

#include <errno.h>

#include "base/uring.h"
#include "workloads/workload.h"

/*
 * Submitting in the timed region: the sender enters `ring` with a published batch of `count` and
 * stays until its CQEs are in the ring. False: a call failed or the wait took too long, and
 * pair->sender says so.
 */

/* What is left to do where the first enter with all of them returned `taken`. */
static __attribute__((noinline, unused)) bool submit_rest(struct pair *pair, struct io_uring *ring, unsigned count, int taken)
{
	struct side *side = &pair->sender;
	unsigned left = count;

	for (;;) {
		if (taken > 0) {
			left -= (unsigned)taken;
		} else if (taken != -EINTR) {
			side->error = taken ? -taken : EIO;
			return false;
		}
		if (!left)
			break;
		taken = uring_enter(ring, left, 0, 0);
	}
	/* Punted to io-wq, for send-fd where the target's lock was taken: rare, and waited for. */
	while (uring_ready(ring) < count) {
		int result = uring_enter(ring, 0, count, pair->shape->timeout_ns);

		if (result == -EINTR && !atomic_load_explicit(pair->stop, memory_order_relaxed))
			continue;
		if (result < 0) {
			side->timed_out = result == -ETIME;
			side->error = side->timed_out ? 0 : -result;
			return false;
		}
	}
	return true;
}

static inline bool submit_batch(struct pair *pair, struct io_uring *ring, unsigned count)
{
	return submit_rest(pair, ring, count, uring_enter(ring, count, 0, 0));
}

#endif
