// SPDX-License-Identifier: GPL-2.0-or-later
/* The timed region of reclaim: removals. */
#include <errno.h>

#include "base/clock.h"
#include "base/uring.h"
#include "workloads/reclaim.h"

/* One SQE a file; all 64 bytes of each are written. */
static void fill_batch(struct pair *pair, unsigned first, unsigned count)
{
	const struct reclaim *own = pair->own;
	bool close = pair->shape->removal == REMOVAL_CLOSE;

	for (unsigned i = 0; i < count; i++) {
		struct io_uring_sqe *sqe = uring_sqe(&pair->target, i);

		if (close)
			*sqe = (struct io_uring_sqe){
				.opcode = IORING_OP_CLOSE,
				.file_index = first + i + 1,
				.user_data = reclaim_data(RECLAIM_REMOVAL, first + i),
			};
		else
			*sqe = (struct io_uring_sqe){
				.opcode = IORING_OP_FILES_UPDATE,
				.fd = -1,
				.off = first + i,
				.addr = (uintptr_t)&own->fds[i],
				.len = 1,
				.user_data = reclaim_data(RECLAIM_REMOVAL, first + i),
			};
	}
}

static int remove_batch(struct pair *pair, unsigned first, unsigned count)
{
	const struct reclaim *own = pair->own;
	unsigned left = count;

	if (!own->log.completes)
		return uring_update_files(&pair->target, first, own->fds, count);
	fill_batch(pair, first, count);
	uring_publish(&pair->target, count);
	while (left) {
		int taken = uring_enter(&pair->target, left, 0, 0);

		if (taken > 0)
			left -= (unsigned)taken;
		else if (taken != -EINTR)
			return taken ? taken : -EIO;
	}
	return 0;
}

/* Completions stay in the CQ, which holds them all. How many there were after each batch is kept. */
void reclaim_send(struct pair *pair)
{
	const struct shape *shape = pair->shape;
	struct reclaim *own = pair->own;
	unsigned half = shape->halfway ? shape->used / 2 : 0;
	int result = 0;

	for (unsigned done = 0; !result && done < shape->used;) {
		unsigned left = (done < half ? half : shape->used) - done;
		unsigned count = left < shape->batch ? left : shape->batch;

		result = remove_batch(pair, done, count);
		done += count;
		own->batches[own->log.batch_count++] = (struct reclaim_batch){
			.removed = done, .posted = uring_ready(&pair->target), .ns = clock_now_ns(),
		};
		if (!result && done == half)
			result = reclaim_issue(pair, 0);
	}
	if (result)
		pair->sender.error = -result;
	pair->sender.end_ns = clock_now_ns();
}
