// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define UNATTRIBUTED "unattributed"

enum mode { MODE_USER, MODE_KERNEL, MODE_INTERRUPT, MODE_COUNT };
static const char *const mode_names[] = { "user", "kernel", "interrupt" };

/* How interrupts come in; other entries of the kernel are exceptions and system calls. */
static const char *const interrupt_entries[] = {
	"asm_sysvec_", "asm_common_interrupt", "asm_spurious_interrupt", "irq_entries_start",
	"spurious_entries_start", "asm_exc_nmi", "el0t_64_irq", "el1h_64_irq", "el1t_64_irq",
	"el0t_32_irq", "el0t_64_fiq", "el1h_64_fiq", "el0t_64_error", "el1h_64_error", NULL
};

/* A function of one mode; totals, not per install. */
struct row {
	const char *function;	/* of the names, borrowed */
	enum mode mode;
	uint64_t instructions, calls;
};

/* What one record adds up. */
struct gathering {
	const struct counts *counts;
	const struct profile_names *names;
	bool interrupted[COUNTS_PLACES_MAX];	/* below an interrupt */
	bool *wanted;				/* blocks of the point, by number */
	unsigned block_max;
	struct row *rows;
	size_t count;
};

void profile_names_free(struct profile_names *names)
{
	symbols_free(&names->kernel);
	symbols_free(&names->program);
	symbols_free(&names->files);
}

static bool is_interrupt_entry(const char *name)
{
	for (int i = 0; interrupt_entries[i]; i++)
		if (!strncmp(name, interrupt_entries[i], strlen(interrupt_entries[i])))
			return true;
	return false;
}

/* The kernel has the upper half of the addresses, on either machine. */
static bool is_kernel(uint64_t address)
{
	return address >> 63;
}

static void find_interrupted(struct gathering *gathering)
{
	const struct counts *counts = gathering->counts;

	/* Parents come before their children. */
	for (unsigned i = 1; i < counts->place_count; i++) {
		const struct symbol *entry = symbols_find(&gathering->names->kernel,
							  counts->places[i].entry);

		gathering->interrupted[i] = gathering->interrupted[counts->places[i].parent] ||
					    (entry && is_interrupt_entry(entry->name));
	}
}

static struct row row_of(const struct gathering *gathering, const struct counts_run *run)
{
	const struct profile_names *names = gathering->names;
	bool kernel = is_kernel(run->address);
	const struct symbol *symbol = symbols_find(kernel ? &names->kernel : &names->program,
						   run->address);
	struct row row = {
		.function = symbol ? symbol->name : UNATTRIBUTED,
		.mode = kernel ? MODE_KERNEL : MODE_USER,
		.instructions = run->insns * run->runs,
	};

	if (symbol && symbol->entry && symbol->start == run->address)
		row.calls = run->runs;
	if (!symbol && !kernel) {
		symbol = symbols_find(&names->files, run->address);
		row.function = symbol ? symbol->name : UNATTRIBUTED;
	}
	/* The first instructions of an entry run before it is known as one. */
	if (gathering->interrupted[run->place] || (kernel && is_interrupt_entry(row.function)))
		row.mode = MODE_INTERRUPT;
	return row;
}

static int compare_names(const void *a, const void *b)
{
	const struct row *one = a, *other = b;

	return one->mode != other->mode ? (int)one->mode - (int)other->mode
					: strcmp(one->function, other->function);
}

static int compare_sizes(const void *a, const void *b)
{
	const struct row *one = a, *other = b;

	if (one->instructions != other->instructions)
		return one->instructions > other->instructions ? -1 : 1;
	return compare_names(a, b);
}

/* One row for every function and mode, largest first. */
static void merge(struct gathering *gathering)
{
	struct row *rows = gathering->rows;
	size_t kept = 0;

	qsort(rows, gathering->count, sizeof(*rows), compare_names);
	for (size_t i = 0; i < gathering->count; i++) {
		if (!kept || compare_names(&rows[kept - 1], &rows[i])) {
			rows[kept++] = rows[i];
			continue;
		}
		rows[kept - 1].instructions += rows[i].instructions;
		rows[kept - 1].calls += rows[i].calls;
	}
	gathering->count = kept;
	qsort(rows, kept, sizeof(*rows), compare_sizes);
}

static bool is_wanted(const struct gathering *gathering, unsigned block)
{
	return block <= gathering->block_max && gathering->wanted[block];
}

static uint64_t windows_of(const struct gathering *gathering, enum counts_kind kind)
{
	uint64_t windows = 0;

	for (size_t i = 0; i < gathering->counts->window_count; i++) {
		const struct counts_windows *some = &gathering->counts->windows[i];

		if (some->kind == kind && is_wanted(gathering, some->block))
			windows += some->count;
	}
	return windows;
}

static json_t *rows_json(const struct gathering *gathering, double installs, double totals[])
{
	json_t *functions = json_array();

	for (size_t i = 0; i < gathering->count; i++) {
		const struct row *row = &gathering->rows[i];
		double instructions = (double)row->instructions / installs;

		totals[row->mode] += instructions;
		if (!strcmp(row->function, UNATTRIBUTED))
			totals[MODE_COUNT] += instructions;
		json_array_append_new(functions, json_pack("{s:s, s:s, s:f, s:f}",
				      "function", row->function, "mode", mode_names[row->mode],
				      "instructions", instructions,
				      "calls", (double)row->calls / installs));
	}
	return functions;
}

