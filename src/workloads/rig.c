// SPDX-License-Identifier: GPL-2.0-or-later
#include "workloads/rig.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "base/clock.h"
#include "base/uring.h"

#define RETRY_PAUSE_NS 1000000

/* uring_open that outlasts the late teardown of earlier rings. */
static int open_patiently(struct io_uring *ring, unsigned entries, unsigned cq, unsigned flags,
			  unsigned *granted, int64_t *spent_ns)
{
	int64_t limit = clock_now_ns() + RIG_RETRY_NS;

	for (;;) {
		int64_t start = clock_now_ns();
		int result = uring_open(ring, entries, cq, flags, granted);

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
bool rig_bind_workers(const struct pair *pair, struct io_uring *ring)
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
	result = io_uring_register_iowq_aff(ring, size, mask);
	CPU_FREE(mask);
	return result == 0;
}

/*
 * From here on the ring is entered by its index. The index belongs to the calling task, which
 * can have 16: a sender has one, a receiver that waits has one.
 */
static int register_fd(struct io_uring *ring, const char *which, struct error *e)
{
	int result = io_uring_register_ring_fd(ring);

	if (result == 1)
		return 0;
	result = result < 0 ? result : -EIO;
	return error_set(e, ERROR_FAILED, -result, "cannot register the %s ring's descriptor: %s; use "
			 "--ring-fd plain", which, strerror(-result));
}

/* Of a fan-out's source slot i holds the file of pair i. */
static int fill_source(struct pair *pair, struct error *e)
{
	bool each = pair->shape->per_slot;
	unsigned files = pair->shape->fan_out && !each ? pair->spokes : 1;
	unsigned slots = each ? pair->count : files;
	int result = uring_register_sparse(&pair->source, slots);

	for (unsigned i = 0; !result && i < files; i++)
		result = uring_update_files(&pair->source, i, &pair[i].file, 1);
	if (result)
		return error_set(e, ERROR_FAILED, -result,
				 "cannot put files into the source ring's %u slots: %s", slots,
				 strerror(-result));
	return each ? rig_fill_source(pair, e) : 0;
}

int rig_open_source(struct pair *pair, struct error *e)
{
	int64_t spent_ns;
	int result = open_patiently(&pair->source, pair->shape->ring, 2 * pair->shape->ring, 0,
				    &pair->source_flags, &spent_ns);

	if (result)
		return error_set(e, ERROR_FAILED, -result, "cannot create a source ring of %u: %s; %s",
				 pair->shape->ring, strerror(-result), open_advice(result));
	pair->source_open = true;
	result = fill_source(pair, e);
	if (!result && pair->shape->registered) {
		result = register_fd(&pair->source, "source", e);
		pair->ring_fd_registered = !result;
	}
	pair->iowq_bound = rig_bind_workers(pair, &pair->source);
	return result;
}

/* Whether the target ring is entered while the clock runs: of receivers, only by one that waits. */
static bool enters_target(const struct shape *shape)
{
	return shape->wait || shape->one_ring;
}

static int create_target(struct pair *pair, struct error *e)
{
	const struct shape *shape = pair->shape;
	int result = open_patiently(&pair->target, shape->ring, shape->cq, shape->target_flags,
				    &pair->target_flags, &pair->phase_ns[PHASE_CREATE]);

	if (result == -EINVAL && shape->target_flags)
		return error_set(e, ERROR_FAILED, EINVAL,
				 "this kernel does not know the set-up flags 0x%x of such a target ring; "
				 "use --target plain", shape->target_flags);
	if (result)
		return error_set(e, ERROR_FAILED, -result,
				 "cannot create a target ring of %u with a CQ of %u: %s; %s",
				 shape->ring, shape->cq, strerror(-result), open_advice(result));
	pair->target_open = true;
	if (~pair->target_flags & shape->target_flags)
		return error_set(e, ERROR_FAILED, EINVAL,
				 "the kernel granted the target ring flags 0x%x of 0x%x; use --target "
				 "plain", pair->target_flags, shape->target_flags);
	if (shape->one_ring)
		pair->iowq_bound = rig_bind_workers(pair, &pair->target);
	if (!shape->registered || !enters_target(shape))
		return 0;
	result = register_fd(&pair->target, "target", e);
	if (shape->one_ring)
		pair->ring_fd_registered = !result;
	return result;
}

static int register_table(struct pair *pair, struct error *e)
{
	unsigned slots = pair->shape->slots + pair->shape->spare_slots;
	int64_t start = clock_now_ns();
	int result = pair->shape->table == TABLE_BUFFERS
		? uring_register_sparse_buffers(&pair->target, slots)
		: uring_register_sparse(&pair->target, slots);

	pair->phase_ns[PHASE_REGISTER] = clock_now_ns() - start;
	if (result)
		return error_set(e, ERROR_FAILED, -result, "cannot register a table of %u slots: %s; %s",
				 slots, strerror(-result),
				 result == -EMFILE ? "it may not exceed the limit of open files "
						     "(ulimit -n): use fewer --slots"
						   : "use fewer --slots");
	pair->table_open = true;
	return 0;
}

int rig_prepare_target(struct pair *pair, struct error *e)
{
	int result = 0;

	for (int i = 0; i < PHASE_COUNT; i++)
		pair->phase_ns[i] = PHASE_NONE;
	if (!pair->target_open)
		result = create_target(pair, e);
	if (!result && !pair->table_open && pair->shape->table != TABLE_NONE)
		result = register_table(pair, e);
	return result;
}

void rig_reset_side(struct side *side, struct arrivals *arrivals)
{
	side->stall_ns = 0;
	side->error = 0;
	side->overflow = false;
	side->slept = false;
	side->timed_out = false;
	arrivals->count = 0;
}

int rig_prepare_alone(struct pair *pair, struct error *e)
{
	rig_reset_side(&pair->sender, &pair->sent);
	return rig_prepare_target(pair, e);
}

int rig_unregister_table(struct pair *pair, struct error *e)
{
	int64_t start = clock_now_ns();
	int result;

	if (!pair->table_open)
		return 0;
	result = pair->shape->table == TABLE_BUFFERS ? uring_unregister_buffers(&pair->target)
						     : uring_unregister_files(&pair->target);
	pair->phase_ns[PHASE_UNREGISTER] = clock_now_ns() - start;
	pair->table_open = false;
	return result ? error_set(e, ERROR_FAILED, -result, "cannot unregister the table: %s",
				  strerror(-result)) : 0;
}

void rig_close_target(struct pair *pair)
{
	int64_t start = clock_now_ns();

	if (!pair->target_open)
		return;
	uring_close(&pair->target);
	pair->phase_ns[PHASE_EXIT] = clock_now_ns() - start;
	pair->target_open = false;
}

int rig_finish_target(struct pair *pair, bool last, struct error *e)
{
	const struct shape *shape = pair->shape;
	int result;

	if (shape->reuse && !last)
		return shape->one_ring ? 0 : rig_empty_table(pair, e);
	result = rig_unregister_table(pair, e);
	if (last || !shape->reregister)
		rig_close_target(pair);
	return result;
}

void rig_close_source(struct pair *pair)
{
	if (!pair->source_open)
		return;
	uring_close(&pair->source);
	pair->source_open = false;
}

void rig_leave(struct pair *pair, bool sends, bool receives)
{
	if (!pair->shape->registered)
		return;
	if (sends && pair->source_open)
		io_uring_unregister_ring_fd(&pair->source);
	if (receives && pair->target_open && enters_target(pair->shape))
		io_uring_unregister_ring_fd(&pair->target);
}
