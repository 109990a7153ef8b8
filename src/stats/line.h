/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_STATS_LINE_H
#define RINGSCALE_STATS_LINE_H

#include <stddef.h>

/*
 * A straight line by least squares. half_interval is half the width of Student's t
 * interval of the slope at 95 %, NAN under three points. All NAN where a line cannot be
 * said: fewer than two different x, or a value that is not finite. Pure, any thread.
 */
struct line {
	double slope, intercept, half_interval;
};

struct line line_fit(const double *x, const double *y, size_t count);

#endif
