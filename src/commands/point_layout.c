// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/point_layout.h"

#include <math.h>
#include <stdlib.h>

#include "commands/point_table.h"
#include "engine/flags.h"

const struct workload *layout_workload(const struct tally *tally)
{
	return workloads[tally->sweep->points[0].workload];
}

bool layout_is_row(const struct tally *tally, unsigned index)
{
	return !tally->sweep->points[index].solo && !tally->sweep->points[index].control;
}

void layout_init(struct layout *layout, const struct sweep *sweep, bool kinds)
{
	*layout = (struct layout){ .kinds = kinds };
	for (enum axis axis = 0; axis < AXIS_COUNT; axis++)
		layout->column[axis] = point_has(&sweep->points[0], axis) &&
				       sweep_axis_varies(sweep, axis, false);
}

void layout_constants(const struct layout *layout, const struct sweep *sweep, FILE *out)
{
	int at = 0;

	for (enum axis axis = 0; axis < AXIS_COUNT; axis++) {
		char buffer[64], item[192];
		int length;

		if (layout->column[axis] || !point_has(&sweep->points[0], axis))
			continue;
		length = snprintf(item, sizeof(item), "%s %s", axis_info(axis)->name,
				  sweep_axis_text(sweep, axis, false, buffer, sizeof(buffer)));
		if (at && at + 2 + length > POINT_TABLE_WIDTH) {
			fputc('\n', out);
			at = 0;
		}
		at += fprintf(out, "%s%s", at ? "  " : "", item);
	}
	if (at)
		fputc('\n', out);
}

void layout_columns(struct table *table, const struct layout *layout)
{
	for (enum axis axis = 0; axis < AXIS_COUNT; axis++)
		if (layout->column[axis])
			table_column(table, axis_info(axis)->name,
				     axis_info(axis)->type == AXIS_TYPE_NAME ||
				     axis_info(axis)->type == AXIS_TYPE_PLACE
					     ? TABLE_LEFT : TABLE_RIGHT);
	if (layout->kinds)
		table_column(table, "kind", TABLE_LEFT);
}

void layout_axes(struct table *table, const struct layout *layout, const struct point *point,
		 const char *kinds)
{
	char buffer[64];

	table_row(table);
	for (enum axis axis = 0; axis < AXIS_COUNT; axis++)
		if (layout->column[axis])
			table_cell(table, "%s", point_text(point, axis, buffer, sizeof(buffer)));
	if (layout->kinds)
		table_cell(table, "%s", kinds);
}

void layout_point(struct table *table, const struct layout *layout, const struct tally *tally,
		  unsigned index,
		  void (*figures)(struct table *table, const struct tally *tally, unsigned index,
				  size_t group))
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
		figures(table, tally, index, group);
	}
}

void layout_number(struct table *table, const char *format, double value)
{
	char text[48];

	if (!isfinite(value)) {
		table_cell(table, "%s", "");
		return;
	}
	snprintf(text, sizeof(text), format, value);
	/* "-0.00" is 0. */
	table_cell(table, "%s", text + (text[0] == '-' && strtod(text, NULL) == 0));
}

void layout_tasks(struct table *table, const struct tally_point *point)
{
	if (!point->least_tasks)
		table_cell(table, "%s", "");
	else if (point->least_tasks == point->most_tasks)
		table_cell(table, "%lld", (long long)point->least_tasks);
	else
		table_cell(table, "%lld..%lld", (long long)point->least_tasks,
			   (long long)point->most_tasks);
}

void layout_flags(struct table *table, const struct tally_point *point)
{
	char letters[32];
	size_t count = 0;

	for (const struct flag *flag = flags; flag->name; flag++)
		if (tally_has_flag(point, flag->name) && count < sizeof(letters) - 1)
			letters[count++] = flag->letter;
	letters[count] = '\0';
	table_cell(table, "%s", letters);
}
