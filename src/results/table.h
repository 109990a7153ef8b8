/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_RESULTS_TABLE_H
#define RINGSCALE_RESULTS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * A text table: columns as wide as their widest cell, two blanks between,
 * numbers to the right. Knows nothing of what it shows. A row may end in a
 * remark that spans the columns from its first missing cell on ("invalid: ...").
 * Texts are UTF-8, a code point a column wide.
 *
 * A zeroed struct is an empty table. Functions that add do not fail: `failed`
 * remembers for table_print. Used by one thread.
 */
struct table {
	struct table_column *columns;
	size_t column_count;
	struct table_row *rows;
	size_t row_count;
	int failed;	/* errno: ENOMEM, or EINVAL for a cell without its row or column */
};

enum table_align { TABLE_LEFT, TABLE_RIGHT };

void table_column(struct table *table, const char *heading, enum table_align align);
/* Starts a row; cells are added from the left. */
void table_row(struct table *table);
void table_cell(struct table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The rest of this row is one remark. */
void table_remark(struct table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Prints to `out`, lines at most `width` columns (0: any), with no blanks at
 * their ends. Columns whose cells are all empty are left out; a remark too
 * long is wrapped under itself. Where the table is wider than `width`,
 * headings and texts are wrapped at blanks and commas, then columns move
 * closer, then texts are cut into pieces. Numbers (TABLE_RIGHT) are never cut:
 * a table of too many of them is wider than asked. Returns 0 or -errno.
 */
int table_print(const struct table *table, FILE *out, int width);
/* The same for other programs, all columns and nothing wrapped: tab-separated, and as a table of
 * Markdown. 0 or -errno. */
int table_print_tsv(const struct table *table, FILE *out);
int table_print_markdown(const struct table *table, FILE *out);
void table_free(struct table *table);

#endif
