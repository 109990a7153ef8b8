// SPDX-License-Identifier: GPL-2.0-or-later
/* What the check of every workload that fills a table has in common. */
#include <errno.h>
#include <string.h>

#include "base/uring.h"
#include "workloads/installs.h"
#include "workloads/rig.h"

static void queue_read(struct pair *pair, unsigned install)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&pair->target);

	io_uring_prep_read(sqe, (int)pair->slot_of[install], &pair->read_back[install],
			   sizeof(pair->read_back[install]), 0);
	sqe->flags |= IOSQE_FIXED_FILE;
	io_uring_sqe_set_data64(sqe, install);
}

int rig_complete(struct pair *pair, unsigned count, struct error *e)
{
	int result = io_uring_submit(&pair->target);

	while (result >= 0 && uring_ready(&pair->target) < count) {
		result = uring_enter(&pair->target, 0, count, pair->shape->timeout_ns);
		if (result == -EINTR)
			result = 0;
	}
	return result < 0 ? error_set(e, ERROR_FAILED, -result, "cannot read the slots back: %s",
				      strerror(-result)) : 0;
}

/* A short or failed read leaves no stamp, whatever it wrote. */
static void reap_reads(struct pair *pair, unsigned count)
{
	struct io_uring_cqe *cqe;
	unsigned head, reaped = 0;

	io_uring_for_each_cqe(&pair->target, head, cqe) {
		if (cqe->res != (int)sizeof(uint64_t) && cqe->user_data < pair->shape->used)
			pair->read_back[cqe->user_data] = 0;
		if (++reaped == count)
			break;
	}
	io_uring_cq_advance(&pair->target, reaped);
}

int rig_read_back(struct pair *pair, unsigned count, struct error *e)
{
	unsigned ring = pair->shape->ring;

	memset(pair->read_back, 0, count * sizeof(*pair->read_back));
	for (unsigned done = 0; done < count;) {
		unsigned batch = count - done < ring ? count - done : ring;
		int result;

		for (unsigned i = 0; i < batch; i++)
			queue_read(pair, done + i);
		result = rig_complete(pair, batch, e);
		if (result)
			return result;
		reap_reads(pair, batch);
		done += batch;
	}
	return 0;
}

static int judge_side(const struct side *side, const char *who, int64_t timeout_ns, struct error *e)
{
	if (side->timed_out)
		return error_set(e, ERROR_FAILED, ETIME,
				 "the %s waited longer than %g s (--timeout)", who, timeout_ns / 1e9);
	if (side->error)
		return error_set(e, ERROR_FAILED, side->error, "the %s's io_uring_enter failed: %s",
				 who, strerror(side->error));
	return 0;
}

int rig_judge_sides(const struct pair *pair, struct error *e)
{
	int64_t timeout_ns = pair->shape->timeout_ns;
	int result = 0;

	for (unsigned i = 0; !result && i < (pair->shape->fan_in ? pair->spokes : 1); i++)
		result = judge_side(&pair[i].from->sender, "sender", timeout_ns, e);
	if (!result && pair->shape->split)
		result = judge_side(&pair->receiver, "receiver", timeout_ns, e);
	return result;
}

int rig_gather_sent(struct pair *hub, struct error *e)
{
	unsigned *count = &hub->gathered.count;

	*count = 0;
	for (unsigned i = 0; i < hub->spokes; i++) {
		const struct pair *pair = &hub[i];
		int result = installs_judge_share(&pair->sent, hub->index, pair->first, pair->count, e);

		if (result)
			return result;
		memcpy(hub->gathered.cqes + *count, pair->sent.cqes,
		       pair->count * sizeof(*pair->sent.cqes));
		*count += pair->count;
		for (unsigned k = 0; k < pair->count; k++)
			hub->stamp_of[pair->first + k] =
				pair->shape->per_slot ? pair->stamps[k] : pair->stamp;
	}
	return 0;
}

int rig_judge_files(struct pair *pair, struct error *e)
{
	bool fan_in = pair->shape->fan_in, each = fan_in || pair->shape->per_slot;
	int result = rig_read_back(pair, pair->shape->used, e);

	if (result)
		return result;
	return installs_judge_stamps(pair->read_back, pair->slot_of, pair->shape->used,
				     fan_in ? pair->stamp_of
				     : each ? pair->from->stamps : &pair->stamp, each, e);
}
