// SPDX-License-Identifier: GPL-2.0-or-later
#include "topology/place_search.h"

/* How near the two threads of a pair are, at least. An L3 may span nodes: inside one
 * node is nearer. */
enum near { NEAR_L2, NEAR_L3_NODE, NEAR_L3, NEAR_NODE, NEAR_PACKAGE, NEAR_ANY, NEAR_COUNT };

/* What a pass over the free seats accepts. */
struct pass {
	int layer;		/* at most so many other threads on a core */
	int kind;		/* of both, -1: any */
	enum near near;
};

struct search {
	struct pool *pool;
	struct seating *seating;
	int done, count;
};

/* The object that both must be in; -1: there is none. */
static int near_id(const struct seat *seat, enum near near)
{
	switch (near) {
	case NEAR_L2:
		return seat->position.l2;
	case NEAR_L3_NODE:
	case NEAR_L3:
		return seat->position.l3;
	case NEAR_NODE:
		return seat->position.node;
	case NEAR_PACKAGE:
		return seat->position.package;
	default:
		return 0;
	}
}

static bool is_near(const struct seat *a, const struct seat *b, enum near near)
{
	return near_id(a, near) == near_id(b, near) &&
	       (near != NEAR_L3_NODE || a->position.node == b->position.node);
}

static bool accepts(const struct pool *pool, const struct pass *pass, const struct seat *seat,
		    int role)
{
	return !seat->taken && pool_fits(pool, seat, role) &&
	       pool->core_use[seat->core] <= pass->layer &&
	       (pass->kind < 0 || seat->kind == pass->kind) && near_id(seat, pass->near) >= 0;
}

static bool seat_receiver(struct search *search, const struct pass *pass, int sender)
{
	struct pool *pool = search->pool;
	struct seat *first = &pool->seats[sender];

	for (int i = 0; i < pool->count; i++) {
		struct seat *second = &pool->seats[i];

		if (second->group != first->group || second->class == first->class ||
		    !accepts(pool, pass, second, 1) ||
		    !is_near(first, second, pass->near))
			continue;
		if (second->core == first->core && pool->core_use[first->core] + 1 > pass->layer)
			continue;
		if (!pool_take_pair(pool, first, second, search->count - search->done - 1))
			continue;
		search->seating[search->done].sender = sender;
		search->seating[search->done].receiver = i;
		search->done++;
		return true;
	}
	return false;
}

static void run_pass(struct search *search, const struct pass *pass)
{
	struct pool *pool = search->pool;

	for (int i = 0; i < pool->count && search->done < search->count; i++)
		if (accepts(pool, pass, &pool->seats[i], 0))
			seat_receiver(search, pass, i);
}

/* The nearest that PUs of this relation can be: saves passes that find nothing. */
static enum near nearest(enum relation_term relation)
{
	switch (relation) {
	case RELATION_SMT:
		return NEAR_ANY;
	case RELATION_L3:
	case RELATION_CROSS_PACKAGE:
		return NEAR_L3_NODE;
	case RELATION_CROSS_NUMA:
		return NEAR_L3;
	case RELATION_NUMA:
		return NEAR_NODE;
	default:
		return NEAR_L2;
	}
}

void search_pairs(struct pool *pool, const struct topology *topology, int count,
		  struct seating *seating)
{
	struct search search = { .pool = pool, .seating = seating, .count = count };
	struct pass pass = { 0 };
	bool any_kind = pool->wish.kinds[0] < 0;
	/* With kinds asked for, or one kind only, one pass does for all. */
	int kinds = any_kind && topology->kind_count > 1 ? topology->kind_count : 0;
	int before;

	for (pass.layer = 0; pass.layer < pool->layers; pass.layer++)
		for (int kind = kinds - 1; kind >= -1; kind--) {
			pass.kind = kind;
			pass.near = nearest(pool->wish.relation);
			for (; pass.near < NEAR_COUNT; pass.near++)
				run_pass(&search, &pass);
		}
	/*
	 * A seat refused to keep others possible may do later. One match that keeps
	 * the count always exists, so that every pass here seats a pair.
	 */
	pass = (struct pass){ .layer = pool->layers, .kind = -1, .near = NEAR_ANY };
	do {
		before = search.done;
		run_pass(&search, &pass);
	} while (search.done < count && search.done > before);
}

int search_singles(struct pool *pool, const struct topology *topology, int count,
		   struct seating *seating)
{
	struct pass pass = { .near = NEAR_ANY };
	int done = 0;

	for (pass.layer = 0; pass.layer < pool->layers; pass.layer++)
		for (pass.kind = topology->kind_count - 1; pass.kind >= 0; pass.kind--)
			for (int i = 0; i < pool->count && done < count; i++) {
				if (!accepts(pool, &pass, &pool->seats[i], 0))
					continue;
				pool_take_one(pool, &pool->seats[i]);
				seating[done].sender = i;
				seating[done].receiver = -1;
				done++;
			}
	return done;
}
