// SPDX-License-Identifier: GPL-2.0-or-later
#include "topology/place_wish.h"

#include "topology/place_refuse.h"
#include "topology/place_search.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int no_memory(struct error *e)
{
	return error_set(e, ERROR_FAILED, ENOMEM, "out of memory");
}

/* Fills one pair's labels from its PUs. */
static void label_pair(const struct topology *topology, struct place_pair *pair)
{
	const char *sender = topology_kind_of(topology, pair->sender_pu)->name;
	struct relation relation;

	pair->relation[0] = '\0';
	if (pair->receiver_pu < 0) {
		snprintf(pair->kinds, sizeof(pair->kinds), "%.15s", sender);
		return;
	}
	snprintf(pair->kinds, sizeof(pair->kinds), "%.15s:%.15s", sender,
		 topology_kind_of(topology, pair->receiver_pu)->name);
	if (pair->sender_pu == pair->receiver_pu) {
		snprintf(pair->relation, sizeof(pair->relation), "same-pu");
		return;
	}
	relation = relation_of(topology, pair->sender_pu, pair->receiver_pu);
	relation_label(&relation, pair->relation, sizeof(pair->relation));
}

/* The thread that a fan shares stands in all pairs and is one. */
static bool is_counted(const struct placement *placement, int i)
{
	return i < 2 || placement->fan != (i % 2 ? FAN_IN : FAN_OUT);
}

/* Whether two threads share a PU, or a core from two PUs. */
static int find_sharing(const struct topology *topology, struct placement *placement)
{
	hwloc_bitmap_t cores = hwloc_bitmap_alloc(), pus = hwloc_bitmap_alloc();
	int rc = cores && pus ? 0 : -ENOMEM;

	for (int i = 0; i < placement->count * 2 && !rc; i++) {
		const struct place_pair *pair = &placement->pairs[i / 2];
		int pu = i % 2 ? pair->receiver_pu : pair->sender_pu;
		hwloc_obj_t object = topology_pu(topology, pu);
		hwloc_obj_t core = object ? hwloc_get_ancestor_obj_by_type(topology->hwloc,
									   HWLOC_OBJ_CORE, object)
					  : NULL;

		if (pu < 0 || !is_counted(placement, i))
			continue;
		if (hwloc_bitmap_isset(pus, (unsigned)pu)) {
			placement->oversubscribed = true;
			continue;
		}
		if (core && hwloc_bitmap_isset(cores, core->logical_index))
			placement->smt = true;
		if (hwloc_bitmap_set(pus, (unsigned)pu) ||
		    (core && hwloc_bitmap_set(cores, core->logical_index)))
			rc = -ENOMEM;
	}
	hwloc_bitmap_free(cores);
	hwloc_bitmap_free(pus);
	return rc;
}

int place_settle(const struct topology *topology, struct placement *placement, int rc,
		 struct error *e)
{
	for (int i = 0; !rc && i < placement->count; i++)
		label_pair(topology, &placement->pairs[i]);
	if (!rc && find_sharing(topology, placement))
		rc = no_memory(e);
	if (rc)
		placement_free(placement);
	return rc;
}

static int resolve_explicit(const struct topology *topology, const struct place *place, int pairs,
			    bool split, struct placement *placement, struct error *e)
{
	if (split && place->form == PLACE_PUS)
		return refuse_place(place, e,
				    "single PUs, but a pair has two threads; give S:R+S:R, or "
				    "--reap inline");
	if (!split && place->form == PLACE_PUS_SPLIT)
		return refuse_place(place, e,
				    "S:R names two threads, but with --reap inline a pair has "
				    "one; give PU+PU");
	if (place->fan != FAN_NONE)
		return refuse_place(place, e, "PU %d twice; every thread needs a PU of its own, but for "
				    "the one that --pattern %s shares",
				    place->fan == FAN_IN ? place->pus[0].receiver : place->pus[0].sender,
				    place->fan == FAN_IN ? "fan-in" : "fan-out");
	if (place->pu_count != pairs)
		return refuse_place(place, e, "names the PUs of %d pair%s, but --pairs asks for %d",
				    place->pu_count, place->pu_count == 1 ? "" : "s", pairs);
	for (int i = 0; i < pairs; i++) {
		int pus[2] = { place->pus[i].sender, place->pus[i].receiver };

		for (int role = 0; role < (split ? 2 : 1); role++)
			if (!hwloc_bitmap_isset(topology->candidates, (unsigned)pus[role]))
				return refuse_pu(topology, place, pus[role], e);
		placement->pairs[i].sender_pu = pus[0];
		placement->pairs[i].receiver_pu = pus[1];
	}
	return 0;
}

