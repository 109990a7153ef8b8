// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/noise.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Far above what any kernel is built for: keeps a strange file from asking for all memory. */
#define PU_MAX (1 << 20)

/* Rows with one number for the whole machine; with one PU they look like a count of that PU. */
static bool machine_wide(const char *row)
{
	static const char *const names[] = { "ERR", "MIS" };

	row += strspn(row, " \t");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncasecmp(row, names[i], 3) && row[3] == ':')
			return true;
	return false;
}

/* Takes the OS indices out of the heading "CPU0 CPU2 ...": offline PUs have no column. */
static int parse_heading(const char *line, int **columns)
{
	int count = 0, capacity = 0;
	const char *word = line;

	*columns = NULL;
	while ((word = strstr(word, "CPU"))) {
		char *end;
		long pu = strtol(word + 3, &end, 10);

		if (end == word + 3 || pu < 0 || pu >= PU_MAX)
			return -EINVAL;
		if (count == capacity) {
			int *larger;

			capacity = capacity ? 2 * capacity : 64;
			larger = realloc(*columns, capacity * sizeof(**columns));
			if (!larger)
				return -ENOMEM;
			*columns = larger;
		}
		(*columns)[count++] = pu;
		word = end;
	}
	return count ? count : -EINVAL;
}

/* A row counts only if it has a number for every column: what has fewer is a total or text. */
static void add_row(const char *line, const int *columns, int column_count, int64_t *values,
		    int64_t *by_pu)
{
	const char *text = strchr(line, ':');

	if (!text || machine_wide(line))
		return;
	text++;
	for (int i = 0; i < column_count; i++) {
		char *end;

		text += strspn(text, " \t");
		if (!isdigit((unsigned char)*text))
			return;
		values[i] = strtoll(text, &end, 10);
		if (*end && !isspace((unsigned char)*end))
			return;
		text = end;
	}
	for (int i = 0; i < column_count; i++)
		by_pu[columns[i]] += values[i];
}

static int make_room(struct interrupt_counts *counts, const int *columns, int column_count)
{
	int last = 0;

	for (int i = 0; i < column_count; i++)
		if (columns[i] > last)
			last = columns[i];
	counts->by_pu = malloc((last + 1) * sizeof(*counts->by_pu));
	if (!counts->by_pu)
		return -ENOMEM;
	counts->count = last + 1;
	for (int i = 0; i <= last; i++)
		counts->by_pu[i] = NOISE_UNKNOWN;
	for (int i = 0; i < column_count; i++)
		counts->by_pu[columns[i]] = 0;
	return 0;
}

int interrupts_parse(FILE *file, struct interrupt_counts *counts)
{
	int *columns = NULL, column_count, result;
	int64_t *values = NULL;
	char *line = NULL;
	size_t size = 0;

	*counts = (struct interrupt_counts){ NULL, 0 };
	result = -EINVAL;
	if (getline(&line, &size, file) < 0)
		goto out;
	result = column_count = parse_heading(line, &columns);
	if (column_count < 0)
		goto out;
	values = calloc(column_count, sizeof(*values));
	result = values ? make_room(counts, columns, column_count) : -ENOMEM;
	if (result)
		goto out;
	while (getline(&line, &size, file) >= 0)
		add_row(line, columns, column_count, values, counts->by_pu);
	result = ferror(file) ? -EIO : 0;
	if (result)
		interrupts_free(counts);
out:
	free(line);
	free(values);
	free(columns);
	return result;
}

int interrupts_read(struct interrupt_counts *counts)
{
	FILE *file = fopen("/proc/interrupts", "re");
	int result;

	*counts = (struct interrupt_counts){ NULL, 0 };
	if (!file)
		return -errno;
	result = interrupts_parse(file, counts);
	fclose(file);
	return result;
}

int64_t interrupts_of(const struct interrupt_counts *counts, int pu)
{
	return pu >= 0 && pu < counts->count ? counts->by_pu[pu] : NOISE_UNKNOWN;
}

void interrupts_free(struct interrupt_counts *counts)
{
	free(counts->by_pu);
	*counts = (struct interrupt_counts){ NULL, 0 };
}
