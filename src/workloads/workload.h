/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_WORKLOADS_WORKLOAD_H
#define RINGSCALE_WORKLOADS_WORKLOAD_H

#include <liburing.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * A workload is what a pair does in the timed region, and what it checks
 * afterwards. It is one file and one row in table.c.
 *
 * To add one:
 *   1. src/workloads/NAME.c with a `const struct workload NAME_workload`;
 *   2. its line in table.c;
 *      What it measures beside its time goes into `measures`, with units;
 *   3. a unit test that feeds its check doctored arrays, a live test in tests/cli/run.bats;
 *   4. its line in man/ringscale.1.
 *
 * Hooks run on the thread named in their comment; inline, one thread does all.
 * Only `send` and `receive` are timed: they allocate, print, lock and judge
 * nothing, and leave by pair->stop when a wait lasts longer than the limit.
 */

/* What may be in flight on the target ring while slots are removed: nothing, or a read of an empty
 * pipe, by descriptor or through the table. */
enum pending { PENDING_NONE, PENDING_NORMAL, PENDING_FIXED };

/* How slots are removed: a batch by one register call, a FILES_UPDATE or a CLOSE for each, or
 * another file put in their place by one register call a batch. */
enum removal { REMOVAL_REGISTER, REMOVAL_SQE, REMOVAL_CLOSE, REMOVAL_REPLACE };
/* What is registered with the target ring. */
enum table_kind { TABLE_FILES, TABLE_BUFFERS, TABLE_NONE };

/* What of a point a workload sees. Resolved numbers; constant for a block. */
struct shape {
	enum table_kind table;	/* with one_ring: the workload's */
	bool one_ring;
	unsigned slots, used, batch, ring, cq;
	bool split;		/* sender and receiver are two threads */
	bool poll, wait, after;	/* how a split receiver reaps */
	bool fan_in;		/* all pairs send into one target, the first pair's */
	bool fan_out;		/* all pairs' targets are sent to from one source, the first pair's */
	bool explicit_slot;
	bool skip_cqe;		/* no target CQE is posted */
	bool credits;		/* the receiver hands out CQ space, a batch at a time */
	bool reregister;	/* between two fills of a ring: its table registered anew */
	bool reuse;		/* between two fills of a ring: the slots emptied */
	bool per_slot;		/* the source has a file of its own for every install */
	bool registered;	/* rings are entered by registered index */
	bool by_register;	/* updates are made by register calls, not by SQEs */
	bool yield;		/* threads share PUs: who waits gives way */
	unsigned target_flags;	/* IORING_SETUP_* that the target ring is made with */
	unsigned spare_slots;	/* of the target's table, behind its `slots` */
	enum pending pending;	/* with the next four: workloads that remove, see struct workload */
	bool halfway;		/* the request is issued in the middle of the removals, not before them */
	enum removal removal;
	int64_t hold_ns;	/* how long the request is left pending behind the removals */
	unsigned churn;		/* replacements made in that time */
	int64_t timeout_ns;	/* longest wait in a fill */
};

/* What stands around a fill, in the order in which it happens. */
enum phase {
	PHASE_CREATE,		/* the target ring */
	PHASE_REGISTER,		/* its table */
	PHASE_FIRST_FILL,	/* the cold one of a ring */
	PHASE_REMOVE,		/* every slot emptied, the last one first */
	PHASE_RELEASE_WAIT,	/* then: until the kernel has let go of the files */
	PHASE_REFILL,		/* any later fill of the ring */
	PHASE_UNREGISTER,
	PHASE_EXIT,		/* unmapping and closing; the kernel goes on behind it */
	PHASE_COUNT
};
#define PHASE_NONE INT64_C(-1)	/* of a phase that did not happen */

/* Names in the result file, in the order of enum phase, with their unit. */
extern const char *const phase_names[PHASE_COUNT];

/* What a workload measures beside the fill: one value a fill, of which the mean over a round is recorded. */
struct measure {
	const char *name, *unit;
};
#define MEASURE_MAX 12

/* What the whole machine holds; HOLDINGS_UNKNOWN where it does not say. */
struct holdings {
	int64_t files;		/* open files */
	int64_t slab_bytes;
};
#define HOLDINGS_UNKNOWN INT64_C(-1)

/* Completions recorded in the timed region, in order of arrival. */
/* Completions recorded in the timed region, in order of arrival. Where updates are made by register
 * calls: one a call, see struct requests. */
struct arrivals {
	struct io_uring_cqe *cqes;	/* capacity: used */
	unsigned count;
};

/* What one thread of a pair writes while the clock runs; on cache lines of its own. */
struct side {
	int64_t start_ns, end_ns;
	int64_t stall_ns;	/* waiting for credits */
	int error;		/* positive errno of the first failed call */
	bool overflow;		/* IORING_SQ_CQ_OVERFLOW was seen on a sample */
	bool slept;		/* in the kernel, for requests that io-wq or the target's owner took over */
	bool timed_out;
} __attribute__((aligned(128)));

/*
 * A fill of one pair. The engine owns the struct; workloads own the rings in it.
 *
 * Where pairs fan in or out they lie in one array, and the first one, the hub, has what all share:
 * its target with its receiver (fan-in), or its source with its sender (fan-out). Hooks of the
 * thread that is shared are called once, with the hub. Of the others only the own side is used.
 */