/* Adds what was seen of one kind of fill to `to`: windows, installs, total and functions. */
static int describe(struct gathering *gathering, enum counts_kind kind, double installs,
		    json_t *to)
{
	const struct counts *counts = gathering->counts;
	double totals[MODE_COUNT + 1] = { 0 };
	json_t *functions;

	gathering->rows = calloc(counts->run_count + 1, sizeof(*gathering->rows));
	if (!gathering->rows)
		return -ENOMEM;
	gathering->count = 0;
	for (size_t i = 0; i < counts->run_count; i++)
		if (counts->runs[i].kind == kind && is_wanted(gathering, counts->runs[i].block))
			gathering->rows[gathering->count++] = row_of(gathering, &counts->runs[i]);
	merge(gathering);
	functions = rows_json(gathering, installs, totals);
	free(gathering->rows);
	json_object_set_new(to, "windows", json_integer((json_int_t)windows_of(gathering, kind)));
	json_object_set_new(to, "installs", json_integer((json_int_t)(installs + 0.5)));
	json_object_set_new(to, "total", json_pack("{s:f, s:f, s:f, s:f, s:f}",
			    "all", totals[MODE_USER] + totals[MODE_KERNEL] + totals[MODE_INTERRUPT],
			    "user", totals[MODE_USER], "kernel", totals[MODE_KERNEL],
			    "interrupt", totals[MODE_INTERRUPT],
			    UNATTRIBUTED, totals[MODE_COUNT]));
	return json_object_set_new(to, "functions", functions) ? -ENOMEM : 0;
}

/* Installs of a block's rounds, and the instructions that its clock counted for them. */
static void add_measured(const json_t *block, double *installs, double *clock)
{
	const json_t *pair, *round;
	size_t p, r;

	json_array_foreach(json_object_get(block, "pairs"), p, pair) {
		json_array_foreach(json_object_get(pair, "rounds"), r, round) {
			*installs += (double)json_integer_value(json_object_get(round, "installs"));
			*clock += (double)json_integer_value(json_object_get(round, "fill_ns"));
		}
	}
}

static bool is_valid_of(const json_t *block, const char *id)
{
	const char *other = json_string_value(json_object_get(block, "id"));

	return other && !strcmp(id, other) && json_is_true(json_object_get(block, "valid"));
}

/* The record of the point that blocks[first] is the first valid block of; *record NULL: nothing. */
static int make_record(struct gathering *gathering, const json_t *blocks, size_t first,
		       json_t **record)
{
	const json_t *block = json_array_get(blocks, first), *other;
	const char *id = json_string_value(json_object_get(block, "id"));
	double installs = 0, clock = 0, windows, cold;
	json_t *first_fill = NULL;
	size_t i, count = 0;
	int result;

	memset(gathering->wanted, 0, (gathering->block_max + 1) * sizeof(*gathering->wanted));
	json_array_foreach(blocks, i, other) {
		if (!is_valid_of(other, id))
			continue;
		gathering->wanted[i + 1] = true;
		add_measured(other, &installs, &clock);
		count++;
	}
	windows = (double)windows_of(gathering, COUNTS_MEASURED);
	cold = (double)windows_of(gathering, COUNTS_COLD);
	*record = NULL;
	if (windows < 1 || installs < 1)
		return 0;
	*record = json_pack("{s:s, s:s, s:O, s:I, s:f}", "record", "profile", "id", id,
			    "point", json_object_get(block, "point"), "blocks", (json_int_t)count,
			    "clock", clock / installs);
	if (!*record)
		return -ENOMEM;
	result = describe(gathering, COUNTS_MEASURED, installs, *record);
	/* A first fill holds as many installs as any other. */
	if (!result && cold > 0) {
		first_fill = json_object();
		result = describe(gathering, COUNTS_COLD, installs / windows * cold, first_fill);
	}
	json_object_set_new(*record, "first_fill", first_fill ? first_fill : json_null());
	return result;
}

int profile_records(const struct counts *counts, const struct profile_names *names,
		    const json_t *blocks, json_t **records, struct error *e)
{
	struct gathering gathering = {
		.counts = counts, .names = names, .block_max = (unsigned)json_array_size(blocks),
	};
	int result = 0;
	size_t i, before;
	const json_t *block;

	*records = json_array();
	gathering.wanted = calloc(gathering.block_max + 1, sizeof(*gathering.wanted));
	if (!*records || !gathering.wanted)
		result = -ENOMEM;
	find_interrupted(&gathering);
	json_array_foreach(blocks, i, block) {
		const char *id = json_string_value(json_object_get(block, "id"));
		json_t *record = NULL;

		if (result || !id || !is_valid_of(block, id))
			continue;
		for (before = 0; before < i; before++)
			if (is_valid_of(json_array_get(blocks, before), id))
				break;
		if (before < i)
			continue;
		result = make_record(&gathering, blocks, i, &record);
		if (record && json_array_append_new(*records, record))
			result = -ENOMEM;
	}
	free(gathering.wanted);
	if (!result)
		return 0;
	json_decref(*records);
	*records = NULL;
	return error_set(e, ERROR_FAILED, ENOMEM, "no memory for a profile");
}
