// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/point_table.h"

#include <errno.h>
#include <stdlib.h>

#include "commands/cost_tables.h"
#include "commands/difference_tables.h"
#include "commands/payoff_table.h"
#include "commands/phase_table.h"
#include "commands/point_layout.h"
#include "commands/reclaim_table.h"
#include "engine/flags.h"
#include "results/table.h"

/* What the letters mean, with their thresholds. */
static int print_flags(const struct tally *tally, FILE *out)
{
	struct table table = { 0 };
	int result = 0;

	table_column(&table, "", TABLE_LEFT);
	table_column(&table, "flag", TABLE_LEFT);
	table_column(&table, "set when (it never changes a number)", TABLE_LEFT);
	for (const struct flag *flag = flags; flag->name; flag++) {
		bool seen = false;

		for (size_t i = 0; i < tally->sweep->count; i++)
			seen |= tally_has_flag(&tally->points[i], flag->name);
		if (!seen)
			continue;
		table_row(&table);
		table_cell(&table, "%c", flag->letter);
		table_cell(&table, "%s", flag->name);
		table_cell(&table, "%s", flag->threshold);
	}
	if (table.row_count) {
		fputc('\n', out);
		result = table_print(&table, out, POINT_TABLE_WIDTH);
	}
	table_free(&table);
	return result;
}

/* Every table that has something to say of installs, NOPs or updates. */
static int print_installs(const struct tally *tally, bool kinds, FILE *out)
{
	struct layout layout;
	int result;

	layout_init(&layout, tally->sweep, kinds);
	/* A cost per install means nothing without it. */
	layout.column[AXIS_BATCH] = true;
	layout_constants(&layout, tally->sweep, out);
	fputc('\n', out);
	result = cost_table_print(tally, &layout, out);
	if (!result)
		result = pairs_table_print(tally, &layout, out);
	if (!result)
		result = control_table_print(tally, &layout, out);
	if (!result)
		result = workers_table_print(tally, &layout, out);
	if (!result && layout.column[AXIS_RING_FD])
		result = ring_fd_table_print(tally, &layout, out);
	if (!result && (layout.column[AXIS_CYCLE] || tally->sweep->points[0].cycle != CYCLE_FRESH))
		result = phase_table_print(tally, &layout, out);
	return result;
}

/* Removals have tables of their own; all other workloads cost so much an install. */
static int print_workload(const struct tally *tally, bool kinds, FILE *out)
{
	return point_removes(&tally->sweep->points[0]) ? reclaim_table_print(tally, kinds, out)
						       : print_installs(tally, kinds, out);
}

/* Messages that are a control are shown with the installs that they stand beside. */
static bool is_part(const struct sweep *sweep, size_t index, int workload)
{
	if (!sweep->points[index].control)
		return sweep->points[index].workload == workload;
	for (size_t i = 0; i < sweep->count; i++)
		if (!sweep->points[i].control && sweep->points[i].workload == workload &&
		    sweep_find_control(sweep, &sweep->points[i]) == (int)index)
			return true;
	return false;
}

/* The points of one workload as a sweep and a tally by themselves; what they hold is borrowed. */
static int print_part(const struct tally *tally, int workload, bool kinds, FILE *out)
{
	struct sweep sweep = { .points = calloc(tally->sweep->count, sizeof(*sweep.points)) };
	struct tally part = { .sweep = &sweep,
			      .points = calloc(tally->sweep->count, sizeof(*part.points)) };
	int result = sweep.points && part.points ? 0 : -ENOMEM;

	for (size_t i = 0; !result && i < tally->sweep->count; i++) {
		if (!is_part(tally->sweep, i, workload))
			continue;
		sweep.points[sweep.count] = tally->sweep->points[i];
		part.points[sweep.count++] = tally->points[i];
	}
	if (!result && sweep.count)
		result = print_workload(&part, kinds, out);
	if (!result && sweep.count)
		fputc('\n', out);
	free(sweep.points);
	free(part.points);
	return result;
}

int point_table_print(const struct tally *tally, bool kinds, FILE *out)
{
	bool several = false;
	int result = 0;

	for (size_t i = 0; i < tally->sweep->count; i++)
		several |= !is_part(tally->sweep, i, tally->sweep->points[0].workload);

	if (!several)
		result = print_workload(tally, kinds, out);
	for (int i = 0; several && workloads[i] && !result; i++)
		result = print_part(tally, i, kinds, out);
	if (several && !result)
		result = payoff_table_print(tally, out);
	if (!result)
		result = print_flags(tally, out);
	return result;
}
