// SPDX-License-Identifier: GPL-2.0-or-later
#include "topology/place_pool.h"

#include <errno.h>
#include <stdlib.h>

/* PUs of the same outer object. */
struct pool_group {
	int free[2];		/* seats that fit a sender, a receiver */
	int top;		/* free seats of its largest class */
	int *class_counts;	/* [n]: classes with n free seats */
};

/* What both PUs of a pair must be in; -1: unknown. */
static int outer_id(const struct seat *seat, enum relation_term term)
{
	switch (term) {
	case RELATION_SMT:
		return seat->position.core;
	case RELATION_L2:
		return seat->position.l2;
	case RELATION_L3:
		return seat->position.l3;
	case RELATION_NUMA:
		return seat->position.node;
	case RELATION_CROSS_NUMA:
		/* Without local memory the node is unknown. */
		return seat->position.node < 0 ? -1 : 0;
	default:
		return 0;
	}
}

/* What they must not both be in. PUs outside any such object do not match one another. */
static int inner_id(const struct seat *seat, enum relation_term term)
{
	switch (term) {
	case RELATION_L2:
		return seat->position.core;
	case RELATION_L3:
		return seat->position.l2;
	case RELATION_NUMA:
		return seat->position.l3;
	case RELATION_CROSS_NUMA:
		return seat->position.node;
	case RELATION_CROSS_PACKAGE:
		return seat->position.package;
	default:
		return seat->pu;
	}
}

bool pool_fits(const struct pool *pool, const struct seat *seat, int role)
{
	int kind = pool->wish.kinds[role];

	return seat->group >= 0 && (kind < 0 || seat->kind == kind);
}

/* Senders and receivers come from the same seats. */
static bool is_one_side(const struct pool *pool)
{
	return pool->wish.kinds[0] == pool->wish.kinds[1];
}

static int min(int a, int b)
{
	return a < b ? a : b;
}

/* The largest matching, see the header. */
static int matching(const struct pool *pool, int senders, int receivers, int top)
{
	if (is_one_side(pool))
		return min(senders / 2, senders - top);
	return min(min(senders, receivers), senders + receivers - top);
}

static int group_possible(const struct pool *pool, const struct pool_group *group)
{
	return matching(pool, group->free[0], group->free[1], group->top);
}

/* The same after a sender of class a and a receiver of class b (another one) are gone. */
static int possible_without(const struct pool *pool, const struct pool_group *group, int a, int b)
{
	int gone = is_one_side(pool) ? 2 : 1;
	int largest = group->class_counts[group->top];

	largest -= pool->class_size[a] == group->top;
	largest -= pool->class_size[b] == group->top;
	return matching(pool, group->free[0] - gone, group->free[1] - gone,
			largest > 0 ? group->top : group->top - 1);
}

static void leave_class(struct pool *pool, const struct seat *seat)
{
	struct pool_group *group = &pool->groups[seat->group];
	int size = pool->class_size[seat->class]--;

	group->class_counts[size]--;
	group->class_counts[size - 1]++;
	while (group->top > 0 && group->class_counts[group->top] == 0)
		group->top--;
	for (int role = 0; role < 2; role++)
		group->free[role] -= pool_fits(pool, seat, role);
}

void pool_take_one(struct pool *pool, struct seat *seat)
{
	seat->taken = true;
	pool->core_use[seat->core]++;
}

bool pool_take_pair(struct pool *pool, struct seat *sender, struct seat *receiver, int needed)
{
	const struct pool_group *group = &pool->groups[sender->group];
	int after = pool->possible - group_possible(pool, group) +
		    possible_without(pool, group, sender->class, receiver->class);

	if (after < needed)
		return false;
	pool_take_one(pool, sender);
	pool_take_one(pool, receiver);
	leave_class(pool, sender);
	leave_class(pool, receiver);
	pool->possible = after;
	return true;
}

/* Sorting seats for group and class numbers: by outer, then inner object. */
struct tag {
	int outer, inner, seat;
};

static int by_object(const void *a, const void *b)
{
	const struct tag *left = a, *right = b;

	if (left->outer != right->outer)
		return left->outer < right->outer ? -1 : 1;
	if (left->inner != right->inner)
		return left->inner < right->inner ? -1 : 1;
	return left->seat - right->seat;
}

/* Numbers groups and classes and fills their sizes. */
static void form_groups(struct pool *pool, const struct tag *tags, int count)
{
	int classes = 0;

	for (int i = 0; i < count; i++) {
		struct seat *seat = &pool->seats[tags[i].seat];
		bool new_group = i == 0 || tags[i].outer != tags[i - 1].outer;

		if (new_group)
			pool->group_count++;
		if (new_group || tags[i].inner != tags[i - 1].inner)
			classes++;
		seat->group = pool->group_count - 1;
		seat->class = classes - 1;
		pool->class_size[seat->class]++;
		for (int role = 0; role < 2; role++)
			pool->groups[seat->group].free[role] += pool_fits(pool, seat, role);
	}
}

