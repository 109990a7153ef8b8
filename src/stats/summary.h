/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_STATS_SUMMARY_H
#define RINGSCALE_STATS_SUMMARY_H

#include <stddef.h>

/*
 * Plain statistics on GSL. What cannot be said (an interval of one value, a
 * deviation of one value) is NAN, never 0; nor is anything said of values among
 * which one is not finite, for it would have to be dropped silently. Input
 * arrays are not changed. Pure functions: any thread may call them.
 */
struct summary {
	size_t count;
	double mean;
	double median;
	double sd;		/* sample standard deviation, n - 1 */
	double cv_percent;	/* sd / mean x 100; NAN where the mean is 0 */
	double min, max;
};

struct summary summary_of(const double *values, size_t count);

/* Half width of Student's t interval of the mean at `confidence` (0.95). NAN under two
 * values, and where confidence does not lie between 0 and 1. */
double summary_half_interval(const double *values, size_t count, double confidence);

/* Median with its distribution-free interval from order statistics (binomial), at least
 * `confidence`: the narrowest symmetric pair of ranks that reaches it. low and high are
 * NAN where count is too small to reach it (under 6 at 0.95). */
struct median_interval {
	double median, low, high;
};
struct median_interval summary_median(const double *values, size_t count, double confidence);

/* Value below which the share `p` (0..1) lies, interpolated between ranks (count - 1) x p as
 * GSL does. NAN on none, and where p is no share. */
double summary_quantile(const double *values, size_t count, double p);

#endif
