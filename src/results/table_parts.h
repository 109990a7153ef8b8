/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_RESULTS_TABLE_PARTS_H
#define RINGSCALE_RESULTS_TABLE_PARTS_H

#include "results/table.h"

/* What a table is made of: for the files that print tables, and no others. */
struct table_column {
	char *heading;
	enum table_align align;
};

struct table_row {
	char **cells;
	size_t cell_count;
	char *remark;	/* spans the columns from cell_count on; NULL */
};

#endif