/* Fills class_counts and top of every group, and counts what is possible. */
static void count_classes(struct pool *pool, const struct tag *tags, int count)
{
	int *counts = pool->class_counts;
	int first = 0;

	for (int i = 0; i < count; i++) {
		const struct seat *seat = &pool->seats[tags[i].seat];
		struct pool_group *group = &pool->groups[seat->group];
		int size = pool->class_size[seat->class];
		bool last = i + 1 == count || tags[i].outer != tags[i + 1].outer;

		group->class_counts = counts;
		if (i == first || tags[i].inner != tags[i - 1].inner)
			counts[size]++;
		if (size > group->top)
			group->top = size;
		if (last) {
			pool->possible += group_possible(pool, group);
			/* A class has at most all seats of its group. */
			counts += i + 1 - first + 1;
			first = i + 1;
		}
	}
}

static int find_groups(struct pool *pool)
{
	const struct wish *wish = &pool->wish;
	size_t room = (size_t)pool->count;
	struct tag *tags = calloc(room, sizeof(*tags));
	int count = 0;

	pool->groups = calloc(room, sizeof(*pool->groups));
	pool->class_size = calloc(room, sizeof(*pool->class_size));
	pool->class_counts = calloc(2 * room, sizeof(*pool->class_counts));
	if (!tags || !pool->groups || !pool->class_size || !pool->class_counts) {
		free(tags);
		return -ENOMEM;
	}
	for (int i = 0; i < pool->count; i++) {
		struct seat *seat = &pool->seats[i];
		int outer = outer_id(seat, wish->relation);

		seat->group = seat->class = -1;
		if (outer < 0 || (wish->kinds[0] >= 0 && seat->kind != wish->kinds[0] &&
				  seat->kind != wish->kinds[1]))
			continue;
		tags[count++] = (struct tag){ outer, inner_id(seat, wish->relation), i };
	}
	qsort(tags, (size_t)count, sizeof(*tags), by_object);
	form_groups(pool, tags, count);
	count_classes(pool, tags, count);
	free(tags);
	return 0;
}

static int kind_index(const struct topology *topology, int pu)
{
	return (int)(topology_kind_of(topology, pu) - topology->kinds);
}

static int list_seats(struct pool *pool, const struct topology *topology)
{
	int cores = hwloc_get_nbobjs_by_type(topology->hwloc, HWLOC_OBJ_CORE);
	int room = hwloc_get_nbobjs_by_type(topology->hwloc, HWLOC_OBJ_PU);
	hwloc_obj_t pu = NULL;
	int *on_core;

	pool->seats = calloc((size_t)room, sizeof(*pool->seats));
	pool->core_use = calloc((size_t)(cores + room), sizeof(*pool->core_use));
	on_core = calloc((size_t)(cores + room), sizeof(*on_core));
	if (!pool->seats || !pool->core_use || !on_core) {
		free(on_core);
		return -ENOMEM;
	}
	while ((pu = hwloc_get_next_obj_by_type(topology->hwloc, HWLOC_OBJ_PU, pu))) {
		struct seat *seat = &pool->seats[pool->count];

		if (!hwloc_bitmap_isset(topology->candidates, pu->os_index))
			continue;
		seat->pu = (int)pu->os_index;
		seat->kind = kind_index(topology, seat->pu);
		seat->position = relation_position(topology, pu);
		seat->core = seat->position.core >= 0 ? seat->position.core : cores + pool->count;
		if (++on_core[seat->core] > pool->layers)
			pool->layers = on_core[seat->core];
		pool->count++;
	}
	free(on_core);
	return 0;
}

#define LEVELS 6

/* A seat for sorting: which PU of its core, which core of its L2, ... which package. */
struct turn {
	int index[LEVELS];
	struct seat seat;
};

static int by_turn(const void *a, const void *b)
{
	const struct turn *left = a, *right = b;

	/* The innermost first, so that the outermost rotates fastest. */
	for (int level = LEVELS - 1; level >= 0; level--)
		if (left->index[level] != right->index[level])
			return left->index[level] - right->index[level];
	return 0;
}

/* Rotates packages, nodes, L3s, L2s, cores, and siblings last. */
static int spread_seats(struct pool *pool)
{
	struct turn *turns = calloc((size_t)pool->count, sizeof(*turns));
	int before[LEVELS] = { 0 };

	if (!turns)
		return -ENOMEM;
	for (int i = 0; i < pool->count; i++) {
		const struct seat *seat = &pool->seats[i];
		int path[LEVELS] = { seat->position.package, seat->position.node,
				     seat->position.l3, seat->position.l2, seat->core, seat->pu };
		int level = 0;

		turns[i].seat = *seat;
		for (; i > 0 && level < LEVELS && path[level] == before[level]; level++)
			turns[i].index[level] = turns[i - 1].index[level];
		if (i > 0 && level < LEVELS)
			turns[i].index[level] = turns[i - 1].index[level] + 1;
		for (level = 0; level < LEVELS; level++)
			before[level] = path[level];
	}
	qsort(turns, (size_t)pool->count, sizeof(*turns), by_turn);
	for (int i = 0; i < pool->count; i++)
		pool->seats[i] = turns[i].seat;
	free(turns);
	return 0;
}

int pool_init(struct pool *pool, const struct topology *topology, const struct wish *wish)
{
	int rc;

	*pool = (struct pool){ .wish = *wish };
	rc = list_seats(pool, topology);
	if (!rc && wish->spread)
		rc = spread_seats(pool);
	return rc ? rc : find_groups(pool);
}

void pool_release(struct pool *pool)
{
	free(pool->seats);
	free(pool->core_use);
	free(pool->groups);
	free(pool->class_size);
	free(pool->class_counts);
	*pool = (struct pool){ 0 };
}
