// SPDX-License-Identifier: GPL-2.0-or-later
/* The order of things in a fill of removals, and its end. */
#include "workloads/reclaim.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "base/uring.h"
#include "workloads/list.h"
#include "workloads/rig.h"

#define FEEDER_STACK_BYTES (64 * 1024)

static void reset(struct pair *pair)
{
	struct reclaim *own = pair->own;

	rig_reset_side(&pair->sender, &pair->sent);
	memset(own->released_ns, 0, own->log.files * sizeof(*own->released_ns));
	memset(own->tagged, 0, own->log.files);
	memset(own->hung_up, 0, own->log.files);
	memset(own->early, 0, own->log.files);
	own->log.count = own->log.batch_count = 0;
	own->log.fed_ns = own->log.waited_ns = 0;
	own->log.released_pending = 0;
	own->log.churned = own->log.read_right = false;
	own->released = own->unchecked = own->reads_done = own->churns_done = 0;
	own->before = own->after = (struct holdings){ HOLDINGS_UNKNOWN, HOLDINGS_UNKNOWN };
	own->replaced = 0;
	own->churn_error = 0;
	own->good = false;
	for (int i = 0; i < MEASURE_MAX; i++)
		pair->measures[i] = NAN;
}

static int reclaim_prepare(struct pair *pair, struct error *e)
{
	struct reclaim *own = pair->own;
	int result;

	reset(pair);
	result = rig_prepare_target(pair, e);
	if (result)
		return result;
	result = reclaim_fill_table(pair, e);
	if (!result && !pair->shape->halfway) {
		result = reclaim_issue(pair, 0);
		if (result)
			return error_set(e, ERROR_FAILED, -result, "cannot issue the read that is to be "
					 "pending: %s", strerror(-result));
	}
	if (result)
		return result;
	/* What shows now was not caused by a removal. */
	reclaim_look(pair, true);
	memcpy(own->early, own->hung_up, own->log.files);
	own->log.early_completions = own->log.count;
	return 0;
}

static int judge_calls(struct pair *pair, struct error *e)
{
	const struct reclaim *own = pair->own;
	const struct side *side = &pair->sender;

	if (side->error)
		return error_set(e, ERROR_FAILED, side->error, "removal failed: %s",
				 strerror(side->error));
	if (own->churn_error)
		return error_set(e, ERROR_FAILED, own->churn_error,
				 "cannot replace %u files (--churn): %s", pair->shape->churn,
				 strerror(own->churn_error));
	return 0;
}

static double each(int64_t before, int64_t after, unsigned count)
{
	return count && before != HOLDINGS_UNKNOWN && after != HOLDINGS_UNKNOWN
		? (double)(after - before) / count : NAN;
}

static int reclaim_check(struct pair *pair, struct error *e)
{
	struct reclaim *own = pair->own;
	int result = judge_calls(pair, e);

	own->log.start_ns = pair->sender.start_ns;
	own->log.removed_ns = pair->sender.end_ns;
	own->log.overflow = uring_overflowed(&pair->target) || *pair->target.cq.koverflow;
	own->log.left = uring_ready(&pair->target);
	own->log.dropped = *pair->target.sq.kdropped;
	if (!result)
		result = reclaim_judge(&own->log, own->seen, e);
	if (result)
		return result;
	reclaim_measure(&own->log, own->delays, pair->measures);
	if (own->log.churned)
		pair->measures[RECLAIM_REPLACED] = own->replaced;
	pair->measures[RECLAIM_LIVE_FILES] = each(own->before.files, own->after.files, own->replaced);
	pair->measures[RECLAIM_SLAB_BYTES] = each(own->before.slab_bytes, own->after.slab_bytes,
						  own->replaced);
	own->good = true;
	return 0;
}

/* Unregistering may wait for the read, so another thread must feed it. */
static void *feed_later(void *argument)
{
	struct pair *pair = argument;

	clock_sleep_ns(pair->shape->hold_ns);
	return reclaim_feed(pair) ? pair : NULL;
}

static int start_feeder(struct pair *pair, pthread_t *feeder)
{
	pthread_attr_t attributes;
	int result;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, FEEDER_STACK_BYTES);
	result = pthread_create(feeder, &attributes, feed_later, pair);
	pthread_attr_destroy(&attributes);
	return -result;
}

/* The second read, fed by now, must be answered as well. */
static int await_read(struct pair *pair)
{
	struct reclaim *own = pair->own;
	int64_t end_ns = clock_now_ns() + pair->shape->timeout_ns;

	while (own->reads_done < 2) {
		int64_t left_ns = end_ns - clock_now_ns();
		int result = left_ns > 0 ? uring_enter(&pair->target, 0, 1, left_ns) : -ETIME;

		if (result < 0 && result != -EINTR)
			return result;
		reclaim_look(pair, false);
	}
	return own->log.read_right ? 0 : -EBADMSG;
}

static int unregister_pending(struct pair *pair, struct error *e)
{
	pthread_t feeder;
	void *failed;
	int result = reclaim_issue(pair, 1);

	if (!result)
		result = start_feeder(pair, &feeder);
	if (result)
		return error_set(e, ERROR_FAILED, -result, "cannot leave a read pending while the table "
				 "is unregistered: %s", strerror(-result));
	result = rig_unregister_table(pair, e);
	pthread_join(feeder, &failed);
	if (result)
		return result;
	result = failed ? -EPIPE : await_read(pair);
	if (result)
		return error_set(e, ERROR_FAILED, -result, "the read that was pending while the table was "
				 "unregistered did not end well: %s", strerror(-result));
	return 0;
}

static int reclaim_finish(struct pair *pair, bool last, struct error *e)
{
	struct reclaim *own = pair->own;
	int result = 0;

	(void)last;
	if (!own)
		return 0;
	if (own->good && pair->shape->pending != PENDING_NONE)
		result = unregister_pending(pair, e);
	own->good = false;
	if (!result)
		result = rig_unregister_table(pair, e);
	rig_close_target(pair);
	return result;
}

const struct workload reclaim_workload = {
	.name = "reclaim",
	.summary = "remove files from a table while a request is pending, and see when they are released",
	.inline_only = true,
	.unit = "removal",
	.one_ring = true,
	.removes = true,
	.measures = reclaim_measures,
	.open = reclaim_open,
	.prepare = reclaim_prepare,
	.send = reclaim_send,
	.watch = reclaim_watch,
	.check = reclaim_check,
	.finish = reclaim_finish,
	.close = reclaim_close,
};
