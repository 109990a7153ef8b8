/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_TOPOLOGY_PLACE_POOL_H
#define RINGSCALE_TOPOLOGY_PLACE_POOL_H

#include <stdbool.h>

#include "topology/place.h"
#include "topology/relation.h"

/*
 * The candidates while threads are put on them, and how many pairs they can
 * still give. The count is exact, and cheap because of what relations are:
 * every one asks for the same outer object (L3) and for other inner objects
 * (L2). Inside one outer object the PUs thus fall into classes, and any two
 * of different classes match. In such a complete multipartite graph of n PUs
 * whose largest class has t, the largest matching is min(n / 2, n - t); between s
 * senders of one kind and r receivers of another it is min(s, r, s + r - t),
 * by Koenig's theorem (t counts senders and receivers of a class together).
 */

/* One candidate. */
struct seat {
	int pu;				/* OS index */
	int kind;			/* index into topology->kinds */
	struct position position;
	int core;			/* of its own where the machine reports none */
	int group, class;		/* -1: of no use for what is asked */
	bool taken;
};

/* What is asked of every pair. */
struct wish {
	int kinds[2];			/* of sender and receiver; -1: any */
	enum relation_term relation;
	bool spread;
};

struct pool {
	struct seat *seats;		/* in the order in which they are tried */
	int count;
	int layers;			/* PUs of the largest core */
	int *core_use;			/* threads on each core */
	int possible;			/* pairs that the free seats can give */
	struct wish wish;
	struct pool_group *groups;
	int group_count;
	int *class_size;		/* free seats of each class */
	int *class_counts; /* of each group: how many classes have 0, 1, ... free seats */
};

/* Lists the candidates and counts pairs. 0 or -ENOMEM; pool_release also after failure. */
int pool_init(struct pool *pool, const struct topology *topology, const struct wish *wish);
void pool_release(struct pool *pool);

/* Whether a thread may sit here as sender (role 0) or receiver (role 1). */
bool pool_fits(const struct pool *pool, const struct seat *seat, int role);

/* Takes both seats if `needed` more pairs are possible afterwards. Both fit, are free
 * and match. False: nothing happened. */
bool pool_take_pair(struct pool *pool, struct seat *sender, struct seat *receiver, int needed);

/* Takes a seat for a thread alone, without counting pairs. */
void pool_take_one(struct pool *pool, struct seat *seat);

#endif
