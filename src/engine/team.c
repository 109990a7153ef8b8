// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/team.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "machine/identity.h"
#include "machine/machine_use.h"
#include "workloads/rig.h"

/* Beyond the fill itself: creating rings with retries, reading a million slots back, a busy machine. */
#define UNTIMED_NS INT64_C(10000000000)
/* Threads that share a PU wait for one another: so much for every slot of each. */
#define SHARED_SLOT_NS INT64_C(2000)
/* Making a file for one slot, while other threads make theirs. */
#define OWN_FILE_NS INT64_C(20000)

int64_t team_patience_ns(const struct method *method, const struct point *point)
{
	int64_t patience_ns = method->timeout_ns + point->gap_ns + RIG_RETRY_NS + UNTIMED_NS;

	if (point->placement.oversubscribed)
		patience_ns += SHARED_SLOT_NS * point->slots * point->pairs;
	/* Where threads share a PU, each waits for the release of its own files in its turn. */
	if (point->cycle == CYCLE_REUSE)
		patience_ns += RIG_RELEASE_NS * (point->placement.oversubscribed ? point->pairs : 1);
	/* Once before the files are let go, once before the table is; then each may be late. */
	if (point_removes(point))
		patience_ns += 2 * (point->hold_ns + method->timeout_ns) +
			       SHARED_SLOT_NS * (point->churn + point->used) * point->pairs;
	if (point->file == FILE_PER_SLOT)
		patience_ns += OWN_FILE_NS * point->used * point->pairs;
	return patience_ns;
}

static unsigned target_flags(enum target target)
{
	switch (target) {
	case TARGET_COOP:
		return IORING_SETUP_COOP_TASKRUN;
	case TARGET_SINGLE:
		return IORING_SETUP_SINGLE_ISSUER;
	case TARGET_DEFER:
		return IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN;
	case TARGET_PLAIN:
		break;
	}
	return 0;
}

static void shape_from(struct shape *shape, const struct point *point, const struct method *method)
{
	const struct workload *workload = workloads[point->workload];

	*shape = (struct shape){
		.table = workload->table,
		.one_ring = workload->one_ring,
		.slots = point->slots,
		.used = point->used,
		.batch = point->batch,
		.ring = point->ring,
		.cq = point->cq,
		.split = point->reap != REAP_INLINE,
		.poll = point->reap == REAP_POLL,
		.wait = point->reap == REAP_WAIT,
		.after = point->reap == REAP_AFTER,
		.fan_in = point->pattern == PATTERN_FAN_IN,
		.fan_out = point->pattern == PATTERN_FAN_OUT,
		.target_flags = target_flags(point->target),
		.explicit_slot = point->slot == SLOT_EXPLICIT,
		.skip_cqe = point->cqe == CQE_SKIP,
		.credits = point->credits,
		.reregister = point->cycle == CYCLE_REREGISTER,
		.reuse = point->cycle == CYCLE_REUSE,
		.per_slot = point->file == FILE_PER_SLOT,
		.registered = point->ring_fd == RING_FD_REGISTERED,
		.by_register = point->by == BY_REGISTER,
		.yield = point->placement.oversubscribed,
		.spare_slots = point_removes(point) ? 1 : 0,
		.pending = point->pending,
		.halfway = point->issued == ISSUED_HALFWAY,
		.removal = point->removal,
		.hold_ns = point->hold_ns,
		.churn = point->churn,
		.timeout_ns = method->timeout_ns,
	};
}

static void *zeroed(size_t count, size_t size)
{
	void *memory = aligned_alloc(128, (count * size + 127) / 128 * 128);

	if (memory)
		memset(memory, 0, (count * size + 127) / 128 * 128);
	return memory;
}

static void member_init(struct team *team, unsigned index, unsigned pair, bool sends, bool keeps)
{
	struct member *member = &team->members[index];
	const struct place_pair *place = &team->point->placement.pairs[pair];

	member->team = team;
	member->pair = &team->pairs[pair];
	member->sends = sends;
	member->keeps = keeps;
	member->kept = keeps && team->shape.fan_in ? team->pair_count : 1;
	member->leads = index == 0;
	member->pu = sends ? place->sender_pu : place->receiver_pu;
	member->gate = team->method->sync == SYNC_FREE ? &team->logs[pair].gate : &team->gate;
}

static void read_holdings(struct holdings *holdings)
{
	struct machine_use use;

	machine_use_read(&use);
	holdings->files = use.files == NOISE_UNKNOWN ? HOLDINGS_UNKNOWN : use.files;
	holdings->slab_bytes = use.slab_bytes == NOISE_UNKNOWN ? HOLDINGS_UNKNOWN : use.slab_bytes;
}

