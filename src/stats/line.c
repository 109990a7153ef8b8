// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/line.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>
#include <math.h>
#include <stdbool.h>

static bool can_be_said(const double *x, const double *y, size_t count)
{
	bool differ = false;

	for (size_t i = 0; i < count; i++) {
		if (!isfinite(x[i]) || !isfinite(y[i]))
			return false;
		differ |= x[i] != x[0];
	}
	return differ;
}

struct line line_fit(const double *x, const double *y, size_t count)
{
	struct line line = { NAN, NAN, NAN };
	double cov00, cov01, cov11, squares;

	if (!can_be_said(x, y, count))
		return line;
	gsl_fit_linear(x, 1, y, 1, count, &line.intercept, &line.slope, &cov00, &cov01, &cov11,
		       &squares);
	if (count > 2)
		line.half_interval = gsl_cdf_tdist_Qinv(0.025, (double)(count - 2)) * sqrt(cov11);
	return line;
}
