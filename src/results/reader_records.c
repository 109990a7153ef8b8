// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/reader_parts.h"

#include "results/frame.h"
#include "results/profile.h"
#include "results/quote.h"
#include "results/writer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int reading_no_memory(const struct reading *reading, struct error *e)
{
	char name[QUOTE_SIZE];

	return error_set(e, ERROR_FAILED, ENOMEM,
			 "'%s' line %zu: no memory to read on; free some memory",
			 quote_text(reading->first->path, name), reading->line);
}

int reading_add_note(struct result *result, char *text)
{
	char **notes = NULL;

	if (text)
		notes = realloc(result->notes, (result->note_count + 1) * sizeof(*notes));
	if (!notes) {
		free(text);
		return -ENOMEM;
	}
	result->notes = notes;
	result->notes[result->note_count++] = text;
	return 0;
}

int reading_note(struct reading *reading, struct error *e, const char *format, ...)
{
	char what[640], *text;
	va_list args;

	if (reading->first->note_count >= RESULT_NOTES_MAX) {
		reading->not_noted++;
		return 0;
	}
	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	if (asprintf(&text, "line %zu: %s", reading->line, what) < 0)
		text = NULL;
	if (reading_add_note(reading->first, text))
		return reading_no_memory(reading, e);
	return 0;
}

static int take_header(struct reading *reading, json_t *record, struct error *e)
{
	const json_t *schema = json_object_get(record, "schema");
	const char *version = json_string_value(json_object_get(record, "version"));
	char name[QUOTE_SIZE], by[QUOTE_SIZE], what[60];
	bool is_first = !reading->first->header;

	if (!json_is_integer(schema))
		snprintf(what, sizeof(what), "without a schema number");
	else
		snprintf(what, sizeof(what), "of schema %" JSON_INTEGER_FORMAT,
			 json_integer_value(schema));
	reading->ended = false;
	reading->run = NULL;
	json_object_clear(reading->seen);
	if (!json_is_integer(schema) || json_integer_value(schema) != RESULT_SCHEMA) {
		quote_text(version ? version : "unknown", by);
		if (is_first)
			return error_set(e, ERROR_FAILED, EPROTO,
					 "'%s' line %zu: header %s, and this program reads %d; "
					 "read it with the ringscale that wrote it (version %.60s)",
					 quote_text(reading->first->path, name), reading->line,
					 what, RESULT_SCHEMA, by);
		return reading_note(reading, e,
			    "a second header %s (this program reads %d); "
			    "the lines of that run are left out",
			    what, RESULT_SCHEMA);
	}
	reading->run = reading->first;
	if (!is_first) {
		while (reading->run->next)
			reading->run = reading->run->next;
		reading->run->next = calloc(1, sizeof(*reading->run));
		if (!reading->run->next)
			return reading_no_memory(reading, e);
		reading->run = reading->run->next;
	}
	reading->run->header = json_incref(record);
	if (is_first)
		return 0;
	return reading_note(reading, e, "a second header: two runs in one file; they are kept apart");
}

static int take_block(struct reading *reading, json_t *record, struct error *e)
{
	struct result *run = reading->run;
	char why[320], *key;
	json_t **blocks;
	json_int_t index;
	const json_t *before;
	int result;

	if (!frame_check_block(record, why, sizeof(why)))
		return reading_note(reading, e, "a block that cannot be used is left out: %s", why);
	if (reading->ended)
		return reading_note(reading, e, "a block after the end record is left out");
	index = json_integer_value(json_object_get(record, "block"));
	if (asprintf(&key, "%" JSON_INTEGER_FORMAT "/%s", index,
		     json_string_value(json_object_get(record, "id"))) < 0)
		return reading_no_memory(reading, e);
	before = json_object_get(reading->seen, key);
	if (before) {
		result = reading_note(reading, e,
			      "block %.80s (block/point) stands on line %" JSON_INTEGER_FORMAT
			      " already; this one is left out",
			      key, json_integer_value(before));
		free(key);
		return result;
	}
	result = json_object_set_new(reading->seen, key, json_integer((json_int_t)reading->line));
	free(key);
	if (result)
		return reading_no_memory(reading, e);
	/* Doubled when full: the count is then a power of two. */
	if ((run->block_count & (run->block_count - 1)) == 0) {
		size_t room = run->block_count ? run->block_count * 2 : 1;

		blocks = realloc(run->blocks, room * sizeof(*blocks));
		if (!blocks)
			return reading_no_memory(reading, e);
		run->blocks = blocks;
	}
	run->blocks[run->block_count++] = json_incref(record);
	return 0;
}

static int take_profile(struct reading *reading, json_t *record, struct error *e)
{
	struct result *run = reading->run;
	char why[320];

	if (!profile_check(record, why, sizeof(why)))
		return reading_note(reading, e, "a profile that cannot be used is left out: %s", why);
	if (reading->ended)
		return reading_note(reading, e, "a profile after the end record is left out");
	if (!run->profiles)
		run->profiles = json_array();
	return json_array_append(run->profiles, record) ? reading_no_memory(reading, e) : 0;
}

static int take_end(struct reading *reading, json_t *record, struct error *e)
{
	if (!json_is_string(json_object_get(record, "status")))
		return reading_note(reading, e, "an end record without \"status\" is left out");
	if (reading->ended)
		return reading_note(reading, e, "a second end record is left out");
	json_decref(reading->run->end);
	reading->run->end = json_incref(record);
	reading->ended = true;
	return 0;
}

static int take_resume(struct reading *reading)
{
	reading->run->resume_count++;
	/* The run goes on: an end before this line was not its end. */
	json_decref(reading->run->end);
	reading->run->end = NULL;
	reading->ended = false;
	return 0;
}

int reading_take_record(struct reading *reading, json_t *record, struct error *e)
{
	const char *kind = json_string_value(json_object_get(record, "record"));
	char shown[QUOTE_SIZE];

	if (!json_is_object(record))
		return reading_note(reading, e, "JSON, but no object; it is left out");
	if (!kind)
		return reading_note(reading, e, "no \"record\" says what it is; it is left out");
	if (!strcmp(kind, "header"))
		return take_header(reading, record, e);
	if (strcmp(kind, "block") && strcmp(kind, "profile") && strcmp(kind, "end") &&
	    strcmp(kind, "resume"))
		return reading_note(reading, e, "unknown record '%.80s'; it is left out",
			    quote_text(kind, shown));
	if (!reading->run)
		return reading->first->header ?
			       0 :
			       reading_note(reading, e, "a record '%s' before any header is left out",
				    kind);
	if (!strcmp(kind, "block"))
		return take_block(reading, record, e);
	if (!strcmp(kind, "profile"))
		return take_profile(reading, record, e);
	if (!strcmp(kind, "end"))
		return take_end(reading, record, e);
	return take_resume(reading);
}
