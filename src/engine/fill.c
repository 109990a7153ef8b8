// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/fill.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/marker.h"

void member_end_block(struct member *member)
{
	atomic_store_explicit(&member->team->stop, true, memory_order_relaxed);
}

void member_end_turn(struct member *member)
{
	if (member->in_turn)
		lane_pass(member->lane, member->ticket);
	member->in_turn = false;
}

bool member_meet(struct member *member, struct gate *gate)
{
	member_end_turn(member);
	return gate_wait(gate);
}

/* Behind a fill: what follows, up to the next gate, goes in turns where threads share a PU. */
static bool meet_after_fill(struct member *member)
{
	if (!member->lane)
		return gate_wait(member->gate);
	member->in_turn = gate_wait_turn(member->gate, member->lane, &member->ticket);
	return member->in_turn;
}

void keep_reason(char **reason, const char *text)
{
	if (!*reason)
		*reason = strdup(text);
}

/* Keeper: the round at hand of the i-th pair that it keeps. */
static struct pair_round *round_of(const struct member *member, unsigned i)
{
	return &member->team->logs[member->pair->index + i].rounds[member->rounds];
}

static struct side *own_side(const struct member *member)
{
	return member->sends ? &member->pair->sender : &member->pair->receiver;
}

static void add_counters(struct side_round *log, const int64_t before[COUNTER_COUNT],
			 const int64_t after[COUNTER_COUNT])
{
	for (int i = 0; i < COUNTER_COUNT; i++) {
		if (before[i] == NOISE_UNKNOWN || after[i] == NOISE_UNKNOWN)
			log->counters[i] = NOISE_UNKNOWN;
		if (log->counters[i] != NOISE_UNKNOWN)
			log->counters[i] += after[i] - before[i];
	}
}

/* What the next window is, for who watches; before the clock starts, as it takes a branch. */
static void mark_kind(struct fill_place place)
{
	if (place.warmup)
		marker(MARKER_ASIDE);
	else if (!place.counts)
		marker(MARKER_COLD);
}