static void pair_init(struct team *team, unsigned index, int file, uint64_t stamp)
{
	struct pair *pair = &team->pairs[index];

	pair->shape = &team->shape;
	pair_stand_alone(pair);
	if (team->shape.fan_in) {
		uint64_t used = team->shape.used;

		pair->to = &team->pairs[0];
		pair->first = (unsigned)(used * index / team->pair_count);
		pair->count = (unsigned)(used * (index + 1) / team->pair_count) - pair->first;
	} else if (team->shape.fan_out) {
		pair->from = &team->pairs[0];
	}
	if (index == 0 && point_has_fan(team->point))
		pair->spokes = team->pair_count;
	pair->index = index;
	pair->file = file;
	pair->stamp = stamp;
	pair->sender_pu = team->point->placement.pairs[index].sender_pu;
	pair->stop = &team->stop;
	/* One pair looks at the whole machine, while the others hold still. */
	if (index == 0 && (team->method->sync == SYNC_FILL || team->pair_count == 1))
		pair->read_holdings = read_holdings;
	gate_init(&team->logs[index].gate, team->shape.split ? 2 : 1,
		  !team->point->placement.oversubscribed, team->gate.limit_ns, &team->stop);
}

static bool make_shared_logs(struct team *team)
{
	size_t rounds = team->method->warmup + team->method->rounds;

	if (team->method->sync != SYNC_FILL)
		return true;
	team->overlap = malloc(rounds * sizeof(*team->overlap));
	team->interrupts = malloc(rounds * team->member_count * sizeof(*team->interrupts));
	if (!team->overlap || !team->interrupts)
		return false;
	for (size_t i = 0; i < rounds; i++)
		team->overlap[i] = NAN;
	for (size_t i = 0; i < rounds * team->member_count; i++)
		team->interrupts[i] = NOISE_UNKNOWN;
	return true;
}

/* The lane of a member's PU. */
static struct lane *join_lane(struct team *team, unsigned index)
{
	for (unsigned i = 0; i < index; i++)
		if (team->members[i].pu == team->members[index].pu)
			return team->members[i].lane;
	return &team->lanes[team->lane_count++];
}

static bool make_lanes(struct team *team)
{
	if (!team->point->placement.oversubscribed || team->method->sync != SYNC_FILL)
		return true;
	team->lanes = zeroed(team->member_count, sizeof(*team->lanes));
	if (!team->lanes)
		return false;
	for (unsigned i = 0; i < team->member_count; i++) {
		team->members[i].lane = join_lane(team, i);
		team->members[i].lane->count++;
	}
	for (unsigned i = 0; i < team->lane_count; i++)
		if (lane_init(&team->lanes[i], team->lanes[i].count))
			return false;
	return true;
}

/* Members are sender and receiver of pair 0, of pair 1 and so on; of a fan-in all senders and then
 * the receiver, of a fan-out the sender and then all receivers. */
struct member *team_sender(const struct team *team, unsigned pair)
{
	if (!team->shape.split || team->shape.fan_in)
		return &team->members[pair];
	return &team->members[team->shape.fan_out ? 0 : 2 * pair];
}

struct member *team_keeper(const struct team *team, unsigned pair)
{
	if (!team->shape.split)
		return &team->members[pair];
	if (team->shape.fan_in)
		return &team->members[team->pair_count];
	return &team->members[team->shape.fan_out ? 1 + pair : 2 * pair + 1];
}

/* Members of a pair; those that a fan shares come with their hub. */
static void pair_members_init(struct team *team, unsigned pair)
{
	unsigned sender = (unsigned)(team_sender(team, pair) - team->members);
	unsigned keeper = (unsigned)(team_keeper(team, pair) - team->members);

	if (pair == 0 || !team->shape.fan_out)
		member_init(team, sender, pair, true, sender == keeper);
	if (sender != keeper && (pair == 0 || !team->shape.fan_in))
		member_init(team, keeper, pair, false, true);
}

