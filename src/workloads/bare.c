// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bare: the floor under send-fd. The same installs with the same enters, but
 * SQEs are filled before the clock starts and CQ heads are advanced over unread
 * CQEs: what is left is the kernel and one system call a batch.
 */
#include <errno.h>

#include "base/clock.h"
#include "base/uring.h"
#include "workloads/list.h"
#include "workloads/reap.h"
#include "workloads/rig.h"

static int bare_prepare(struct pair *pair, struct error *e)
{
	rig_reset_side(&pair->sender, &pair->sent);
	pair->arrived.count = 0;
	return rig_prepare_target(pair, e);
}

/* Every place of the SQ holds the same request: the ring may turn as often as it likes. */
static int bare_arm(struct pair *pair, struct error *e)
{
	(void)e;
	for (unsigned i = 0; i < *pair->source.sq.kring_entries; i++)
		uring_prep_send_fd(&pair->source.sq.sqes[i], pair->target.ring_fd, 0,
				   IORING_FILE_INDEX_ALLOC, 0, 0,
				   pair->shape->skip_cqe ? IORING_MSG_RING_CQE_SKIP : 0);
	return 0;
}

static unsigned skip_ready(struct io_uring *ring)
{
	unsigned ready = uring_ready(ring);

	reap_publish(ring, *ring->cq.khead + ready);
	return ready;
}

static void bare_send(struct pair *pair)
{
	const struct shape *shape = pair->shape;

	for (unsigned done = 0; done < shape->used;) {
		unsigned left = shape->used - done;
		unsigned count = left < shape->batch ? left : shape->batch;
		int taken;

		uring_publish(&pair->source, count);
		taken = uring_enter(&pair->source, count, 0, 0);
		if (taken != (int)count) {
			pair->sender.error = taken < 0 ? -taken : EIO;
			break;
		}
		pair->sent.count += skip_ready(&pair->source);
		pair->arrived.count += skip_ready(&pair->target);
		done += count;
	}
	pair->sender.end_ns = clock_now_ns();
}

/* Nothing was recorded: the counts and the table itself are the evidence. */
static int bare_check(struct pair *pair, struct error *e)
{
	const struct shape *shape = pair->shape;
	unsigned expected = shape->skip_cqe ? 0 : shape->used;
	int result = rig_judge_sides(pair, e);

	if (result)
		return result;
	if (uring_overflowed(&pair->target) || uring_overflowed(&pair->source))
		return error_set(e, ERROR_FAILED, EOVERFLOW, "a CQ overflowed");
	if (pair->sent.count != shape->used || pair->arrived.count != expected)
		return error_set(e, ERROR_FAILED, EBADMSG,
				 "%u source and %u target CQEs came, expected %u and %u",
				 pair->sent.count, pair->arrived.count, shape->used, expected);
	for (unsigned i = 0; i < shape->used; i++)
		pair->slot_of[i] = i;
	return rig_judge_files(pair, e);
}

const struct workload bare_workload = {
	.name = "bare",
	.summary = "the floor: the same installs with SQEs filled and CQEs judged outside the clock",
	.unit = "install",
	.inline_only = true,
	.fixed_sqes = true,
	.open = rig_open_source,
	.prepare = bare_prepare,
	.arm = bare_arm,
	.send = bare_send,
	.check = bare_check,
	.finish = rig_finish_target,
	.close = rig_close_source,
};
