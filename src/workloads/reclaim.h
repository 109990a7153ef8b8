/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_WORKLOADS_RECLAIM_H
#define RINGSCALE_WORKLOADS_RECLAIM_H

#include <poll.h>

#include "base/error.h"
#include "workloads/workload.h"

/*
 * reclaim: when does the kernel let go of files that were removed from a table?
 *
 * A fill is `used` removals. Before it, every slot of a fresh ring gets the write end of a pipe with
 * a tag: the file is released when its tag's CQE has come and the pipe's other end sees the hang-up.
 * Timed are the removals. Then, in `watch`, the request (if any) stays pending for hold_ns, is fed, and
 * the rest of the files is waited for. In `finish` it is issued once more, and the table is
 * unregistered while it is pending.
 *
 *   prepare  ring, table, files, request (issued before)
 *   send     removals; request (issued halfway)
 *   watch    looks, churn, feed, looks
 *   check    judge, measures
 *   finish   request again, unregister, close
 *
 * The request is a read of an empty pipe. Its read end lies in the slot behind `slots`, whatever
 * is pending, so that the table is the same; normal reads go by the descriptor.
 */

/* A completion of its removal and one of its tag for every file, one for each of two reads, and the end
 * of the churn: all stay in the CQ while the clock runs. */
static inline unsigned reclaim_completions(unsigned used)
{
	return 2 * used + 4;
}

#define RECLAIM_FILES_MAX 32766u	/* what a CQ of 65536 holds the completions of */

/* Descriptors of a pair beside one a file: the request's pipe, what is being made. */
#define RECLAIM_FILES_BESIDE 6u

/* What a completion is of: user_data is the kind and a number. Tags are never 0. */
enum reclaim_kind { RECLAIM_TAG = 1, RECLAIM_REMOVAL, RECLAIM_READ, RECLAIM_CHURN };

static inline uint64_t reclaim_data(enum reclaim_kind kind, unsigned number)
{
	return (uint64_t)kind << 32 | number;
}

/* The end of a batch of removals. */
struct reclaim_batch {
	unsigned removed;	/* files removed until then */
	unsigned posted;	/* completions in the CQ */
	int64_t ns;
};

/* What a fill recorded, for the verdict. Times are CLOCK_MONOTONIC_RAW; 0: did not happen. */
struct reclaim_log {
	unsigned files;
	enum pending pending;
	bool completes;			/* a removal has a completion of its own, */
	bool updates;			/* of a FILES_UPDATE, which says 1 */
	const struct io_uring_cqe *cqes;	/* in the order of their arrival */
	unsigned count, capacity;
	unsigned left;			/* in the CQ, beyond the capacity */
	const struct reclaim_batch *batches;
	unsigned batch_count;
	const int64_t *released_ns;	/* of each file: tag seen and hang-up seen */
	const bool *early;		/* of each file: hung up before the removals */
	unsigned early_completions;	/* in the CQ before the removals */
	int64_t start_ns, removed_ns;	/* of the removals */
	int64_t fed_ns;			/* the request; or, with nothing pending, the end of the time */
	unsigned released_pending;	/* files released when last looked before that */
	bool churned;			/* its end was marked with a tag */
	bool read_right;		/* what was read is what was fed */
	bool overflow;
	unsigned dropped;		/* SQEs */
	int64_t waited_ns;		/* after fed_ns, for what had not come */
};

/*
 * Judges the record of one fill: every removal and every tag completed once, in time, without an error, no
 * file released before its removal, all released in the end, the request answered once
 * it was fed. `seen` is scratch of 2 x files bytes. A pure function. 0, or -errno with an
 * ERROR_FAILED that names the first lie.
 */
int reclaim_judge(const struct reclaim_log *log, uint8_t *seen, struct error *e);

/* The figures of a judged fill but for those of the churn, by the order of reclaim_measures. `delays` is
 * scratch of `files`. A pure function. */
enum reclaim_measure {
	RECLAIM_RELEASED_PENDING, RECLAIM_PENDING_NS, RECLAIM_SETTLED_NS, RECLAIM_DELAY_MEAN,
	RECLAIM_DELAY_P50, RECLAIM_DELAY_P90, RECLAIM_DELAY_P99, RECLAIM_DELAY_MAX,
	RECLAIM_REPLACED, RECLAIM_LIVE_FILES, RECLAIM_SLAB_BYTES, RECLAIM_MEASURES
};
extern const struct measure reclaim_measures[RECLAIM_MEASURES + 1];
void reclaim_measure(const struct reclaim_log *log, int64_t *delays, double measures[MEASURE_MAX]);

/* ---- For the files of this workload ---- */

/* pair->own. Arrays have an element a file. */
struct reclaim {
	struct reclaim_log log;
	struct io_uring_cqe *cqes;	/* capacity: log.capacity */
	struct reclaim_batch *batches;
	int64_t *released_ns, *delays;
	bool *tagged, *hung_up, *early;
	unsigned released, unchecked;	/* files; tagged ones whose hang-up was not seen yet */
	int *readers;			/* the other ends; -1: none */
	struct pollfd *polls;
	unsigned *polled;		/* which file polls[i] is of */
	uint8_t *seen;			/* 2 x files */
	int *fds;			/* a batch */
	int pipe[2];			/* of the request; -1: none */
	char byte;			/* what it reads */
	unsigned reads_done, churns_done;
	struct holdings before, after;	/* the churn, */
	unsigned replaced;		/* how many it replaced, */
	int churn_error;		/* and what ended it: positive errno */
	bool good;			/* the fill was judged so: unregistering may be measured */
};

/* Hooks open and close. */
int reclaim_open(struct pair *pair, struct error *e);
void reclaim_close(struct pair *pair);

/* Fills the table of a new ring: 0 or -errno. */
int reclaim_fill_table(struct pair *pair, struct error *e);

/* Issues the read, number 0 or 1 of the fill; nothing where none is to be pending. 0 or -errno. */
int reclaim_issue(struct pair *pair, unsigned number);

/* Lets the pending read have its byte. 0 or -errno. */
int reclaim_feed(struct pair *pair);

/* Hook send. */
void reclaim_send(struct pair *pair);

/* Takes what has been posted into the log, and sees which of the tagged files have hung up; with
 * `all`, which of the others have, too. */
void reclaim_look(struct pair *pair, bool all);

/* Hook watch. */
void reclaim_watch(struct pair *pair);
#endif
