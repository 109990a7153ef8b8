// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/reclaim_table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/point_layout.h"
#include "commands/point_table.h"
#include "machine/lab_clock.h"
#include "results/table.h"
#include "workloads/reclaim.h"

/* Of "64 of 64": enough digits for a mean over rounds that differ. */
static void released_cell(struct table *table, double released, unsigned files)
{
	if (isfinite(released))
		table_cell(table, "%.4g of %u", released, files);
	else
		table_cell(table, "%s", "");
}

/* ns of a figure in what is shown; in `ringscale vm --clock path` a ns is an instruction. */
static double shown(double ns)
{
	return lab_clock_counts() ? ns : ns / 1e6;
}

static void add_figures(struct table *table, const struct tally *tally, unsigned index, size_t group)
{
	struct tally_figures figures = tally_figures(tally, index, group);

	layout_number(table, "%.1f", figures.ns_per_install);
	released_cell(table, figures.measures[RECLAIM_RELEASED_PENDING],
		      tally->sweep->points[index].used);
	layout_number(table, "%.3f", shown(figures.measures[RECLAIM_DELAY_P50]));
	layout_number(table, "%.3f", shown(figures.measures[RECLAIM_DELAY_P99]));
	layout_flags(table, &tally->points[index]);
}

static int print_figures(const struct tally *tally, const struct layout *layout, FILE *out)
{
	bool path = lab_clock_counts();
	const char *const headings[] = {
		path ? "instr/removal" : "ns/removal", "released meanwhile",
		path ? "delay p50" : "delay p50 ms", path ? "p99" : "p99 ms",
	};
	struct table table = { 0 };
	int result;

	layout_columns(&table, layout);
	for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++)
		table_column(&table, headings[i], TABLE_RIGHT);
	table_column(&table, "flags", TABLE_LEFT);
	for (unsigned i = 0; i < tally->sweep->count; i++)
		if (!tally->sweep->points[i].solo)
			layout_point(&table, layout, tally, i, add_figures);
	result = table_print(&table, out, POINT_TABLE_WIDTH);
	table_free(&table);
	return result;
}

static int print_kept(const struct tally *tally, const struct layout *layout, FILE *out)
{
	struct table table = { 0 };
	bool replaced = false;
	int result;

	layout_columns(&table, layout);
	table_column(&table, lab_clock_counts() ? "unregister" : "unregister ms", TABLE_RIGHT);
	table_column(&table, "replaced", TABLE_RIGHT);
	table_column(&table, "files kept each", TABLE_RIGHT);
	table_column(&table, "bytes kept each", TABLE_RIGHT);
	for (unsigned i = 0; i < tally->sweep->count; i++) {
		const struct tally_point *point = &tally->points[i];

		if (tally->sweep->points[i].solo || point->invalid_blocks)
			continue;
		for (size_t g = 0; g < point->group_count; g++) {
			struct tally_figures figures = tally_figures(tally, i, g);

			replaced |= isfinite(figures.measures[RECLAIM_REPLACED]);
			layout_axes(&table, layout, &tally->sweep->points[i], point->groups[g].kinds);
			layout_number(&table, "%.3f", shown(figures.phase_ns[PHASE_UNREGISTER]));
			layout_number(&table, "%.0f", figures.measures[RECLAIM_REPLACED]);
			layout_number(&table, "%.2f", figures.measures[RECLAIM_LIVE_FILES]);
			layout_number(&table, "%.0f", figures.measures[RECLAIM_SLAB_BYTES]);
		}
	}
	fprintf(out, "\nunregistering while it is pending%s:\n",
		replaced ? "; files replaced meanwhile, and what was kept" : "");
	result = table_print(&table, out, POINT_TABLE_WIDTH);
	table_free(&table);
	return result;
}

/* Whether two points differ in --hold alone. */
static bool are_alike(const struct point *a, const struct point *b)
{
	char first[64], second[64];

	if (a->solo || b->solo || a->workload != b->workload ||
	    a->placement.count != b->placement.count)
		return false;
	for (enum axis axis = 0; axis < AXIS_COUNT; axis++)
		if (axis != AXIS_HOLD && strcmp(point_text(a, axis, first, sizeof(first)),
						point_text(b, axis, second, sizeof(second))))
			return false;
	for (int i = 0; i < a->placement.count; i++)
		if (a->placement.pairs[i].sender_pu != b->placement.pairs[i].sender_pu)
			return false;
	return true;
}

