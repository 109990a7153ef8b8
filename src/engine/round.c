// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What one member does: its part of every phase of every fill of every round,
 * and its part of the verdict.
 */
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "engine/team.h"
#include "machine/identity.h"

static void end_block(struct member *member)
{
	atomic_store_explicit(&member->team->stop, true, memory_order_relaxed);
}

/* Lets the next thread of the PU do what is not timed. */
static void end_turn(struct member *member)
{
	if (member->in_turn)
		lane_pass(member->lane, member->ticket);
	member->in_turn = false;
}

static bool meet(struct member *member, struct gate *gate)
{
	end_turn(member);
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

static unsigned rounds_wanted(const struct team *team)
{
	return team->method->warmup + team->method->rounds;
}

static void keep_reason(char **reason, const char *text)
{
	if (!*reason)
		*reason = strdup(text);
}

/* Room for one more round in the member's log and, for a keeper, its pair's. */
static bool make_room(struct member *member)
{
	struct pair_log *log = &member->team->logs[member->pair->index];
	unsigned wanted = member->capacity ? 2 * member->capacity : rounds_wanted(member->team);
	void *grown;

	if (member->rounds < member->capacity)
		return true;
	grown = realloc(member->sides, wanted * sizeof(*member->sides));
	if (!grown)
		goto no_memory;
	member->sides = grown;
	memset(member->sides + member->capacity, 0,
	       (wanted - member->capacity) * sizeof(*member->sides));
	if (member->keeps) {
		grown = realloc(log->rounds, wanted * sizeof(*log->rounds));
		if (!grown)
			goto no_memory;
		log->rounds = grown;
		memset(log->rounds + member->capacity, 0,
		       (wanted - member->capacity) * sizeof(*log->rounds));
	}
	member->capacity = wanted;
	return true;
no_memory:
	error_set(&member->error, ERROR_FAILED, ENOMEM, "no memory to record %u rounds", wanted);
	end_block(member);
	return false;
}

/* Memory that is touched here, by the thread that will write it. */
static void *touched(size_t count, size_t size)
{
	void *memory = malloc(count * size);

	if (memory)
		memset(memory, 0xff, count * size);
	return memory;
}

static bool member_open(struct member *member)
{
	struct pair *pair = member->pair;
	const struct shape *shape = pair->shape;
	unsigned larger = shape->slots > shape->used ? shape->slots : shape->used;
	int result = topology_bind_thread(member->team->topology, member->pu);

	noise_open(&member->noise);
	if (result) {
		error_set(&member->error, ERROR_FAILED, -result, "cannot bind a thread to PU %d: %s",
			  member->pu, strerror(-result));
		return false;
	}
	if (member->sends) {
		pair->sent.cqes = touched(shape->used, sizeof(*pair->sent.cqes));
		if (!pair->sent.cqes)
			goto no_memory;
		if (member->team->workload->open(pair, &member->error))
			return false;
	}
	if (member->keeps) {
		pair->arrived.cqes = touched(shape->used, sizeof(*pair->arrived.cqes));
		pair->read_back = touched(shape->used, sizeof(*pair->read_back));
		pair->slot_of = touched(shape->used, sizeof(*pair->slot_of));
		pair->taken = touched(larger, sizeof(*pair->taken));
		if (!pair->arrived.cqes || !pair->read_back || !pair->slot_of || !pair->taken)
			goto no_memory;
	}
	return make_room(member);
no_memory:
	error_set(&member->error, ERROR_FAILED, ENOMEM, "no memory for %u completions", shape->used);
	return false;
}

static struct side *own_side(const struct member *member)
{
	return member->sends ? &member->pair->sender : &member->pair->receiver;
}

/* The timed region and, just outside it, the CPU time it took. */
static void timed(struct member *member, struct side_round *log)
{
	const struct workload *workload = member->team->workload;
	struct pair *pair = member->pair;
	struct side *side = own_side(member);
	int64_t cpu_ns = clock_thread_cpu_ns(), off_ns;

	side->start_ns = clock_now_ns();
	if (member->sends)
		workload->send(pair);
	else
		workload->receive(pair);
	cpu_ns = clock_thread_cpu_ns() - cpu_ns;
	off_ns = side->end_ns - side->start_ns - cpu_ns;
	if (!member->sends && pair->shape->wait)
		log->off_cpu_ns = NOISE_UNKNOWN;
	else if (off_ns > 0)
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

/* Keeper, after the fill: adds its times to the round's. */
static void account(const struct pair *pair, struct pair_round *round)
{
	bool split = pair->shape->split;
	int64_t start = split ? earlier(pair->sender.start_ns, pair->receiver.start_ns)
			      : pair->sender.start_ns;
	int64_t receiver_end = split ? pair->receiver.end_ns : pair->sender.end_ns;
	int64_t end = later(pair->sender.end_ns, receiver_end);

	if (!round->begin_ns)
		round->begin_ns = start;
	round->end_ns = end;
	round->fill_ns += end - start;
	round->sender_ns += pair->sender.end_ns - start;
	round->receiver_ns += receiver_end - start;
	round->stall_ns += pair->sender.stall_ns;
	round->create_ns += pair->create_ns;
	round->register_ns += pair->register_ns;
	round->installs += pair->shape->used;
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
	if (!meet(member, member->gate))
		return false;
	if (point->gap_spin)
		clock_spin_ns(point->gap_ns);
	else
		clock_sleep_ns(point->gap_ns);
	return true;
}

/* Keeper: verdict and teardown of one fill. */
static bool conclude(struct member *member, struct pair_round *round)
{
	const struct workload *workload = member->team->workload;
	struct pair *pair = member->pair;
	struct error e = ERROR_INIT;

	account(pair, round);
	if (workload->check(pair, &e)) {
		keep_reason(&round->reason, e.text);
		/* What is left in the rings is unknown: nothing after this can be trusted. */
		end_block(member);
	}
	workload->finish(pair);
	round->unregister_ns += pair->unregister_ns;
	round->exit_ns += pair->exit_ns;
	return e.kind == ERROR_NONE;
}

static bool fill(struct member *member, struct side_round *side, struct pair_round *round)
{
	struct team *team = member->team;
	const struct workload *workload = team->workload;
	bool good = true;

	if (member->keeps && workload->prepare(member->pair, &member->error))
		goto failed;
	if (workload->arm) {
		if (member->pair->shape->split && !meet(member, member->gate))
			return false;
		if (member->sends && workload->arm(member->pair, &member->error))
			goto failed;
	}
	if (!meet(member, member->gate))
		return false;
	timed(member, side);
	check_pu(member, side);
	if (!meet_after_fill(member))
		return false;
	if (member->leads && team->overlap)
		team->overlap[member->rounds] = fmin(team->overlap[member->rounds],
						     overlap_of(team));
	if (member->keeps)
		good = conclude(member, round);
	atomic_fetch_add_explicit(team->progress, 1, memory_order_relaxed);
	return good && gap(member);
failed:
	end_block(member);
	return false;
}

static void check_clock_source(struct member *member, struct side_round *side)
{
	char now[64], text[192];

	identity_clock_source(now, sizeof(now));
	if (!strcmp(now, member->team->clock_source))
		return;
	snprintf(text, sizeof(text), "the clock source changed from %s to %s",
		 member->team->clock_source, now);
	keep_reason(&side->reason, text);
}

/* The leader reads for all: not every thread may, the file is long on big machines. */
static void share_interrupts(struct team *team, const struct interrupt_counts *before,
			     const struct interrupt_counts *after, unsigned round)
{
	for (unsigned i = 0; i < team->member_count; i++) {
		int64_t from = interrupts_of(before, team->members[i].pu);
		int64_t to = interrupts_of(after, team->members[i].pu);

		team->interrupts[round * team->member_count + i] =
			from == NOISE_UNKNOWN || to == NOISE_UNKNOWN ? NOISE_UNKNOWN : to - from;
	}
}

static void check_noise(struct member *member, struct side_round *side)
{
	if (side->noise.migrations != NOISE_UNKNOWN && side->noise.migrations > 0)
		keep_reason(&side->reason, "a bound thread was moved to another PU and back");
	if (member->leads)
		check_clock_source(member, side);
}

/* One round: its fills between two looks at what disturbed it. False ends the member. */
static bool run_round(struct member *member)
{
	struct team *team = member->team;
	struct side_round *side = &member->sides[member->rounds];
	struct pair_round *round = member->keeps
		? &team->logs[member->pair->index].rounds[member->rounds] : NULL;
	bool shares = member->leads && team->method->sync == SYNC_FILL;
	struct interrupt_counts before = { 0 }, after = { 0 };
	struct noise start, end;
	bool good = true;

	if (shares)
		interrupts_read(&before);
	noise_read(&member->noise, &start);
	for (unsigned i = 0; good && i < team->point->fills; i++)
		good = fill(member, side, round);
	noise_read(&member->noise, &end);
	side->noise = noise_since(&start, &end);
	check_noise(member, side);
	if (shares) {
		interrupts_read(&after);
		share_interrupts(team, &before, &after, member->rounds);
		interrupts_free(&before);
		interrupts_free(&after);
	}
	/* A round that was cut short stays only where its reason stands. */
	if (good || (round && round->reason))
		member->rounds++;
	return good;
}

/*
 * Free sync: a pair goes on, its rounds recorded, until the slowest pair has all of its own,
 * so that nobody finishes alone on an idle machine. Both threads of a pair must decide alike.
 */
static bool another_round(struct member *member)
{
	struct team *team = member->team;
	struct pair_log *log = &team->logs[member->pair->index];
	unsigned wanted = rounds_wanted(team);

	if (team->method->sync == SYNC_FILL)
		return member->rounds < wanted;
	if (member->keeps) {
		if (member->rounds == wanted)
			atomic_fetch_add_explicit(&team->pairs_done, 1, memory_order_relaxed);
		log->go_on = member->rounds < wanted ||
			     atomic_load_explicit(&team->pairs_done, memory_order_relaxed) <
				     team->pair_count;
	}
	return meet(member, member->gate) && log->go_on;
}

void *member_main(void *argument)
{
	struct member *member = argument;
	struct team *team = member->team;

	if (!member_open(member))
		end_block(member);
	else
		member->spin_before_ns = noise_spin_probe();
	if (meet(member, &team->gate)) {
		while (another_round(member) && make_room(member) && run_round(member))
			;
	}
	end_turn(member);
	if (!atomic_load_explicit(&team->stop, memory_order_relaxed))
		member->spin_after_ns = noise_spin_probe();
	noise_close(&member->noise);
	return NULL;
}
