// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/difference_tables.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "commands/point_table.h"
#include "machine/lab_clock.h"
#include "results/table.h"

/* Why the messages to this point's installs have no numbers; NULL: they have, or there are none. */
static const char *control_reason(const struct tally *tally, unsigned index)
{
	int control = sweep_find_control(tally->sweep, &tally->sweep->points[index]);

	return control < 0 ? NULL : tally->points[control].reason;
}

/* --with-control: what an install costs beyond a message that goes the same way. */
int control_table_print(const struct tally *tally, const struct layout *layout, FILE *out)
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

		for (size_t g = 0; layout_is_row(tally, i) && g < point->group_count; g++) {
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
		layout_number(table, "%+.1f", difference.ns / difference.first_ns * 100);
		layout_tasks(table, point);
	}
}

/* Both settings of --ring-fd, block by block. */
int ring_fd_table_print(const struct tally *tally, const struct layout *all, FILE *out)
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
			lab_clock_counts() ? "instructions" : "ns", layout_workload(tally)->unit);
		result = table_print(&table, out, POINT_TABLE_WIDTH);
	}
	table_free(&table);
	free(keys);
	return result;
}
