// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <jansson.h>

#include "results/point_words.h"

static const struct point_style plain = { .between = ", " };

static void assert_words(const char *points, size_t at, enum point_part part, const char *expected)
{
	json_t *array = json_loads(points, 0, NULL);
	char text[200];

	assert_non_null(array);
	point_words(array, json_array_get(array, at), part, &plain, text, sizeof(text));
	assert_string_equal(text, expected);
	json_decref(array);
}

static void told_axes_and_what_all_have_in_common(void **state)
{
	const char *two = "[{\"workload\":\"bare\",\"slots\":64,\"used\":64,\"cq\":512,\"gap\":\"0\"},"
			  "{\"workload\":\"bare\",\"slots\":128,\"used\":128,\"cq\":256,\"gap\":\"0\"}]";

	(void)state;
	assert_words(two, 0, POINT_ALL, "bare, slots 64, gap 0");
	assert_words(two, 1, POINT_COMMON, "bare, gap 0");
	assert_words(two, 1, POINT_VARYING, "slots 128");
}

/* An axis that is not told otherwise, where it is all that tells two points apart. */
static void no_two_points_read_the_same(void **state)
{
	const char *two = "[{\"workload\":\"bare\",\"cq\":512,\"target\":\"plain\"},"
			  "{\"workload\":\"bare\",\"cq\":512,\"target\":\"defer\"}]";

	(void)state;
	assert_words(two, 0, POINT_ALL, "bare, target plain");
	assert_words(two, 1, POINT_VARYING, "target defer");
}

static void slots_left_empty_are_told(void **state)
{
	(void)state;
	assert_words("[{\"slots\":64,\"used\":64},{\"slots\":64,\"used\":32}]", 1, POINT_ALL,
		     "slots 64, used 32");
}

static void long_text_is_broken_between_pieces_and_cut_at_the_end(void **state)
{
	const struct point_style narrow = { .between = "  ", .width = 17 };
	json_t *points = json_loads("[{\"slots\":64,\"batch\":8,\"gap\":\"0\"}]", 0, NULL);
	char text[40], small[10];

	(void)state;
	point_words(points, json_array_get(points, 0), POINT_ALL, &narrow, text, sizeof(text));
	assert_string_equal(text, "slots 64  batch 8\ngap 0");
	point_words(points, json_array_get(points, 0), POINT_ALL, &narrow, small, sizeof(small));
	assert_string_equal(small, "slots 64 ");
	json_decref(points);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(told_axes_and_what_all_have_in_common),
		cmocka_unit_test(no_two_points_read_the_same),
		cmocka_unit_test(slots_left_empty_are_told),
		cmocka_unit_test(long_text_is_broken_between_pieces_and_cut_at_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
