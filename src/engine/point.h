/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_ENGINE_POINT_H
#define RINGSCALE_ENGINE_POINT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/axes.h"
#include "topology/memory.h"
#include "topology/place.h"
#include "workloads/workload.h"

#define POINT_ID_LENGTH 16
#define CQ_MAX 65536			/* IORING_MAX_CQ_ENTRIES of the kernel */

/*
 * One combination of all axis values with the PUs they resolve to. Everything
 * that the engine needs is resolved here and nowhere else: auto, all and
 * percentages are numbers in the fields below.
 */
struct point {
	struct axis_value value[AXIS_COUNT];	/* as asked; texts owned */

	int workload;
	int pairs;
	/*
	 * cq auto: inline 2 x ring, as the thread reaps after every batch. Else the
	 * power of two that holds a whole fill, never below the 2 x ring that the kernel
	 * itself would take (it refuses less than the ring), at most CQ_MAX. Where slots are
	 * removed: what holds every completion of that.
	 */
	unsigned slots, used, batch, ring, cq;
	/* Split, cq auto, CQEs posted, used > CQ_MAX: the receiver hands out CQ space, a
	 * batch at a time. */
	bool credits;
	enum slot_choice slot;
	enum pattern pattern;
	enum reap reap;
	enum cycle cycle;
	enum file_choice file;
	enum target target;
	enum ring_fd ring_fd;
	enum fdtable fdtable;
	enum update_by by;		/* never BY_AUTO */
	enum cqe cqe;
	enum mem mem;
	int mem_node;			/* node:N; else -1 */
	unsigned fills;
	int64_t gap_ns;
	bool gap_spin;
	enum removal removal;
	enum pending pending;
	enum issued issued;
	int64_t hold_ns;
	unsigned churn;

	struct placement placement;	/* owned */
	char id[POINT_ID_LENGTH + 1];	/* hex hash of axis values (without place) and PUs */
	bool solo;			/* exists only to be another point's pair alone */
	bool control;			/* --with-control: the messages to some point's installs */
};

/*
 * Resolves the numbers of a point whose value[] is complete and checks that
 * the cell can exist (cells.h). Returns 0, or -EINVAL with an ERROR_USAGE that names
 * both options and both values. Does not place.
 */
int point_resolve(struct point *point, struct error *e);

/* Two rings' worth of threads: a sender and a receiver each, of which a fan shares one; one inline. */
int64_t point_threads(const struct point *point);

/* Pairs share a thread, that of the first one. */
static inline bool point_has_fan(const struct point *point)
{
	return point->pattern != PATTERN_PAIRS;
}

/* Whether it is of a workload that removes. */
static inline bool point_removes(const struct point *point)
{
	return workloads[point->workload]->removes;
}

/* Whether the axis means something to this point; its value says nothing else. */
static inline bool point_has(const struct point *point, enum axis axis)
{
	return axis_applies(axis, point->workload);
}

/* Two threads a pair: all but inline. */
static inline bool point_is_split(const struct point *point)
{
	return point->reap != REAP_INLINE;
}

/*
 * Once the point is placed: where its pairs share PUs, the automatic number of fills counts the
 * installs of all of them, as one PU does the work of many there.
 */
void point_share(struct point *point);

/*
 * Writes point->id: the 64-bit FNV-1a hash of the resolved axes that it has (all but
 * place, as point_text spells them) and the PUs of all pairs. What was typed to get
 * there ("auto", "4096", "100%") makes no difference.
 */
void point_identify(struct point *point);

/*
 * The node that --mem asks for at pair `pair` of a placed point, or one of these: its PU has no
 * memory of its own, all nodes in turn, no choice of ours.
 */
#define POINT_MEM_NONE (-1)
#define POINT_MEM_INTERLEAVE MEMORY_INTERLEAVE
#define POINT_MEM_LOCAL (-3)
int point_mem_node(const struct point *point, const struct topology *topology, int pair);
/* The same hash without one axis more (AXIS_COUNT: as above). */
uint64_t point_key(const struct point *point, enum axis axis);

/* Releases texts and placement; the point is empty then. */
void point_free(struct point *point);

/* The value of an axis as text, as it stands in the result file and the table:
 * resolved ("4096"), never "auto" or "all"; --place as it was asked for. `buffer` holds at least
 * 64 bytes; the result is in it, or lives as long as the point. */
const char *point_text(const struct point *point, enum axis axis, char *buffer, size_t size);

#endif
