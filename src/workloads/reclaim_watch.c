// SPDX-License-Identifier: GPL-2.0-or-later
/* Behind the removals: which files are released when, and what the kernel keeps meanwhile. */
#include <errno.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/uring.h"
#include "workloads/reap.h"
#include "workloads/reclaim.h"

/* Looks while the request is pending: delays are known that well, in shares of the time. */
#define LOOKS_PENDING 64
#define PAUSE_LEAST_NS INT64_C(50000)
/* After the feed: so long without a pause, as most kernels release within; then, for 6.1 that
 * takes a second, at this distance. */
#define SPIN_NS INT64_C(3000000)
#define PAUSE_LATE_NS INT64_C(100000)
/* Slots that the churn goes round in, and replacements between two looks. */
#define CHURN_SLOTS 64
#define CHURN_STEP 64

static void take_tag(struct reclaim *own, unsigned file)
{
	if (file >= own->log.files || own->tagged[file])
		return;		/* a lie that the judge will find */
	own->tagged[file] = true;
	own->unchecked++;
}

static void take_completions(struct pair *pair)
{
	struct reclaim *own = pair->own;
	struct arrivals arrivals = { .cqes = own->cqes, .count = own->log.count };
	unsigned from = own->log.count, ready;
	unsigned room = own->log.capacity > from ? own->log.capacity - from : 0;

	/* Deferred work is done by whoever asks for it, and shows nowhere before. */
	if (pair->target_flags & IORING_SETUP_DEFER_TASKRUN)
		io_uring_get_events(&pair->target);
	ready = uring_ready(&pair->target);
	reap_ready(&pair->target, ready < room ? ready : room, &arrivals);
	own->log.count = arrivals.count;
	for (unsigned i = from; i < own->log.count; i++) {
		const struct io_uring_cqe *cqe = &own->cqes[i];

		switch (cqe->user_data >> 32) {
		case RECLAIM_TAG:
			take_tag(own, (unsigned)cqe->user_data);
			break;
		case RECLAIM_READ:
			own->log.read_right = cqe->res == 1 && own->byte;
			own->reads_done++;
			break;
		case RECLAIM_CHURN:
			own->churns_done++;
			break;
		default:
			break;
		}
	}
}

void reclaim_look(struct pair *pair, bool all)
{
	struct reclaim *own = pair->own;
	unsigned count = 0;
	int64_t now_ns;

	take_completions(pair);
	now_ns = clock_now_ns();
	for (unsigned i = 0; (all || own->unchecked) && i < own->log.files; i++) {
		if (own->hung_up[i] && !own->tagged[i])
			continue;
		if (own->released_ns[i] || !(all || own->tagged[i]))
			continue;
		own->polls[count] = (struct pollfd){ .fd = own->readers[i] };
		own->polled[count++] = i;
	}
	if (!count || poll(own->polls, count, 0) < 0)
		return;
	for (unsigned k = 0; k < count; k++) {
		unsigned file = own->polled[k];

		if (!(own->polls[k].revents & POLLHUP))
			continue;
		own->hung_up[file] = true;
		if (!own->tagged[file])
			continue;
		own->released_ns[file] = now_ns;
		own->released++;
		own->unchecked--;
	}
}

/* A new file in a slot, with a tag where it is not 0; the one before it is removed by that. */
static int replace(struct pair *pair, unsigned slot, uint64_t tag)
{
	int fd = eventfd(0, EFD_CLOEXEC), result;

	if (fd < 0)
		return -errno;
	result = tag ? uring_update_tagged(&pair->target, slot, fd, tag)
		     : uring_update_files(&pair->target, slot, &fd, 1);
	close(fd);
	return result;
}

/*
 * As many replacements as the time until `until_ns` allows, at most shape->churn. Filling the slots comes
 * first and does not count. Behind the last replacement a tagged file is
 * put in and removed: kernels that let go in turn let go of it last.
 */
static int churn(struct pair *pair, int64_t until_ns)
{
	struct reclaim *own = pair->own;
	unsigned slots = own->log.files < CHURN_SLOTS ? own->log.files : CHURN_SLOTS;
	int result = 0, none = -1;

	for (unsigned i = 0; !result && i < slots; i++)
		result = replace(pair, i, 0);
	pair->read_holdings(&own->before);
	while (!result && own->replaced < pair->shape->churn && clock_now_ns() < until_ns) {
		result = replace(pair, own->replaced % slots, 0);
		own->replaced += !result;
		if (own->replaced % CHURN_STEP == 0)
			reclaim_look(pair, false);
	}
	pair->read_holdings(&own->after);
	if (!result)
		result = replace(pair, 0, reclaim_data(RECLAIM_CHURN, 0));
	if (!result)
		result = uring_update_files(&pair->target, 0, &none, 1);
	own->log.churned = !result;
	return result;
}

static bool stopped(const struct pair *pair)
{
	return atomic_load_explicit(pair->stop, memory_order_relaxed);
}

/* Everything that must come after the feed. */
static bool complete(const struct reclaim *own)
{
	return own->released == own->log.files &&
	       own->reads_done >= (own->log.pending != PENDING_NONE) &&
	       own->churns_done >= own->log.churned;
}

/* Until the request has been pending as long as it should. */
static void hold(struct pair *pair, int64_t until_ns)
{
	int64_t pause_ns = pair->shape->hold_ns / LOOKS_PENDING;

	if (pause_ns < PAUSE_LEAST_NS)
		pause_ns = PAUSE_LEAST_NS;
	while (!stopped(pair)) {
		int64_t left_ns = until_ns - clock_now_ns();

		if (left_ns <= 0)
			break;
		clock_sleep_ns(left_ns < pause_ns ? left_ns : pause_ns);
		reclaim_look(pair, false);
	}
}

static void await_rest(struct pair *pair)
{
	struct reclaim *own = pair->own;
	int64_t waited_ns = 0;

	while (!complete(own) && waited_ns < pair->shape->timeout_ns && !stopped(pair)) {
		if (waited_ns > SPIN_NS)
			clock_sleep_ns(PAUSE_LATE_NS);
		else if (pair->shape->yield)
			sched_yield();
		else
			clock_pause();
		reclaim_look(pair, false);
		waited_ns = clock_now_ns() - own->log.fed_ns;
	}
	own->log.waited_ns = waited_ns;
}

void reclaim_watch(struct pair *pair)
{
	struct reclaim *own = pair->own;
	int64_t until_ns = pair->sender.end_ns + pair->shape->hold_ns;
	int result = 0;

	if (pair->sender.error)
		return;
	reclaim_look(pair, false);
	if (pair->shape->churn && pair->read_holdings)
		own->churn_error = -churn(pair, until_ns);
	hold(pair, until_ns);
	reclaim_look(pair, false);
	own->log.released_pending = own->released;
	own->log.fed_ns = clock_now_ns();
	if (pair->shape->pending != PENDING_NONE)
		result = reclaim_feed(pair);
	if (result)
		pair->sender.error = -result;
	else
		await_rest(pair);
}
