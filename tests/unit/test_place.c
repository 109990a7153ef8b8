// SPDX-License-Identifier: GPL-2.0-or-later
#include "topology/place.h"

#include "topology_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

static void parses(void **state)
{
	static const char *const good[] = {
		"auto", "each", "0", "0+1", "3+1+2", "0:1", "0:1+3:2", "smt", "l2", "l3", "numa",
		"cross-numa", "cross-package", "compact", "spread", "P", "E", "LPE", "k0", "k12",
		"little", "big", "P:P", "P:E", "little:big", "k0:k1+l2+spread", "spread+l2+k0:k1",
		"P+compact", "cross-numa+compact",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct error e = ERROR_INIT;
		struct place *place;

		if (place_parse(good[i], &place, &e))
			fail_msg("%s: %s", good[i], e.text);
		assert_int_equal(place_is_each(place), strcmp(good[i], "each") == 0);
		place_free(place);
	}
}

static void refuses_syntax(void **state)
{
	static const struct {
		const char *text, *reason;
	} bad[] = {
		{ "", "empty" },
		{ "+", "empty" },
		{ "l2+", "empty" },
		{ "+l2", "empty" },
		{ "0++1", "empty" },
		{ "auto+l2", "stands alone" },
		{ "l2+each", "stands alone" },
		{ "Auto", "no term" },
		{ "L2", "no term" },
		{ "l4", "no term" },
		{ "p", "no term" },
		{ "P:", "no term" },
		{ ":P", "no term" },
		{ "P:E:P", "no term" },
		{ "k", "no term" },
		{ "kx", "no term" },
		{ "unknown", "no term" },
		{ "P:0", "no term" },
		{ " l2", "no term" },
		{ "-1", "no term" },
		{ "P:P+E:E", "two kinds" },
		{ "P+P", "two kinds" },
		{ "l2+l3", "two relations" },
		{ "l2+l2", "two relations" },
		{ "spread+compact", "two orders" },
		{ "spread+spread", "two orders" },
		{ "0+l2", "mixed" },
		{ "l2+0", "mixed" },
		{ "0+1:2", "mixed" },
		{ "0:1+2", "mixed" },
		{ "0:P", "no PU number" },
		{ "0:1:2", "no PU number" },
		{ "1x", "no PU number" },
		{ "0:", "no PU number" },
		{ "4294967296", "no PU number" },
		{ "0+0", "PU 0 twice" },
		{ "1:1", "PU 1 twice" },
		{ "0:1+2:0", "PU 0 twice" },
		{ "0:1+1:2", "PU 1 twice" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct error e = ERROR_INIT;
		struct place *place;

		assert_true(place_parse(bad[i].text, &place, &e) < 0);
		assert_null(place);
		if (e.kind != ERROR_USAGE || !strstr(e.text, "--place") ||
		    !strstr(e.text, bad[i].text) || !strstr(e.text, bad[i].reason))
			fail_msg("%s: %s", bad[i].text, e.text);
	}
}

static void refuse(const struct topology *t, const char *text, int pairs, bool split,
		   const char *reason)
{
	struct placement placement;
	struct error e = ERROR_INIT;
	struct place *place;

	assert_int_equal(place_parse(text, &place, &e), 0);
	if (!place_resolve(t, place, pairs, split, &placement, &e))
		fail_msg("%s: %s was given", t->source, text);
	assert_null(placement.pairs);
	if (e.kind != ERROR_USAGE || !strstr(e.text, text) || !strstr(e.text, reason))
		fail_msg("%s: %s: %s", t->source, text, e.text);
	place_free(place);
}

static void one_pu(void **state)
{
	struct topology t;

	(void)state;
	support_load(&t, "vm-1pu", NULL);
	refuse(&t, "auto", 1, true, "--reap inline");
	refuse(&t, "smt", 1, true, "--reap inline");
	refuse(&t, "auto", 2, false, "1 PU available");
	topology_release(&t);
}

static void refuses_what_is_not_there(void **state)
{
	struct topology t;

	(void)state;
	support_load(&t, "i7-12700kf", NULL);
	refuse(&t, "smt", 9, true, "at most 8 pairs");
	refuse(&t, "l2", 3, true, "at most 2 pairs");
	refuse(&t, "cross-numa", 1, true, "two nodes");
	refuse(&t, "E:E+smt", 1, true, "at most 0 pairs");
	refuse(&t, "P:E", 5, true, "at most 4 pairs");
	refuse(&t, "LPE:P", 1, true, "no kind LPE");
	refuse(&t, "k0:k1", 1, true, "CoreType=IntelAtom");
	refuse(&t, "auto", 21, true, "20 PUs available");
	refuse(&t, "auto", 1000000000, true, "20 PUs available");
	refuse(&t, "auto", 0, true, "at least 1");
	/* One thread or two. */
	refuse(&t, "P", 1, true, "P:P");
	refuse(&t, "P:P", 1, false, "give P");
	refuse(&t, "l3", 1, false, "between two threads");
	refuse(&t, "0", 1, true, "S:R");
	refuse(&t, "0:1", 1, false, "PU+PU");
	refuse(&t, "E", 5, false, "at most 4");
	/* Explicit PUs. */
	refuse(&t, "0:1", 2, true, "--pairs asks for 2");
	refuse(&t, "0:1+2:3", 1, true, "2 pairs");
	refuse(&t, "0:20", 1, true, "PU 20 is not online");
	refuse(&t, "each", 1, true, "several placements");
	topology_release(&t);
	/* Alone of its kind, and nowhere to go. */
	support_load(&t, "arm64-4-3-1", NULL);
	refuse(&t, "k2:k2", 1, true, "at most 0 pairs");
	refuse(&t, "big:big", 1, true, "at most 0 pairs");
	refuse(&t, "P:E", 1, true, "no kind P");
	topology_release(&t);
	/* Without kinds the reason is said. */
	support_load(&t, "server-2s4n", NULL);
	refuse(&t, "P:E", 1, true, "hwloc reports no kinds");
	refuse(&t, "little:big", 1, true, "no kind little");
	topology_release(&t);
}

static void refuses_what_is_not_allowed(void **state)
{
	struct topology t;

	(void)state;
	support_load_changed(&t, "i7-12700kf", "allowed_cpuset=\"0x000fffff\"",
			     "allowed_cpuset=\"0x00000014\"");
	refuse(&t, "0:2", 1, true, "PU 0 is not allowed by the cgroup");
	refuse(&t, "P:E", 1, true, "0 available of 4");
	refuse(&t, "smt", 1, true, "no core has two");
	topology_release(&t);
}

/* little and big are the ends, whatever the kinds are called. */
static void aliases(void **state)
{
	struct placement placement;
	struct error e = ERROR_INIT;
	struct topology t;
	struct place *place;

	(void)state;
	support_load(&t, "arm64-4-3-1", NULL);
	assert_int_equal(place_parse("little:big", &place, &e), 0);
	assert_int_equal(place_resolve(&t, place, 1, true, &placement, &e), 0);
	assert_string_equal(placement.pairs[0].kinds, "k0:k2");
	assert_int_equal(placement.pairs[0].receiver_pu, 7);
	placement_free(&placement);
	place_free(place);
	topology_release(&t);
}

static void each(void **state)
{
	struct error e = ERROR_INIT;
	struct topology t;
	char **texts;
	size_t count;

	(void)state;
	support_load(&t, "no-cores-sparse", NULL);
	assert_int_equal(place_each(&t, true, &texts, &count, &e), 0);
	assert_int_equal(count, 12);
	assert_string_equal(texts[0], "8:9");
	assert_string_equal(texts[3], "9:8");
	assert_string_equal(texts[11], "40:12");
	for (size_t i = 0; i < count; i++)
		free(texts[i]);
	free(texts);
	assert_int_equal(place_each(&t, false, &texts, &count, &e), 0);
	assert_int_equal(count, 4);
	assert_string_equal(texts[3], "40");
	for (size_t i = 0; i < count; i++)
		free(texts[i]);
	free(texts);
	topology_release(&t);
	support_load(&t, "vm-1pu", NULL);
	assert_true(place_each(&t, true, &texts, &count, &e) < 0);
	assert_non_null(strstr(e.text, "--reap inline"));
	assert_int_equal(count, 0);
	topology_release(&t);
}

static void copies(void **state)
{
	struct placement placement, copy;
	struct error e = ERROR_INIT;
	struct topology t;
	struct place *place;

	(void)state;
	support_load(&t, "vm-2pu", NULL);
	assert_int_equal(place_parse("1:0", &place, &e), 0);
	assert_int_equal(place_resolve(&t, place, 1, true, &placement, &e), 0);
	assert_int_equal(placement_copy(&copy, &placement), 0);
	placement_free(&placement);
	assert_null(placement.pairs);
	assert_int_equal(copy.count, 1);
	assert_int_equal(copy.pairs[0].sender_pu, 1);
	assert_string_equal(copy.pairs[0].relation, "l3");
	assert_int_equal(placement_copy(&placement, &(struct placement){ 0 }), 0);
	placement_free(&copy);
	place_free(place);
	topology_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses),
		cmocka_unit_test(refuses_syntax),
		cmocka_unit_test(one_pu),
		cmocka_unit_test(refuses_what_is_not_there),
		cmocka_unit_test(refuses_what_is_not_allowed),
		cmocka_unit_test(aliases),
		cmocka_unit_test(each),
		cmocka_unit_test(copies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
