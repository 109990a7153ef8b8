// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/ratio.h"

#include <math.h>
#include <stdlib.h>

struct median_interval ratio_median(const double *a, const double *b, size_t count,
				    double confidence)
{
	struct median_interval m = { NAN, NAN, NAN };
	double *ratios = count ? calloc(count, sizeof(*ratios)) : NULL;

	if (!ratios)
		return m;
	/* One NAN makes the whole result NAN. */
	for (size_t i = 0; i < count; i++)
		ratios[i] = b[i] > 0 && isfinite(b[i]) ? a[i] / b[i] : NAN;
	m = summary_median(ratios, count, confidence);
	free(ratios);
	return m;
}
