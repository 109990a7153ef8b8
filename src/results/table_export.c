// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "results/table_parts.h"

/* A table for programs: every column, one line a row, in which tabs and line ends cannot be. */
int table_print_tsv(const struct table *table, FILE *out)
{
	for (size_t c = 0; c < table->column_count; c++)
		fprintf(out, "%s%s", c ? "\t" : "", table->columns[c].heading);
	fputc('\n', out);
	for (size_t r = 0; r < table->row_count; r++) {
		const struct table_row *row = &table->rows[r];

		for (size_t c = 0; c < table->column_count; c++) {
			const char *text = c < row->cell_count ? row->cells[c]
					 : c == row->cell_count && row->remark ? row->remark : "";

			if (c)
				fputc('\t', out);
			for (; *text; text++)
				fputc(strchr("\t\r\n", *text) ? ' ' : *text, out);
		}
		fputc('\n', out);
	}
	return table->failed ? -table->failed : ferror(out) ? -EIO : 0;
}

static void put_cell(const char *text, FILE *out)
{
	fputc(' ', out);
	for (; *text; text++) {
		/* Underscores around a word would make it slanted. */
		if (strchr("|\\*_`<", *text))
			fputc('\\', out);
		fputc(strchr("\t\r\n", *text) ? ' ' : *text, out);
	}
	fputs(" |", out);
}

int table_print_markdown(const struct table *table, FILE *out)
{
	fputc('|', out);
	for (size_t c = 0; c < table->column_count; c++)
		put_cell(table->columns[c].heading, out);
	fputs("\n|", out);
	for (size_t c = 0; c < table->column_count; c++)
		fputs(table->columns[c].align == TABLE_RIGHT ? "---:|" : "---|", out);
	fputc('\n', out);
	for (size_t r = 0; r < table->row_count; r++) {
		const struct table_row *row = &table->rows[r];

		fputc('|', out);
		for (size_t c = 0; c < table->column_count; c++)
			put_cell(c < row->cell_count ? row->cells[c]
				 : c == row->cell_count && row->remark ? row->remark : "", out);
		fputc('\n', out);
	}
	return table->failed ? -table->failed : ferror(out) ? -EIO : 0;
}
