// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/point_table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/payoff_table.h"
#include "commands/point_layout.h"
#include "commands/reclaim_table.h"
#include "engine/flags.h"
#include "machine/lab_clock.h"
#include "results/table.h"

/* A table is of one workload. */
static const struct workload *workload_of(const struct tally *tally)
{
	return workloads[tally->sweep->points[0].workload];
}

/* Points that were measured for another one's sake are in that one's figures. */
static bool is_row(const struct tally *tally, unsigned index)
{
	return !tally->sweep->points[index].solo && !tally->sweep->points[index].control;
}

/* "2", or "2..3" where blocks differ. */
static void tasks_cell(struct table *table, const struct tally_point *point)
{
	if (!point->least_tasks)
		table_cell(table, "%s", "");
	else if (point->least_tasks == point->most_tasks)
		table_cell(table, "%lld", (long long)point->least_tasks);
	else
		table_cell(table, "%lld..%lld", (long long)point->least_tasks,
			   (long long)point->most_tasks);
}

static void add_figures(struct table *table, const struct tally *tally, unsigned index, size_t group)
{
	struct tally_figures figures = tally_figures(tally, index, group);

	layout_number(table, "%.1f", figures.ns_per_install);
	layout_number(table, "%.1f", figures.half_interval);
	layout_number(table, "%.2f", figures.cv_percent);
	layout_number(table, "%.1f", figures.sender_ns);
	layout_number(table, "%.2f", lab_clock_counts() ? NAN : figures.rate / 1e6);
	layout_number(table, "%.0f%%", figures.efficiency * 100);
	if (workload_of(tally)->sets_tasks)
		tasks_cell(table, &tally->points[index]);
	layout_flags(table, &tally->points[index]);
}

static void add_point(struct table *table, const struct layout *layout, const struct tally *tally,
		      unsigned index)
{
	const struct tally_point *point = &tally->points[index];
	const struct point *what = &tally->sweep->points[index];

	if (point->invalid_blocks || !point->group_count) {
		layout_axes(table, layout, what, what->placement.pairs[0].kinds);
		if (point->invalid_blocks)
			table_remark(table, "invalid: %s", point->reason);
		else
			table_remark(table, "not measured");
		return;
	}
	for (size_t group = 0; group < point->group_count; group++) {
		layout_axes(table, layout, what, point->groups[group].kinds);
		add_figures(table, tally, index, group);
	}
}

static int print_figures(const struct tally *tally, const struct layout *layout, FILE *out)
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

	snprintf(cost, sizeof(cost), "%s/%s", path ? "instr" : "ns", workload_of(tally)->unit);
	layout_columns(&table, layout);
	for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++)
		table_column(&table, headings[i], TABLE_RIGHT);
	if (workload_of(tally)->sets_tasks)
		table_column(&table, "tasks", TABLE_RIGHT);
	table_column(&table, "flags", TABLE_LEFT);
	for (unsigned i = 0; i < tally->sweep->count; i++)
		if (is_row(tally, i))
			add_point(&table, layout, tally, i);
	result = table_print(&table, out, POINT_TABLE_WIDTH);
	table_free(&table);
	return result;
}

