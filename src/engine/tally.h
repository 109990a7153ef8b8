/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_ENGINE_TALLY_H
#define RINGSCALE_ENGINE_TALLY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "engine/sweep.h"
#include "stats/summary.h"
#include "workloads/workload.h"

/*
 * What the blocks of a sweep add up to (DESIGN section 3). Kinds are never
 * pooled: a point whose pairs sit on several kinds has a group for each.
 *
 *   x of a pair's round  = fill_ns / installs
 *   x of a round         = mean over the pairs of the group
 *   ns per install       = mean of x over all measured rounds
 *   interval             = Student t at 95 % over block means
 *   rate                 = sum over pairs of installs / own time, mean over blocks
 *   efficiency           = rate / sum of the same pairs' rates alone
 *
 * In a fan-out one sender makes the installs of all pairs in a fill's time: installs above are the
 * sum over them, and the efficiency compares with the mean of the same pairs alone.
 *
 * A point with an invalid block has no numbers, only the reason.
 */
struct tally_group {
	char kinds[24];
	unsigned pairs;
	double *rounds;			/* x of every round of every block */
	size_t round_count;
	double *block_means, *block_rates;	/* a value a block; rates in installs/s */
	double *block_numbers;			/* which one it is */
	size_t block_count, block_capacity, round_capacity;
	double sender_ns, receiver_ns, installs;	/* sums over all rounds and pairs */
	double punts;			/* sum over all rounds and pairs; NAN where not known */
	double *pair_ns, *pair_installs;	/* sums by pair of the group */
	double phase_ns[PHASE_COUNT];	/* sums over all rounds and pairs in which it happened, */
	double phase_rounds[PHASE_COUNT];	/* and how many those are */
	/* The same of the workload's own measures; and the mean of each block, NAN where unknown:
	 * [block][measure], as many blocks as block_count. NULL: the workload has none. */
	double measures[MEASURE_MAX], measure_rounds[MEASURE_MAX];
	double (*block_measures)[MEASURE_MAX];
};

struct tally_point {
	struct tally_group *groups;
	size_t group_count;
	unsigned blocks, invalid_blocks;
	double workers;			/* most io-wq workers in a block; NAN where not known */
	int64_t least_tasks, most_tasks;	/* of its blocks' processes; 0: not known */
	char *reason;			/* of the first invalid block; NULL */
	char *flags;			/* names of all flags of its blocks, comma between; "" */
};

/* Whether a block of the point had this flag. */
bool tally_has_flag(const struct tally_point *point, const char *name);

struct tally {
	const struct sweep *sweep;
	struct tally_point *points;	/* one for every point of the sweep */
};

/* `sweep` is borrowed and outlives the tally. 0 or -errno. */
int tally_init(struct tally *tally, const struct sweep *sweep);
void tally_free(struct tally *tally);

/* Adds a block record of point `point`. 0 or -ENOMEM. */
int tally_add(struct tally *tally, unsigned point, const json_t *record);

/* How many pairs' installs the time of one fill of point `index` pays for: all in a fan-out, else 1. */
double tally_makers(const struct tally *tally, unsigned index);

/* One group's figures; what cannot be said is NAN. */
struct tally_figures {
	double ns_per_install, half_interval, cv_percent;
	double median_ns, fastest_pair_ns, slowest_pair_ns;
	double sender_ns;
	double punts_per_1000;		/* installs that were punted to io-wq */
	double rate, efficiency;	/* installs/s; share of 1 */
	double phase_ns[PHASE_COUNT];	/* of one, on average */
	double measures[MEASURE_MAX];	/* means over rounds and pairs */
};

/*
 * How much more an install costs at point `a` than at point `b`, in ns: the mean over blocks of one
 * number of the difference of their means, with Student's t interval at 95 %. Blocks of one number are of
 * one pass (interleave), so that what changes slowly is in both. NAN where either has no such group, or
 * no numbers.
 */
struct tally_difference {
	size_t blocks;			/* that both have */
	double ns, half_interval;
	double first_ns, second_ns;	/* the means over the same blocks */
};
struct tally_difference tally_difference(const struct tally *tally, unsigned a, unsigned b,
					 const char *kinds);

struct tally_figures tally_figures(const struct tally *tally, unsigned point, size_t group);

/* The same of a point's group and its messages (--with-control). False where point `index` has no control,
 * or either has no numbers. */
bool tally_control(const struct tally *tally, unsigned index, size_t group,
		   struct tally_difference *difference);

#endif
