/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_WORKLOADS_SUBMIT_H
#define RINGSCALE_WORKLOADS_SUBMIT_H

#include "base/uring.h"
#include "workloads/workload.h"

/* Filling and submitting a batch in the timed region, as a program would have to. */

/* A quarter of an SQE, as it lies in a register. */
typedef uint64_t sqe_quarter __attribute__((vector_size(16), aligned(8), may_alias));

/*
 * Writes all 64 bytes of the next `count` SQEs of `ring`: the template, user_data `tag` and
 * on, then what `differ`, a constant, sets. The template stays in registers, which the compiler would
 * not see for itself: anything that `differ` writes could be a part of it. The ring is filled in
 * runs up to its end: no index to mask for every one.
 */
static inline __attribute__((always_inline)) void
submit_fill(struct io_uring *ring, const struct io_uring_sqe *template, uint64_t tag, unsigned count,
	    void (*differ)(struct io_uring_sqe *sqe, void *state), void *state)
{
	const sqe_quarter *from = (const sqe_quarter *)template;
	const sqe_quarter first = from[0], second = from[1], third = from[2], fourth = from[3];
	unsigned at = ring->sq.sqe_tail & *ring->sq.kring_mask;

	while (count) {
		struct io_uring_sqe *sqe = &ring->sq.sqes[at];
		unsigned room = *ring->sq.kring_entries - at;
		unsigned run = count < room ? count : room;

		for (const struct io_uring_sqe *end = sqe + run; sqe != end; sqe++, tag++) {
			sqe_quarter *to = (sqe_quarter *)sqe;

			to[0] = first;
			to[1] = second;
			to[2] = third;
			to[3] = fourth;
			sqe->user_data = tag;
			differ(sqe, state);
		}
		count -= run;
		at = 0;
	}
}

/*
 * What is left to do where the first enter with all `count` SQEs of a published batch returned
 * `taken`: enters until all are taken, and stays until their CQEs are in the ring. False: a call
 * failed or the wait took too long, and pair->sender says so.
 */
bool submit_rest(struct pair *pair, struct io_uring *ring, unsigned count, int taken);

/* Enters with a published batch, then the same. */
static inline bool submit_batch(struct pair *pair, struct io_uring *ring, unsigned count)
{
	return submit_rest(pair, ring, count, uring_enter(ring, count, 0, 0));
}

#endif
