/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_STATS_RATIO_H
#define RINGSCALE_STATS_RATIO_H

#include <stddef.h>

#include "stats/summary.h"

/*
 * Median of the paired ratios a[i] / b[i] with its distribution-free interval at
 * `confidence` (0.95). Pairs that were measured side by side share the state
 * of the machine, so their ratio is steadier than the ratio of the medians.
 *
 * NAN where there is no pair, and where a ratio cannot be formed (a value that is
 * not finite, a divisor of 0 or less): no pair is dropped. low and high are NAN
 * under 6 pairs at 0.95. The arrays hold `count` values each and are not changed.
 */
struct median_interval ratio_median(const double *a, const double *b, size_t count,
				    double confidence);

#endif