static const struct tally_group *group_of(const struct tally_point *point, const char *kinds)
{
	for (size_t i = 0; !point->invalid_blocks && i < point->group_count; i++)
		if (!strcmp(point->groups[i].kinds, kinds))
			return &point->groups[i];
	return NULL;
}

/* A value a block. */
struct values {
	double *x, *y;
	size_t count;
};

static bool add_values(struct values *values, const struct tally_group *group)
{
	size_t count = values->count + group->block_count;
	double *x = realloc(values->x, count * sizeof(*x));
	double *y = x ? realloc(values->y, count * sizeof(*y)) : NULL;

	values->x = x ? x : values->x;
	values->y = y ? y : values->y;
	if (!x || !y)
		return false;
	for (size_t i = 0; i < group->block_count; i++) {
		x[values->count] = group->block_measures[i][RECLAIM_PENDING_NS];
		y[values->count++] = group->block_measures[i][RECLAIM_DELAY_MEAN];
	}
	return true;
}

struct line reclaim_delay_line(const struct tally *tally, unsigned index, const char *kinds,
			       unsigned *holds)
{
	struct values values = { 0 };
	struct line line = { NAN, NAN, NAN };
	bool good = true;

	*holds = 0;
	for (unsigned i = 0; i < tally->sweep->count && good; i++) {
		const struct tally_group *group = group_of(&tally->points[i], kinds);

		if (!group || !are_alike(&tally->sweep->points[index], &tally->sweep->points[i]))
			continue;
		good = add_values(&values, group);
		++*holds;
	}
	if (good)
		line = line_fit(values.x, values.y, values.count);
	free(values.x);
	free(values.y);
	return line;
}

static bool is_first(const struct sweep *sweep, unsigned index)
{
	for (unsigned i = 0; i < index; i++)
		if (are_alike(&sweep->points[i], &sweep->points[index]))
			return false;
	return !sweep->points[index].solo;
}

static int print_slopes(const struct tally *tally, const struct layout *all, FILE *out)
{
	struct layout layout = *all;
	struct table table = { 0 };
	int result = 0;

	layout.column[AXIS_HOLD] = false;
	layout.column[AXIS_PENDING] = true;
	layout_columns(&table, &layout);
	table_column(&table, "delay / pending", TABLE_RIGHT);
	table_column(&table, "±95%", TABLE_RIGHT);
	table_column(&table, "times", TABLE_RIGHT);
	for (unsigned i = 0; i < tally->sweep->count; i++) {
		const struct tally_point *point = &tally->points[i];

		for (size_t g = 0; is_first(tally->sweep, i) && g < point->group_count; g++) {
			unsigned holds;
			struct line line = reclaim_delay_line(tally, i, point->groups[g].kinds, &holds);

			if (holds < 2)
				continue;
			layout_axes(&table, &layout, &tally->sweep->points[i], point->groups[g].kinds);
			layout_number(&table, "%.4f", line.slope);
			layout_number(&table, "%.4f", line.half_interval);
			table_cell(&table, "%u", holds);
		}
	}
	if (table.row_count) {
		fputs("\nslope of the release delay over the time pending (1: kept as long, 0: not "
		      "kept):\n", out);
		result = table_print(&table, out, POINT_TABLE_WIDTH);
	}
	table_free(&table);
	return result;
}

int reclaim_table_print(const struct tally *tally, bool kinds, FILE *out)
{
	struct layout layout;
	int result;

	layout_init(&layout, tally->sweep, kinds);
	layout.column[AXIS_PENDING] = true;
	layout_constants(&layout, tally->sweep, out);
	fputc('\n', out);
	result = print_figures(tally, &layout, out);
	if (!result)
		result = print_kept(tally, &layout, out);
	return result ? result : print_slopes(tally, &layout, out);
}
