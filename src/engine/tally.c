// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/tally.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int tally_init(struct tally *tally, const struct sweep *sweep)
{
	tally->sweep = sweep;
	tally->points = calloc(sweep->count, sizeof(*tally->points));
	return tally->points ? 0 : -ENOMEM;
}

void tally_free(struct tally *tally)
{
	for (size_t i = 0; tally->points && i < tally->sweep->count; i++) {
		struct tally_point *point = &tally->points[i];

		for (size_t g = 0; g < point->group_count; g++) {
			free(point->groups[g].rounds);
			free(point->groups[g].block_means);
			free(point->groups[g].block_rates);
			free(point->groups[g].block_numbers);
			free(point->groups[g].pair_ns);
			free(point->groups[g].pair_installs);
			free(point->groups[g].block_measures);
		}
		free(point->groups);
		free(point->reason);
		free(point->flags);
	}
	free(tally->points);
	tally->points = NULL;
}

static double number(const json_t *object, const char *name)
{
	return json_number_value(json_object_get(object, name));
}

static bool grow(double **values, size_t *capacity, size_t needed)
{
	size_t wanted = 2 * *capacity + needed;
	double *grown;

	if (needed <= *capacity)
		return true;
	grown = realloc(*values, wanted * sizeof(**values));
	if (!grown)
		return false;
	*values = grown;
	*capacity = wanted;
	return true;
}

/* The group of a kinds label, made on first sight. */
static struct tally_group *group_of(struct tally_point *point, const char *kinds, size_t pairs)
{
	struct tally_group *group;

	for (size_t i = 0; i < point->group_count; i++)
		if (!strcmp(point->groups[i].kinds, kinds))
			return &point->groups[i];
	group = realloc(point->groups, (point->group_count + 1) * sizeof(*group));
	if (!group)
		return NULL;
	point->groups = group;
	group += point->group_count;
	memset(group, 0, sizeof(*group));
	snprintf(group->kinds, sizeof(group->kinds), "%s", kinds);
	group->pair_ns = calloc(pairs, sizeof(double));
	group->pair_installs = calloc(pairs, sizeof(double));
	point->group_count++;
	return group->pair_ns && group->pair_installs ? group : NULL;
}

/* One block of one group: sums by round index while its pairs go by. */
struct block_sums {
	struct tally_group *group;
	double *x;		/* by round: sum over pairs */
	unsigned *pairs;	/* by round: how many pairs have it */
	size_t rounds;
	unsigned members;
	double number;		/* of the block */
	double makers;		/* pairs whose installs one fill's time pays for */
	double rate;
	const struct measure *measures;		/* of the workload; NULL: none */
	double measure_sums[MEASURE_MAX], measure_rounds[MEASURE_MAX];
};

static void add_phases(struct tally_group *group, const json_t *round)
{
	for (int i = 0; i < PHASE_COUNT; i++) {
		const json_t *phase = json_object_get(round, phase_names[i]);

		if (!json_is_number(phase))
			continue;
		group->phase_ns[i] += json_number_value(phase);
		group->phase_rounds[i]++;
	}
}

static void add_measures(struct block_sums *sums, const json_t *round)
{
	const json_t *all = json_object_get(round, "measures");

	for (int i = 0; sums->measures && sums->measures[i].name; i++) {
		const json_t *value = json_object_get(json_object_get(all, sums->measures[i].name),
						      "value");

		if (!json_is_number(value))
			continue;
		sums->measure_sums[i] += json_number_value(value);
		sums->measure_rounds[i]++;
	}
}

/* The block's means, behind those of the blocks before it. */
static bool close_measures(struct block_sums *sums)
{
	struct tally_group *group = sums->group;
	double (*grown)[MEASURE_MAX];

	if (!sums->measures)
		return true;
	grown = realloc(group->block_measures, (group->block_count + 1) * sizeof(*grown));
	if (!grown)
		return false;
	group->block_measures = grown;
	for (int i = 0; i < MEASURE_MAX; i++) {
		grown[group->block_count][i] = sums->measure_rounds[i] > 0
			? sums->measure_sums[i] / sums->measure_rounds[i] : NAN;
		group->measures[i] += sums->measure_sums[i];
		group->measure_rounds[i] += sums->measure_rounds[i];
	}
	return true;
}

static bool add_pair(struct block_sums *sums, const json_t *pair)
{
	struct tally_group *group = sums->group;
	const json_t *rounds = json_object_get(pair, "rounds"), *round;
	double ns = 0, installs = 0;
	size_t i, count = json_array_size(rounds);

	if (count > sums->rounds) {
		double *x = realloc(sums->x, count * sizeof(*x));
		unsigned *pairs = x ? realloc(sums->pairs, count * sizeof(*pairs)) : NULL;

		sums->x = x ? x : sums->x;
		sums->pairs = pairs ? pairs : sums->pairs;
		if (!x || !pairs)
			return false;
		for (; sums->rounds < count; sums->rounds++) {
			sums->x[sums->rounds] = 0;
			sums->pairs[sums->rounds] = 0;
		}
	}
	json_array_foreach((json_t *)rounds, i, round) {
		double fill_ns = number(round, "fill_ns"), filled = number(round, "installs");

		const json_t *punts = json_object_get(json_object_get(
			json_object_get(round, "sender"), "counters"), "punts");

		group->punts += json_is_number(punts) ? json_number_value(punts) : NAN;
		filled *= sums->makers;
		sums->x[i] += fill_ns / filled;
		sums->pairs[i]++;
		ns += fill_ns;
		installs += filled;
		group->sender_ns += number(round, "sender_ns");
		group->receiver_ns += number(round, "receiver_ns");
		group->installs += filled;
		add_phases(group, round);
		add_measures(sums, round);
	}
	group->pair_ns[sums->members] += ns;
	group->pair_installs[sums->members] += installs;
	sums->members++;
	sums->rate += ns > 0 ? installs / sums->makers / ns * 1e9 : 0;
	return true;
}

