// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/vm_print.h"

#include <math.h>
#include <string.h>

#include "results/table.h"

void vm_print_begins(void *argument, const struct lab_boot *boot)
{
	const struct vm_print *print = argument;

	if (print->common->quiet)
		return;
	fprintf(stderr, "boot %zu/%zu  %s  %s  shape %s%s", boot->index + 1, boot->count,
		boot->kernel->role, boot->kernel->kernel.name, print->lab->shape.name,
		print->lab->path_clock ? "  clock path" : "");
	if (boot->attempts > 1) {
		const char *last = strrchr(boot->attempt_reasons, '\n');

		fprintf(stderr, "  attempt %u: %s", boot->attempts,
			last ? last + 1 : boot->attempt_reasons);
	}
	fputc('\n', stderr);
}

static void gather(const struct vm_print *print, const struct lab_boot *boot)
{
	for (size_t i = 0; i < boot->result_count; i++) {
		struct error e = ERROR_INIT;

		if (spread_add(print->spread, boot->kernel->role, boot->kernel->kernel.name,
			       boot->results[i], &e) && !print->common->quiet)
			fprintf(stderr, "ringscale vm: %s\n", e.text);
	}
}

void vm_print_ended(void *argument, const struct lab_boot *boot)
{
	const struct vm_print *print = argument;

	if (boot->count > 1 && boot->output && boot->output[0])
		printf("== boot %zu/%zu  %s  %s\n", boot->index + 1, boot->count,
		       boot->kernel->role, boot->kernel->kernel.name);
	fputs(boot->output ? boot->output : "", stdout);
	/* The order on a terminal is that of the events. */
	fflush(stdout);
	fputs(boot->errors ? boot->errors : "", stderr);
	if (boot->end != BOOT_WHOLE)
		fprintf(stderr, "ringscale vm: boot %zu (%s): %s; the console is in %s.console\n",
			boot->index + 1, boot->kernel->kernel.name, boot->reason, boot->prefix);
	else if (!print->common->quiet)
		fprintf(stderr, "init after %.1f s, done %.1f s later, exit status %d%s\n",
			boot->boot_s, boot->run_s, boot->status,
			boot->attempts > 1 ? ", after retries" : "");
	if (boot->no_profile[0])
		fprintf(stderr, "ringscale vm: boot %zu (%s): %s\n", boot->index + 1,
			boot->kernel->kernel.name, boot->no_profile);
	gather(print, boot);
}

static void percent_cell(struct table *table, const char *format, double value)
{
	char text[32] = "";

	if (isfinite(value))
		snprintf(text, sizeof(text), format, value);
	table_cell(table, "%s", text);
}

/* Whether every series' point has this piece of text between its commas. */
static bool is_common(const struct spread *spread, const char *piece, size_t length)
{
	for (size_t i = 0; i < spread->count; i++) {
		const char *at = spread->list[i].point;
		bool found = false;

		for (; *at && !found; at += strcspn(at, ","), at += *at ? 2 : 0)
			found = strcspn(at, ",") == length && !strncmp(at, piece, length);
		if (!found)
			return false;
	}
	return true;
}

/* Of a point what all series have in common, or what they have not. */
static void point_pieces(const struct spread *spread, const char *point, bool common, char *text,
			 size_t size)
{
	text[0] = '\0';
	for (const char *at = point; *at; at += strcspn(at, ","), at += *at ? 2 : 0) {
		size_t length = strcspn(at, ","), end = strlen(text);

		if (is_common(spread, at, length) == common)
			snprintf(text + end, size - end, "%s%.*s", end ? ", " : "", (int)length, at);
	}
}

static void profile_cells(struct table *table, const struct spread_series *series)
{
	const double values[] = { series->user_part, series->kernel_part, series->nodes,
				  series->allocations };

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		percent_cell(table, "%.2f", series->profiles ? values[i] : NAN);
}

void vm_print_summary(const struct vm_print *print)
{
	static const char *const headings[] = { "role", "kernel", "point" };
	static const char *const profiled[] = { "user", "in kernel", "node allocs", "allocator",
						NULL };
	const struct spread *spread = print->spread;
	struct table table = { 0 };
	size_t boots = 0;
	char point[160];

	for (size_t i = 0; i < spread->count; i++)
		boots = spread->list[i].count > boots ? spread->list[i].count : boots;
	if (print->lab->out && !print->common->quiet)
		fprintf(stderr, "results in %s\n", print->lab->out);
	if (!spread->count || (boots < 2 && print->lab->kernel_count < 2))
		return;
	for (size_t i = 0; i < 3; i++)
		table_column(&table, headings[i], TABLE_LEFT);
	table_column(&table, "boots", TABLE_RIGHT);
	table_column(&table, print->lab->path_clock ? "instr/install" : "emulated ns/install",
		     TABLE_RIGHT);
	table_column(&table, "spread %", TABLE_RIGHT);
	table_column(&table, "against A %", TABLE_RIGHT);
	for (size_t i = 0; profiled[i]; i++)
		table_column(&table, profiled[i], TABLE_RIGHT);
	for (size_t i = 0; i < spread->count; i++) {
		const struct spread_series *series = &spread->list[i];
		const struct spread_series *first = spread_reference(spread, series);

		table_row(&table);
		table_cell(&table, "%s", series->role);
		table_cell(&table, "%s", series->kernel);
		point_pieces(spread, series->point, false, point, sizeof(point));
		table_cell(&table, "%s", point);
		table_cell(&table, "%zu", series->count);
		table_cell(&table, "%.2f", series->mean);
		percent_cell(&table, "%.3f", spread_percent(series));
		percent_cell(&table, "%+.2f", first ? (series->mean / first->mean - 1) * 100 : NAN);
		profile_cells(&table, series);
	}
	point_pieces(spread, spread->list[0].point, true, point, sizeof(point));
	printf("\n%s\n", point);
	table_print(&table, stdout, 110);
	if (spread->list[0].profiles)
		puts("\nuser, in kernel: instructions per install; node allocs: calls of "
		     "io_rsrc_node_alloc\nper install; allocator: calls of kmalloc, "
		     "kmem_cache_alloc and their kind");
	if (!print->lab->path_clock)
		puts("\nThese are times of an emulator: for function and placement, no machine's.");
	table_free(&table);
}
