// SPDX-License-Identifier: GPL-2.0-or-later
#include "workloads/rig.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "base/clock.h"
#include "base/uring.h"

#define RETRY_PAUSE_NS 1000000

/* uring_open that outlasts the late teardown of earlier rings. */
static int open_patiently(struct io_uring *ring, unsigned entries, unsigned cq, unsigned *granted,
			  int64_t *spent_ns)
{
	int64_t limit = clock_now_ns() + RIG_RETRY_NS;

	for (;;) {
		int64_t start = clock_now_ns();
		int result = uring_open(ring, entries, cq, 0, granted);

		*spent_ns = clock_now_ns() - start;
		if (result != -ENOMEM || clock_now_ns() >= limit)
			return result;
		clock_sleep_ns(RETRY_PAUSE_NS);
	}
}

static const char *open_advice(int result)
{
	switch (-result) {
	case ENOMEM:
		return "raise the locked-memory limit (ulimit -l), or use fewer --pairs or a "
		       "smaller --cq";
	case EMFILE:
	case ENFILE:
		return "raise the limit of open files (ulimit -n), or use fewer --pairs";
	default:
		return "ringscale doctor says what this machine allows";
	}
}

/* io-wq workers take the cpuset, not their creator's mask: without this they run
 * on other pairs' PUs. */
static bool bind_workers(struct pair *pair)
{
	size_t size = CPU_ALLOC_SIZE(pair->sender_pu + 1);
	cpu_set_t *mask;
	int result;

	if (pair->sender_pu < 0)
		return false;
	mask = CPU_ALLOC(pair->sender_pu + 1);
	if (!mask)
		return false;
	CPU_ZERO_S(size, mask);
	CPU_SET_S(pair->sender_pu, size, mask);
	result = io_uring_register_iowq_aff(&pair->source, size, mask);
	CPU_FREE(mask);
	return result == 0;
}

int rig_open_source(struct pair *pair, struct error *e)
{
	int64_t spent_ns;
	int result = open_patiently(&pair->source, pair->shape->ring, 2 * pair->shape->ring,
				    &pair->source_flags, &spent_ns);

	if (result)
		return error_set(e, ERROR_FAILED, -result, "cannot create a source ring of %u: %s; %s",
				 pair->shape->ring, strerror(-result), open_advice(result));
	pair->source_open = true;
	result = uring_register_sparse(&pair->source, 1);
	if (!result)
		result = uring_update_files(&pair->source, 0, &pair->file, 1);
	if (result)
		return error_set(e, ERROR_FAILED, -result,
				 "cannot put the file into the source ring's slot 0: %s",
				 strerror(-result));
	pair->iowq_bound = bind_workers(pair);
	return 0;
}

int rig_prepare_target(struct pair *pair, struct error *e)
{
	const struct shape *shape = pair->shape;
	int64_t start;
	int result = open_patiently(&pair->target, shape->ring, shape->cq, &pair->target_flags,
				    &pair->create_ns);

	if (result)
		return error_set(e, ERROR_FAILED, -result,
				 "cannot create a target ring of %u with a CQ of %u: %s; %s",
				 shape->ring, shape->cq, strerror(-result), open_advice(result));
	pair->target_open = true;
	start = clock_now_ns();
	result = uring_register_sparse(&pair->target, shape->slots);
	pair->register_ns = clock_now_ns() - start;
	if (result)
		return error_set(e, ERROR_FAILED, -result, "cannot register a table of %u slots: %s; %s",
				 shape->slots, strerror(-result),
				 result == -EMFILE ? "it may not exceed the limit of open files "
						     "(ulimit -n): use fewer --slots"
						   : "use fewer --slots");
	return 0;
}

void rig_finish_target(struct pair *pair)
{
	int64_t start, middle;

	if (!pair->target_open)
		return;
	start = clock_now_ns();
	uring_unregister_files(&pair->target);
	middle = clock_now_ns();
	uring_close(&pair->target);
	pair->exit_ns = clock_now_ns() - middle;
	pair->unregister_ns = middle - start;
	pair->target_open = false;
}

void rig_close_source(struct pair *pair)
{
	if (!pair->source_open)
		return;
	uring_close(&pair->source);
	pair->source_open = false;
}

static void queue_read(struct pair *pair, unsigned install)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&pair->target);

	io_uring_prep_read(sqe, (int)pair->slot_of[install], &pair->read_back[install],
			   sizeof(pair->read_back[install]), 0);
	sqe->flags |= IOSQE_FIXED_FILE;
	io_uring_sqe_set_data64(sqe, install);
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

int rig_read_back(struct pair *pair, struct error *e)
{
	const struct shape *shape = pair->shape;

	memset(pair->read_back, 0, shape->used * sizeof(*pair->read_back));
	for (unsigned done = 0; done < shape->used;) {
		unsigned count = shape->used - done < shape->ring ? shape->used - done : shape->ring;
		int result;

		for (unsigned i = 0; i < count; i++)
			queue_read(pair, done + i);
		result = io_uring_submit(&pair->target);
		while (result >= 0 && uring_ready(&pair->target) < count) {
			result = uring_enter(&pair->target, 0, count, shape->timeout_ns);
			if (result == -EINTR)
				result = 0;
		}
		if (result < 0)
			return error_set(e, ERROR_FAILED, -result,
					 "cannot read the slots back: %s", strerror(-result));
		reap_reads(pair, count);
		done += count;
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
	int result = judge_side(&pair->sender, "sender", timeout_ns, e);

	if (!result && pair->shape->split)
		result = judge_side(&pair->receiver, "receiver", timeout_ns, e);
	return result;
}
