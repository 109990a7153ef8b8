// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/tally.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double tally_makers(const struct tally *tally, unsigned index)
{
	const struct point *point = &tally->sweep->points[index];

	return point->pattern == PATTERN_FAN_OUT ? point->pairs : 1;
}

/* Mean over blocks of the rate of the point that is this pair alone; NAN if there is none. */
static double solo_rate(const struct tally *tally, const struct point *point, int pair)
{
	int alone = sweep_find_solo(tally->sweep, point, pair);
	const struct tally_point *solo;

	if (alone < 0)
		return NAN;
	solo = &tally->points[alone];
	if (solo->invalid_blocks || solo->group_count != 1)
		return NAN;
	return summary_of(solo->groups[0].block_rates, solo->groups[0].block_count).mean;
}

static double solo_rates(const struct tally *tally, unsigned index, const char *kinds)
{
	const struct point *point = &tally->sweep->points[index];
	double sum = 0;

	for (int i = 0; i < point->pairs; i++)
		if (!strcmp(point->placement.pairs[i].kinds, kinds))
			sum += solo_rate(tally, point, i);
	return sum;
}

struct tally_figures tally_figures(const struct tally *tally, unsigned index, size_t which)
{
	const struct tally_group *group = &tally->points[index].groups[which];
	struct summary rounds = summary_of(group->rounds, group->round_count);
	struct tally_figures figures = {
		.ns_per_install = rounds.mean,
		.half_interval = summary_half_interval(group->block_means, group->block_count, 0.95),
		.cv_percent = rounds.cv_percent,
		.median_ns = rounds.median,
		.fastest_pair_ns = INFINITY,
		.sender_ns = group->sender_ns / group->installs,
		.punts_per_1000 = group->punts / group->installs * 1000,
		.rate = summary_of(group->block_rates, group->block_count).mean,
	};

	for (unsigned i = 0; i < group->pairs; i++) {
		double ns = group->pair_ns[i] / group->pair_installs[i];

		figures.fastest_pair_ns = fmin(figures.fastest_pair_ns, ns);
		figures.slowest_pair_ns = fmax(figures.slowest_pair_ns, ns);
	}
	for (int i = 0; i < PHASE_COUNT; i++)
		figures.phase_ns[i] = group->phase_rounds[i]
			? group->phase_ns[i] / group->phase_rounds[i] : NAN;
	for (int i = 0; i < MEASURE_MAX; i++)
		figures.measures[i] = group->measure_rounds[i] > 0
			? group->measures[i] / group->measure_rounds[i] : NAN;
	/* Pairs that share PUs are not the same pairs as alone. */
	figures.efficiency = tally->sweep->points[index].pairs > 1 &&
			     !tally->sweep->points[index].placement.oversubscribed
		? figures.rate * tally_makers(tally, index) / solo_rates(tally, index, group->kinds) : NAN;
	return figures;
}

static const struct tally_group *find_group(const struct tally_point *point, const char *kinds)
{
	for (size_t i = 0; !point->invalid_blocks && i < point->group_count; i++)
		if (!strcmp(point->groups[i].kinds, kinds))
			return &point->groups[i];
	return NULL;
}

struct tally_difference tally_difference(const struct tally *tally, unsigned a, unsigned b,
					 const char *kinds)
{
	const struct tally_group *first = find_group(&tally->points[a], kinds);
	const struct tally_group *second = find_group(&tally->points[b], kinds);
	struct tally_difference difference = { 0, NAN, NAN, NAN, NAN };
	double *apart = first && second ? malloc(first->block_count * sizeof(*apart)) : NULL;
	double sums[2] = { 0, 0 };
	size_t count = 0;

	for (size_t i = 0; apart && i < first->block_count; i++)
		for (size_t k = 0; k < second->block_count; k++) {
			if (first->block_numbers[i] != second->block_numbers[k])
				continue;
			apart[count++] = first->block_means[i] - second->block_means[k];
			sums[0] += first->block_means[i];
			sums[1] += second->block_means[k];
		}
	if (count)
		difference = (struct tally_difference){
			.blocks = count,
			.ns = summary_of(apart, count).mean,
			.half_interval = summary_half_interval(apart, count, 0.95),
			.first_ns = sums[0] / (double)count,
			.second_ns = sums[1] / (double)count,
		};
	free(apart);
	return difference;
}

bool tally_control(const struct tally *tally, unsigned index, size_t group,
		   struct tally_difference *difference)
{
	const struct tally_point *point = &tally->points[index];
	int control = sweep_find_control(tally->sweep, &tally->sweep->points[index]);

	if (control < 0 || point->invalid_blocks || group >= point->group_count)
		return false;
	*difference = tally_difference(tally, index, (unsigned)control, point->groups[group].kinds);
	return difference->blocks > 0;
}