struct pair {
	const struct shape *shape;
	unsigned index;			/* pair number */
	struct pair *from, *to;		/* whose source and sender, whose target and receiver; else itself */
	unsigned spokes;		/* of the hub: how many pairs share it; else 1 */
	unsigned first, count;		/* which of the `used` installs into its target are this pair's */
	int file;			/* what is installed: opened O_NONBLOCK, so that reads of it run inline */
	uint64_t stamp;			/* its first 8 bytes: different for every pair, never 0 */
	/* per_slot: stamp of install first + i, in source slot i; [0] is `stamp`. Capacity: count;
	 * else NULL. */
	uint64_t *stamps;
	int sender_pu;			/* io-wq workers of the source ring are bound here; -1: left free */
	bool iowq_bound;		/* whether they could be */
	unsigned source_flags, target_flags;	/* IORING_SETUP_* that the kernel granted */

	bool ring_fd_registered;	/* source entered by registered index */

	struct io_uring source;		/* sender's ring: `file` in fixed slot 0 */
	struct io_uring target;		/* receiver's ring: the table that is filled */
	bool source_open, target_open;
	bool table_open;		/* target has its table */

	struct side sender, receiver;
	struct arrivals sent, arrived;	/* source's and target's CQEs */
	uint64_t *read_back;		/* stamp of install i, read through the target's fixed file */
	unsigned *slot_of;		/* slot of install i; filled and used by check */
	uint8_t *taken;			/* scratch of check: max(slots, used) bytes */
	/* Hub of a fan-in, else empty: what all senders recorded, and the stamp of each install.
	 * Filled by check; capacity: used. */
	struct arrivals gathered;
	uint64_t *stamp_of;

	void *own;			/* what the workload makes in open and frees in close */
	/* One a measure of the workload, set by check or finish; NAN: unknown. */
	double measures[MEASURE_MAX];
	/* The engine's, as workloads do not read /proc. NULL: another pair looks, or fills are not
	 * in step. */
	void (*read_holdings)(struct holdings *holdings);

	_Atomic bool *stop;		/* team-wide: a thread failed, leave (relaxed) */
	/* Split threads only. sent_all: the sender has all its CQEs or gave up (stored once,
	 * release); reaped_count: target CQEs given back (release by receiver, for credits). */
	_Atomic bool sent_all __attribute__((aligned(128)));
	_Atomic unsigned reaped_count __attribute__((aligned(128)));

	/* Of this fill: prepare begins with PHASE_NONE, the engine adds what a fill took. */
	int64_t phase_ns[PHASE_COUNT];
};

/* No fan: all of a fill is this pair's own. `pair` has its shape. */
static inline void pair_stand_alone(struct pair *pair)
{
	pair->from = pair->to = pair;
	pair->spokes = 1;
	pair->first = 0;
	pair->count = pair->shape->used;
}

struct workload {
	const char *name;
	const char *summary;
	bool inline_only;
	const char *unit;	/* what a fill is made of and counted in, one of it, as printed: "install" */
	bool fixed_sqes;	/* all installs are one request: fresh rings, no slots or files of their own */
	bool message;		/* nothing is installed: no choice of slots, files or skipped CQEs */
	/* The fill is one of removals, from fresh rings filled with files of its own, and the axes of
	 * removal apply: inline, and none of what concerns installs. */
	bool removes;
	const struct measure *measures;	/* ended by one without a name, at most MEASURE_MAX; or NULL */
	/* One thread and the target ring, which it enters itself; no source ring, nothing is sent.
	 * Inline only, and nothing of what concerns installs. With cycle reuse the ring goes on as it is. */
	bool one_ring;
	enum table_kind table;
	bool replaces;		/* fills a table in prepare and replaces what is in it: `used` may go round */
	unsigned most_slots;	/* what the kernel takes of them; 0: as many as of files */
	unsigned slot_locked_bytes;	/* of a slot, charged to the locked memory */
	bool sets_tasks;	/* how many tasks the process has is part of the answer, and printed */

	/* Sender, once a block: makes the source ring. */
	int (*open)(struct pair *pair, struct error *e);
	/* Receiver, before every fill: makes what there is not of target ring and table. */
	int (*prepare)(struct pair *pair, struct error *e);
	/* Sender, after prepare and before the start gate; may be NULL. Fills SQEs that are not to be timed. */
	int (*arm)(struct pair *pair, struct error *e);
	/* Sender, timed. Inline: also what the receiver would do. Sets sender.end_ns (and, inline, receiver.end_ns). */
	void (*send)(struct pair *pair);
	/* Sender, behind the timed region, before anyone waits for it: what follows from the fill and
	 * must be seen as it comes. May be NULL. Leaves by pair->stop. */
	void (*watch)(struct pair *pair);
	/* Receiver, timed, split only. Sets receiver.end_ns. */
	void (*receive)(struct pair *pair);
	/* Receiver, after the fill: every check of it. ERROR_FAILED with the reason makes the round invalid. */
	int (*check)(struct pair *pair, struct error *e);
	/* Receiver, after check: empties the target for the next fill of this ring, or, after the
	 * `last` one, unregisters and closes it. Also after a failure, then with `last`. */
	int (*finish)(struct pair *pair, bool last, struct error *e);
	/* Sender, once a block: closes the source ring. Safe after a failed open. */
	void (*close)(struct pair *pair);
};

/* All workloads, ended by NULL; the index is the value of the axis. */
extern const struct workload *const workloads[];

/* Their names in the same order, ended by NULL: for the option table. */
extern const char *const workload_names[];

#endif
