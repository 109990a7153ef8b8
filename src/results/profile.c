// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/profile.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const profile_mode_names[PROFILE_MODES] = { "user", "kernel", "interrupt" };

/* Where the allocator is called from elsewhere; not the functions that it calls itself. */
static const char *const allocator[] = { "__kmalloc", "kmalloc_", "kmem_cache_alloc",
					 "__kvmalloc", "kvmalloc", NULL };

/* The index of a mode's name, or PROFILE_MODES. */
static size_t mode_of(const json_t *function)
{
	const char *name = json_string_value(json_object_get(function, "mode"));
	size_t mode = 0;

	while (mode < PROFILE_MODES && (!name || strcmp(name, profile_mode_names[mode])))
		mode++;
	return mode;
}

static bool is_amount(const json_t *value)
{
	return json_is_number(value) && json_number_value(value) >= 0;
}

static bool check_functions(const json_t *fill, const char *where, char *why, size_t size)
{
	const json_t *functions = json_object_get(fill, "functions"), *function;
	size_t i;

	if (!json_is_array(functions)) {
		snprintf(why, size, "%s\"functions\" is no array", where);
		return false;
	}
	json_array_foreach(functions, i, function) {
		if (json_is_string(json_object_get(function, "function")) &&
		    mode_of(function) < PROFILE_MODES &&
		    is_amount(json_object_get(function, "instructions")) &&
		    is_amount(json_object_get(function, "calls")))
			continue;
		snprintf(why, size, "%sfunctions[%zu] lacks its function, mode, instructions or "
			 "calls", where, i);
		return false;
	}
	return true;
}

bool profile_check(const json_t *record, char *why, size_t size)
{
	const json_t *first = json_object_get(record, "first_fill");

	why[0] = '\0';
	if (!json_is_string(json_object_get(record, "id")) ||
	    !json_is_object(json_object_get(record, "point"))) {
		snprintf(why, size, "no \"id\" or no \"point\"");
		return false;
	}
	return check_functions(record, "", why, size) &&
	       (json_is_null(first) || !first ||
		check_functions(first, "first_fill: ", why, size));
}

static int by_name(const void *a, const void *b)
{
	const struct profile_row *one = a, *other = b;

	return one->mode != other->mode ? (int)one->mode - (int)other->mode
					: strcmp(one->function, other->function);
}

static double size_of(const struct profile_row *row)
{
	return fabs(row->instructions[1] - row->instructions[0]);
}

static int by_size(const void *a, const void *b)
{
	double one = size_of(a), other = size_of(b);

	if (one != other)
		return one > other ? -1 : 1;
	return by_name(a, b);
}

static void add_rows(struct profile *profile, const json_t *record, int side)
{
	const json_t *function;
	size_t i;

	json_array_foreach(json_object_get(record, "functions"), i, function) {
		struct profile_row *row = &profile->rows[profile->count++];
		double instructions = json_number_value(json_object_get(function, "instructions"));

		*row = (struct profile_row){
			.function = json_string_value(json_object_get(function, "function")),
			.mode = (enum profile_mode)mode_of(function),
		};
		row->instructions[side] = instructions;
		row->calls[side] = json_number_value(json_object_get(function, "calls"));
		profile->total[row->mode][side] += instructions;
	}
}

int profile_read(struct profile *profile, const json_t *a, const json_t *b)
{
	size_t room = json_array_size(json_object_get(a, "functions")) +
		      json_array_size(json_object_get(b, "functions")), kept = 0;

	memset(profile, 0, sizeof(*profile));
	profile->rows = calloc(room + 1, sizeof(*profile->rows));
	if (!profile->rows)
		return -ENOMEM;
	add_rows(profile, a, 0);
	if (b)
		add_rows(profile, b, 1);
	qsort(profile->rows, profile->count, sizeof(*profile->rows), by_name);
	for (size_t i = 0; i < profile->count; i++) {
		struct profile_row *row = &profile->rows[i];

		if (!kept || by_name(&profile->rows[kept - 1], row)) {
			profile->rows[kept++] = *row;
			continue;
		}
		for (int side = 0; side < 2; side++) {
			profile->rows[kept - 1].instructions[side] += row->instructions[side];
			profile->rows[kept - 1].calls[side] += row->calls[side];
		}
	}
	profile->count = kept;
	qsort(profile->rows, kept, sizeof(*profile->rows), by_size);
	return 0;
}

void profile_release(struct profile *profile)
{
	free(profile->rows);
	memset(profile, 0, sizeof(*profile));
}

static const struct profile_row *find(const struct profile *profile, const char *function)
{
	for (size_t i = 0; i < profile->count; i++)
		if (profile->rows[i].mode == PROFILE_KERNEL &&
		    !strcmp(profile->rows[i].function, function))
			return &profile->rows[i];
	return NULL;
}

double profile_calls(const struct profile *profile, int side, const char *function)
{
	const struct profile_row *row = find(profile, function);

	return row ? row->calls[side] : 0;
}

double profile_instructions(const struct profile *profile, int side, const char *function)
{
	const struct profile_row *row = find(profile, function);

	return row ? row->instructions[side] : 0;
}

double profile_allocator_calls(const struct profile *profile, int side)
{
	double calls = 0;

	for (size_t i = 0; i < profile->count; i++) {
		const struct profile_row *row = &profile->rows[i];

		for (int j = 0; row->mode == PROFILE_KERNEL && allocator[j]; j++)
			if (!strncmp(row->function, allocator[j], strlen(allocator[j]))) {
				calls += row->calls[side];
				break;
			}
	}
	return calls;
}
