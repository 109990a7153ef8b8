// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/reader.h"

#include "results/quote.h"
#include "results/reader_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
		result = reading_take_record(reading, record, e);
		json_decref(record);
		if (!result && !whole)
			result = reading_note(reading, e,
				      "the last line has no line end; "
				      "its record is whole");
		return result;
	}
	if (json_error_code(&why) == json_error_out_of_memory)
		return reading_no_memory(reading, e);
	if (!whole)
		return reading_note(reading, e,
			    "torn off after %zu bytes (the program was killed, or "
			    "still writes); it is left out",
			    length);
	if (memchr(text, '\0', length))
		return reading_note(reading, e,
			    "holds NUL bytes (the machine went down, or this is no "
			    "text); it is left out");
	return reading_note(reading, e, "no JSON near byte %d: %.120s; it is left out", why.position,
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
			result = reading_no_memory(reading, e);
		else if (ferror(file))
			result = reading_note(reading, e, "cannot be read: %s; what follows is left out",
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
		if (reading_add_note(result, more) && !status)
			status = reading_no_memory(&reading, e);
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
