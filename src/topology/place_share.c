// SPDX-License-Identifier: GPL-2.0-or-later
#include "topology/place_search.h"
#include "topology/place_wish.h"

#include <errno.h>
#include <stdlib.h>

static int no_memory(struct error *e)
{
	return error_set(e, ERROR_FAILED, ENOMEM, "out of memory");
}

int place_line_up(const struct topology *topology, const struct wish *wish, int role,
		  struct line *line)
{
	struct wish alone = { .kinds = { wish->kinds[role], wish->kinds[role] },
			      .spread = wish->spread };
	struct pool pool = { 0 };
	struct seating *seating = NULL;
	int rc = pool_init(&pool, topology, &alone);

	if (!rc) {
		seating = calloc((size_t)pool.count, sizeof(*seating));
		line->pus = calloc((size_t)pool.count, sizeof(*line->pus));
	}
	if (seating && line->pus) {
		line->count = search_singles(&pool, topology, pool.count, seating);
		for (int i = 0; i < line->count; i++)
			line->pus[i] = pool.seats[seating[i].sender].pu;
	} else {
		rc = -ENOMEM;
	}
	free(seating);
	pool_release(&pool);
	return rc;
}

/* Thread after thread, round and round. Senders and receivers of one kind share a line. */
static int deal(const struct topology *topology, const struct wish *wish, bool split,
		struct placement *placement, struct error *e)
{
	bool one_line = wish->kinds[0] == wish->kinds[1];
	struct line lines[2] = { { 0 } };
	int rc = place_line_up(topology, wish, 0, &lines[0]);

	if (!rc && split && !one_line)
		rc = place_line_up(topology, wish, 1, &lines[1]);
	for (int i = 0; i < placement->count && !rc; i++) {
		struct place_pair *pair = &placement->pairs[i];
		int sender = split && one_line ? 2 * i : i;

		pair->sender_pu = lines[0].pus[sender % lines[0].count];
		pair->receiver_pu = !split ? -1
			: one_line ? lines[0].pus[(sender + 1) % lines[0].count]
				   : lines[1].pus[i % lines[1].count];
	}
	free(lines[0].pus);
	free(lines[1].pus);
	return rc ? no_memory(e) : 0;
}

/* As many pairs as have PUs of their own, again and again. */
static int repeat(const struct topology *topology, const struct place *place, int possible,
		  bool split, struct placement *placement, struct error *e)
{
	struct placement whole;
	int rc = place_resolve(topology, place, possible, split, &whole, e);

	for (int i = 0; i < placement->count && !rc; i++)
		placement->pairs[i] = whole.pairs[i % possible];
	if (!rc)
		placement_free(&whole);
	return rc;
}

/* How many pairs of this relation can have PUs of their own, or -errno. */
static int count_pairs(const struct topology *topology, const struct wish *wish)
{
	struct pool pool = { 0 };
	int rc = pool_init(&pool, topology, wish);

	if (!rc)
		rc = pool.possible;
	pool_release(&pool);
	return rc;
}

static int share_terms(const struct topology *topology, const struct place *place, bool split,
		       struct placement *placement, const struct error *refusal, struct error *e)
{
	struct wish wish;
	int possible, rc = place_wish(topology, place, split, &wish, e);

	if (rc)
		return rc;
	if (wish.relation == RELATION_ANY)
		return deal(topology, &wish, split, placement, e);
	possible = count_pairs(topology, &wish);
	if (possible < 0)
		return no_memory(e);
	if (possible == 0)
		return error_set(e, refusal->kind, refusal->code, "%s", refusal->text);
	return repeat(topology, place, possible, split, placement, e);
}

int place_share(const struct topology *topology, const struct place *place, int pairs, bool split,
		struct placement *placement, struct error *e)
{
	bool listed = place->form == PLACE_PUS || place->form == PLACE_PUS_SPLIT;
	struct error refusal = ERROR_INIT;
	int rc = place_resolve(topology, place, pairs, split, placement, &refusal);

	if (!rc)
		return 0;
	/* Nothing that sharing would mend. */
	if (refusal.kind != ERROR_USAGE || pairs < 1 || place->form == PLACE_EACH ||
	    (listed && pairs <= place->pu_count))
		return error_set(e, refusal.kind, refusal.code, "%s", refusal.text);
	placement->pairs = calloc((size_t)pairs, sizeof(*placement->pairs));
	if (!placement->pairs)
		return no_memory(e);
	placement->count = pairs;
	if (listed)
		rc = repeat(topology, place, place->pu_count, split, placement, e);
	else
		rc = share_terms(topology, place, split, placement, &refusal, e);
	return place_settle(topology, placement, rc, e);
}
