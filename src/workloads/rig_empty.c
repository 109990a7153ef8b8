// SPDX-License-Identifier: GPL-2.0-or-later
/* --cycle reuse: emptying a table so that the next fill finds it as the first one did. */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/uring.h"
#include "workloads/reap.h"
#include "workloads/rig.h"

#define RELEASE_TAG UINT64_C(0x72656c6561736564)

/*
 * Clearing a slot moves the kernel's allocation hint to it: only when the lowest one is
 * cleared last does the next fill begin where the last one did, and not in cold table.
 */
static void sort_descending(struct pair *pair)
{
	unsigned count = 0;

	memset(pair->taken, 0, pair->shape->slots);
	for (unsigned i = 0; i < pair->shape->used; i++)
		pair->taken[pair->slot_of[i]] = 1;
	for (unsigned slot = pair->shape->slots; slot--;)
		if (pair->taken[slot])
			pair->slot_of[count++] = slot;
}

/* Removes slot_of[first, first + count). Returns 0 or the first -errno. */
static int remove_batch(struct pair *pair, unsigned first, unsigned count)
{
	struct io_uring *target = &pair->target;
	struct io_uring_cqe *cqe;
	unsigned head, reaped = 0;
	int result, failed = 0;

	for (unsigned i = 0; i < count; i++)
		io_uring_prep_close_direct(io_uring_get_sqe(target), pair->slot_of[first + i]);
	result = io_uring_submit(target);
	while (result >= 0 && uring_ready(target) < count) {
		result = uring_enter(target, 0, count, pair->shape->timeout_ns);
		if (result == -EINTR)
			result = 0;
	}
	if (result < 0)
		return result;
	io_uring_for_each_cqe(target, head, cqe) {
		if (cqe->res && !failed)
			failed = cqe->res < 0 ? cqe->res : -EBADMSG;
		reaped++;
	}
	reap_publish(target, *target->cq.khead + reaped);
	return reaped == count ? failed : -EBADMSG;
}

/*
 * Up to 6.12 removed files are let go in turn, on 6.1 a second later. A tagged file that is put
 * in and removed behind them is let go after them, and its tag says when; newer kernels
 * let go at once, and so is the tag there.
 */
static int await_release(struct pair *pair)
{
	struct io_uring *target = &pair->target;
	unsigned lowest = pair->slot_of[pair->shape->used - 1];
	int64_t end_ns = clock_now_ns() + RIG_RELEASE_NS;
	int none = -1;
	int result = uring_update_tagged(target, lowest, pair->file, RELEASE_TAG);

	if (!result)
		result = uring_update_files(target, lowest, &none, 1);
	while (result >= 0 && !uring_ready(target)) {
		int64_t left_ns = end_ns - clock_now_ns();

		result = left_ns > 0 ? uring_enter(target, 0, 1, left_ns) : -ETIME;
		if (result == -EINTR)
			result = 0;
	}
	if (result < 0)
		return result;
	if (uring_ready(target) != 1 ||
	    target->cq.cqes[*target->cq.khead & *target->cq.kring_mask].user_data != RELEASE_TAG)
		return -EBADMSG;
	reap_publish(target, *target->cq.khead + 1);
	return 0;
}

int rig_empty_table(struct pair *pair, struct error *e)
{
	const struct shape *shape = pair->shape;
	int64_t start;
	int result = 0;

	sort_descending(pair);
	start = clock_now_ns();
	for (unsigned done = 0; !result && done < shape->used;) {
		unsigned left = shape->used - done;
		unsigned count = left < shape->batch ? left : shape->batch;

		result = remove_batch(pair, done, count);
		done += count;
	}
	pair->phase_ns[PHASE_REMOVE] = clock_now_ns() - start;
	if (result)
		return error_set(e, ERROR_FAILED, -result, "cannot empty the table's %u slots: %s",
				 shape->used, strerror(-result));
	start = clock_now_ns();
	result = await_release(pair);
	pair->phase_ns[PHASE_RELEASE_WAIT] = clock_now_ns() - start;
	if (result == -ETIME)
		return error_set(e, ERROR_FAILED, ETIME,
				 "the kernel had not released %u removed files after %g s", shape->used,
				 RIG_RELEASE_NS / 1e9);
	if (result)
		return error_set(e, ERROR_FAILED, -result, "cannot await the release of %u files: %s",
				 shape->used, strerror(-result));
	return 0;
}
