// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/phase_table.h"

#include "commands/point_table.h"
#include "machine/lab_clock.h"
#include "results/table.h"

static void add_phases(struct table *table, const double phase_ns[PHASE_COUNT])
{
	bool path = lab_clock_counts();

	for (int i = 0; i < PHASE_COUNT; i++)
		if (i != PHASE_RELEASE_WAIT)
			layout_number(table, path ? "%.0f" : "%.1f", phase_ns[i] / (path ? 1 : 1000));
}

/* Rings and tables that outlast a fill: what each phase of their life takes. */
int phase_table_print(const struct tally *tally, const struct layout *all, FILE *out)
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

		if (!layout_is_row(tally, i) || point->invalid_blocks)
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
