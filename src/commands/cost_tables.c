// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/cost_tables.h"

#include <math.h>

#include "commands/point_table.h"
#include "machine/lab_clock.h"
#include "results/table.h"

static void add_figures(struct table *table, const struct tally *tally, unsigned index, size_t group)
{
	struct tally_figures figures = tally_figures(tally, index, group);

	layout_number(table, "%.1f", figures.ns_per_install);
	layout_number(table, "%.1f", figures.half_interval);
	layout_number(table, "%.2f", figures.cv_percent);
	layout_number(table, "%.1f", figures.sender_ns);
	layout_number(table, "%.2f", lab_clock_counts() ? NAN : figures.rate / 1e6);
	layout_number(table, "%.0f%%", figures.efficiency * 100);
	if (layout_workload(tally)->sets_tasks)
		layout_tasks(table, &tally->points[index]);
	layout_flags(table, &tally->points[index]);
}

int cost_table_print(const struct tally *tally, const struct layout *layout, FILE *out)
{
	/* In `ringscale vm --clock path` a ns is an instruction, and there is no time at all. */
	bool path = lab_clock_counts();
	char cost[32];
	const char *const headings[] = {
		cost, "±95%", "CV %",
		path ? "sender instr" : "sender ns", "M/s", "eff",
	};
	struct table table = { 0 };
	int result;

	snprintf(cost, sizeof(cost), "%s/%s", path ? "instr" : "ns", layout_workload(tally)->unit);
	layout_columns(&table, layout);
	for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++)
		table_column(&table, headings[i], TABLE_RIGHT);
	if (layout_workload(tally)->sets_tasks)
		table_column(&table, "tasks", TABLE_RIGHT);
	table_column(&table, "flags", TABLE_LEFT);
	for (unsigned i = 0; i < tally->sweep->count; i++)
		if (layout_is_row(tally, i))
			layout_point(&table, layout, tally, i, add_figures);
	result = table_print(&table, out, POINT_TABLE_WIDTH);
	table_free(&table);
	return result;
}

/* Points of several pairs: what the mean over them hides. */
int pairs_table_print(const struct tally *tally, const struct layout *layout, FILE *out)
{
	struct table table = { 0 };
	char median[40];
	int result = 0;

	snprintf(median, sizeof(median), "median ns/%s", layout_workload(tally)->unit);
	layout_columns(&table, layout);
	table_column(&table, median, TABLE_RIGHT);
	table_column(&table, "fastest pair", TABLE_RIGHT);
	table_column(&table, "slowest pair", TABLE_RIGHT);
	for (unsigned i = 0; i < tally->sweep->count; i++) {
		const struct tally_point *point = &tally->points[i];

		for (size_t g = 0; !point->invalid_blocks && g < point->group_count; g++) {
			struct tally_figures figures = tally_figures(tally, i, g);

			if (!layout_is_row(tally, i) || point->groups[g].pairs < 2)
				continue;
			layout_axes(&table, layout, &tally->sweep->points[i], point->groups[g].kinds);
			layout_number(&table, "%.1f", figures.median_ns);
			layout_number(&table, "%.1f", figures.fastest_pair_ns);
			layout_number(&table, "%.1f", figures.slowest_pair_ns);
		}
	}
	if (table.row_count) {
		fputs("\nseveral pairs, apart:\n", out);
		result = table_print(&table, out, POINT_TABLE_WIDTH);
	}
	table_free(&table);
	return result;
}

static bool used_workers(const struct tally *tally, unsigned index)
{
	return tally->points[index].workers > 0 || tally->sweep->points[index].pattern != PATTERN_PAIRS;
}

/* Installs that found the target's lock taken: done by a worker of io-wq, at another price. */
int workers_table_print(const struct tally *tally, const struct layout *layout, FILE *out)
{
	struct table table = { 0 };
	int result = 0;

	layout_columns(&table, layout);
	table_column(&table, "punts/1000", TABLE_RIGHT);
	table_column(&table, "io-wq workers", TABLE_RIGHT);
	for (unsigned i = 0; i < tally->sweep->count; i++) {
		const struct tally_point *point = &tally->points[i];

		if (!layout_is_row(tally, i) || point->invalid_blocks || !used_workers(tally, i))
			continue;
		for (size_t g = 0; g < point->group_count; g++) {
			struct tally_figures figures = tally_figures(tally, i, g);

			layout_axes(&table, layout, &tally->sweep->points[i], point->groups[g].kinds);
			layout_number(&table, "%.1f", figures.punts_per_1000);
			layout_number(&table, "%.0f", point->workers);
		}
	}
	if (table.row_count) {
		fputs("\nrequests punted to io-wq (blank: this machine does not count them):\n", out);
		result = table_print(&table, out, POINT_TABLE_WIDTH);
	}
	table_free(&table);
	return result;
}