/* Finds a kind by the name in --place; little and big are the ends of the ranked ones. */
static const struct kind *find_kind(const struct topology *topology, const char *name)
{
	bool little = strcmp(name, "little") == 0, big = strcmp(name, "big") == 0;
	const struct kind *slowest = NULL, *fastest = NULL;

	for (int i = 0; i < topology->kind_count; i++) {
		const struct kind *kind = &topology->kinds[i];

		if (strcmp(kind->name, name) == 0)
			return kind;
		if (kind->rank >= 0 && (!slowest || kind->rank < slowest->rank))
			slowest = kind;
		if (kind->rank >= 0 && (!fastest || kind->rank > fastest->rank))
			fastest = kind;
	}
	/* Of one kind alone neither can be said. */
	if (slowest == fastest)
		return NULL;
	return little ? slowest : big ? fastest : NULL;
}

int place_wish(const struct topology *topology, const struct place *place, bool split,
	       struct wish *wish, struct error *e)
{
	*wish = (struct wish){ .kinds = { -1, -1 }, .relation = place->relation,
			       .spread = place->spread };
	if (!split && place->relation != RELATION_ANY)
		return refuse_place(place, e,
				    "%s is between two threads, but with --reap inline a pair "
				    "has one",
				    relation_term_name(place->relation));
	if (!place->kind[0][0])
		return 0;
	if (split && !place->kind_split)
		return refuse_place(place, e,
				    "one kind, but a pair has two threads; give %s:%s, sender "
				    "first, or --reap inline",
				    place->kind[0], place->kind[0]);
	if (!split && place->kind_split)
		return refuse_place(place, e,
				    "two kinds, but with --reap inline a pair has one thread; "
				    "give %s",
				    place->kind[0]);
	for (int role = 0; role < 2; role++) {
		const struct kind *kind = find_kind(topology, place->kind[role]);

		if (!kind || hwloc_bitmap_iszero(kind->candidates))
			return refuse_kind(topology, place, place->kind[role], kind, e);
		wish->kinds[role] = (int)(kind - topology->kinds);
	}
	return 0;
}

static int seats_for_inline(const struct pool *pool)
{
	int seats = 0;

	for (int i = 0; i < pool->count; i++)
		seats += pool_fits(pool, &pool->seats[i], 0);
	return seats;
}

static int seat_threads(const struct topology *topology, const struct place *place,
			const struct wish *wish, struct pool *pool, bool split,
			struct placement *placement, struct error *e)
{
	int pairs = placement->count;
	int possible = split ? pool->possible : seats_for_inline(pool);
	struct seating *seating;

	if (split && pool->count == 1)
		return refuse_place(place, e,
				    "a pair of two threads needs 2 PUs, 1 available (%d); use "
				    "--reap inline",
				    pool->seats[0].pu);
	if (possible < pairs && split)
		return refuse_pairs(topology, place, wish, pairs, possible, e);
	if (possible < pairs)
		return refuse_place(place, e,
				    "%d pairs asked for, at most %d can be given: one PU each",
				    pairs, possible);
	seating = calloc((size_t)pairs, sizeof(*seating));
	if (!seating)
		return no_memory(e);
	if (split)
		search_pairs(pool, topology, pairs, seating);
	else
		search_singles(pool, topology, pairs, seating);
	for (int i = 0; i < pairs; i++) {
		placement->pairs[i].sender_pu = pool->seats[seating[i].sender].pu;
		placement->pairs[i].receiver_pu =
			split ? pool->seats[seating[i].receiver].pu : -1;
	}
	free(seating);
	return 0;
}

static int resolve_terms(const struct topology *topology, const struct place *place, bool split,
			 struct placement *placement, struct error *e)
{
	struct pool pool = { 0 };
	struct wish wish;
	int rc = place_wish(topology, place, split, &wish, e);

	if (rc)
		return rc;
	if (pool_init(&pool, topology, &wish))
		rc = no_memory(e);
	else
		rc = seat_threads(topology, place, &wish, &pool, split, placement, e);
	pool_release(&pool);
	return rc;
}

int place_resolve(const struct topology *topology, const struct place *place, int pairs,
		  bool split, struct placement *placement, struct error *e)
{
	int pus = hwloc_bitmap_weight(topology->candidates);
	int rc;

	*placement = (struct placement){ 0 };
	if (pairs < 1)
		return refuse_place(place, e, "%d pairs; at least 1", pairs);
	/* Before anything is allocated: pairs may be absurd. */
	if (pairs > pus)
		return refuse_place(place, e, "%d pairs asked for, %d PU%s available", pairs, pus,
				    pus == 1 ? "" : "s");
	placement->pairs = calloc((size_t)pairs, sizeof(*placement->pairs));
	if (!placement->pairs)
		return no_memory(e);
	placement->count = pairs;
	if (place->form == PLACE_EACH)
		rc = refuse_place(place, e, "each is several placements, not one");
	else if (place->form == PLACE_TERMS)
		rc = resolve_terms(topology, place, split, placement, e);
	else
		rc = resolve_explicit(topology, place, pairs, split, placement, e);
	return place_settle(topology, placement, rc, e);
}
