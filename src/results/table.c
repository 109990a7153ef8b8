// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/table.h"

#include "results/table_parts.h"
#include "results/wrap.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define GAP 2	      /* blanks between columns */
#define CUT_MIN 6     /* texts are never cut into narrower pieces */
#define REMARK_MIN 24 /* a remark with less room goes to a line of its own */
#define REMARK_INDENT 4

/* How the columns are laid out on the paper. */
struct layout {
	size_t *width;	   /* of each column; 0: left out */
	size_t *least;	   /* the narrowest it can become */
	size_t gap, limit; /* limit 0: none */
};

/* A text and where it stands. */
struct item {
	const char *text;
	enum table_align align;
	size_t at, width;
};

static void fail(struct table *table, int code)
{
	if (!table->failed)
		table->failed = code;
}

void table_column(struct table *table, const char *heading, enum table_align align)
{
	struct table_column *columns;

	columns = realloc(table->columns, (table->column_count + 1) * sizeof(*columns));
	if (!columns) {
		fail(table, ENOMEM);
		return;
	}
	table->columns = columns;
	columns[table->column_count] = (struct table_column){ strdup(heading), align };
	if (!columns[table->column_count].heading)
		fail(table, ENOMEM);
	else
		table->column_count++;
}

void table_row(struct table *table)
{
	struct table_row *rows = realloc(table->rows, (table->row_count + 1) * sizeof(*rows));

	if (!rows) {
		fail(table, ENOMEM);
		return;
	}
	table->rows = rows;
	rows[table->row_count++] = (struct table_row){ 0 };
}

/* The row that is being filled; NULL with `failed` set where nothing may be added. */
static struct table_row *open_row(struct table *table)
{
	struct table_row *row = table->row_count ? &table->rows[table->row_count - 1] : NULL;

	if (!row || row->remark)
		fail(table, EINVAL);
	return table->failed ? NULL : row;
}

void table_cell(struct table *table, const char *format, ...)
{
	struct table_row *row = open_row(table);
	char **cells, *text;
	va_list args;
	int length;

	if (row && row->cell_count >= table->column_count)
		fail(table, EINVAL);
	if (table->failed)
		return;
	cells = realloc(row->cells, (row->cell_count + 1) * sizeof(*cells));
	if (!cells) {
		fail(table, ENOMEM);
		return;
	}
	row->cells = cells;
	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0)
		fail(table, ENOMEM);
	else
		cells[row->cell_count++] = text;
}

void table_remark(struct table *table, const char *format, ...)
{
	struct table_row *row = open_row(table);
	va_list args;

	if (!row)
		return;
	va_start(args, format);
	if (vasprintf(&row->remark, format, args) < 0) {
		row->remark = NULL;
		fail(table, ENOMEM);
	}
	va_end(args);
}

