/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_WORKLOADS_REAP_H
#define RINGSCALE_WORKLOADS_REAP_H

#include <string.h>

#include "base/uring.h"
#include "workloads/workload.h"

/*
 * Reaping in the timed region: whole runs of CQEs are copied out of the ring
 * as they lie there and judged after the clock has stopped.
 */

/* Copies the `count` CQEs that follow ring position `head` to the end of `to`. Those beyond its
 * capacity stay uncopied and show up as CQEs too many. */
static inline void reap_copy(const struct io_uring *ring, unsigned head, unsigned count,
			     struct arrivals *to)
{
	unsigned at = head & *ring->cq.kring_mask;
	unsigned run = *ring->cq.kring_entries - at;
	struct io_uring_cqe *out = to->cqes + to->count;

	/* No call for one: see enter_call in base/uring.c. */
	if (count == 1) {
		*out = ring->cq.cqes[at];
		to->count++;
		return;
	}
	if (run > count)
		run = count;
	memcpy(out, ring->cq.cqes + at, run * sizeof(*out));
	if (run < count)
		memcpy(out + run, ring->cq.cqes, (count - run) * sizeof(*out));
	to->count += count;
}

/* Gives the CQEs before ring position `head` back to the kernel. */
static inline void reap_publish(struct io_uring *ring, unsigned head)
{
	__atomic_store_n(ring->cq.khead, head, __ATOMIC_RELEASE);
}

/* Copies what is ready, at most `most`, and publishes the head. Returns how many. */
static inline unsigned reap_ready(struct io_uring *ring, unsigned most, struct arrivals *to)
{
	unsigned head = *ring->cq.khead;
	unsigned ready = uring_ready(ring);

	if (ready > most)
		ready = most;
	reap_copy(ring, head, ready, to);
	reap_publish(ring, head + ready);
	return ready;
}

#endif
