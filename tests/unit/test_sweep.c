// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/sweep.h"
#include "sweep_support.h"

/* One word a point: values of `axis`. */
static void assert_points(const char *text, enum axis axis, const char *expected)
{
	struct sweep sweep;
	struct error e = ERROR_INIT;
	char got[512] = "", buffer[64];

	if (sweep_make(&sweep, SWEEP_FOUR_PUS, text, false, &e))
		fail_msg("%s: %s", text, e.text);
	for (size_t i = 0; i < sweep.count; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s", i ? " " : "",
			 point_text(&sweep.points[i], axis, buffer, sizeof(buffer)));
	assert_string_equal(got, expected);
	sweep_free(&sweep);
}

static void assert_refused(const char *text, const char *first, const char *second)
{
	struct sweep sweep;
	struct error e = ERROR_INIT;

	if (!sweep_make(&sweep, SWEEP_FOUR_PUS, text, false, &e))
		fail_msg("%s was taken", text);
	assert_int_equal(e.kind, ERROR_USAGE);
	if (!strstr(e.text, first) || !strstr(e.text, second))
		fail_msg("no %s and %s in: %s", first, second, e.text);
	sweep_free(&sweep);
}

static void the_last_axis_is_the_fastest(void **state)
{
	(void)state;
	assert_points("slots=64,256 batch=1,2 gap=0,1ms", AXIS_SLOTS,
		      "64 64 64 64 256 256 256 256");
	assert_points("slots=64,256 batch=1,2 gap=0,1ms", AXIS_BATCH, "1 1 2 2 1 1 2 2");
	assert_points("slots=64,256 batch=1,2 gap=0,1ms", AXIS_GAP, "0 1ms 0 1ms 0 1ms 0 1ms");
	assert_points("slots=256,64", AXIS_SLOTS, "256 64");
	assert_points("", AXIS_SLOTS, "4096");
}

/* What stands where nothing was typed depends on whether the axis means anything. */
static void defaults_go_with_the_workload(void **state)
{
	(void)state;
	assert_points("", AXIS_HOLD, "0");
	assert_points("", AXIS_CHURN, "0");
	assert_points("workload=reclaim", AXIS_HOLD, "10ms 20ms 40ms 80ms");
	assert_points("workload=reclaim hold=3ms", AXIS_CHURN, "1024");
	assert_points("workload=reclaim hold=0,1s", AXIS_HOLD, "0 1s");
	assert_refused("pending=fixed", "--pending \"fixed\"", "--workload \"send-fd\"");
}

static void each_identity_once(void **state)
{
	(void)state;
	/* all and 4096 are one point. */
	assert_points("used=all,4096,64", AXIS_USED, "4096 64");
	assert_points("cq=auto,512", AXIS_CQ, "512");
	assert_points("place=0,each", AXIS_PLACE, "0 1 2 3");
}

static void each_is_expanded(void **state)
{
	(void)state;
	assert_points("place=each", AXIS_PLACE, "0 1 2 3");
	assert_points("place=each reap=poll", AXIS_PLACE,
		      "0:1 0:2 0:3 1:0 1:2 1:3 2:0 2:1 2:3 3:0 3:1 3:2");
	assert_refused("place=each pairs=2", "--place \"each\"", "--pairs \"2\"");
}

static void typed_cells_that_cannot_be_refuse(void **state)
{
	(void)state;
	assert_refused("slots=64,4096 used=128", "--used \"128\"", "--slots \"64\"");
	assert_refused("pairs=5", "--pairs \"5\"", "needs 5 PUs, 4 available");
	assert_refused("pairs=1..8x2", "--pairs \"8\"", "needs 8 PUs, 4 available");
	assert_refused("pairs=3 reap=poll", "--pairs \"3\"", "--reap \"poll\"");
	assert_refused("pairs=3 reap=inline,poll", "--reap \"poll\"", "needs 6 PUs, 4 available");
	assert_refused("pairs=65536", "--pairs", "65536 PUs");
	assert_refused("place=0:7 reap=poll", "7", "0");
	assert_refused("batch=512", "--batch \"512\"", "--ring \"256\"");
}

static void cells_of_presets_are_dropped_and_named(void **state)
{
	struct sweep sweep;
	struct error e = ERROR_INIT;

	(void)state;
	assert_int_equal(sweep_make(&sweep, SWEEP_FOUR_PUS, "PAIRS=1,2,4 REAP=inline,poll SLOTS=64,256", false,
			       &e), 0);
	assert_int_equal(sweep.count, 10);
	/* Once, although two cells (64 and 256 slots) are gone. */
	assert_int_equal(sweep.dropped_count, 1);
	assert_string_equal(sweep.dropped[0], "pairs=4 reap=poll: needs 8 PUs, 4 available");
	sweep_free(&sweep);

	assert_int_equal(sweep_make(&sweep, SWEEP_FOUR_PUS, "used=128 SLOTS=64,256", false, &e), 0);
	assert_int_equal(sweep.count, 1);
	assert_int_equal(sweep.dropped_count, 1);
	assert_non_null(strstr(sweep.dropped[0], "slots=64 used=128: "));
	sweep_free(&sweep);
	assert_null(sweep.points);
}

