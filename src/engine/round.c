// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What one member does: its part of every phase of every fill of every round,
 * and its part of the verdict.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/fill.h"
#include "machine/identity.h"
#include "workloads/rig.h"

static unsigned rounds_wanted(const struct team *team)
{
	return team->method->warmup + team->method->rounds;
}

/* Room for one more round in the member's log and, for a keeper, its pair's. */
static bool make_room(struct member *member)
{
	struct pair_log *logs = &member->team->logs[member->pair->index];
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
	for (unsigned i = 0; member->keeps && i < member->kept; i++) {
		grown = realloc(logs[i].rounds, wanted * sizeof(*logs[i].rounds));
		if (!grown)
			goto no_memory;
		logs[i].rounds = grown;
		memset(logs[i].rounds + member->capacity, 0,
		       (wanted - member->capacity) * sizeof(*logs[i].rounds));
	}
	member->capacity = wanted;
	return true;
no_memory:
	error_set(&member->error, ERROR_FAILED, ENOMEM, "no memory to record %u rounds", wanted);
	member_end_block(member);
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

/*
 * --fdtable private: a descriptor table of the thread's own, before any ring exists: a ring that
 * was copied into another table would outlast its close.
 */
static bool part_descriptors(struct member *member)
{
	if (member->team->point->fdtable != FDTABLE_PRIVATE)
		return true;
	if (unshare(CLONE_FILES)) {
		error_set(&member->error, ERROR_FAILED, errno,
			  "cannot give a thread descriptors of its own (--fdtable private): %s; use "
			  "--fdtable shared", strerror(errno));
		return false;
	}
	return member_meet(member, &member->team->gate);
}

/* What the sender records, of every pair that it is the sender of. */
static bool make_sender_arrays(struct pair *pair)
{
	const struct shape *shape = pair->shape;

	for (unsigned i = 0; i < (shape->fan_out ? pair->spokes : 1); i++) {
		pair[i].sent.cqes = touched(pair->count, sizeof(*pair->sent.cqes));
		if (!pair[i].sent.cqes)
			return false;
	}
	if (shape->per_slot)
		pair->stamps = touched(pair->count, sizeof(*pair->stamps));
	return !shape->per_slot || pair->stamps;
}

static bool make_keeper_arrays(struct pair *pair)
{
	const struct shape *shape = pair->shape;
	unsigned larger = shape->slots > shape->used ? shape->slots : shape->used;

	pair->arrived.cqes = touched(shape->used, sizeof(*pair->arrived.cqes));
	pair->read_back = touched(shape->used, sizeof(*pair->read_back));
	pair->slot_of = touched(shape->used, sizeof(*pair->slot_of));
	pair->taken = touched(larger, sizeof(*pair->taken));
	if (!pair->arrived.cqes || !pair->read_back || !pair->slot_of || !pair->taken)
		return false;
	if (!shape->fan_in)
		return true;
	pair->gathered.cqes = touched(shape->used, sizeof(*pair->gathered.cqes));
	pair->stamp_of = touched(shape->used, sizeof(*pair->stamp_of));
	return pair->gathered.cqes && pair->stamp_of;
}

static bool member_open(struct member *member)
{
	struct pair *pair = member->pair;
	int result = topology_bind_thread(member->team->topology, member->pu);

	bool parted = result || part_descriptors(member);

	noise_open(&member->noise);
	counters_open(&member->counters, member->pu);
	if (!parted)
		return false;
	if (result) {
		error_set(&member->error, ERROR_FAILED, -result, "cannot bind a thread to PU %d: %s",
			  member->pu, strerror(-result));
		return false;
	}
	if (member->sends) {
		if (!make_sender_arrays(pair))
			goto no_memory;
		if (member->team->workload->open(pair, &member->error))
			return false;
	}
	if (member->keeps && !make_keeper_arrays(pair))
		goto no_memory;
	return make_room(member);
no_memory:
	error_set(&member->error, ERROR_FAILED, ENOMEM, "no memory for %u completions",
		  pair->shape->used);
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
		keep_reason(&side->reason, "a bound thread was moved to another PU meanwhile");
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
	/* A ring that lasts a round is filled once more, as the first, cold fill is no refill. */
	unsigned cold = team->point->cycle == CYCLE_FRESH ? 0 : 1;
	unsigned total = team->point->fills + cold;
	bool good = true;

	if (shares)
		interrupts_read(&before);
	noise_read(&member->noise, &start);
	for (unsigned i = 0; good && i < total; i++)
		good = fill_run(member, side, round, (struct fill_place){
				.counts = i >= cold, .last = i + 1 == total,
				.warmup = member->rounds < team->method->warmup });
	noise_read(&member->noise, &end);
	side->noise = noise_since(&start, &end);
	/* A thread that watches sleeps and wakes outside the timed region, late each time. */
	if (team->workload->watch)
		side->noise.run_delay_ns = NOISE_UNKNOWN;
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
	return member_meet(member, member->gate) && log->go_on;
}

/* io-wq workers end with the task they work for: while all are here, the leader looks at all. */
static void look_at_workers(struct member *member)
{
	struct team *team = member->team;

	if (!member_meet(member, &team->gate))
		return;
	if (member->leads)
		iowq_read(&team->iowq);
	member_meet(member, &team->gate);
}

void *member_main(void *argument)
{
	struct member *member = argument;
	struct team *team = member->team;

	if (!member_open(member))
		member_end_block(member);
	else
		member->spin_before_ns = noise_spin_probe();
	if (member_meet(member, &team->gate)) {
		while (another_round(member) && make_room(member) && run_round(member))
			;
	}
	look_at_workers(member);
	member_end_turn(member);
	if (!atomic_load_explicit(&team->stop, memory_order_relaxed))
		member->spin_after_ns = noise_spin_probe();
	counters_close(&member->counters);
	noise_close(&member->noise);
	rig_leave(member->pair, member->sends, member->keeps);
	if (team->point->fdtable == FDTABLE_PRIVATE)
		team_close_pair(team, member->pair);
	return NULL;
}
