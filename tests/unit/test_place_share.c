// SPDX-License-Identifier: GPL-2.0-or-later
#include "topology/place.h"

#include "topology_support.h"

#include <stdio.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

/* Shares PUs of `machine`; *text receives "0:1+2:3", or why not. 0 or -errno. */
static int share(const char *machine, const char *kinds, const char *asked, int pairs, bool split,
		 struct placement *placement, char *text, size_t size)
{
	struct topology topology = { 0 };
	struct error e = ERROR_INIT;
	struct place *place;
	size_t used = 0;
	int rc;

	support_load(&topology, machine, kinds);
	if (place_parse(asked, &place, &e))
		fail_msg("%s", e.text);
	rc = place_share(&topology, place, pairs, split, placement, &e);
	snprintf(text, size, "%s", e.text);
	for (int i = 0; !rc && i < placement->count; i++)
		used += (size_t)snprintf(text + used, size - used,
					 placement->pairs[i].receiver_pu < 0 ? "%s%d" : "%s%d:%d",
					 i ? "+" : "", placement->pairs[i].sender_pu,
					 placement->pairs[i].receiver_pu);
	place_free(place);
	topology_release(&topology);
	return rc;
}

static void assert_shared(const char *machine, const char *asked, int pairs, bool split,
			  const char *expected)
{
	struct placement placement;
	char text[400];

	if (share(machine, NULL, asked, pairs, split, &placement, text, sizeof(text)))
		fail_msg("%s: %s", asked, text);
	assert_string_equal(text, expected);
	assert_int_equal(placement.count, pairs);
	assert_true(placement.oversubscribed);
	placement_free(&placement);
}

static void threads_go_round_robin(void **state)
{
	(void)state;
	assert_shared("core:2 pu:1", "auto", 5, false, "0+1+0+1+0");
	assert_shared("core:2 pu:1", "auto", 3, true, "0:1+0:1+0:1");
	/* No PU stands idle because a pair needs two. */
	assert_shared("core:3 pu:1", "auto", 3, true, "0:1+2:0+1:2");
	assert_shared("core:1 pu:1", "auto", 2, true, "0:0+0:0");
	/* Cores before siblings. */
	assert_shared("core:2 pu:2", "auto", 5, false, "0+2+1+3+0");
	assert_shared("package:2 core:2 pu:1", "spread", 5, false, "0+2+1+3+0");
}

static void pairs_of_a_relation_are_repeated(void **state)
{
	(void)state;
	assert_shared("core:2 pu:2", "smt", 3, true, "0:1+2:3+0:1");
	assert_shared("numa:2 core:1 pu:1", "cross-numa", 2, true, "0:1+0:1");
}

static void listed_pus_are_repeated(void **state)
{
	(void)state;
	assert_shared("core:4 pu:1", "3+1", 5, false, "3+1+3+1+3");
	assert_shared("core:4 pu:1", "3:1", 2, true, "3:1+3:1");
}

static void what_fits_is_not_shared(void **state)
{
	struct placement placement;
	char text[400];

	(void)state;
	assert_int_equal(share("core:4 pu:1", NULL, "auto", 2, true, &placement, text,
			       sizeof(text)), 0);
	assert_string_equal(text, "0:1+2:3");
	assert_false(placement.oversubscribed);
	placement_free(&placement);
}

static void kinds_keep_their_lines(void **state)
{
	struct placement placement;
	char text[400];

	(void)state;
	assert_int_equal(share("core:4 pu:1", "P=0,E=1-3", "P:E", 4, true, &placement, text,
			       sizeof(text)), 0);
	assert_string_equal(text, "0:1+0:2+0:3+0:1");
	assert_string_equal(placement.pairs[3].kinds, "P:E");
	placement_free(&placement);
	assert_int_equal(share("core:4 pu:1", "P=0,E=1-3", "P:P", 2, true, &placement, text,
			       sizeof(text)), 0);
	assert_string_equal(text, "0:0+0:0");
	assert_string_equal(placement.pairs[0].relation, "same-pu");
	placement_free(&placement);
}

static void one_pu_for_two_threads_is_no_smt(void **state)
{
	struct placement placement;
	char text[400];

	(void)state;
	assert_int_equal(share("core:2 pu:1", NULL, "auto", 4, false, &placement, text,
			       sizeof(text)), 0);
	assert_false(placement.smt);
	placement_free(&placement);
	assert_int_equal(share("core:1 pu:2", NULL, "auto", 4, false, &placement, text,
			       sizeof(text)), 0);
	assert_true(placement.smt);
	placement_free(&placement);
}

static void what_sharing_does_not_mend_is_refused(void **state)
{
	static const struct {
		const char *place, *reason;
		int pairs;
		bool split;
	} bad[] = {
		{ "l2", "at most 0 pairs", 2, true },
		{ "cross-numa", "at most 0 pairs", 1, true },
		{ "9", "PU 9 is not", 2, false },
		{ "0+1", "names the PUs of 2 pairs", 1, false },
		{ "0+1", "a pair has two threads", 3, true },
		{ "P:E", "no kind P", 2, true },
		{ "each", "9 pairs asked for", 9, false },
		{ "auto", "at least 1", 0, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct placement placement;
		char text[700];

		if (!share("core:2 pu:1", NULL, bad[i].place, bad[i].pairs, bad[i].split,
			   &placement, text, sizeof(text)))
			fail_msg("%s: taken as %s", bad[i].place, text);
		if (!strstr(text, bad[i].reason))
			fail_msg("%s: no \"%s\" in %s", bad[i].place, bad[i].reason, text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_go_round_robin),
		cmocka_unit_test(pairs_of_a_relation_are_repeated),
		cmocka_unit_test(listed_pus_are_repeated),
		cmocka_unit_test(what_fits_is_not_shared),
		cmocka_unit_test(kinds_keep_their_lines),
		cmocka_unit_test(one_pu_for_two_threads_is_no_smt),
		cmocka_unit_test(what_sharing_does_not_mend_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
