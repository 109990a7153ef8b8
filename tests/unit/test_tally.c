// SPDX-License-Identifier: GPL-2.0-or-later
/* Figures of made-up blocks, against sums done by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "engine/tally.h"

/* One pair that installs 100 a round. */
static json_t *pair(const char *kinds, const double *ns, size_t rounds)
{
	json_t *list = json_array();

	for (size_t i = 0; i < rounds; i++)
		json_array_append_new(list, json_pack("{s:f, s:i, s:f, s:f}", "fill_ns",
				      ns[i] * 100, "installs", 100, "sender_ns", ns[i] * 90,
				      "receiver_ns", ns[i] * 100));
	return json_pack("{s:s, s:o}", "kinds", kinds, "rounds", list);
}

static json_t *block(json_t *pairs, const char *flag)
{
	json_t *list = json_array();

	if (flag)
		json_array_append_new(list, json_string(flag));
	return json_pack("{s:b, s:o, s:o}", "valid", 1, "pairs", pairs, "flags", list);
}

static void add(struct tally *tally, json_t *record)
{
	assert_non_null(record);
	assert_int_equal(tally_add(tally, 0, record), 0);
	json_decref(record);
}

static void near(double value, double expected)
{
	if (fabs(value - expected) > 1e-9 * fabs(expected))
		fail_msg("%.12g, expected %.12g", value, expected);
}

static struct sweep *one_point(int pairs)
{
	static struct place_pair places[2] = { { .kinds = "P" }, { .kinds = "P" } };
	static struct point point;
	static char dash[] = "-";
	static struct sweep sweep;

	memset(&point, 0, sizeof(point));
	point.pairs = pairs;
	for (enum axis axis = 0; axis < AXIS_COUNT; axis++)
		point.value[axis].text = dash;	/* the search for pairs alone spells them out */
	point.placement.pairs = places;
	point.placement.count = pairs;
	sweep = (struct sweep){ .points = &point, .count = 1 };
	return &sweep;
}

static void one_pair_two_blocks(void **state)
{
	const double first[] = { 100, 110, 120 }, second[] = { 130, 140, 150 };
	struct tally tally;
	struct tally_figures figures;

	(void)state;
	assert_int_equal(tally_init(&tally, one_point(1)), 0);
	add(&tally, block(json_pack("[o]", pair("P", first, 3)), "spin"));
	add(&tally, block(json_pack("[o]", pair("P", second, 3)), "spin"));
	figures = tally_figures(&tally, 0, 0);
	near(figures.ns_per_install, 125);
	near(figures.median_ns, 125);
	near(figures.sender_ns, 125 * 0.9);
	/* Sample deviation of 100..150 by tens: sqrt(350). */
	near(figures.cv_percent, sqrt(350) / 125 * 100);
	/* Block means 110 and 140: t(0.975, 1) x sd / sqrt 2 = 12.7062047 x 15. */
	assert_true(fabs(figures.half_interval - 12.7062047362 * 15) < 1e-6);
	near(figures.rate, (1e9 / 110 + 1e9 / 140) / 2);
	assert_true(isnan(figures.efficiency));
	assert_string_equal(tally.points[0].flags, "spin");
	tally_free(&tally);
}

static void pairs_are_averaged_and_rates_added(void **state)
{
	const double fast[] = { 100, 100 }, slow[] = { 200, 200 };
	struct tally tally;
	struct tally_figures figures;

	(void)state;
	assert_int_equal(tally_init(&tally, one_point(2)), 0);
	add(&tally, block(json_pack("[oo]", pair("P", fast, 2), pair("P", slow, 2)), NULL));
	figures = tally_figures(&tally, 0, 0);
	near(figures.ns_per_install, 150);
	near(figures.rate, 1e9 / 100 + 1e9 / 200);
	near(figures.fastest_pair_ns, 100);
	near(figures.slowest_pair_ns, 200);
	assert_true(isnan(figures.half_interval));
	tally_free(&tally);
}

static void kinds_are_never_pooled(void **state)
{
	const double big[] = { 100 }, little[] = { 300 };
	struct tally tally;

	(void)state;
	assert_int_equal(tally_init(&tally, one_point(2)), 0);
	add(&tally, block(json_pack("[oo]", pair("P", big, 1), pair("E", little, 1)), NULL));
	assert_int_equal(tally.points[0].group_count, 2);
	near(tally_figures(&tally, 0, 0).ns_per_install, 100);
	near(tally_figures(&tally, 0, 1).ns_per_install, 300);
	tally_free(&tally);
}

/* With free sync a fast pair has more rounds: only those that all have make a round's x. */
static void uneven_rounds_are_cut_to_common_ones(void **state)
{
	const double fast[] = { 100, 100, 100, 900 }, slow[] = { 200, 200 };
	struct tally tally;
	struct tally_figures figures;

	(void)state;
	assert_int_equal(tally_init(&tally, one_point(2)), 0);
	add(&tally, block(json_pack("[oo]", pair("P", fast, 4), pair("P", slow, 2)), NULL));
	figures = tally_figures(&tally, 0, 0);
	assert_int_equal(tally.points[0].groups[0].round_count, 2);
	near(figures.ns_per_install, 150);
	near(figures.rate, 400 / (1200 * 100.0) * 1e9 + 1e9 / 200);
	tally_free(&tally);
}

