// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/summary.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool all_finite(const double *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!isfinite(values[i]))
			return false;
	return count > 0;
}

/* A sorted copy that the caller frees; NULL where there is nothing to say, or no memory. */
static double *sorted_copy(const double *values, size_t count)
{
	double *copy;

	if (!all_finite(values, count))
		return NULL;
	copy = malloc(count * sizeof(*copy));
	if (!copy)
		return NULL;
	memcpy(copy, values, count * sizeof(*copy));
	gsl_sort(copy, 1, count);
	return copy;
}

struct summary summary_of(const double *values, size_t count)
{
	struct summary s = {
		.count = count,
		.mean = NAN,
		.median = NAN,
		.sd = NAN,
		.cv_percent = NAN,
		.min = NAN,
		.max = NAN,
	};
	double *sorted = sorted_copy(values, count);

	if (!sorted)
		return s;
	s.mean = gsl_stats_mean(values, 1, count);
	s.median = gsl_stats_median_from_sorted_data(sorted, 1, count);
	s.min = sorted[0];
	s.max = sorted[count - 1];
	if (count >= 2) {
		s.sd = gsl_stats_sd_m(values, 1, count, s.mean);
		if (s.mean != 0)
			s.cv_percent = s.sd / s.mean * 100;
	}
	free(sorted);
	return s;
}

/* Also keeps GSL's error handler out of it, which ends the program. */
static bool confidence_valid(double confidence)
{
	return confidence > 0 && confidence < 1;
}

double summary_half_interval(const double *values, size_t count, double confidence)
{
	double sd, t;

	if (count < 2 || !all_finite(values, count) || !confidence_valid(confidence))
		return NAN;
	sd = gsl_stats_sd(values, 1, count);
	t = gsl_cdf_tdist_Qinv((1 - confidence) / 2, (double)(count - 1));
	return t * sd / sqrt((double)count);
}

/* How surely the median lies between the rank-th smallest and the rank-th largest value:
 * it does unless fewer than `rank` of n fair coins show one side. */
static double coverage(size_t rank, size_t count)
{
	return 1 - 2 * gsl_cdf_binomial_P((unsigned)rank - 1, 0.5, (unsigned)count);
}

struct median_interval summary_median(const double *values, size_t count, double confidence)
{
	struct median_interval m = { NAN, NAN, NAN };
	double *sorted = sorted_copy(values, count);
	size_t rank = 0, above = count / 2 + 1;

	if (!sorted)
		return m;
	m.median = gsl_stats_median_from_sorted_data(sorted, 1, count);
	if (!confidence_valid(confidence) || count > UINT_MAX)
		above = 1;
	/* Coverage falls with the rank: the largest rank that reaches it, by halving. */
	while (above - rank > 1) {
		size_t middle = rank + (above - rank) / 2;

		if (coverage(middle, count) >= confidence)
			rank = middle;
		else
			above = middle;
	}
	if (rank > 0) {
		m.low = sorted[rank - 1];
		m.high = sorted[count - rank];
	}
	free(sorted);
	return m;
}

double summary_quantile(const double *values, size_t count, double p)
{
	double *sorted, quantile;

	if (!(p >= 0 && p <= 1))
		return NAN;
	sorted = sorted_copy(values, count);
	if (!sorted)
		return NAN;
	quantile = gsl_stats_quantile_from_sorted_data(sorted, 1, count, p);
	free(sorted);
	return quantile;
}