static void what_is_typed_alone_refuses_in_presets_too(void **state)
{
	(void)state;
	/* No --reap can help. */
	assert_refused("pairs=5 REAP=inline,poll", "--pairs \"5\"", "needs 5 PUs");
	assert_refused("pairs=3 reap=poll SLOTS=64", "--pairs \"3\"", "--reap \"poll\"");
	/* All that the preset has is dropped: nothing is left. */
	assert_refused("used=5000 SLOTS=64,4096", "nothing is left", "used=5000");
	assert_refused("PAIRS=5..8", "nothing is left", "pairs=5");
}

static void placements_are_found(void **state)
{
	struct sweep sweep;
	struct error e = ERROR_INIT;

	(void)state;
	assert_int_equal(sweep_make(&sweep, SWEEP_FOUR_PUS, "pairs=2 reap=inline,poll", false, &e), 0);
	assert_int_equal(sweep.count, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct placement *placement = &sweep.points[i].placement;

		assert_int_equal(placement->count, 2);
		assert_false(placement->smt);
		for (int j = 0; j < 2; j++)
			assert_int_equal(placement->pairs[j].receiver_pu < 0, i == 0);
	}
	sweep_free(&sweep);
}

static void solo_points_are_added_once(void **state)
{
	struct sweep sweep;
	struct error e = ERROR_INIT;
	size_t solos = 0;

	(void)state;
	assert_int_equal(sweep_make(&sweep, SWEEP_FOUR_PUS, "pairs=1,2,4 slots=64", true, &e), 0);
	/* Three points, and pairs alone on the PUs that the one-pair point is not on. */
	assert_int_equal(sweep.count, 3 + 3);
	for (size_t i = 0; i < sweep.count; i++) {
		const struct point *point = &sweep.points[i];

		solos += point->solo;
		assert_int_equal(point->solo, i >= 3);
		for (int pair = 0; pair < point->placement.count; pair++) {
			int found = sweep_find_solo(&sweep, point, pair);

			assert_true(found >= 0);
			assert_int_equal(sweep.points[found].pairs, 1);
			assert_int_equal(sweep.points[found].placement.count, 1);
			assert_int_equal(sweep.points[found].placement.pairs[0].sender_pu,
					 point->placement.pairs[pair].sender_pu);
		}
	}
	assert_int_equal(solos, 3);
	assert_string_equal(sweep.points[5].value[AXIS_PAIRS].text, "1");
	sweep_free(&sweep);

	assert_int_equal(sweep_make(&sweep, SWEEP_FOUR_PUS, "pairs=2 reap=poll", false, &e), 0);
	assert_int_equal(sweep_find_solo(&sweep, &sweep.points[0], 0), -1);
	sweep_free(&sweep);
}

static void sizes_are_bounded(void **state)
{
	struct topology topology = { 0 };
	struct method method = sweep_method(10000, false);
	struct product product;
	struct sweep sweep = { 0 };
	struct error e = ERROR_INIT;

	(void)state;
	assert_refused("slots=1..65536 batch=1..2", "65536 points", "shorter");
	assert_refused("slots=1..65536 batch=1..256 fills=1..65536", "65536 points", "shorter");
	assert_int_equal(topology_load(&topology, SWEEP_FOUR_PUS, NULL, &e), 0);
	sweep_product(&product, "slots=1..101");
	assert_true(sweep_build(&sweep, &product, 1, &topology, &method, false, &e) < 0);
	assert_non_null(strstr(e.text, "--blocks \"10000\""));
	sweep_free(&sweep);
	product_free(&product);
	topology_release(&topology);
	/* 2048 PUs make four million pairs: refused before they are listed. */
	error_clear(&e);
	assert_true(sweep_make(&sweep, "numa:16 core:64 pu:2", "place=each reap=poll", false, &e) < 0);
	assert_non_null(strstr(e.text, "--place \"each\""));
	sweep_free(&sweep);
}

static void names_match_the_enums(void **state)
{
	(void)state;
	assert_string_equal(sweep_order_names[ORDER_INTERLEAVE], "interleave");
	assert_string_equal(sweep_order_names[ORDER_SHUFFLE], "shuffle");
	assert_string_equal(sweep_order_names[ORDER_SEQUENTIAL], "sequential");
	assert_null(sweep_order_names[ORDER_SEQUENTIAL + 1]);
	assert_string_equal(sweep_sync_names[SYNC_FILL], "fill");
	assert_string_equal(sweep_sync_names[SYNC_FREE], "free");
}

