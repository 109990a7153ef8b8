// SPDX-License-Identifier: GPL-2.0-or-later
#include "topology/place.h"

#include "topology/relation.h"
#include "topology_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

/*
 * Whatever is asked for, the most pairs that exist can be had, and not one more:
 * against a search of all matchings, over many sets of candidates.
 */
#define PUS_MAX 12
#define SETS 25

static uint64_t random_state = 20240229;

static unsigned next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (unsigned)(random_state >> 32);
}

struct ask {
	const struct topology *topology;
	enum relation_term relation;
	const char *kinds[2];		/* NULL: any */
};

static bool fits(const struct ask *ask, int pu, int role)
{
	return !ask->kinds[role] ||
	       strcmp(topology_kind_of(ask->topology, pu)->name, ask->kinds[role]) == 0;
}

static bool matches(const struct ask *ask, int sender, int receiver)
{
	struct relation relation = relation_of(ask->topology, sender, receiver);

	return sender != receiver && fits(ask, sender, 0) && fits(ask, receiver, 1) &&
	       relation_holds(&relation, ask->relation);
}

/* The largest matching, by trying everything; best[set] remembers sets of PUs. */
static int largest_matching(const struct ask *ask, const int *pus, int count)
{
	signed char *best = calloc(1u << count, 1);
	bool edge[PUS_MAX][PUS_MAX];
	int result;

	for (int i = 0; i < count; i++)
		for (int k = 0; k < count; k++)
			edge[i][k] = matches(ask, pus[i], pus[k]) || matches(ask, pus[k], pus[i]);
	for (unsigned set = 1; set < 1u << count; set++) {
		int first = __builtin_ctz(set);

		best[set] = best[set & (set - 1)];
		for (int k = first + 1; k < count; k++)
			if (set >> k & 1 && edge[first][k]) {
				int with = 1 + best[set & ~(1u << first) & ~(1u << k)];

				if (with > best[set])
					best[set] = (signed char)with;
			}
	}
	result = best[(1u << count) - 1];
	free(best);
	return result;
}

/* Every pair is what was asked for, on candidates of its own. */
static void check_pairs(const struct ask *ask, const struct placement *placement,
			const char *text)
{
	hwloc_bitmap_t used = hwloc_bitmap_alloc();

	for (int i = 0; i < placement->count; i++) {
		const struct place_pair *pair = &placement->pairs[i];

		if (!matches(ask, pair->sender_pu, pair->receiver_pu))
			fail_msg("%s: %d:%d is not that", text, pair->sender_pu, pair->receiver_pu);
		hwloc_bitmap_set(used, (unsigned)pair->sender_pu);
		hwloc_bitmap_set(used, (unsigned)pair->receiver_pu);
	}
	assert_int_equal(hwloc_bitmap_weight(used), 2 * placement->count);
	assert_true(hwloc_bitmap_isincluded(used, ask->topology->candidates));
	hwloc_bitmap_free(used);
}

static void check_ask(const struct ask *ask, const char *text, int most)
{
	struct error e = ERROR_INIT;
	struct place *place;

	assert_int_equal(place_parse(text, &place, &e), 0);
	for (int pairs = 1; pairs <= most + 1; pairs++) {
		struct placement placement;
		int rc = place_resolve(ask->topology, place, pairs, true, &placement, &e);

		if ((rc == 0) != (pairs <= most))
			fail_msg("%s, %s: %d pairs %s, of %d (%s)", ask->topology->source, text,
				 pairs, rc ? "refused" : "given", most, e.text);
		error_clear(&e);
		if (!rc)
			check_pairs(ask, &placement, text);
		placement_free(&placement);
	}
	place_free(place);
}

static void choose_candidates(struct topology *t, int *pus, int *count)
{
	hwloc_obj_t pu = NULL;

	*count = 0;
	hwloc_bitmap_zero(t->candidates);
	while ((pu = hwloc_get_next_obj_by_type(t->hwloc, HWLOC_OBJ_PU, pu)))
		if (*count < PUS_MAX && next_random() % 3) {
			hwloc_bitmap_set(t->candidates, pu->os_index);
			pus[(*count)++] = (int)pu->os_index;
		}
	for (int i = 0; i < t->kind_count; i++)
		hwloc_bitmap_and(t->kinds[i].candidates, t->kinds[i].cpus, t->candidates);
}

static void check_machine(const char *name, const char *given)
{
	static const char *const orders[] = { "", "+compact", "+spread" };
	struct topology t;

	support_load(&t, name, given);
	for (int set = 0; set < SETS; set++) {
		int pus[PUS_MAX], count;

		choose_candidates(&t, pus, &count);
		if (count < 2)
			continue;
		for (int term = RELATION_SMT; term < RELATION_TERM_COUNT; term++)
			for (int pick = 0; pick < (given ? 4 : 1); pick++) {
				struct ask ask = { .topology = &t, .relation = term };
				char text[64];

				if (given) {
					ask.kinds[0] = pick & 1 ? "P" : "E";
					ask.kinds[1] = pick & 2 ? "P" : "E";
				}
				snprintf(text, sizeof(text), "%s%s%s%s%s%s",
					 given ? ask.kinds[0] : "", given ? ":" : "",
					 given ? ask.kinds[1] : "", given ? "+" : "",
					 relation_term_name(term), orders[set % 3]);
				check_ask(&ask, text, largest_matching(&ask, pus, count));
			}
	}
	topology_release(&t);
}

static void machines(void **state)
{
	static const char *const names[] = {
		"pack:2 numa:2 l3:2 core:2 pu:2",
		"l3:2 l2:3 core:2 pu:1",
		"numa:3 l3:1 l2:4 pu:1",
		"pack:3 l3:1 l2:2 core:1 pu:2",
		"l3:1 pack:2 numa:2 l2:3 pu:1",
		"core:4 pu:4",
		"pack:12 pu:1",
		"pu:7",
		"i7-12700kf",
		"ultra7-155h",
		"arm64-4-3-1",
		"snc-memory-node",
		"memoryless-die",
		"no-cores-sparse",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		check_machine(names[i], NULL);
}

static void machines_with_kinds(void **state)
{
	(void)state;
	check_machine("pack:2 numa:2 l3:2 core:2 pu:2", "P=0-1,4-15,E=2-3,16-31");
	check_machine("l3:2 l2:3 core:2 pu:1", "P=0-1,3-6,E=2,7-11");
	check_machine("pack:3 l3:1 l2:2 core:1 pu:2", "P=0-3,6-7,E=4-5,8-11");
	check_machine("numa:3 l3:1 l2:4 pu:1", "P=0-4,8,E=5-7,9-11");
	check_machine("l2:4 core:3 pu:1", "P=0,3-4,8,E=1-2,5-7,9-11");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(machines),
		cmocka_unit_test(machines_with_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
