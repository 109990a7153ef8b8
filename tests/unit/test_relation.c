// SPDX-License-Identifier: GPL-2.0-or-later
#include "topology/relation.h"

#include "topology_support.h"

#include <stdio.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

/* Facts as "SDUSS": core, L2, L3, node, package; same, different, unknown. */
static void check(const struct topology *t, int a, int b, const char *facts, const char *label)
{
	static const char letters[] = "USD";
	struct relation r = relation_of(t, a, b), back = relation_of(t, b, a);
	char found[6] = { letters[r.core], letters[r.l2], letters[r.l3], letters[r.node],
			  letters[r.package], '\0' };
	char text[32];

	relation_label(&r, text, sizeof(text));
	if (strcmp(found, facts) != 0 || strcmp(text, label) != 0)
		fail_msg("%s, %d and %d: %s %s, not %s %s", t->source, a, b, found, text, facts,
			 label);
	assert_memory_equal(&r, &back, sizeof(r));
}

/* Siblings are n and n + 32: neighbours by number are two cores. */
static void server(void **state)
{
	struct topology t;

	(void)state;
	support_load(&t, "server-2s4n", NULL);
	check(&t, 0, 32, "SSSSS", "smt");
	check(&t, 0, 1, "DDSSS", "l3");
	check(&t, 0, 4, "DDDSS", "numa");
	check(&t, 0, 8, "DDDDS", "cross-numa");
	check(&t, 0, 16, "DDDDD", "cross-package");
	check(&t, 0, 0, "SSSSS", "smt");
	topology_release(&t);
}

static void hybrid(void **state)
{
	struct topology t;

	(void)state;
	support_load(&t, "i7-12700kf", NULL);
	check(&t, 0, 1, "SSSSS", "smt");
	check(&t, 1, 2, "DDSSS", "l3");
	check(&t, 16, 19, "DSSSS", "l2");
	check(&t, 15, 16, "DDSSS", "l3");
	topology_release(&t);
	/* LP E-cores: outside the L3 of the others, and no L3 between them. */
	support_load(&t, "ultra7-155h", NULL);
	check(&t, 20, 21, "DSUSS", "l2");
	check(&t, 2, 20, "DDDSS", "numa");
	check(&t, 1, 2, "DDSSS", "l3");
	check(&t, 1, 0, "SSSSS", "smt");
	topology_release(&t);
}

/* One L3 over two nodes: what is shared and what is crossed are both said. */
static void shared_l3(void **state)
{
	struct topology t;

	(void)state;
	support_load(&t, "snc-memory-node", NULL);
	check(&t, 0, 1, "DDSSS", "l3");
	check(&t, 3, 4, "DDSDS", "l3+cross-numa");
	topology_release(&t);
	support_load(&t, "l3:1 pack:2 core:2 pu:1", NULL);
	check(&t, 0, 2, "DUSSD", "cross-package");
	topology_release(&t);
	support_load(&t, "l3:1 pack:2 l2:2 pu:1", NULL);
	check(&t, 0, 2, "UDSSD", "l3+cross-package");
	topology_release(&t);
	support_load(&t, "numa:1 pack:2 l3:1 pu:2", NULL);
	check(&t, 0, 2, "UUDSD", "numa+cross-package");
	topology_release(&t);
}

static void missing(void **state)
{
	struct topology t;

	(void)state;
	support_load(&t, "no-cores-sparse", NULL);
	check(&t, 8, 9, "UUUSS", "unknown");
	check(&t, 8, 40, "UUUSS", "unknown");
	/* There is no PU 0. */
	check(&t, 0, 1, "UUUUU", "unknown");
	check(&t, -1, 8, "UUUUD", "cross-package");
	topology_release(&t);
	/* PUs without local memory: their node is unknown, even to one another. */
	support_load(&t, "memoryless-die", NULL);
	check(&t, 8, 10, "DDSUS", "l3");
	check(&t, 0, 8, "DDDUS", "unknown");
	check(&t, 0, 16, "DDDDS", "cross-numa");
	topology_release(&t);
}

/* Unknown matches no term, and every term asks for something. */
static void terms(void **state)
{
	struct relation nothing = { 0 };

	(void)state;
	assert_true(relation_holds(&nothing, RELATION_ANY));
	for (int term = RELATION_SMT; term < RELATION_TERM_COUNT; term++) {
		assert_false(relation_holds(&nothing, term));
		assert_true(strlen(relation_term_name(term)) > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(server),
		cmocka_unit_test(hybrid),
		cmocka_unit_test(shared_l3),
		cmocka_unit_test(missing),
		cmocka_unit_test(terms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