static void an_axis_varies_where_it_was_asked_for(void **state)
{
	struct sweep sweep;
	struct error e = ERROR_INIT;
	char buffer[64];

	(void)state;
	assert_int_equal(sweep_make(&sweep, SWEEP_FOUR_PUS, "slots=64,128 used=all pairs=2 batch=8", true, &e), 0);
	assert_true(sweep_axis_varies(&sweep, AXIS_SLOTS, true));
	assert_false(sweep_axis_varies(&sweep, AXIS_USED, true));
	assert_false(sweep_axis_varies(&sweep, AXIS_BATCH, true));
	/* Solo points have one pair each. */
	assert_true(sweep_axis_varies(&sweep, AXIS_PAIRS, true));
	assert_false(sweep_axis_varies(&sweep, AXIS_PAIRS, false));
	/* Resolved, or as it was asked for where that differs. */
	assert_string_equal(sweep_axis_text(&sweep, AXIS_BATCH, true, buffer, sizeof(buffer)), "8");
	assert_string_equal(sweep_axis_text(&sweep, AXIS_USED, true, buffer, sizeof(buffer)), "all");
	assert_string_equal(sweep_axis_text(&sweep, AXIS_PAIRS, false, buffer, sizeof(buffer)), "2");
	sweep_free(&sweep);
}

static void too_few_pus_are_shared_where_asked(void **state)
{
	struct topology topology = { 0 };
	struct method method = sweep_method(1, false);
	struct product product;
	struct sweep sweep = { 0 };
	struct error e = ERROR_INIT;

	(void)state;
	assert_int_equal(topology_load(&topology, "core:1 pu:1", NULL, &e), 0);
	sweep_product(&product, "PAIRS=1,3 REAP=poll");
	assert_int_equal(sweep_build(&sweep, &product, 1, &topology, &method, false, &e), -EINVAL);
	assert_non_null(strstr(e.text, "needs 2 PUs, 1 available"));
	assert_non_null(strstr(e.text, "; give fewer --pairs"));
	assert_non_null(strstr(e.text, "--oversubscribe"));
	sweep_free(&sweep);
	error_clear(&e);
	method.oversubscribe = true;
	assert_int_equal(sweep_build(&sweep, &product, 1, &topology, &method, false, &e), 0);
	assert_int_equal(sweep.count, 2);
	assert_true(sweep.points[1].placement.oversubscribed);
	assert_int_equal(sweep.points[1].placement.count, 3);
	sweep_free(&sweep);
	product_free(&product);
	topology_release(&topology);
}

static void pairs_that_share_pus_share_the_fills(void **state)
{
	struct topology topology = { 0 };
	struct method method = sweep_method(1, false);
	struct product product;
	struct sweep sweep = { 0 };
	struct error e = ERROR_INIT;

	(void)state;
	method.oversubscribe = true;
	assert_int_equal(topology_load(&topology, "core:2 pu:1", NULL, &e), 0);
	sweep_product(&product, "PAIRS=2,4,64 SLOTS=64 FILLS=auto,32");
	assert_int_equal(sweep_build(&sweep, &product, 1, &topology, &method, false, &e), 0);
	/* Auto and 32 are one point where every pair has a PU. */
	assert_int_equal(sweep.count, 5);
	assert_int_equal(sweep.points[0].fills, 32);
	assert_int_equal(sweep.points[1].fills, 16);
	assert_int_equal(sweep.points[2].fills, 32);
	assert_int_equal(sweep.points[3].fills, 1);
	assert_int_equal(sweep.points[4].fills, 32);
	assert_string_not_equal(sweep.points[3].id, sweep.points[4].id);
	sweep_free(&sweep);
	product_free(&product);
	topology_release(&topology);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_axis_is_the_fastest),
		cmocka_unit_test(defaults_go_with_the_workload),
		cmocka_unit_test(each_identity_once),
		cmocka_unit_test(each_is_expanded),
		cmocka_unit_test(typed_cells_that_cannot_be_refuse),
		cmocka_unit_test(cells_of_presets_are_dropped_and_named),
		cmocka_unit_test(what_is_typed_alone_refuses_in_presets_too),
		cmocka_unit_test(placements_are_found),
		cmocka_unit_test(solo_points_are_added_once),
		cmocka_unit_test(sizes_are_bounded),
		cmocka_unit_test(names_match_the_enums),
		cmocka_unit_test(an_axis_varies_where_it_was_asked_for),
		cmocka_unit_test(too_few_pus_are_shared_where_asked),
		cmocka_unit_test(pairs_that_share_pus_share_the_fills),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
