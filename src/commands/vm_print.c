// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/vm_print.h"

#include <math.h>
#include <string.h>

#include "results/point_words.h"
#include "results/table.h"

#define WIDTH 110

static const struct point_style style = { .between = ", ", .width = WIDTH };

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

static void profile_cells(struct table *table, const struct spread_series *series)
{
	const double values[] = { series->user_part, series->kernel_part, series->nodes,
				  series->allocations };

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		percent_cell(table, "%.2f", series->profiles ? values[i] : NAN);
}

static void begin_table(struct table *table, const struct vm_print *print)
{
	static const char *const profiled[] = { "user", "in kernel", "node allocs", "allocator",
						NULL };

	memset(table, 0, sizeof(*table));
	table_column(table, "role", TABLE_LEFT);
	table_column(table, "kernel", TABLE_LEFT);
	table_column(table, "boots", TABLE_RIGHT);
	table_column(table, print->lab->path_clock ? "instr/install" : "emulated ns/install",
		     TABLE_RIGHT);
	table_column(table, "spread %", TABLE_RIGHT);
	table_column(table, "against A %", TABLE_RIGHT);
	for (size_t i = 0; profiled[i]; i++)
		table_column(table, profiled[i], TABLE_RIGHT);
}

static void series_row(struct table *table, const struct spread *spread,
		       const struct spread_series *series)
{
	const struct spread_series *first = spread_reference(spread, series);

	table_row(table);
	table_cell(table, "%s", series->role);
	table_cell(table, "%s", series->kernel);
	table_cell(table, "%zu", series->count);
	table_cell(table, "%.2f", series->mean);
	percent_cell(table, "%.3f", spread_percent(series));
	percent_cell(table, "%+.2f", first ? (series->mean / first->mean - 1) * 100 : NAN);
	profile_cells(table, series);
}

/* A point of the sweep, a row a kernel; what only this point has stands above. */
static void print_point(const struct vm_print *print, const json_t *points, size_t at)
{
	const struct spread *spread = print->spread;
	struct table table;
	char text[400];

	point_words(points, spread->list[at].point, POINT_VARYING, &style, text, sizeof(text));
	begin_table(&table, print);
	for (size_t i = at; i < spread->count; i++)
		if (!strcmp(spread->list[i].id, spread->list[at].id))
			series_row(&table, spread, &spread->list[i]);
	if (text[0])
		printf("\n%s\n", text);
	table_print(&table, stdout, WIDTH);
	table_free(&table);
}

/* Nothing to compare, and no parts of a path to show. */
static bool is_plain(const struct vm_print *print)
{
	const struct spread *spread = print->spread;
	size_t boots = 0, profiles = 0;

	for (size_t i = 0; i < spread->count; i++) {
		boots = spread->list[i].count > boots ? spread->list[i].count : boots;
		profiles += spread->list[i].profiles;
	}
	return !spread->count || (boots < 2 && print->lab->kernel_count < 2 && !profiles);
}

void vm_print_summary(const struct vm_print *print)
{
	const struct spread *spread = print->spread;
	size_t profiles = 0;
	json_t *points;
	char text[400];

	if (print->lab->out && !print->common->quiet)
		fprintf(stderr, "results in %s\n", print->lab->out);
	points = is_plain(print) ? NULL : json_array();
	if (!points)
		return;
	for (size_t i = 0; i < spread->count; i++) {
		json_array_append(points, spread->list[i].point);
		profiles += spread->list[i].profiles;
	}
	point_words(points, spread->list[0].point, POINT_COMMON, &style, text, sizeof(text));
	printf("\n%s\n", text);
	for (size_t i = 0; i < spread->count; i++)
		if (!spread_reference(spread, &spread->list[i]))
			print_point(print, points, i);
	json_decref(points);
	if (profiles)
		puts("\nuser, in kernel: instructions per install; node allocs: calls of "
		     "io_rsrc_node_alloc\nper install; allocator: calls of kmalloc, "
		     "kmem_cache_alloc and their kind");
	if (!print->lab->path_clock)
		puts("\nThese are times of an emulator: for function and placement, no machine's.");
}