static const char *cell_of(const struct table_row *row, size_t column)
{
	return column < row->cell_count ? row->cells[column] : "";
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* Fills width, what a column wants, and least, what it can be wrapped to. With `cut`
 * texts may be wrapped anywhere, and widths stay as narrow as they are already. */
static void measure(const struct table *table, struct layout *layout, size_t column, bool cut)
{
	const struct table_column *c = &table->columns[column];
	size_t most = 0, least = 0;

	for (size_t i = 0; i < table->row_count; i++) {
		const char *cell = cell_of(&table->rows[i], column);
		size_t width = wrap_width(cell), word = width;

		if (c->align == TABLE_LEFT) {
			word = wrap_longest_word(cell);
			if (cut && word > CUT_MIN)
				word = CUT_MIN;
		}
		most = larger(most, width);
		least = larger(least, word);
	}
	/* Nothing in it: no heading either. A table of headings alone keeps them. */
	if (most || !table->row_count) {
		most = larger(most, wrap_width(c->heading));
		least = larger(least, wrap_longest_word(c->heading));
	}
	if (!cut)
		layout->width[column] = most;
	layout->least[column] = least;
}

static size_t total_width(const struct table *table, const struct layout *layout)
{
	size_t total = 0;

	for (size_t i = 0; i < table->column_count; i++)
		if (layout->width[i])
			total += (total ? layout->gap : 0) + layout->width[i];
	return total;
}

/* Narrows the widest column that can be narrowed, again and again. True if all fits then. */
static bool fits(const struct table *table, struct layout *layout, size_t gap, bool cut)
{
	layout->gap = gap;
	for (size_t i = 0; i < table->column_count; i++)
		measure(table, layout, i, cut);
	while (layout->limit && total_width(table, layout) > layout->limit) {
		size_t widest = table->column_count;

		for (size_t i = 0; i < table->column_count; i++)
			if (layout->width[i] > layout->least[i] &&
			    (widest == table->column_count ||
			     layout->width[i] > layout->width[widest]))
				widest = i;
		if (widest == table->column_count)
			return false;
		layout->width[widest]--;
	}
	return true;
}

/* Prints texts side by side, over as many lines as the longest needs. */
static void print_items(struct item *items, size_t count, FILE *out)
{
	bool more = true;

	while (more) {
		size_t position = 0;

		more = false;
		for (size_t i = 0; i < count; i++) {
			struct wrap_piece piece = wrap_next(&items[i].text, items[i].width);
			size_t at = items[i].at;

			if (items[i].align == TABLE_RIGHT)
				at += items[i].width - piece.width;
			if (piece.width) {
				fprintf(out, "%*s%.*s", (int)(at - position), "", (int)piece.bytes,
					piece.text);
				position = at + piece.width;
			}
			more = more || *items[i].text;
		}
		fputc('\n', out);
	}
}

/* Prints one row, or with NULL the headings. `items` has room for all columns and one more. */
static void print_row(const struct table *table, const struct layout *layout,
		      const struct table_row *row, struct item *items, FILE *out)
{
	size_t columns = row && row->remark ? row->cell_count : table->column_count;
	size_t count = 0, at = 0;
	struct item remark = { .align = TABLE_LEFT };
	bool beside;

	for (size_t i = 0; i < columns; i++) {
		if (!layout->width[i])
			continue;
		items[count++] = (struct item){
			.text = row ? cell_of(row, i) : table->columns[i].heading,
			.align = table->columns[i].align,
			.at = at,
			.width = layout->width[i],
		};
		at += layout->width[i] + layout->gap;
	}
	if (!row || !row->remark) {
		print_items(items, count, out);
		return;
	}
	beside = !layout->limit || count == 0 || at + REMARK_MIN <= layout->limit;
	remark.text = row->remark;
	remark.at = beside ? at : REMARK_INDENT;
	remark.width = !layout->limit		 ? wrap_width(row->remark) :
		       remark.at < layout->limit ? layout->limit - remark.at :
						   1;
	if (beside)
		items[count++] = remark;
	print_items(items, count, out);
	if (!beside)
		print_items(&remark, 1, out);
}

int table_print(const struct table *table, FILE *out, int width)
{
	struct layout layout = { .limit = width > 0 ? (size_t)width : 0 };
	struct item *items;
	int result = -table->failed;

	if (result)
		return result;
	layout.width = calloc(table->column_count + 1, sizeof(*layout.width));
	layout.least = calloc(table->column_count + 1, sizeof(*layout.least));
	items = calloc(table->column_count + 1, sizeof(*items));
	if (!layout.width || !layout.least || !items) {
		result = -ENOMEM;
		goto out;
	}
	if (!fits(table, &layout, GAP, false) && !fits(table, &layout, 1, false))
		fits(table, &layout, 1, true);
	errno = 0;
	if (table->column_count)
		print_row(table, &layout, NULL, items, out);
	for (size_t i = 0; i < table->row_count; i++)
		print_row(table, &layout, &table->rows[i], items, out);
	if (fflush(out) || ferror(out))
		result = errno ? -errno : -EIO;
out:
	free(items);
	free(layout.least);
	free(layout.width);
	return result;
}

void table_free(struct table *table)
{
	for (size_t i = 0; i < table->column_count; i++)
		free(table->columns[i].heading);
	for (size_t i = 0; i < table->row_count; i++) {
		for (size_t j = 0; j < table->rows[i].cell_count; j++)
			free(table->rows[i].cells[j]);
		free(table->rows[i].cells);
		free(table->rows[i].remark);
	}
	free(table->columns);
	free(table->rows);
	*table = (struct table){ 0 };
}
