// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>

#include "stats/line.h"

static void near(double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-9 * (1 + fabs(expected))))
		fail_msg("%.12g, expected %.12g", value, expected);
}

static void a_line_is_found(void **state)
{
	const double x[] = { 1, 2, 3, 4 }, y[] = { 5, 7, 9, 11 };
	struct line line = line_fit(x, y, 4);

	(void)state;
	near(line.slope, 2);
	near(line.intercept, 3);
	near(line.half_interval, 0);
}

/* By hand: slope 0.5, residuals 0.1 (-1 3 -3 1) / 2: squares 0.05; variance 0.025 / Sxx 5. */
static void scatter_makes_an_interval(void **state)
{
	const double x[] = { 0, 1, 2, 3 }, y[] = { -0.05, 0.65, 0.85, 1.55 };
	struct line line = line_fit(x, y, 4);

	(void)state;
	near(line.slope, 0.5);
	near(line.intercept, 0);
	assert_true(fabs(line.half_interval - 4.30265272991 * sqrt(0.025 / 5)) < 1e-9);
}

static void two_points_have_no_interval(void **state)
{
	const double x[] = { 1, 3 }, y[] = { 4, 0 };
	struct line line = line_fit(x, y, 2);

	(void)state;
	near(line.slope, -2);
	near(line.intercept, 6);
	assert_true(isnan(line.half_interval));
}

static void what_is_no_line_is_nan(void **state)
{
	const double same[] = { 2, 2, 2 }, y[] = { 1, 2, 3 }, holes[] = { 1, NAN, 3 };

	(void)state;
	assert_true(isnan(line_fit(same, y, 3).slope));
	assert_true(isnan(line_fit(y, holes, 3).slope));
	assert_true(isnan(line_fit(holes, y, 3).slope));
	assert_true(isnan(line_fit(y, y, 1).slope));
	assert_true(isnan(line_fit(y, y, 0).slope));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_found),
		cmocka_unit_test(scatter_makes_an_interval),
		cmocka_unit_test(two_points_have_no_interval),
		cmocka_unit_test(what_is_no_line_is_nan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
