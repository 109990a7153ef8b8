// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/profile_print.h"

#include <errno.h>
#include <string.h>

#include "base/list.h"
#include "results/point_words.h"
#include "results/profile.h"
#include "results/quote.h"
#include "results/table.h"

/* What is being printed. */
struct view {
	const struct profile_look *look;
	FILE *out;
	const struct result *files[2];	/* [1] NULL: one profile */
	json_t *points;			/* of the first file's profiles */
	struct table rows;		/* tsv: of all points together */
};

static const struct point_style style = { .between = "  ", .width = PROFILE_WIDTH };

int profile_set_top(const char *value, struct profile_look *look, struct error *e)
{
	int64_t number;
	int result = list_parse_count("--top", value, 0, 1000000, &number, e);

	if (!result)
		look->top = (unsigned)number;
	return result;
}

static const char *kernel_of(const struct result *file)
{
	const json_t *machine = json_object_get(file->header, "machine");
	const char *name = json_string_value(json_object_get(machine, "kernel_release"));

	return name ? name : "a kernel not named";
}

/* Markdown runs lines together; two blanks at its end keep one apart. */
static const char *line_end(const struct view *view)
{
	return view->look->format == FORMAT_MARKDOWN ? "  \n" : "\n";
}

/* Headings of the columns behind the first ones. */
static void value_columns(struct table *table, bool two)
{
	if (two) {
		table_column(table, "A", TABLE_RIGHT);
		table_column(table, "B", TABLE_RIGHT);
		table_column(table, "B - A", TABLE_RIGHT);
	} else {
		table_column(table, "instr/install", TABLE_RIGHT);
		table_column(table, "%", TABLE_RIGHT);
	}
}

static void value_cells(struct table *table, bool two, const double values[2], double all)
{
	double difference;

	table_cell(table, "%.2f", values[0]);
	if (two) {
		table_cell(table, "%.2f", values[1]);
		difference = values[1] - values[0];
		/* No difference has no sign. */
		table_cell(table, "%+.2f", difference > -0.005 && difference < 0 ? 0.0 : difference);
	} else {
		table_cell(table, "%.1f", all > 0 ? values[0] / all * 100 : 0);
	}
}

static int finish(struct view *view, struct table *table)
{
	int result;

	fputc('\n', view->out);
	result = view->look->format == FORMAT_MARKDOWN
		? table_print_markdown(table, view->out)
		: table_print(table, view->out, PROFILE_WIDTH);
	table_free(table);
	return result;
}

static double all_of(const struct profile *profile, int side)
{
	double sum = 0;

	for (int mode = 0; mode < PROFILE_MODES; mode++)
		sum += profile->total[mode][side];
	return sum;
}

static int print_totals(struct view *view, const struct profile *profile)
{
	const double all[2] = { all_of(profile, 0), all_of(profile, 1) };
	double groups[PROFILE_GROUPS][2] = { { 0 } };
	struct table modes = { 0 }, kinds = { 0 };
	bool two = view->files[1];
	int result;

	table_column(&modes, "mode", TABLE_LEFT);
	value_columns(&modes, two);
	table_row(&modes);
	table_cell(&modes, "all");
	value_cells(&modes, two, all, all[0]);
	for (int mode = 0; mode < PROFILE_MODES; mode++) {
		table_row(&modes);
		table_cell(&modes, "%s", profile_mode_names[mode]);
		value_cells(&modes, two, profile->total[mode], all[0]);
	}
	result = finish(view, &modes);
	for (size_t i = 0; i < profile->count; i++)
		for (int side = 0; side < 2; side++)
			groups[profile_group(&profile->rows[i])][side] +=
				profile->rows[i].instructions[side];
	table_column(&kinds, "group", TABLE_LEFT);
	value_columns(&kinds, two);
	for (size_t group = 0; group < PROFILE_GROUPS; group++) {
		table_row(&kinds);
		table_cell(&kinds, "%s", profile_group_names[group]);
		value_cells(&kinds, two, groups[group], all[0]);
	}
	return finish(view, &kinds) ? -EIO : result;
}

