// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/frame.h"

#include "results/quote.h"

#include <stdio.h>
#include <string.h>

enum form {
	FORM_TEXT,
	FORM_FLAG,
	FORM_COUNT,
	FORM_COUNT_OR_NULL,
	FORM_OBJECT,
	FORM_ARRAY,
};

static const char *const form_names[] = {
	[FORM_TEXT] = "a text",	     [FORM_FLAG] = "true or false",
	[FORM_COUNT] = "a count",    [FORM_COUNT_OR_NULL] = "a count or null",
	[FORM_OBJECT] = "an object", [FORM_ARRAY] = "an array",
};

struct member {
	const char *name;
	enum form form;
};

static bool is_count(const json_t *value)
{
	return json_is_integer(value) && json_integer_value(value) >= 0;
}

static bool has_form(const json_t *value, enum form form)
{
	switch (form) {
	case FORM_TEXT:
		return json_is_string(value);
	case FORM_FLAG:
		return json_is_boolean(value);
	case FORM_COUNT:
		return is_count(value);
	case FORM_COUNT_OR_NULL:
		return is_count(value) || json_is_null(value);
	case FORM_OBJECT:
		return json_is_object(value);
	case FORM_ARRAY:
		return json_is_array(value);
	}
	return false;
}

/* `where` names the object in the message: "" or "pairs[0]: ". */
static bool check_members(const json_t *object, const struct member *members, size_t count,
			  const char *where, char *why, size_t size)
{
	if (!json_is_object(object)) {
		snprintf(why, size, "%sis no object", where);
		return false;
	}
	for (size_t i = 0; i < count; i++) {
		const json_t *value = json_object_get(object, members[i].name);

		if (!value) {
			snprintf(why, size, "%sno \"%s\"", where, members[i].name);
			return false;
		}
		if (!has_form(value, members[i].form)) {
			snprintf(why, size, "%s\"%s\" is not %s", where, members[i].name,
				 form_names[members[i].form]);
			return false;
		}
	}
	return true;
}

/* Times of other workloads are not known here by name, but by their unit. */
static bool check_times(const json_t *round, const char *where, char *why, size_t size)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)round, name, value)
	{
		size_t length = strlen(name);

		if (length > 3 && !strcmp(name + length - 3, "_ns") && !json_is_integer(value) &&
		    !json_is_null(value)) {
			char shown[QUOTE_SIZE];

			snprintf(why, size, "%s\"%s\" is neither an integer nor null", where,
				 quote_text(name, shown));
			return false;
		}
	}
	return true;
}

static bool check_round(const json_t *round, const char *where, char *why, size_t size)
{
	static const struct member members[] = {
		{ "round", FORM_COUNT },
		{ "valid", FORM_FLAG },
	};
	static const char *const above_zero[] = { "fill_ns", "installs" };

	if (!check_members(round, members, sizeof(members) / sizeof(members[0]), where, why, size))
		return false;
	if (!check_times(round, where, why, size))
		return false;
	/* A rate divides by these. */
	if (!json_object_get(round, "fill_ns") || json_is_false(json_object_get(round, "valid")))
		return true;
	for (size_t i = 0; i < sizeof(above_zero) / sizeof(above_zero[0]); i++) {
		const json_t *value = json_object_get(round, above_zero[i]);

		if (!json_is_integer(value) || json_integer_value(value) <= 0) {
			snprintf(why, size, "%svalid, but \"%s\" is not above 0", where,
				 above_zero[i]);
			return false;
		}
	}
	return true;
}

static bool check_pair(const json_t *pair, size_t index, char *why, size_t size)
{
	static const struct member members[] = {
		{ "sender_pu", FORM_COUNT },
		{ "receiver_pu", FORM_COUNT_OR_NULL },
		{ "rounds", FORM_ARRAY },
	};
	char where[80];
	const json_t *round;
	size_t i;

	snprintf(where, sizeof(where), "pairs[%zu]: ", index);
	if (!check_members(pair, members, sizeof(members) / sizeof(members[0]), where, why, size))
		return false;
	json_array_foreach(json_object_get(pair, "rounds"), i, round)
	{
		snprintf(where, sizeof(where), "pairs[%zu].rounds[%zu]: ", index, i);
		if (!check_round(round, where, why, size))
			return false;
	}
	return true;
}

bool frame_check_block(const json_t *block, char *why, size_t size)
{
	static const struct member members[] = {
		{ "id", FORM_TEXT },	{ "point", FORM_OBJECT }, { "block", FORM_COUNT },
		{ "valid", FORM_FLAG }, { "pairs", FORM_ARRAY },
	};
	const json_t *pair;
	size_t i;

	if (!check_members(block, members, sizeof(members) / sizeof(members[0]), "", why, size))
		return false;
	json_array_foreach(json_object_get(block, "pairs"), i,
			   pair) if (!check_pair(pair, i, why, size)) return false;
	return true;
}
