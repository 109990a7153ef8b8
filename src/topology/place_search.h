/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_TOPOLOGY_PLACE_SEARCH_H
#define RINGSCALE_TOPOLOGY_PLACE_SEARCH_H

#include "topology/place_pool.h"

/* Indices into pool->seats. */
struct seating {
	int sender, receiver;		/* receiver -1: inline */
};

/* Seats `count` pairs of two threads; pool->possible is at least that. Kinds are
 * those of `topology`, best last. */
void search_pairs(struct pool *pool, const struct topology *topology, int count,
		  struct seating *seating);

/* Seats `count` threads; returns how many found a seat. */
int search_singles(struct pool *pool, const struct topology *topology, int count,
		   struct seating *seating);

#endif
