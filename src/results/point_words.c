// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/point_words.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The others mostly have their default, or follow from these. */
static const char *const told[] = { "workload", "pairs", "slots", "used", "batch", "slot", "cycle",
				    "reap", "file", "cqe", "gap" };

static bool is_told(const char *axis)
{
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++)
		if (!strcmp(axis, told[i]))
			return true;
	return false;
}

static bool same(const json_t *a, const json_t *b, const char *axis)
{
	const json_t *one = json_object_get(a, axis), *other = json_object_get(b, axis);

	return one == other || (one && other && json_equal(one, other));
}

static bool varies(const json_t *points, const char *axis)
{
	const json_t *point;
	size_t i;

	json_array_foreach(points, i, point)
		if (!same(json_array_get(points, 0), point, axis))
			return true;
	return false;
}

static bool read_alike(const json_t *a, const json_t *b)
{
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++)
		if (!same(a, b, told[i]))
			return false;
	return true;
}

/* Whether two points that are alike in all told axes differ in this one. */
static bool tells_apart(const json_t *points, const char *axis)
{
	const json_t *a, *b;
	size_t i, j;

	if (!varies(points, axis))
		return false;
	json_array_foreach(points, i, a)
		json_array_foreach(points, j, b)
			if (j > i && !same(a, b, axis) && read_alike(a, b))
				return true;
	return false;
}

/* All slots are used, mostly: that goes without saying. */
static bool all_used(const json_t *points)
{
	const json_t *point;
	size_t i;

	json_array_foreach(points, i, point)
		if (!json_equal(json_object_get(point, "used"), json_object_get(point, "slots")))
			return false;
	return true;
}

static bool is_wanted(const json_t *points, const char *axis, enum point_part part)
{
	if (!strcmp(axis, "used") && all_used(points))
		return false;
	if (!is_told(axis) && !tells_apart(points, axis))
		return false;
	return part == POINT_ALL || varies(points, axis) == (part == POINT_VARYING);
}

void point_words(const json_t *points, const json_t *point, enum point_part part,
		 const struct point_style *style, char *text, size_t size)
{
	size_t end = 0, line = 0;
	const char *axis;
	json_t *value;

	text[0] = '\0';
	/* Nothing is changed: the macro has no form for what is constant. */
	json_object_foreach((json_t *)point, axis, value) {
		const char *name = strcmp(axis, "workload") ? axis : "", *between = style->between;
		char piece[96], number[32];

		if (!is_wanted(points, axis, part))
			continue;
		snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT, json_integer_value(value));
		snprintf(piece, sizeof(piece), "%s%s%s", name, *name ? " " : "",
			 json_is_string(value) ? json_string_value(value) : number);
		if (!end)
			between = "";
		else if (style->width &&
			 end - line + strlen(between) + strlen(piece) > style->width)
			between = "\n";
		line = *between == '\n' ? end + 1 : line;
		end += (size_t)snprintf(text + end, size - end, "%s%s", between, piece);
		if (end >= size)
			return;
	}
}
