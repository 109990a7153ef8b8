// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>

#include "engine/sweep.h"
#include "sweep_support.h"

/* Every (point, block) is there once. */
static void assert_complete(const struct step *steps, size_t points, size_t blocks)
{
	char *seen = calloc(points * blocks, 1);

	for (size_t i = 0; i < points * blocks; i++) {
		assert_true(steps[i].point < points && steps[i].block < blocks);
		assert_int_equal(seen[steps[i].point * blocks + steps[i].block]++, 0);
	}
	free(seen);
}

static void schedules_follow_order_and_seed(void **state)
{
	struct sweep sweep = { .count = 20 };
	struct method method = sweep_method(5, false);
	struct step *first, *again, *other;
	unsigned equal = 0;

	(void)state;
	for (method.order = ORDER_INTERLEAVE; method.order <= ORDER_SEQUENTIAL; method.order++) {
		method.seed = 7;
		first = sweep_schedule(&sweep, &method);
		again = sweep_schedule(&sweep, &method);
		method.seed = 8;
		other = sweep_schedule(&sweep, &method);
		assert_complete(first, 20, 5);
		assert_complete(other, 20, 5);
		assert_memory_equal(first, again, 100 * sizeof(*first));
		if (method.order == ORDER_SEQUENTIAL)
			assert_memory_equal(first, other, 100 * sizeof(*first));
		else
			assert_memory_not_equal(first, other, 100 * sizeof(*first));
		if (method.order == ORDER_INTERLEAVE)
			for (size_t i = 0; i < 100; i++) {
				assert_int_equal(first[i].block, i / 20);
				equal += first[i].point == first[i % 20].point;
			}
		free(first);
		free(again);
		free(other);
	}
	/* A new permutation each pass, not the first one again. */
	assert_true(equal < 60);
}

static void schedules_stay_what_they_were(void **state)
{
	/* A seed in an old file must give the old order. */
	static const unsigned expected[] = { 4, 0, 2, 3, 1, 0, 2, 1, 4, 3 };
	struct sweep sweep = { .count = 5 };
	struct method method = sweep_method(2, false);
	struct step *steps;

	(void)state;
	method.seed = 42;
	steps = sweep_schedule(&sweep, &method);
	for (size_t i = 0; i < 10; i++)
		assert_int_equal(steps[i].point, expected[i]);
	free(steps);
}

/* Their difference is to be one of settings, not of moments. */
static void settings_of_ring_fd_are_measured_side_by_side(void **state)
{
	struct sweep sweep;
	struct method method = sweep_method(20, false);
	struct error e = ERROR_INIT;
	struct step *steps;
	unsigned plain_first = 0;

	(void)state;
	assert_int_equal(sweep_make(&sweep, SWEEP_FOUR_PUS, "batch=1,2,4 ring-fd=plain,registered", true, &e), 0);
	assert_int_equal(sweep.count, 6);
	steps = sweep_schedule(&sweep, &method);
	for (size_t i = 0; i < 120; i += 2) {
		const struct point *a = &sweep.points[steps[i].point];
		const struct point *b = &sweep.points[steps[i + 1].point];

		assert_int_equal(steps[i].block, i / 6);
		assert_int_equal(steps[i + 1].block, i / 6);
		assert_int_equal(a->batch, b->batch);
		assert_int_not_equal(a->ring_fd, b->ring_fd);
		plain_first += a->ring_fd == RING_FD_PLAIN;
	}
	/* Neither is always the first. */
	assert_in_range(plain_first, 10, 50);
	free(steps);
	sweep_free(&sweep);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(schedules_follow_order_and_seed),
		cmocka_unit_test(schedules_stay_what_they_were),
		cmocka_unit_test(settings_of_ring_fd_are_measured_side_by_side),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
