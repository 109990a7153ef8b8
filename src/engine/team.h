/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_ENGINE_TEAM_H
#define RINGSCALE_ENGINE_TEAM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/gate.h"
#include "engine/point.h"
#include "engine/sweep.h"
#include "machine/counters.h"
#include "machine/iowq.h"
#include "machine/noise.h"
#include "topology/memory.h"
#include "topology/topology.h"
#include "workloads/workload.h"

/*
 * The threads of one block: a member for every PU, bound to it, working
 * through warm-up and measured rounds. Lives in the block's process only.
 * Members write to their own structs; the rest is read after they are joined.
 */

#define TEAM_STACK_BYTES (256 * 1024)	/* of every thread but the first */

/* What disturbed one thread in one round. NOISE_UNKNOWN where not known. */
struct side_round {
	int64_t off_cpu_ns;		/* wall minus CPU time of the timed calls; unknown for a sleeping receiver */
	struct noise noise;
	int64_t counters[COUNTER_COUNT];	/* of the timed calls */
	char *reason;			/* why this thread makes the round invalid; NULL */
};

/* What one pair measured in one round: sums over its fills. */
struct pair_round {
	int64_t begin_ns, end_ns;	/* first start, last end: CLOCK_MONOTONIC_RAW */
	int64_t fill_ns, sender_ns, receiver_ns, stall_ns;
	int64_t phase_ns[PHASE_COUNT];		/* with the first fill of a ring that lasts, */
	unsigned phase_count[PHASE_COUNT];	/* which is in none of the times above */
	bool refilled;
	unsigned first_slot;		/* where refills began; the first that is not 0 stays */
	uint64_t installs;
	double measure_sums[MEASURE_MAX];	/* over the fills in which it is known, */
	unsigned measure_counts[MEASURE_MAX];	/* and how many those are */
	char *reason;
};

struct member {
	struct team *team;
	struct pair *pair;		/* of a thread that a fan shares: the hub */
	unsigned kept;			/* keeper: of how many pairs, from `pair` on */
	pthread_t thread;
	bool sends, keeps;		/* inline: both; else the sender sends, the receiver keeps */
	bool leads;			/* member 0: looks after what is common to all */
	int pu;
	struct lane *lane;		/* of its PU, where threads share it; else NULL */
	unsigned ticket;		/* of its turn in the lane */
	bool in_turn;
	struct gate *gate;		/* of the team, or of the pair with free sync */
	struct noise_source noise;
	struct counters counters;
	struct side_round *sides;	/* one a round, warm-up included */
	unsigned rounds;		/* finished, warm-up included */
	unsigned capacity;
	int64_t spin_before_ns, spin_after_ns;
	struct error error;		/* what ended the block early, on this thread */
} __attribute__((aligned(128)));

/* The keeper's part of a pair. */
struct pair_log {
	struct pair_round *rounds;	/* one a round, warm-up included */
	struct gate gate;		/* free sync */
	struct memory_pages ring_pages;	/* of its target rings, all looks added up */
	bool go_on;			/* free sync: another round; written before the gate, read behind it */
} __attribute__((aligned(128)));

struct team {
	const struct point *point;
	const struct method *method;
	const struct topology *topology;
	const struct workload *workload;
	struct shape shape;
	struct pair *pairs;
	struct pair_log *logs;
	struct member *members;
	unsigned pair_count, member_count;
	struct gate gate;
	struct lane *lanes;		/* sync fill on shared PUs: one a PU; else NULL */
	unsigned lane_count;
	_Atomic bool stop;
	_Atomic unsigned pairs_done;	/* free sync: pairs that have all their rounds */
	_Atomic uint64_t *progress;	/* shared with the coordinator: grows with every fill */
	char clock_source[64];
	/* Sync fill only, else NULL; one a round, warm-up included. Written by the leader. */
	double *overlap;		/* smallest of the round's fills; NAN for one thread */
	int64_t *interrupts;		/* [round][member] on the member's PU */
	struct iowq_use iowq;		/* when all rounds were done; written by the leader */
};

/*
 * Makes a team for `point`. files[i], an open description of this process, and
 * stamps[i] belong to pair i; where all pairs share a file, it is files[0]. All but the team
 * itself is borrowed. 0 or -errno; team_free releases it, also after failure.
 */
int team_init(struct team *team, const struct point *point, const struct method *method,
	      const struct topology *topology, const int *files, const uint64_t *stamps,
	      _Atomic uint64_t *progress, struct error *e);

/* Runs all rounds. A single member works on the calling thread, so that one inline
 * pair is a one-thread process. 0, or -errno with what ended the block early;
 * what was recorded until then stands. */
int team_run(struct team *team, struct error *e);
void team_free(struct team *team);

/* Longest time between two steps of progress that is not a hang. */
int64_t team_patience_ns(const struct method *method, const struct point *point);

/* The threads of a pair; inline both are one, and a fan has one in common. */
struct member *team_sender(const struct team *team, unsigned pair);
struct member *team_keeper(const struct team *team, unsigned pair);

/* Closes what a pair still has open; nothing where it was closed already. With descriptor tables of
 * their own only the thread that made the rings can. */
void team_close_pair(const struct team *team, struct pair *pair);

/* The work of one member: round.c. */
void *member_main(void *member);

#endif
