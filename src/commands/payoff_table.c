// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/payoff_table.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "commands/point_layout.h"
#include "commands/point_table.h"
#include "commands/reclaim_table.h"
#include "machine/lab_clock.h"
#include "results/table.h"
#include "workloads/reclaim.h"

/* Pair counts that get a column. */
#define COLUMNS_MAX 12

/* Where a figure comes from. */
struct source {
	bool removes;
	enum cycle cycle;		/* of installs */
	enum pending pending;		/* of removals */
};

/* Point and group of one cell of the table. */
struct cell {
	const struct tally *tally;
	const char *kinds;
	unsigned point;
	struct tally_figures figures;
};

static double install_ns(const struct cell *cell)
{
	return cell->figures.ns_per_install;
}

/* A removal with what the kernel does for it later, of files that others keep open. */
static double cycle_removal_ns(const struct cell *cell)
{
	double ns = cell->figures.phase_ns[PHASE_REMOVE] +
		    cell->figures.phase_ns[PHASE_RELEASE_WAIT];

	return ns / cell->tally->sweep->points[cell->point].used;
}

static double settled_ns(const struct cell *cell)
{
	return cell->figures.measures[RECLAIM_SETTLED_NS] /
	       cell->tally->sweep->points[cell->point].used;
}

static double released_percent(const struct cell *cell)
{
	return cell->figures.measures[RECLAIM_RELEASED_PENDING] * 100 /
	       cell->tally->sweep->points[cell->point].used;
}

static double delay_slope(const struct cell *cell)
{
	unsigned holds;

	return reclaim_delay_line(cell->tally, cell->point, cell->kinds, &holds).slope;
}

/* As the point is the one with the longest time. */
static double unregister_share(const struct cell *cell)
{
	int64_t hold_ns = cell->tally->sweep->points[cell->point].hold_ns;

	return hold_ns ? cell->figures.phase_ns[PHASE_UNREGISTER] / (double)hold_ns : NAN;
}

static double files_kept(const struct cell *cell)
{
	return cell->figures.measures[RECLAIM_LIVE_FILES];
}

static double bytes_kept(const struct cell *cell)
{
	return cell->figures.measures[RECLAIM_SLAB_BYTES];
}

#define INSTALLS(c) { .cycle = (c) }
#define REMOVALS(p) { .removes = true, .pending = (p) }

#define PENDING(name, p) \
	{ name " pending: released meanwhile, %", REMOVALS(p), released_percent, "%.1f" }, \
	{ name " pending: delay / time pending", REMOVALS(p), delay_slope, "%.3f" }, \
	{ name " pending: unregister / time pending", REMOVALS(p), unregister_share, "%.3f" }, \
	{ name " pending: files kept per removal", REMOVALS(p), files_kept, "%.2f" }, \
	{ name " pending: bytes kept per removal", REMOVALS(p), bytes_kept, "%.0f" }

static const struct row {
	const char *what;
	struct source source;
	double (*value)(const struct cell *cell);
	const char *format;
} rows[] = {
	{ "install, fresh, ns", INSTALLS(CYCLE_FRESH), install_ns, "%.1f" },
	{ "install, reuse, ns", INSTALLS(CYCLE_REUSE), install_ns, "%.1f" },
	{ "removal, reuse, until released, ns", INSTALLS(CYCLE_REUSE), cycle_removal_ns, "%.1f" },
	{ "removal of a file's last reference, ns", REMOVALS(PENDING_NONE), install_ns, "%.1f" },
	{ "the same, until released, ns", REMOVALS(PENDING_NONE), settled_ns, "%.1f" },
	PENDING("normal", PENDING_NORMAL),
	PENDING("fixed", PENDING_FIXED),
};

static const char explanation[] =
	"A fill alone cannot show the pay-off of the change in Linux 6.13 (7029acd8a950):\n"
	"it shows only the cost, an allocation for every install. The pay-off is release:\n"
	"delay / time pending is 1 where a request keeps every file that is removed while\n"
	"it is pending, 0 where it keeps none but its own. To set one against the other,\n"
	"measure this preset on the parent and on the child of the change.\n";

static bool is_from(const struct point *point, const struct source *source)
{
	if (point->solo || point_removes(point) != source->removes)
		return false;
	if (source->removes)
		return point->pending == source->pending && point->issued == ISSUED_BEFORE;
	return !strcmp(workloads[point->workload]->name, "send-fd") && point->cycle == source->cycle;
}

/* The point of a cell: of several times pending, the one with the longest. */
static bool find_cell(const struct tally *tally, const struct source *source, int pairs,
		      const char *kinds, struct cell *cell)
{
	int64_t longest_ns = -1;

	*cell = (struct cell){ .tally = tally, .kinds = kinds };
	for (unsigned i = 0; i < tally->sweep->count; i++) {
		const struct point *point = &tally->sweep->points[i];

		if (!is_from(point, source) || point->pairs != pairs ||
		    tally->points[i].invalid_blocks || point->hold_ns <= longest_ns)
			continue;
		for (size_t g = 0; g < tally->points[i].group_count; g++) {
			if (strcmp(tally->points[i].groups[g].kinds, kinds))
				continue;
			longest_ns = point->hold_ns;
			cell->point = i;
			cell->figures = tally_figures(tally, i, g);
		}
	}
	return longest_ns >= 0;
}