int team_init(struct team *team, const struct point *point, const struct method *method,
	      const struct topology *topology, const int *files, const uint64_t *stamps,
	      _Atomic uint64_t *progress, struct error *e)
{
	memset(team, 0, sizeof(*team));
	team->point = point;
	team->method = method;
	team->topology = topology;
	team->workload = workloads[point->workload];
	team->progress = progress;
	team->iowq = (struct iowq_use){ NOISE_UNKNOWN, NOISE_UNKNOWN, NOISE_UNKNOWN };
	shape_from(&team->shape, point, method);
	identity_clock_source(team->clock_source, sizeof(team->clock_source));
	team->pair_count = (unsigned)point->pairs;
	team->member_count = (unsigned)point_threads(point);
	team->pairs = zeroed(team->pair_count, sizeof(*team->pairs));
	team->logs = zeroed(team->pair_count, sizeof(*team->logs));
	team->members = zeroed(team->member_count, sizeof(*team->members));
	if (!team->pairs || !team->logs || !team->members || !make_shared_logs(team))
		return error_set(e, ERROR_FAILED, ENOMEM, "no memory for %u pairs",
				 team->pair_count);
	gate_init(&team->gate, team->member_count, !point->placement.oversubscribed,
		  team_patience_ns(method, point), &team->stop);
	for (unsigned i = 0; i < team->pair_count; i++) {
		unsigned file = point->file == FILE_SHARED ? 0 : i;

		pair_init(team, i, files[file], stamps[file]);
		pair_members_init(team, i);
	}
	if (!make_lanes(team))
		return error_set(e, ERROR_FAILED, ENOMEM, "no memory for %u threads",
				 team->member_count);
	return 0;
}

/* Starts members [0, count); on failure those that run are stopped. Returns how many run. */
static unsigned start(struct team *team, struct error *e)
{
	pthread_attr_t attributes;
	unsigned started = 0;
	int result;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, TEAM_STACK_BYTES);
	for (; started < team->member_count; started++) {
		struct member *member = &team->members[started];

		result = pthread_create(&member->thread, &attributes, member_main, member);
		if (!result)
			continue;
		error_set(e, ERROR_FAILED, result,
			  "cannot start thread %u of %u: %s; raise the limit of processes "
			  "(ulimit -u) or use fewer --pairs",
			  started + 1, team->member_count, strerror(result));
		atomic_store_explicit(&team->stop, true, memory_order_relaxed);
		break;
	}
	pthread_attr_destroy(&attributes);
	return started;
}

void team_close_pair(const struct team *team, struct pair *pair)
{
	team->workload->finish(pair, true, &(struct error)ERROR_INIT);
	team->workload->close(pair);
}

int team_run(struct team *team, struct error *e)
{
	if (team->member_count == 1) {
		member_main(&team->members[0]);
	} else {
		unsigned started = start(team, e);

		for (unsigned i = 0; i < started; i++)
			pthread_join(team->members[i].thread, NULL);
	}
	/* Here and not in the threads: after a stop, one side may still work when the other leaves. */
	for (unsigned i = 0; i < team->pair_count; i++)
		team_close_pair(team, &team->pairs[i]);
	/* The first cause is the one that set stop; the others' gates only opened. */
	for (unsigned i = 0; i < team->member_count; i++) {
		const struct error *cause = &team->members[i].error;

		if (cause->kind != ERROR_NONE)
			return error_set(e, cause->kind, cause->code, "%s", cause->text);
	}
	if (e->kind == ERROR_NONE && atomic_load(&team->stop))
		return error_set(e, ERROR_FAILED, ETIME,
				 "not all %u threads came to a gate within %g s",
				 team->member_count, team->gate.limit_ns / 1e9);
	return e->kind == ERROR_NONE ? 0 : -e->code;
}

void team_free(struct team *team)
{
	for (unsigned i = 0; team->members && i < team->member_count; i++) {
		struct member *member = &team->members[i];

		for (unsigned r = 0; member->sides && r < member->capacity; r++)
			free(member->sides[r].reason);
		free(member->sides);
	}
	for (unsigned i = 0; team->pairs && i < team->pair_count; i++) {
		struct pair *pair = &team->pairs[i];
		struct pair_log *log = &team->logs[i];

		for (unsigned r = 0; log->rounds && r < team_keeper(team, i)->capacity; r++)
			free(log->rounds[r].reason);
		free(log->rounds);
		memory_pages_free(&log->ring_pages);
		free(pair->sent.cqes);
		free(pair->arrived.cqes);
		free(pair->read_back);
		free(pair->slot_of);
		free(pair->taken);
		free(pair->stamps);
		free(pair->gathered.cqes);
		free(pair->stamp_of);
	}
	for (unsigned i = 0; i < team->lane_count; i++)
		lane_free(&team->lanes[i]);
	free(team->lanes);
	free(team->overlap);
	free(team->interrupts);
	free(team->pairs);
	free(team->logs);
	free(team->members);
	memset(team, 0, sizeof(*team));
}