static int print_functions(struct view *view, const struct profile *profile)
{
	bool two = view->files[1];
	const double all = all_of(profile, 0);
	size_t shown = view->look->top && view->look->top < profile->count ? view->look->top
									   : profile->count;
	struct table table = { 0 };
	double rest[2] = { 0 };

	table_column(&table, "function", TABLE_LEFT);
	table_column(&table, "mode", TABLE_LEFT);
	value_columns(&table, two);
	table_column(&table, two ? "calls A" : "calls", TABLE_RIGHT);
	if (two)
		table_column(&table, "calls B", TABLE_RIGHT);
	for (size_t i = 0; i < shown; i++) {
		const struct profile_row *row = &profile->rows[i];

		table_row(&table);
		table_cell(&table, "%s", row->function);
		/* A letter saves the width for names. */
		table_cell(&table, "%.1s", profile_mode_names[row->mode]);
		value_cells(&table, two, row->instructions, all);
		table_cell(&table, "%.2f", row->calls[0]);
		if (two)
			table_cell(&table, "%.2f", row->calls[1]);
	}
	for (size_t i = shown; i < profile->count; i++)
		for (int side = 0; side < 2; side++)
			rest[side] += profile->rows[i].instructions[side];
	if (shown < profile->count) {
		table_row(&table);
		table_cell(&table, "%zu more", profile->count - shown);
		table_cell(&table, "%s", "");
		value_cells(&table, two, rest, all);
	}
	return finish(view, &table);
}

static void add_tsv(struct view *view, const struct profile *profile, const char *id,
		    const char *fill)
{
	struct table *table = &view->rows;

	for (size_t i = 0; i < profile->count; i++) {
		const struct profile_row *row = &profile->rows[i];

		table_row(table);
		table_cell(table, "%s", id);
		table_cell(table, "%s", fill);
		table_cell(table, "%s", row->function);
		table_cell(table, "%s", profile_mode_names[row->mode]);
		table_cell(table, "%s", profile_group_names[profile_group(row)]);
		for (int side = 0; side < (view->files[1] ? 2 : 1); side++) {
			table_cell(table, "%.17g", row->instructions[side]);
			table_cell(table, "%.17g", row->calls[side]);
		}
		if (view->files[1])
			table_cell(table, "%.17g", row->instructions[1] - row->instructions[0]);
	}
}

static void begin_tsv(struct view *view)
{
	static const char *const first[] = { "id", "fill", "function", "mode", "group", NULL };
	static const char *const one[] = { "instructions", "calls", NULL };
	static const char *const two[] = { "instructions_a", "calls_a", "instructions_b", "calls_b",
					   "difference", NULL };
	const char *const *rest = view->files[1] ? two : one;

	for (int i = 0; first[i]; i++)
		table_column(&view->rows, first[i], TABLE_LEFT);
	for (int i = 0; rest[i]; i++)
		table_column(&view->rows, rest[i], TABLE_RIGHT);
}

static long long number_of(const json_t *object, const char *name)
{
	return (long long)json_integer_value(json_object_get(object, name));
}

/* One kind of fill of a point: `a` and `b` are its objects in the two files, b NULL for one. */
static int print_fill(struct view *view, const json_t *a, const json_t *b, const char *id,
		      const char *fill)
{
	struct profile profile;
	int result = profile_read(&profile, a, b);

	if (!result && view->look->format == FORMAT_TSV) {
		add_tsv(view, &profile, id, fill);
	} else if (!result) {
		fprintf(view->out, "\n%s: %lld installs in %lld timed regions", fill,
			number_of(a, "installs"), number_of(a, "windows"));
		if (b)
			fprintf(view->out, ", B %lld in %lld", number_of(b, "installs"),
				number_of(b, "windows"));
		fputs(line_end(view), view->out);
		result = print_totals(view, &profile);
		if (!result)
			result = print_functions(view, &profile);
	}
	profile_release(&profile);
	return result;
}