/* Points of several pairs: what the mean over them hides. */
static int print_pairs(const struct tally *tally, const struct layout *layout, FILE *out)
{
	struct table table = { 0 };
	char median[40];
	int result = 0;

	snprintf(median, sizeof(median), "median ns/%s", workload_of(tally)->unit);
	layout_columns(&table, layout);
	table_column(&table, median, TABLE_RIGHT);
	table_column(&table, "fastest pair", TABLE_RIGHT);
	table_column(&table, "slowest pair", TABLE_RIGHT);
	for (unsigned i = 0; i < tally->sweep->count; i++) {
		const struct tally_point *point = &tally->points[i];

		for (size_t g = 0; !point->invalid_blocks && g < point->group_count; g++) {
			struct tally_figures figures = tally_figures(tally, i, g);

			if (!is_row(tally, i) || point->groups[g].pairs < 2)
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

/* Why the messages to this point's installs have no numbers; NULL: they have, or there are none. */
static const char *control_reason(const struct tally *tally, unsigned index)
{
	int control = sweep_find_control(tally->sweep, &tally->sweep->points[index]);

	return control < 0 ? NULL : tally->points[control].reason;
}

/* --with-control: what an install costs beyond a message that goes the same way. */
static int print_controls(const struct tally *tally, const struct layout *layout, FILE *out)
{
	struct table table = { 0 };
	struct tally_difference control;
	int result = 0;

	layout_columns(&table, layout);
	table_column(&table, "blocks", TABLE_RIGHT);
	table_column(&table, "install", TABLE_RIGHT);
	table_column(&table, "message", TABLE_RIGHT);
	table_column(&table, "difference", TABLE_RIGHT);
	table_column(&table, "±95%", TABLE_RIGHT);
	for (unsigned i = 0; i < tally->sweep->count; i++) {
		const struct tally_point *point = &tally->points[i];

		for (size_t g = 0; is_row(tally, i) && g < point->group_count; g++) {
			const char *reason = control_reason(tally, i);

			if (!tally_control(tally, i, g, &control) && !reason)
				continue;
			layout_axes(&table, layout, &tally->sweep->points[i], point->groups[g].kinds);
			if (reason) {
				table_remark(&table, "messages invalid: %s", reason);
				continue;
			}
			table_cell(&table, "%zu", control.blocks);
			layout_number(&table, "%.1f", control.first_ns);
			layout_number(&table, "%.1f", control.second_ns);
			layout_number(&table, "%.1f", control.ns);
			layout_number(&table, "%.1f", control.half_interval);
		}
	}
	if (table.row_count) {
		fprintf(out, "\ninstall minus message, %s each (paired by block):\n",
			lab_clock_counts() ? "instructions" : "ns");
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
static int print_workers(const struct tally *tally, const struct layout *layout, FILE *out)
{
	struct table table = { 0 };
	int result = 0;

	layout_columns(&table, layout);
	table_column(&table, "punts/1000", TABLE_RIGHT);
	table_column(&table, "io-wq workers", TABLE_RIGHT);
	for (unsigned i = 0; i < tally->sweep->count; i++) {
		const struct tally_point *point = &tally->points[i];

		if (!is_row(tally, i) || point->invalid_blocks || !used_workers(tally, i))
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

static void add_phases(struct table *table, const double phase_ns[PHASE_COUNT])
{
	bool path = lab_clock_counts();

	for (int i = 0; i < PHASE_COUNT; i++)
		if (i != PHASE_RELEASE_WAIT)
			layout_number(table, path ? "%.0f" : "%.1f", phase_ns[i] / (path ? 1 : 1000));
}

/* Rings and tables that outlast a fill: what each phase of their life takes. */
static int print_phases(const struct tally *tally, const struct layout *all, FILE *out)
{
	static const char *const headings[PHASE_COUNT] = {
		[PHASE_CREATE] = "create", [PHASE_REGISTER] = "register",
		[PHASE_FIRST_FILL] = "fill", [PHASE_REMOVE] = "remove",
		[PHASE_REFILL] = "refill", [PHASE_UNREGISTER] = "unregister",
		[PHASE_EXIT] = "exit",
	};
	const struct sweep *sweep = tally->sweep;
	struct layout layout = *all;
	struct table table = { 0 };
	int result;

	layout.column[AXIS_CYCLE] = true;
	layout.column[AXIS_BATCH] = sweep_axis_varies(sweep, AXIS_BATCH, false);
	layout_columns(&table, &layout);
	for (int i = 0; i < PHASE_COUNT; i++)
		if (headings[i])
			table_column(&table, headings[i], TABLE_RIGHT);
	for (unsigned i = 0; i < sweep->count; i++) {
		const struct tally_point *point = &tally->points[i];

		if (!is_row(tally, i) || point->invalid_blocks)
			continue;
		for (size_t g = 0; g < point->group_count; g++) {
			struct tally_figures figures = tally_figures(tally, i, g);

			layout_axes(&table, &layout, &sweep->points[i], point->groups[g].kinds);
			add_phases(&table, figures.phase_ns);
		}
	}
	fprintf(out, "\nphases, %s each (fill: the first one of a ring):\n",
		lab_clock_counts() ? "instructions" : "µs");
	result = table_print(&table, out, POINT_TABLE_WIDTH);
	table_free(&table);
	return result;
}

/* The point that differs from point `index` in --ring-fd alone, or -1. */
static int registered_of(const struct sweep *sweep, const uint64_t *keys, unsigned index)
{
	for (unsigned i = 0; i < sweep->count; i++)
		if (keys[i] == keys[index] && sweep->points[i].ring_fd == RING_FD_REGISTERED &&
		    sweep->points[i].solo == sweep->points[index].solo)
			return (int)i;
	return -1;
}

static void add_differences(struct table *table, const struct tally *tally,
			    const struct layout *layout, const uint64_t *keys, unsigned index)
{
	const struct tally_point *point = &tally->points[index];
	const struct point *plain = &tally->sweep->points[index];
	int registered = plain->ring_fd == RING_FD_PLAIN && !plain->solo
		? registered_of(tally->sweep, keys, index) : -1;

	for (size_t g = 0; registered >= 0 && g < point->group_count; g++) {
		struct tally_difference difference = tally_difference(
			tally, index, (unsigned)registered, point->groups[g].kinds);

		if (!isfinite(difference.ns))
			continue;
		layout_axes(table, layout, plain, point->groups[g].kinds);
		layout_number(table, "%.1f", difference.first_ns);
		layout_number(table, "%.1f", difference.second_ns);
		layout_number(table, "%+.2f", difference.ns);
		layout_number(table, "%.2f", difference.half_interval);
		layout_number(table, "%+.1f", difference.ns / difference.second_ns * 100);
		tasks_cell(table, point);
	}
}

/* Both settings of --ring-fd, block by block. */
static int print_differences(const struct tally *tally, const struct layout *all, FILE *out)
{
	static const char *const headings[] = { "plain", "registered", "plain - registered", "±95%",
						"%", "tasks" };
	uint64_t *keys = sweep_keys(tally->sweep, AXIS_RING_FD);
	struct layout layout = *all;
	struct table table = { 0 };
	int result = keys ? 0 : -ENOMEM;

	layout.column[AXIS_RING_FD] = false;
	layout_columns(&table, &layout);
	for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++)
		table_column(&table, headings[i], TABLE_RIGHT);
	for (unsigned i = 0; keys && i < tally->sweep->count; i++)
		add_differences(&table, tally, &layout, keys, i);
	if (table.row_count) {
		fprintf(out, "\nwhat a registered ring saves, %s/%s, block by block of one pass:\n",
			lab_clock_counts() ? "instructions" : "ns", workload_of(tally)->unit);
		result = table_print(&table, out, POINT_TABLE_WIDTH);
	}
	table_free(&table);
	free(keys);
	return result;
}

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
			seen |= layout_has_flag(&tally->points[i], flag);
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

static int print_installs(const struct tally *tally, bool kinds, FILE *out)
{
	struct layout layout;
	int result;

	layout_init(&layout, tally->sweep, kinds);
	/* A cost per install means nothing without it. */
	layout.column[AXIS_BATCH] = true;
	layout_constants(&layout, tally->sweep, out);
	fputc('\n', out);
	result = print_figures(tally, &layout, out);
	if (!result)
		result = print_pairs(tally, &layout, out);
	if (!result)
		result = print_controls(tally, &layout, out);
	if (!result)
		result = print_workers(tally, &layout, out);
	if (!result && layout.column[AXIS_RING_FD])
		result = print_differences(tally, &layout, out);
	if (!result && (layout.column[AXIS_CYCLE] || tally->sweep->points[0].cycle != CYCLE_FRESH))
		result = print_phases(tally, &layout, out);
	return result;
}

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