/* With free sync pairs have more or fewer rounds; only those that all have make a round's x. */
static bool close_block(struct block_sums *sums)
{
	struct tally_group *group = sums->group;
	size_t capacity = group->block_capacity, numbers = capacity;
	double mean = 0;
	size_t common = 0;

	if (!close_measures(sums) ||
	    !grow(&group->rounds, &group->round_capacity, group->round_count + sums->rounds) ||
	    !grow(&group->block_means, &capacity, group->block_count + 1) ||
	    !grow(&group->block_numbers, &numbers, group->block_count + 1) ||
	    !grow(&group->block_rates, &group->block_capacity, group->block_count + 1))
		return false;
	group->pairs = sums->members;
	for (size_t i = 0; i < sums->rounds; i++) {
		if (sums->pairs[i] != sums->members)
			continue;
		group->rounds[group->round_count++] = sums->x[i] / sums->members;
		mean += sums->x[i] / sums->members;
		common++;
	}
	group->block_means[group->block_count] = common ? mean / (double)common : NAN;
	group->block_rates[group->block_count] = sums->rate;
	group->block_numbers[group->block_count] = sums->number;
	group->block_count++;
	return true;
}

static bool add_group(struct tally_group *group, const json_t *record, double makers,
		      const struct measure *measures)
{
	const json_t *pairs = json_object_get(record, "pairs");
	struct block_sums sums = { .group = group, .makers = makers, .measures = measures,
				   .number = number(record, "block") };
	const json_t *pair;
	bool good = true;
	size_t i;

	json_array_foreach((json_t *)pairs, i, pair)
		if (!strcmp(json_string_value(json_object_get(pair, "kinds")), group->kinds))
			good = good && add_pair(&sums, pair);
	good = good && sums.members && close_block(&sums);
	free(sums.x);
	free(sums.pairs);
	return good;
}

static void add_tasks(struct tally_point *point, const json_t *record)
{
	int64_t tasks = json_integer_value(json_object_get(record, "tasks"));

	if (!tasks)
		return;
	if (!point->least_tasks || tasks < point->least_tasks)
		point->least_tasks = tasks;
	if (tasks > point->most_tasks)
		point->most_tasks = tasks;
}

/* Whole names: one may be part of another. */
bool tally_has_flag(const struct tally_point *point, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = point->flags; at && *at; at += *at == ',') {
		size_t here = strcspn(at, ",");

		if (here == length && !memcmp(at, name, length))
			return true;
		at += here;
	}
	return false;
}

static int add_flags(struct tally_point *point, const json_t *list)
{
	const json_t *flag;
	size_t i;

	if (!point->flags)
		point->flags = strdup("");
	json_array_foreach((json_t *)list, i, flag) {
		const char *name = json_string_value(flag);
		char *longer;

		if (!point->flags)
			return -ENOMEM;
		if (tally_has_flag(point, name))
			continue;
		if (asprintf(&longer, "%s%s%s", point->flags, point->flags[0] ? "," : "", name) < 0)
			return -ENOMEM;
		free(point->flags);
		point->flags = longer;
	}
	return point->flags ? 0 : -ENOMEM;
}

static void add_workers(struct tally_point *point, const json_t *workers)
{
	double count = json_is_number(workers) ? json_number_value(workers) : NAN;

	point->workers = point->blocks == 1 ? count : fmax(point->workers, count);
}

int tally_add(struct tally *tally, unsigned index, const json_t *record)
{
	struct tally_point *point = &tally->points[index];
	const struct measure *measures = workloads[tally->sweep->points[index].workload]->measures;
	const json_t *pairs = json_object_get(record, "pairs"), *pair;
	size_t i;

	point->blocks++;
	add_workers(point, json_object_get(record, "iowq_workers"));
	if (!json_is_true(json_object_get(record, "valid"))) {
		point->invalid_blocks++;
		if (!point->reason)
			point->reason = strdup(json_string_value(json_object_get(record, "reason")));
		return point->reason ? 0 : -ENOMEM;
	}
	add_tasks(point, record);
	json_array_foreach((json_t *)pairs, i, pair)
		if (!group_of(point, json_string_value(json_object_get(pair, "kinds")),
			      json_array_size(pairs)))
			return -ENOMEM;
	for (i = 0; i < point->group_count; i++)
		if (!add_group(&point->groups[i], record, tally_makers(tally, index), measures))
			return -ENOMEM;
	return add_flags(point, json_object_get(record, "flags"));
}
