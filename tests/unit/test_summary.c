// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/summary.h"

#include "stats/ratio.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void near(double value, double expected, double error)
{
	if (!(fabs(value - expected) <= error))
		fail_msg("%.15g, not %.15g within %g", value, expected, error);
}

static void plain_numbers(void **state)
{
	/* Sum 40, squares about the mean 32. */
	double values[] = { 9, 2, 4, 4, 5, 5, 7, 4 }, before[COUNT(values)];
	struct summary s;

	(void)state;
	memcpy(before, values, sizeof(values));
	s = summary_of(values, COUNT(values));
	assert_int_equal(s.count, 8);
	near(s.mean, 5, 0);
	near(s.median, 4.5, 0);
	near(s.sd, sqrt(32.0 / 7), 1e-15);
	near(s.cv_percent, sqrt(32.0 / 7) / 5 * 100, 1e-13);
	near(s.min, 2, 0);
	near(s.max, 9, 0);
	assert_memory_equal(values, before, sizeof(values));
	s = summary_of(values, 3);
	near(s.median, 4, 0);
}

static void what_cannot_be_said_is_nan(void **state)
{
	double one[] = { 3 }, zeros[] = { -1, 1 }, broken[] = { 1, NAN, 3 };
	double endless[] = { 1, INFINITY };
	struct summary s = summary_of(NULL, 0);

	(void)state;
	assert_int_equal(s.count, 0);
	assert_true(isnan(s.mean) && isnan(s.median) && isnan(s.sd) && isnan(s.cv_percent) &&
		    isnan(s.min) && isnan(s.max));
	s = summary_of(one, 1);
	assert_true(s.mean == 3 && s.median == 3 && s.min == 3 && s.max == 3);
	assert_true(isnan(s.sd) && isnan(s.cv_percent));
	s = summary_of(zeros, 2);
	assert_true(s.mean == 0 && isnan(s.cv_percent));
	near(s.sd, sqrt(2), 1e-15);
	s = summary_of(broken, 3);
	assert_true(s.count == 3 && isnan(s.mean) && isnan(s.min) && isnan(s.sd));
	s = summary_of(endless, 2);
	assert_true(isnan(s.mean) && isnan(s.max));
	assert_true(isnan(summary_half_interval(one, 1, 0.95)));
	assert_true(isnan(summary_half_interval(NULL, 0, 0.95)));
	assert_true(isnan(summary_half_interval(broken, 3, 0.95)));
	/* GSL would end the program over these. */
	assert_true(isnan(summary_half_interval(zeros, 2, 1)));
	assert_true(isnan(summary_half_interval(zeros, 2, 0)));
	assert_true(isnan(summary_half_interval(zeros, 2, NAN)));
	assert_true(isnan(summary_quantile(zeros, 2, 1.5)));
	assert_true(isnan(summary_quantile(zeros, 2, -0.1)));
	assert_true(isnan(summary_quantile(zeros, 2, NAN)));
	assert_true(isnan(summary_quantile(NULL, 0, 0.5)));
	assert_true(isnan(summary_quantile(broken, 3, 0.5)));
	assert_true(isnan(summary_median(broken, 3, 0.95).median));
	assert_true(isnan(summary_median(NULL, 0, 0.95).median));
}

/* Values 0 and 2 in equal parts, so that sd is known; t from printed tables. */
static void students_t(void **state)
{
	static const struct {
		size_t count;
		double confidence, t;
	} known[] = {
		{ 2, 0.95, 12.706 }, { 4, 0.95, 3.182 },  { 6, 0.95, 2.571 }, { 10, 0.95, 2.262 },
		{ 30, 0.95, 2.045 }, { 10, 0.99, 3.250 }, { 6, 0.90, 2.015 },
	};
	double values[30], five[] = { 1, 2, 3, 4, 5 };

	(void)state;
	for (size_t i = 0; i < COUNT(values); i++)
		values[i] = i % 2 ? 2 : 0;
	for (size_t i = 0; i < COUNT(known); i++) {
		double n = (double)known[i].count, half;

		half = summary_half_interval(values, known[i].count, known[i].confidence);
		/* sd = sqrt(n / (n - 1)), so the half width is t / sqrt(n - 1). */
		near(half * sqrt(n - 1), known[i].t, 5.1e-4);
	}
	near(summary_half_interval(five, 5, 0.95), 2.776445 * sqrt(2.5) / sqrt(5), 1e-6);
}

static double choose(unsigned n, unsigned k)
{
	double value = 1;

	for (unsigned i = 1; i <= k; i++)
		value = value * (n - k + i) / i;
	return value;
}

/* Ranks of the narrowest symmetric interval, the slow way: summed binomial terms. */
static unsigned rank_by_sums(unsigned n, double confidence)
{
	double tail = 0;
	unsigned rank = 0;

	while (rank < n / 2) {
		tail += choose(n, rank) / pow(2, n);
		if (1 - 2 * tail < confidence)
			break;
		rank++;
	}
	return rank;
}