/* The timed region and, just outside it, the CPU time and the events it took. */
static void timed(struct member *member, struct side_round *log, struct fill_place place)
{
	const struct workload *workload = member->team->workload;
	struct pair *pair = member->pair;
	struct side *side = own_side(member);
	int64_t before[COUNTER_COUNT], after[COUNTER_COUNT], cpu_ns, off_ns;

	mark_kind(place);
	counters_read(&member->counters, before);
	cpu_ns = clock_thread_cpu_ns();
	side->start_ns = clock_now_ns();
	marker(MARKER_OPEN);
	if (member->sends)
		workload->send(pair);
	else
		workload->receive(pair);
	marker(MARKER_CLOSE);
	cpu_ns = clock_thread_cpu_ns() - cpu_ns;
	counters_read(&member->counters, after);
	if (!place.counts)
		return;
	add_counters(log, before, after);
	off_ns = side->end_ns - side->start_ns - cpu_ns;
	/* What slept by its own will was not kept off the CPU; how much else there was cannot be
	 * told. */
	if ((!member->sends && pair->shape->wait) || side->slept)
		log->off_cpu_ns = NOISE_UNKNOWN;
	else if (off_ns > 0 && log->off_cpu_ns != NOISE_UNKNOWN)
		log->off_cpu_ns += off_ns;
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Keeper, after the fill: what kind it was and, if it counts, its times. */
static void account(struct pair *pair, struct pair_round *round, bool counts)
{
	bool split = pair->shape->split;
	const struct side *sender = &pair->from->sender, *receiver = &pair->to->receiver;
	int64_t start = split ? earlier(sender->start_ns, receiver->start_ns) : sender->start_ns;
	int64_t receiver_end = split ? receiver->end_ns : sender->end_ns;
	int64_t end = later(sender->end_ns, receiver_end);
	bool first = pair->to->phase_ns[PHASE_CREATE] != PHASE_NONE;

	if (pair->to == pair)
		pair->phase_ns[first ? PHASE_FIRST_FILL : PHASE_REFILL] = end - start;
	if (!round->begin_ns)
		round->begin_ns = start;
	round->end_ns = end;
	if (!counts)
		return;
	round->fill_ns += end - start;
	round->sender_ns += sender->end_ns - start;
	round->receiver_ns += receiver_end - start;
	round->stall_ns += sender->stall_ns;
	round->installs += pair->count;
}

/* Keeper, after teardown. */
static void account_phases(const struct pair *pair, struct pair_round *round)
{
	for (int i = 0; i < PHASE_COUNT; i++) {
		if (pair->phase_ns[i] == PHASE_NONE)
			continue;
		round->phase_ns[i] += pair->phase_ns[i];
		round->phase_count[i]++;
	}
}

/* Keeper, after teardown of a good fill. */
static void account_measures(const struct workload *workload, const struct pair *pair,
			     struct pair_round *round)
{
	for (int i = 0; workload->measures && workload->measures[i].name; i++) {
		if (!isfinite(pair->measures[i]))
			continue;
		round->measure_sums[i] += pair->measures[i];
		round->measure_counts[i]++;
	}
}

/* A refill that is to find the table as the first fill did begins where that one did. */
static void note_first_slot(const struct pair *pair, struct pair_round *round)
{
	const struct shape *shape = pair->shape;
	unsigned slot = pair->slot_of[0];

	if (!shape->reuse || shape->one_ring || pair->phase_ns[PHASE_REFILL] == PHASE_NONE)
		return;
	/* Of several senders anyone can be the first: the order of arrival tells. */
	if (shape->fan_in && shape->skip_cqe)
		return;
	if (shape->fan_in && !shape->explicit_slot)
		slot = (unsigned)pair->arrived.cqes[0].res;
	if (!round->refilled || !round->first_slot)
		round->first_slot = slot;
	round->refilled = true;
}

/* Leader, after the fill and before anyone can start the next: how far the threads ran together. */
static double overlap_of(const struct team *team)
{
	int64_t first_start = INT64_MAX, last_start = INT64_MIN;
	int64_t first_end = INT64_MAX, last_end = INT64_MIN;

	for (unsigned i = 0; i < team->member_count; i++) {
		const struct side *side = own_side(&team->members[i]);

		first_start = earlier(first_start, side->start_ns);
		last_start = later(last_start, side->start_ns);
		first_end = earlier(first_end, side->end_ns);
		last_end = later(last_end, side->end_ns);
	}
	if (team->member_count < 2 || last_end <= first_start)
		return NAN;
	return first_end > last_start
		? (double)(first_end - last_start) / (double)(last_end - first_start) : 0;
}

static void check_pu(struct member *member, struct side_round *log)
{
	int pu = sched_getcpu();
	char text[128];

	if (pu == member->pu)
		return;
	snprintf(text, sizeof(text), "the %s left PU %d and was found on PU %d",
		 member->sends ? "sender" : "receiver", member->pu, pu);
	keep_reason(&log->reason, text);
}

/* Between the last close and the next create, on all threads alike. */
static bool gap(struct member *member)
{
	const struct point *point = member->team->point;

	if (!point->gap_ns)
		return true;
	if (!member_meet(member, member->gate))
		return false;
	if (point->gap_spin)
		clock_spin_ns(point->gap_ns);
	else
		clock_sleep_ns(point->gap_ns);
	return true;
}

/* Where the pages of the target ring lie: where the kernel tells it, and untimed as everything
 * here. */
static void look_at_memory(const struct member *member)
{
	struct memory_pages *pages = &member->team->logs[member->pair->index].ring_pages;
	const struct io_uring *ring = &member->pair->target;

	memory_look(pages, ring->sq.sqes, *ring->sq.kring_entries * sizeof(*ring->sq.sqes));
	memory_look(pages, ring->sq.ring_ptr, ring->sq.ring_sz);
	if (ring->cq.ring_ptr != ring->sq.ring_ptr)
		memory_look(pages, ring->cq.ring_ptr, ring->cq.ring_sz);
}

/* Keeper: the target, with the memory that the point asks for. */
static bool prepare(struct member *member)
{
	struct team *team = member->team;
	int node = point_mem_node(team->point, team->topology, (int)member->pair->index);
	struct memory_policy policy = { 0 };
	int result = node == POINT_MEM_LOCAL ? 0 : memory_begin(&policy, team->topology, node);

	if (result)
		error_set(&member->error, ERROR_FAILED, -result,
			  "cannot choose the memory of the target ring (--mem): %s", strerror(-result));
	else
		result = team->workload->prepare(member->pair, &member->error);
	memory_end(&policy);
	return !result;
}

/* Keeper: verdict and teardown of one fill. */
static bool conclude(struct member *member, struct pair_round *round, struct fill_place place)
{
	const struct workload *workload = member->team->workload;
	struct pair *pair = member->pair;
	struct error e = ERROR_INIT;
	bool good;

	for (unsigned i = 0; i < member->kept; i++)
		account(&pair[i], round_of(member, i), place.counts);
	good = !workload->check(pair, &e);
	if (good)
		note_first_slot(pair, round);
	if (place.last)
		look_at_memory(member);
	good = !workload->finish(pair, place.last || !good, &e) && good;
	account_phases(pair, round);
	if (good && place.counts)
		account_measures(workload, pair, round);
	if (!good) {
		for (unsigned i = 0; i < member->kept; i++)
			keep_reason(&round_of(member, i)->reason, e.text);
		/* What is left in the rings is unknown: nothing after this can be trusted. */
		member_end_block(member);
	}
	return good;
}

bool fill_run(struct member *member, struct side_round *side, struct pair_round *round,
	      struct fill_place place)
{
	struct team *team = member->team;
	const struct workload *workload = team->workload;
	bool good = true;

	if (member->keeps && !prepare(member))
		goto failed;
	if (workload->arm) {
		if (member->pair->shape->split && !member_meet(member, member->gate))
			return false;
		if (member->sends && workload->arm(member->pair, &member->error))
			goto failed;
	}
	if (!member_meet(member, member->gate))
		return false;
	timed(member, side, place);
	check_pu(member, side);
	if (member->sends && workload->watch)
		workload->watch(member->pair);
	if (!meet_after_fill(member))
		return false;
	if (member->leads && team->overlap && place.counts)
		team->overlap[member->rounds] = fmin(team->overlap[member->rounds],
						     overlap_of(team));
	if (member->keeps)
		good = conclude(member, round, place);
	atomic_fetch_add_explicit(team->progress, 1, memory_order_relaxed);
	/* Of a fan-out all keepers read what its one sender wrote, which the next prepare resets. */
	if (good && member->pair->shape->fan_out && !member_meet(member, member->gate))
		return false;
	return good && gap(member);
failed:
	member_end_block(member);
	return false;
}
