/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_COMMANDS_POINT_LAYOUT_H
#define RINGSCALE_COMMANDS_POINT_LAYOUT_H

#include <stdbool.h>
#include <stdio.h>

#include "engine/tally.h"
#include "results/table.h"

/* What the tables of a sweep of one workload have in common: which axes get a column, and cells. */
struct layout {
	bool column[AXIS_COUNT];
	bool kinds;
};

/* A table is of one workload. */
const struct workload *layout_workload(const struct tally *tally);

/* Points that were measured for another one's sake are in that one's figures. */
bool layout_is_row(const struct tally *tally, unsigned index);

/* The axes that the workload has and that vary. */
void layout_init(struct layout *layout, const struct sweep *sweep, bool kinds);

/* "slots 4096, used all, ...": what has no column holds for every row; lines of POINT_TABLE_WIDTH. */
void layout_constants(const struct layout *layout, const struct sweep *sweep, FILE *out);

void layout_columns(struct table *table, const struct layout *layout);

/* Starts the row of a point. */
void layout_axes(struct table *table, const struct layout *layout, const struct point *point,
		 const char *kinds);

/* The rows of a point, one a kind, each continued by `figures`; or one that says why there are none. */
void layout_point(struct table *table, const struct layout *layout, const struct tally *tally,
		  unsigned index,
		  void (*figures)(struct table *table, const struct tally *tally, unsigned index,
				  size_t group));

/* Blank where there is nothing to say. */
void layout_number(struct table *table, const char *format, double value);

/* How many tasks the processes had: "2", or "2..3" where blocks differ. */
void layout_tasks(struct table *table, const struct tally_point *point);

/* Letters, explained below the table: names would not leave room for the numbers. */
void layout_flags(struct table *table, const struct tally_point *point);

#endif
