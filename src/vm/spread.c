// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/spread.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/profile.h"
#include "results/reader.h"
#include "stats/summary.h"

static struct spread_series *find(struct spread *spread, const char *role, const char *id)
{
	for (size_t i = 0; i < spread->count; i++)
		if (!strcmp(spread->list[i].role, role) && !strcmp(spread->list[i].id, id))
			return &spread->list[i];
	return NULL;
}

static struct spread_series *new_series(struct spread *spread, const char *role,
					const char *kernel, const json_t *block)
{
	struct spread_series *list = realloc(spread->list, (spread->count + 1) * sizeof(*list));
	struct spread_series *series;

	if (!list)
		return NULL;
	spread->list = list;
	series = &list[spread->count++];
	memset(series, 0, sizeof(*series));
	snprintf(series->role, sizeof(series->role), "%s", role);
	snprintf(series->kernel, sizeof(series->kernel), "%s", kernel);
	snprintf(series->id, sizeof(series->id), "%s",
		 json_string_value(json_object_get(block, "id")));
	series->point = json_incref(json_object_get(block, "point"));
	return series;
}

/* Adds the x of every round of a block to a sum. */
static void add_rounds(const json_t *block, double *sum, size_t *count)
{
	const json_t *pairs = json_object_get(block, "pairs");
	const json_t *pair, *round;
	size_t p, r;

	json_array_foreach(pairs, p, pair) {
		json_array_foreach(json_object_get(pair, "rounds"), r, round) {
			json_t *ns = json_object_get(round, "fill_ns");
			json_t *installs = json_object_get(round, "installs");

			if (!json_is_integer(ns) || json_integer_value(installs) <= 0)
				continue;
			*sum += (double)json_integer_value(ns) /
				(double)json_integer_value(installs);
			++*count;
		}
	}
}

static int add_mean(struct spread_series *series, double mean)
{
	double *means = realloc(series->means, (series->count + 1) * sizeof(*means));
	struct summary summary;

	if (!means)
		return -ENOMEM;
	series->means = means;
	means[series->count++] = mean;
	summary = summary_of(means, series->count);
	series->mean = summary.mean;
	series->min = summary.min;
	series->max = summary.max;
	return 0;
}

/* All blocks of one point of a file are one boot's. */
static int add_point(struct spread *spread, const char *role, const char *kernel,
		     const struct result *file, size_t first)
{
	const char *id = json_string_value(json_object_get(file->blocks[first], "id"));
	struct spread_series *series;
	double sum = 0;
	size_t count = 0;

	for (size_t i = 0; i < file->block_count; i++) {
		const char *other = json_string_value(json_object_get(file->blocks[i], "id"));

		if (strcmp(id, other))
			continue;
		/* Seen already, with its first block. */
		if (i < first || !json_is_true(json_object_get(file->blocks[i], "valid")))
			return 0;
		add_rounds(file->blocks[i], &sum, &count);
	}
	if (!count)
		return 0;
	series = find(spread, role, id);
	if (!series)
		series = new_series(spread, role, kernel, file->blocks[first]);
	return series ? add_mean(series, sum / (double)count) : -ENOMEM;
}

static void add_to_mean(double *mean, size_t count, double value)
{
	*mean += (value - *mean) / (double)count;
}

static int add_profile(struct spread_series *series, const json_t *record)
{
	struct profile profile;
	int result = profile_read(&profile, record, NULL);

	if (result)
		return result;
	series->profiles++;
	add_to_mean(&series->user_part, series->profiles, profile.total[PROFILE_USER][0]);
	add_to_mean(&series->kernel_part, series->profiles, profile.total[PROFILE_KERNEL][0]);
	add_to_mean(&series->nodes, series->profiles,
		    profile_calls(&profile, 0, "io_rsrc_node_alloc"));
	add_to_mean(&series->allocations, series->profiles, profile_allocator_calls(&profile, 0));
	profile_release(&profile);
	return 0;
}

static int add_profiles(struct spread *spread, const char *role, const struct result *file)
{
	const json_t *record;
	size_t i;

	json_array_foreach(file->profiles, i, record) {
		struct spread_series *series = find(spread, role, json_string_value(
							    json_object_get(record, "id")));

		if (series && add_profile(series, record))
			return -ENOMEM;
	}
	return 0;
}

int spread_add(struct spread *spread, const char *role, const char *kernel, const char *path,
	       struct error *e)
{
	struct result file;
	int result = result_read(&file, path, e);

	for (size_t i = 0; !result && i < file.block_count; i++)
		if (add_point(spread, role, kernel, &file, i))
			result = error_set(e, ERROR_FAILED, ENOMEM, "no memory for the boots' "
					   "spread");
	if (!result && add_profiles(spread, role, &file))
		result = error_set(e, ERROR_FAILED, ENOMEM, "no memory for the boots' profiles");
	result_release(&file);
	return result;
}

double spread_percent(const struct spread_series *series)
{
	return series->count < 2 ? NAN : (series->max - series->min) / series->mean * 100;
}

/* Series stand in the order in which roles first came: the first of a point is that of A. */
const struct spread_series *spread_reference(const struct spread *spread,
					     const struct spread_series *series)
{
	for (const struct spread_series *other = spread->list; other < series; other++)
		if (!strcmp(other->id, series->id))
			return other;
	return NULL;
}

void spread_free(struct spread *spread)
{
	for (size_t i = 0; i < spread->count; i++) {
		free(spread->list[i].means);
		json_decref(spread->list[i].point);
	}
	free(spread->list);
	memset(spread, 0, sizeof(*spread));
}