static int list_pairs(const struct tally *tally, int counts[static COLUMNS_MAX])
{
	int count = 0;

	for (size_t i = 0; i < tally->sweep->count && count < COLUMNS_MAX; i++) {
		int pairs = tally->sweep->points[i].pairs, at = count;

		for (int k = 0; k < count; k++)
			if (counts[k] == pairs)
				pairs = 0;
		if (!pairs || tally->sweep->points[i].solo)
			continue;
		while (at > 0 && counts[at - 1] > pairs) {
			counts[at] = counts[at - 1];
			at--;
		}
		counts[at] = pairs;
		count++;
	}
	return count;
}

static void add_row(struct table *table, const struct tally *tally, const struct row *row,
		    const int *counts, int count, const char *kinds)
{
	table_row(table);
	table_cell(table, "%s", row->what);
	for (int k = 0; k < count; k++) {
		struct cell cell;
		bool found = find_cell(tally, &row->source, counts[k], kinds, &cell);

		layout_number(table, row->format, found ? row->value(&cell) : NAN);
	}
}

static int print_kinds(const struct tally *tally, const char *kinds, bool named, FILE *out)
{
	int counts[COLUMNS_MAX], count = list_pairs(tally, counts), result;
	struct table table = { 0 };

	table_column(&table, "", TABLE_LEFT);
	for (int k = 0; k < count; k++) {
		char heading[32];

		snprintf(heading, sizeof(heading), "%d pair%s", counts[k], counts[k] == 1 ? "" : "s");
		table_column(&table, heading, TABLE_RIGHT);
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		add_row(&table, tally, &rows[i], counts, count, kinds);
	fprintf(out, "pay-off on this kernel%s%s (%s):\n", named ? ", kind " : "", named ? kinds : "",
		lab_clock_counts() ? "instructions for ns" : "cost above, release below");
	result = table_print(&table, out, POINT_TABLE_WIDTH);
	fputc('\n', out);
	table_free(&table);
	return result;
}

/* Whether a kind of cores shows up for the first time at this point's group. */
static bool is_new(const struct tally *tally, unsigned point, size_t group)
{
	const char *kinds = tally->points[point].groups[group].kinds;

	for (unsigned i = 0; i < point; i++)
		for (size_t g = 0; g < tally->points[i].group_count; g++)
			if (!strcmp(tally->points[i].groups[g].kinds, kinds))
				return false;
	return true;
}

/* Axes that tell the rows and columns, or of which find_cell picks the value. */
static bool is_told(enum axis axis)
{
	return axis == AXIS_WORKLOAD || axis == AXIS_PAIRS || axis == AXIS_CYCLE ||
	       axis == AXIS_PENDING || axis == AXIS_HOLD || axis == AXIS_ISSUED;
}

/* The first point's value where one of the same workload has another; else NULL. */
static const char *first_of_several(const struct sweep *sweep, enum axis axis)
{
	for (size_t i = 0; i < sweep->count; i++)
		for (size_t k = 0; k < i; k++) {
			const struct point *a = &sweep->points[k], *b = &sweep->points[i];

			if (a->solo || b->solo || a->workload != b->workload || a->pairs != b->pairs ||
			    a->pending != b->pending || !strcmp(a->value[axis].text, b->value[axis].text))
				continue;
			return a->value[axis].text;
		}
	return NULL;
}

/* A table has one figure a cell: of values that it has no place for, it has the first. */
static void print_first_values(const struct sweep *sweep, FILE *out)
{
	char option[AXIS_OPTION_SIZE];
	bool any = false;

	for (enum axis axis = 0; axis < AXIS_COUNT; axis++) {
		const char *text = is_told(axis) ? NULL : first_of_several(sweep, axis);

		if (text)
			fprintf(out, "of several %s this table has %s alone\n", axis_option(axis, option), text);
		any |= text != NULL;
	}
	if (any)
		fputc('\n', out);
}

int payoff_table_print(const struct tally *tally, FILE *out)
{
	bool installs = false, removals = false;
	unsigned kinds = 0;
	int result = 0;

	for (unsigned i = 0; i < tally->sweep->count; i++) {
		const struct point *point = &tally->sweep->points[i];

		removals |= point_removes(point);
		installs |= !strcmp(workloads[point->workload]->name, "send-fd");
		for (size_t g = 0; g < tally->points[i].group_count; g++)
			kinds += is_new(tally, i, g);
	}
	if (!installs || !removals)
		return 0;
	for (unsigned i = 0; i < tally->sweep->count && !result; i++)
		for (size_t g = 0; g < tally->points[i].group_count && !result; g++)
			if (is_new(tally, i, g))
				result = print_kinds(tally, tally->points[i].groups[g].kinds,
						     kinds > 1, out);
	print_first_values(tally->sweep, out);
	fputs(explanation, out);
	return result;
}