static int print_point(struct view *view, const json_t *a, const json_t *b)
{
	const char *id = json_string_value(json_object_get(a, "id"));
	const json_t *first_a = json_object_get(a, "first_fill");
	const json_t *first_b = json_object_get(b, "first_fill");
	bool cold = json_is_object(first_a) && (!b || json_is_object(first_b));
	bool tsv = view->look->format == FORMAT_TSV;
	char text[400];
	int result;

	if (!tsv) {
		point_words(view->points, json_object_get(a, "point"), POINT_ALL, &style, text,
			    sizeof(text));
		fprintf(view->out, "\n%s%s", text, line_end(view));
	}
	result = print_fill(view, a, b, id, tsv ? "measured" : cold ? "refills" : "fills");
	if (!result && cold)
		result = print_fill(view, first_a, b ? first_b : NULL, id,
				    tsv ? "first" : "first fills");
	return result;
}

static const json_t *find_record(const struct result *file, const json_t *record)
{
	const char *id = json_string_value(json_object_get(record, "id"));
	const json_t *other;
	size_t i;

	json_array_foreach(file->profiles, i, other)
		if (!strcmp(id, json_string_value(json_object_get(other, "id"))))
			return other;
	return NULL;
}

static void print_heading(const struct view *view)
{
	static const char *const sides[] = { "A", "B" };

	for (int i = 0; i < 2 && view->files[i]; i++)
		fprintf(view->out, "%s%s%s%s", view->files[1] ? sides[i] : "",
			view->files[1] ? "  " : "", kernel_of(view->files[i]), line_end(view));
	fprintf(view->out, "instructions per install: path length in an emulator, not time%s",
		line_end(view));
	fprintf(view->out, "mode: u user, k kernel, i interrupt%s", line_end(view));
}

/* Points that the other file has not are not passed over in silence. */
static void print_alone(const struct view *view)
{
	for (int i = 0; i < 2 && view->files[1]; i++) {
		const json_t *record;
		size_t k, alone = 0;

		json_array_foreach(view->files[i]->profiles, k, record)
			alone += !find_record(view->files[!i], record);
		if (alone)
			fprintf(view->out, "points that only %s has, not shown: %zu%s",
				i ? "B" : "A", alone, line_end(view));
	}
}

int profile_load(struct result *file, const char *path, bool quiet, struct error *e)
{
	int result = result_read(file, path, e);
	char name[QUOTE_SIZE];

	quote_text(path, name);
	for (size_t i = 0; !result && !quiet && i < file->note_count; i++)
		fprintf(stderr, "%s: %s\n", name, file->notes[i]);
	return result;
}

static int need_profiles(const struct result *file, struct error *e)
{
	if (json_array_size(file->profiles))
		return 0;
	return error_set(e, ERROR_FAILED, ENODATA,
			 "'%s' holds no profile; measure with ringscale vm --clock path --profile",
			 file->path);
}

int profile_print(const struct result *a, const struct result *b, const struct profile_look *look,
		  FILE *out, struct error *e)
{
	struct view view = { .look = look, .out = out, .files = { a, b } };
	size_t i, printed = 0;
	const json_t *record;
	int result = need_profiles(a, e);

	if (!result && b)
		result = need_profiles(b, e);
	if (result)
		return result;
	json_array_foreach(a->profiles, i, record)
		printed += !b || find_record(b, record);
	if (!printed)
		return error_set(e, ERROR_FAILED, ENODATA,
				 "'%s' and '%s' have no point in common; only what was measured "
				 "alike can be compared", a->path, b->path);
	view.points = json_array();
	json_array_foreach(a->profiles, i, record)
		json_array_append(view.points, json_object_get(record, "point"));
	if (look->format == FORMAT_TSV) {
		begin_tsv(&view);
	} else {
		print_heading(&view);
		print_alone(&view);
	}
	json_array_foreach(a->profiles, i, record) {
		const json_t *other = b ? find_record(b, record) : NULL;

		if (!result && (!b || other))
			result = print_point(&view, record, other);
	}
	if (!result && look->format == FORMAT_TSV)
		result = table_print_tsv(&view.rows, out);
	table_free(&view.rows);
	json_decref(view.points);
	return result ? error_set(e, ERROR_FAILED, -result, "cannot print the profile: %s",
				  strerror(-result)) : 0;
}