/* Means over the rounds and pairs in which a phase happened, and no others. */
static void phases_are_averaged_where_they_happened(void **state)
{
	json_t *list = json_array();
	struct tally tally;
	struct tally_figures figures;

	(void)state;
	json_array_append_new(list, json_pack("{s:i, s:i, s:i, s:i, s:n, s:i}", "fill_ns", 100,
			      "installs", 1, "create_ns", 7, "remove_ns", 50, "unregister_ns",
			      "refill_ns", 0));
	json_array_append_new(list, json_pack("{s:i, s:i, s:n, s:i}", "fill_ns", 100, "installs", 1,
			      "create_ns", "remove_ns", 70));
	assert_int_equal(tally_init(&tally, one_point(1)), 0);
	add(&tally, block(json_pack("[{s:s, s:o}]", "kinds", "P", "rounds", list), NULL));
	figures = tally_figures(&tally, 0, 0);
	near(figures.phase_ns[PHASE_CREATE], 7);
	near(figures.phase_ns[PHASE_REMOVE], 60);
	assert_true(figures.phase_ns[PHASE_REFILL] == 0);
	assert_true(isnan(figures.phase_ns[PHASE_UNREGISTER]));
	assert_true(isnan(figures.phase_ns[PHASE_EXIT]));
	tally_free(&tally);
}

/* A round of a workload with measures of its own: one known, one null. */
static json_t *measuring(double released)
{
	return json_pack("{s:i, s:i, s:{s:{s:f, s:s}, s:{s:n, s:s}}}", "fill_ns", 100, "installs", 1,
			 "measures", "released_pending", "value", released, "unit", "files",
			 "slab_bytes", "value", "unit", "bytes/replacement");
}

static void measures_are_averaged_where_they_are_known(void **state)
{
	struct sweep *sweep = one_point(1);
	struct tally tally;
	struct tally_figures figures;
	size_t workload;

	(void)state;
	for (workload = 0; !workloads[workload]->measures; workload++)
		;
	sweep->points[0].workload = (int)workload;
	assert_string_equal(workloads[workload]->measures[0].name, "released_pending");
	assert_int_equal(tally_init(&tally, sweep), 0);
	add(&tally, block(json_pack("[{s:s, s:[oo]}]", "kinds", "P", "rounds", measuring(10),
				    measuring(20)), NULL));
	add(&tally, block(json_pack("[{s:s, s:[o]}]", "kinds", "P", "rounds", measuring(60)), NULL));
	figures = tally_figures(&tally, 0, 0);
	near(figures.measures[0], 30);
	near(tally.points[0].groups[0].block_measures[0][0], 15);
	near(tally.points[0].groups[0].block_measures[1][0], 60);
	for (int i = 1; i < MEASURE_MAX; i++) {
		assert_true(isnan(figures.measures[i]));
		assert_true(isnan(tally.points[0].groups[0].block_measures[1][i]));
	}
	tally_free(&tally);
}

static void an_invalid_block_keeps_its_reason_and_adds_nothing(void **state)
{
	const double good[] = { 100 };
	struct tally tally;
	json_t *bad = json_pack("{s:b, s:s, s:[], s:[]}", "valid", 0, "reason", "it lied",
				"pairs", "flags");

	(void)state;
	assert_int_equal(tally_init(&tally, one_point(1)), 0);
	add(&tally, block(json_pack("[o]", pair("P", good, 1)), NULL));
	add(&tally, bad);
	assert_int_equal(tally.points[0].blocks, 2);
	assert_int_equal(tally.points[0].invalid_blocks, 1);
	assert_string_equal(tally.points[0].reason, "it lied");
	assert_int_equal(tally.points[0].groups[0].round_count, 1);
	tally_free(&tally);
}

static void add_numbered(struct tally *tally, unsigned point, int number, double ns)
{
	const double rounds[] = { ns, ns };
	json_t *record = block(json_pack("[o]", pair("P", rounds, 2)), NULL);

	json_object_set_new(record, "block", json_integer(number));
	json_object_set_new(record, "tasks", json_integer(1 + number));
	assert_int_equal(tally_add(tally, point, record), 0);
	json_decref(record);
}

/* Blocks of one number belong together, in whatever order they come. */
static void a_difference_is_of_blocks_of_one_pass(void **state)
{
	struct point points[2] = { *one_point(1)->points, *one_point(1)->points };
	struct sweep sweep = { .points = points, .count = 2 };
	struct tally tally;
	struct tally_difference difference;

	(void)state;
	assert_int_equal(tally_init(&tally, &sweep), 0);
	add_numbered(&tally, 0, 0, 100);
	add_numbered(&tally, 0, 1, 200);
	add_numbered(&tally, 0, 2, 300);
	add_numbered(&tally, 1, 2, 297);
	add_numbered(&tally, 1, 0, 95);
	add_numbered(&tally, 1, 1, 196);
	difference = tally_difference(&tally, 0, 1, "P");
	near(difference.ns, 4);			/* of 5, 4, 3 */
	near(difference.half_interval, 4.302652729911275 / sqrt(3));
	near(difference.first_ns, 200);
	near(difference.second_ns, 196);
	assert_true(isnan(tally_difference(&tally, 0, 1, "E").ns));
	assert_true(tally.points[0].least_tasks == 1 && tally.points[0].most_tasks == 3);
	tally_free(&tally);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_pair_two_blocks),
		cmocka_unit_test(pairs_are_averaged_and_rates_added),
		cmocka_unit_test(kinds_are_never_pooled),
		cmocka_unit_test(uneven_rounds_are_cut_to_common_ones),
		cmocka_unit_test(phases_are_averaged_where_they_happened),
		cmocka_unit_test(measures_are_averaged_where_they_are_known),
		cmocka_unit_test(an_invalid_block_keeps_its_reason_and_adds_nothing),
		cmocka_unit_test(a_difference_is_of_blocks_of_one_pass),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
