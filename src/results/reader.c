// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/reader.h"

#include "results/frame.h"
#include "results/profile.h"
#include "results/quote.h"
#include "results/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where the reading of a file stands. */
struct reading {
	struct result *first; /* holds path and notes */
	struct result *run;   /* whose lines these are; NULL where there is no header we know */
	size_t line;	      /* from 1 */
	size_t not_noted;
	bool ended;   /* the run has an end record, and was not resumed after it */
	json_t *seen; /* "id/block" of the run's blocks -> line */
};

static int no_memory(const struct reading *reading, struct error *e)
{
	char name[QUOTE_SIZE];

	return error_set(e, ERROR_FAILED, ENOMEM,
			 "'%s' line %zu: no memory to read on; free some memory",
			 quote_text(reading->first->path, name), reading->line);
}

/* Adds "line N: ..." to the notes. Returns 0 or -ENOMEM. */
static int note(struct reading *reading, struct error *e, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int add_note(struct result *result, char *text)
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

static int note(struct reading *reading, struct error *e, const char *format, ...)
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
	if (add_note(reading->first, text))
		return no_memory(reading, e);
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
		return note(reading, e,
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
			return no_memory(reading, e);
		reading->run = reading->run->next;
	}
	reading->run->header = json_incref(record);
	if (is_first)
		return 0;
	return note(reading, e, "a second header: two runs in one file; they are kept apart");
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
		return note(reading, e, "a block that cannot be used is left out: %s", why);
	if (reading->ended)
		return note(reading, e, "a block after the end record is left out");
	index = json_integer_value(json_object_get(record, "block"));
	if (asprintf(&key, "%" JSON_INTEGER_FORMAT "/%s", index,
		     json_string_value(json_object_get(record, "id"))) < 0)
		return no_memory(reading, e);
	before = json_object_get(reading->seen, key);
	if (before) {
		result = note(reading, e,
			      "block %.80s (block/point) stands on line %" JSON_INTEGER_FORMAT
			      " already; this one is left out",
			      key, json_integer_value(before));
		free(key);
		return result;
	}
	result = json_object_set_new(reading->seen, key, json_integer((json_int_t)reading->line));
	free(key);
	if (result)
		return no_memory(reading, e);
	/* Doubled when full: the count is then a power of two. */
	if ((run->block_count & (run->block_count - 1)) == 0) {
		size_t room = run->block_count ? run->block_count * 2 : 1;

		blocks = realloc(run->blocks, room * sizeof(*blocks));
		if (!blocks)
			return no_memory(reading, e);
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
		return note(reading, e, "a profile that cannot be used is left out: %s", why);
	if (reading->ended)
		return note(reading, e, "a profile after the end record is left out");
	if (!run->profiles)
		run->profiles = json_array();
	return json_array_append(run->profiles, record) ? no_memory(reading, e) : 0;
}

static int take_end(struct reading *reading, json_t *record, struct error *e)
{
	if (!json_is_string(json_object_get(record, "status")))
		return note(reading, e, "an end record without \"status\" is left out");
	if (reading->ended)
		return note(reading, e, "a second end record is left out");
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

static int take_record(struct reading *reading, json_t *record, struct error *e)
{
	const char *kind = json_string_value(json_object_get(record, "record"));
	char shown[QUOTE_SIZE];

	if (!json_is_object(record))
		return note(reading, e, "JSON, but no object; it is left out");
	if (!kind)
		return note(reading, e, "no \"record\" says what it is; it is left out");
	if (!strcmp(kind, "header"))
		return take_header(reading, record, e);
	if (strcmp(kind, "block") && strcmp(kind, "profile") && strcmp(kind, "end") &&
	    strcmp(kind, "resume"))
		return note(reading, e, "unknown record '%.80s'; it is left out",
			    quote_text(kind, shown));
	if (!reading->run)
		return reading->first->header ?
			       0 :
			       note(reading, e, "a record '%s' before any header is left out",
				    kind);
	if (!strcmp(kind, "block"))
		return take_block(reading, record, e);
	if (!strcmp(kind, "profile"))
		return take_profile(reading, record, e);
	if (!strcmp(kind, "end"))
		return take_end(reading, record, e);
	return take_resume(reading);
}

static bool is_blank(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!strchr(" \t\r\n", text[i]) || !text[i])
			return false;
	return true;
}

static int take_line(struct reading *reading, const char *text, size_t length, struct error *e)
{
	bool whole = length > 0 && text[length - 1] == '\n';
	json_error_t why;
	json_t *record;
	char shown[QUOTE_SIZE];
	int result;

	if (is_blank(text, length))
		return 0;
	record = json_loadb(text, length, JSON_REJECT_DUPLICATES, &why);
	if (record) {
		result = take_record(reading, record, e);
		json_decref(record);
		if (!result && !whole)
			result = note(reading, e,
				      "the last line has no line end; "
				      "its record is whole");
		return result;
	}
	if (json_error_code(&why) == json_error_out_of_memory)
		return no_memory(reading, e);
	if (!whole)
		return note(reading, e,
			    "torn off after %zu bytes (the program was killed, or "
			    "still writes); it is left out",
			    length);
	if (memchr(text, '\0', length))
		return note(reading, e,
			    "holds NUL bytes (the machine went down, or this is no "
			    "text); it is left out");
	return note(reading, e, "no JSON near byte %d: %.120s; it is left out", why.position,
		    quote_text(why.text, shown));
}

static int take_lines(struct reading *reading, FILE *file, struct error *e)
{
	char *text = NULL;
	size_t room = 0;
	ssize_t length;
	int result = 0;

	while (!result) {
		reading->line++;
		errno = 0;
		length = getline(&text, &room, file);
		if (length >= 0) {
			result = take_line(reading, text, (size_t)length, e);
			continue;
		}
		if (errno == ENOMEM || errno == EOVERFLOW)
			result = no_memory(reading, e);
		else if (ferror(file))
			result = note(reading, e, "cannot be read: %s; what follows is left out",
				      strerror(errno));
		break;
	}
	free(text);
	return result;
}

static FILE *open_file(const char *path, struct error *e)
{
	char name[QUOTE_SIZE];
	FILE *file = NULL;
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	quote_text(path, name);
	if (fd < 0) {
		error_set(e, ERROR_FAILED, errno,
			  "'%s': cannot be opened: %s; name a result file "
			  "of ringscale run",
			  name, strerror(errno));
		return NULL;
	}
	if (fstat(fd, &st))
		error_set(e, ERROR_FAILED, errno,
			  "'%s': cannot be looked at: %s; name a result "
			  "file of ringscale run",
			  name, strerror(errno));
	else if (S_ISDIR(st.st_mode))
		error_set(e, ERROR_FAILED, EISDIR, "'%s': is a folder; name a file in it", name);
	else if (!S_ISREG(st.st_mode) && !S_ISFIFO(st.st_mode)) /* /dev/zero never ends */
		error_set(e, ERROR_FAILED, EINVAL,
			  "'%s': is a device or socket; name a result "
			  "file of ringscale run",
			  name);
	else {
		file = fdopen(fd, "r");
		if (!file)
			error_set(e, ERROR_FAILED, errno,
				  "'%s': cannot be read: %s; free some "
				  "memory",
				  name, strerror(errno));
	}
	if (!file)
		close(fd);
	return file;
}

int result_read(struct result *result, const char *path, struct error *e)
{
	struct reading reading = { .first = result };
	char name[QUOTE_SIZE], *more;
	FILE *file = NULL;
	int status;

	*result = (struct result){ .path = strdup(path) };
	reading.seen = json_object();
	if (!result->path || !reading.seen) {
		status = error_set(e, ERROR_FAILED, ENOMEM,
				   "result file: no memory to read it; free some memory");
		goto out;
	}
	file = open_file(path, e);
	if (!file) {
		status = e->code ? -e->code : -EINVAL;
		goto out;
	}
	status = take_lines(&reading, file, e);
	if (reading.not_noted) {
		if (asprintf(&more, "and %zu more lines with something amiss", reading.not_noted) <
		    0)
			more = NULL;
		if (add_note(result, more) && !status)
			status = no_memory(&reading, e);
	}
	if (!status && !result->header)
		status = error_set(
			e, ERROR_FAILED, ENODATA,
			"'%s': no header record%s%.200s%s; "
			"name a result file of ringscale run",
			quote_text(path, name), result->note_count ? " (" : ", it is empty",
			result->note_count ? result->notes[0] : "", result->note_count ? ")" : "");
out:
	if (file)
		fclose(file);
	json_decref(reading.seen);
	return status;
}

static void release_run(struct result *run)
{
	for (size_t i = 0; i < run->block_count; i++)
		json_decref(run->blocks[i]);
	for (size_t i = 0; i < run->note_count; i++)
		free(run->notes[i]);
	free(run->blocks);
	free(run->notes);
	free(run->path);
	json_decref(run->profiles);
	json_decref(run->header);
	json_decref(run->end);
}

void result_release(struct result *result)
{
	struct result *next = result->next;

	release_run(result);
	while (next) {
		struct result *run = next;

		next = run->next;
		release_run(run);
		free(run);
	}
	*result = (struct result){ 0 };
}
