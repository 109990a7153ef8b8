// SPDX-License-Identifier: GPL-2.0-or-later
/* --pattern fan-in and fan-out: one thread, the hub, and one at the other end of every pair, the
 * spokes. */
#include "topology/place_refuse.h"
#include "topology/place_wish.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct fan_search {
	const struct topology *topology;
	enum relation_term relation;
	enum fan fan;
	struct line hubs, spokes;
	int *found;			/* PUs for spokes of the best hub so far */
	int *trial;
	int best_hub, best;		/* its PU, and how many there are */
};

static int no_memory(struct error *e)
{
	return error_set(e, ERROR_FAILED, ENOMEM, "out of memory");
}

static const char *hub_name(enum fan fan)
{
	return fan == FAN_IN ? "receiver" : "sender";
}

static const char *spoke_name(enum fan fan)
{
	return fan == FAN_IN ? "senders" : "receivers";
}

static void set_pair(struct placement *placement, int index, int hub, int spoke)
{
	bool in = placement->fan == FAN_IN;

	placement->pairs[index].sender_pu = in ? spoke : hub;
	placement->pairs[index].receiver_pu = in ? hub : spoke;
}

/* How many spokes this hub can have, at most `wanted`; into search->trial. */
static int try_hub(struct fan_search *search, int hub, int wanted)
{
	struct position home = relation_position(search->topology,
						 topology_pu(search->topology, hub));
	int count = 0;

	for (int i = 0; i < search->spokes.count && count < wanted; i++) {
		int pu = search->spokes.pus[i];
		struct position other = relation_position(search->topology,
							  topology_pu(search->topology, pu));
		struct relation relation = relation_between(&home, &other);

		if (pu != hub && relation_holds(&relation, search->relation))
			search->trial[count++] = pu;
	}
	return count;
}

/* The first hub with enough, else the one with most. */
static void find_hub(struct fan_search *search, int wanted)
{
	for (int i = 0; i < search->hubs.count && search->best < wanted; i++) {
		int hub = search->hubs.pus[i], count = try_hub(search, hub, wanted);
		int *found = search->found;

		if (count <= search->best)
			continue;
		search->best = count;
		search->best_hub = hub;
		search->found = search->trial;
		search->trial = found;
	}
}

/* Too few: with a relation those there are again and again, else all PUs, the hub's own among them
 * last. */
static void deal(const struct fan_search *search, struct placement *placement)
{
	for (int i = 0; i < placement->count; i++) {
		int turn = search->relation == RELATION_ANY ? i % (search->best + 1) : i % search->best;

		set_pair(placement, i, search->best_hub,
			 turn == search->best ? search->best_hub : search->found[turn]);
	}
}

static int seat_fan(struct fan_search *search, const struct place *place, bool share,
		    struct placement *placement, struct error *e)
{
	int pairs = placement->count;

	find_hub(search, pairs);
	if (search->best < pairs && search->relation == RELATION_ANY && !search->best)
		search->best_hub = search->hubs.count ? search->hubs.pus[0] : -1;
	if (search->best >= pairs) {
		for (int i = 0; i < pairs; i++)
			set_pair(placement, i, search->best_hub, search->found[i]);
		return 0;
	}
	if (!share || search->best_hub < 0)
		return refuse_place(place, e, "1 %s and %d %s asked for, at most %d %s can be given",
				    hub_name(search->fan), pairs, spoke_name(search->fan),
				    search->best, spoke_name(search->fan));
	deal(search, placement);
	return 0;
}

static int resolve_terms(const struct topology *topology, const struct place *place, bool share,
			 struct placement *placement, struct error *e)
{
	struct fan_search search = { .topology = topology, .fan = placement->fan, .best_hub = -1 };
	int hub_role = placement->fan == FAN_IN ? 1 : 0;
	struct wish wish;
	int rc = place_wish(topology, place, true, &wish, e);

	if (rc)
		return rc;
	search.relation = wish.relation;
	rc = place_line_up(topology, &wish, hub_role, &search.hubs);
	if (!rc)
		rc = place_line_up(topology, &wish, !hub_role, &search.spokes);
	search.found = calloc((size_t)search.spokes.count + 1, sizeof(*search.found));
	search.trial = calloc((size_t)search.spokes.count + 1, sizeof(*search.trial));
	if (rc || !search.found || !search.trial)
		rc = no_memory(e);
	else
		rc = seat_fan(&search, place, share, placement, e);
	free(search.found);
	free(search.trial);
	free(search.hubs.pus);
	free(search.spokes.pus);
	return rc;
}

/* S:R+S:R, as many as pairs; with `share` fewer are repeated. */
static int resolve_explicit(const struct topology *topology, const struct place *place, bool share,
			    struct placement *placement, struct error *e)
{
	int pairs = placement->count, given = place->pu_count;

	if (place->form != PLACE_PUS_SPLIT)
		return refuse_place(place, e, "single PUs, but a pair has two threads; give S:R+S:R");
	if (given != pairs && !(share && given < pairs))
		return refuse_place(place, e, "names the PUs of %d pair%s, but --pairs asks for %d",
				    given, given == 1 ? "" : "s", pairs);
	if (given > 1 && place->fan != placement->fan)
		return refuse_place(place, e, "all pairs have one %s with --pattern %s; give its PU in each, "
				    "as in %s", hub_name(placement->fan),
				    placement->fan == FAN_IN ? "fan-in" : "fan-out",
				    placement->fan == FAN_IN ? "0:2+1:2" : "2:0+2:1");
	for (int i = 0; i < pairs; i++) {
		int pus[2] = { place->pus[i % given].sender, place->pus[i % given].receiver };

		for (int role = 0; role < 2; role++)
			if (!hwloc_bitmap_isset(topology->candidates, (unsigned)pus[role]))
				return refuse_pu(topology, place, pus[role], e);
		placement->pairs[i].sender_pu = pus[0];
		placement->pairs[i].receiver_pu = pus[1];
	}
	return 0;
}

int place_fan(const struct topology *topology, const struct place *place, enum fan fan, int pairs,
	      bool share, struct placement *placement, struct error *e)
{
	int pus = hwloc_bitmap_weight(topology->candidates);
	int rc;

	*placement = (struct placement){ .fan = fan };
	if (pairs < 1)
		return refuse_place(place, e, "%d pairs; at least 1", pairs);
	/* Before anything is allocated: pairs may be absurd. */
	if (!share && pairs >= pus)
		return refuse_place(place, e, "1 %s and %d %s asked for, %d PU%s available",
				    hub_name(fan), pairs, spoke_name(fan), pus, pus == 1 ? "" : "s");
	placement->pairs = calloc((size_t)pairs, sizeof(*placement->pairs));
	if (!placement->pairs)
		return no_memory(e);
	placement->count = pairs;
	if (place->form == PLACE_EACH)
		rc = refuse_place(place, e, "each is several placements, not one");
	else if (place->form == PLACE_TERMS)
		rc = resolve_terms(topology, place, share, placement, e);
	else
		rc = resolve_explicit(topology, place, share, placement, e);
	return place_settle(topology, placement, rc, e);
}