static void median_ranks(void **state)
{
	double values[1000];
	struct median_interval m;

	(void)state;
	/* 1..n out of order: a value is its own rank. */
	for (unsigned n = 1; n <= 100; n++) {
		unsigned rank = rank_by_sums(n, 0.95);

		for (unsigned i = 0; i < n; i++)
			values[i] = i % 2 ? n - i / 2 : i / 2 + 1;
		m = summary_median(values, n, 0.95);
		near(m.median, (n + 1) / 2.0, 0);
		if (rank == 0) {
			assert_true(n < 6);
			assert_true(isnan(m.low) && isnan(m.high));
			continue;
		}
		near(m.low, rank, 0);
		near(m.high, n + 1 - rank, 0);
	}
	/* 96.9 % from the smallest to the largest of six; printed tables for the others. */
	for (unsigned i = 0; i < 1000; i++)
		values[i] = i + 1;
	m = summary_median(values, 6, 0.95);
	assert_true(m.low == 1 && m.high == 6);
	m = summary_median(values, 6, 0.97);
	assert_true(isnan(m.low) && isnan(m.high));
	m = summary_median(values, 10, 0.95);
	assert_true(m.low == 2 && m.high == 9);
	m = summary_median(values, 20, 0.95);
	assert_true(m.low == 6 && m.high == 15);
	m = summary_median(values, 100, 0.95);
	assert_true(m.low == 40 && m.high == 61);
	m = summary_median(values, 1000, 0.95);
	assert_true(m.median == 500.5 && m.low == 469 && m.high == 532);
	m = summary_median(values, 1000, 1);
	assert_true(m.median == 500.5 && isnan(m.low) && isnan(m.high));
}

static void quantiles(void **state)
{
	double values[] = { 50, 10, 40, 20, 30 }, one[] = { 7 };

	(void)state;
	near(summary_quantile(values, 5, 0), 10, 0);
	near(summary_quantile(values, 5, 0.25), 20, 0);
	near(summary_quantile(values, 5, 0.5), 30, 0);
	near(summary_quantile(values, 5, 0.9), 46, 1e-12);
	near(summary_quantile(values, 5, 1), 50, 0);
	near(summary_quantile(one, 1, 0.99), 7, 0);
}

static void paired_ratios(void **state)
{
	double a[1001], b[1001];
	struct median_interval m;

	(void)state;
	/* b drifts over two orders of magnitude and takes a with it. */
	for (unsigned i = 0; i < 1001; i++) {
		b[i] = 100 + 10 * i;
		a[i] = b[i] * (1 + (i * 37 % 1001) / 1e4);
	}
	m = ratio_median(a, b, 1001, 0.95);
	near(m.median, 1.05, 1e-12);
	near(m.low, 1 + 469 / 1e4, 2e-4);
	near(m.high, 1 + 531 / 1e4, 2e-4);
	assert_true(m.low < m.median && m.median < m.high);
	m = ratio_median(a, b, 5, 0.95);
	assert_true(!isnan(m.median) && isnan(m.low) && isnan(m.high));
	b[500] = 0;
	assert_true(isnan(ratio_median(a, b, 1001, 0.95).median));
	b[500] = -1;
	assert_true(isnan(ratio_median(a, b, 1001, 0.95).median));
	b[500] = NAN;
	assert_true(isnan(ratio_median(a, b, 1001, 0.95).median));
	b[500] = INFINITY;
	assert_true(isnan(ratio_median(a, b, 1001, 0.95).median));
	assert_true(isnan(ratio_median(NULL, NULL, 0, 0.95).median));
}

/* The published rounds: their means and coefficients of variation are known. */
static void published_rounds(void **state)
{
	static const struct {
		const char *point;
		double mean, cv_percent;
	} known[] = {
		{ "parent-a", 102.476302, 0.705486 },
		{ "child", 114.440902, 0.289292 },
		{ "parent-b", 102.576074, 0.340120 },
	};
	const char *shared = getenv("RINGSCALE_SHARED");
	char path[4096], line[256], point[32];
	double values[3][15], elapsed_ns;
	size_t counts[3] = { 0 };
	FILE *file;

	(void)state;
	snprintf(path, sizeof(path), "%s/evidence/measured-rounds.tsv",
		 shared ? shared : "../shared");
	file = fopen(path, "r");
	if (!file) {
		print_message("no %s\n", path);
		skip();
	}
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%31s %*d %lf", point, &elapsed_ns) != 2)
			continue;
		for (size_t i = 0; i < 3; i++)
			if (!strcmp(point, known[i].point) && counts[i] < 15)
				values[i][counts[i]++] = elapsed_ns / 4096;
	}
	fclose(file);
	for (size_t i = 0; i < 3; i++) {
		struct summary s = summary_of(values[i], counts[i]);

		assert_int_equal(s.count, 15);
		near(s.mean, known[i].mean, 5e-7);
		near(s.cv_percent, known[i].cv_percent, 5e-7);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_numbers),    cmocka_unit_test(what_cannot_be_said_is_nan),
		cmocka_unit_test(students_t),	    cmocka_unit_test(median_ranks),
		cmocka_unit_test(quantiles),	    cmocka_unit_test(paired_ratios),
		cmocka_unit_test(published_rounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
