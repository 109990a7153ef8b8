// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/lab.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SUFFIX ".jsonl"

/* Sent for the profile alone. */
static bool is_of_lab(const struct transfer_file *file)
{
	return !strcmp(file->name, GUEST_SYMBOLS) || !strcmp(file->name, GUEST_MAP);
}

/* Text of a file, piece by piece. */
struct piece {
	const char *data;
	size_t size;
};

/* A file that was not there. */
static int write_new(const char *path, const struct piece *pieces, size_t count, struct error *e)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666), code = 0;
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (!out) {
		code = errno;
	} else {
		for (size_t i = 0; i < count && !code; i++)
			if (fwrite(pieces[i].data, 1, pieces[i].size, out) != pieces[i].size)
				code = errno;
		if (!code && (fflush(out) || fsync(fd) < 0))
			code = errno;
		if (fclose(out) && !code)
			code = errno;
	}
	/* Half a file is not left behind. */
	if (code && out)
		remove(path);
	return code ? error_set(e, ERROR_FAILED, code, "cannot write '%s': %s", path,
				strerror(code)) : 0;
}

/* The header with `about` in it and a newline, or NULL where the file begins with no header. */
static char *extend_header(const struct transfer_file *file, size_t *old_size, json_t *about)
{
	const char *newline = memchr(file->data, '\n', file->size);
	json_t *header = NULL;
	char *text = NULL, *line = NULL;

	if (newline) {
		*old_size = (size_t)(newline - file->data) + 1;
		header = json_loadb(file->data, *old_size, 0, NULL);
	}
	if (json_is_object(header) && json_is_string(json_object_get(header, "record")) &&
	    !strcmp(json_string_value(json_object_get(header, "record")), "header") &&
	    !json_object_set(header, "lab", about))
		text = json_dumps(header, JSON_COMPACT | JSON_REAL_PRECISION(17));
	if (text && asprintf(&line, "%s\n", text) < 0)
		line = NULL;
	free(text);
	json_decref(header);
	return line;
}

/* Where the end record begins, or the file's size where it has none. */
static size_t end_at(const struct transfer_file *file)
{
	const char *line = file->size ? memrchr(file->data, '\n', file->size - 1) : NULL;
	size_t at = line ? (size_t)(line + 1 - file->data) : file->size;
	json_t *record = json_loadb(file->data + at, file->size - at, 0, NULL);
	const char *kind = json_string_value(json_object_get(record, "record"));

	if (!kind || strcmp(kind, "end"))
		at = file->size;
	json_decref(record);
	return at;
}

/* Records as lines; NULL without memory. */
static char *lines_of(const json_t *records)
{
	char *text = NULL;
	size_t size = 0, i;
	FILE *out = open_memstream(&text, &size);
	const json_t *record;

	if (!out)
		return NULL;
	json_array_foreach(records, i, record) {
		json_dumpf(record, out, JSON_COMPACT | JSON_REAL_PRECISION(17));
		fputc('\n', out);
	}
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

static int keep_result(const struct transfer_file *file, const char *path, json_t *about,
		       const json_t *profiles, struct error *e)
{
	size_t old_size = 0, end = end_at(file);
	char *line = extend_header(file, &old_size, about);
	char *profile = line ? lines_of(profiles) : NULL;
	const struct piece pieces[] = {
		{ line ? line : "", line ? strlen(line) : 0 },
		{ file->data + (line ? old_size : 0), end - (line ? old_size : 0) },
		{ profile ? profile : "", profile ? strlen(profile) : 0 },
		{ file->data + end, file->size - end },
	};
	int result = write_new(path, pieces, sizeof(pieces) / sizeof(pieces[0]), e);

	free(profile);
	free(line);
	return result;
}

static char *copy_text(const struct transfer_file *file)
{
	char *text = malloc(file->size + 1);

	if (text) {
		memcpy(text, file->data, file->size);
		text[file->size] = '\0';
	}
	return text;
}

/* One file of results is PREFIX.jsonl; several keep their names too, as other files do. */
static void name_file(const struct lab_boot *boot, const struct transfer_file *file, bool only,
		      char *path, size_t size)
{
	if (only)
		snprintf(path, size, "%s" SUFFIX, boot->prefix);
	else
		snprintf(path, size, "%s.%s", boot->prefix, file->name);
}

int lab_keep(const struct transfer *transfer, struct lab_boot *boot, json_t *about,
	     const json_t *profiles, struct error *e)
{
	size_t results = 0;
	int result = 0;

	for (size_t i = 0; i < transfer->count; i++)
		results += transfer_is_result(&transfer->files[i]);
	boot->results = calloc(results ? results : 1, sizeof(*boot->results));
	if (!boot->results)
		return error_set(e, ERROR_FAILED, ENOMEM, "no memory for the results");
	for (size_t i = 0; i < transfer->count && !result; i++) {
		const struct transfer_file *file = &transfer->files[i];
		bool stream = i < 2 && (!strcmp(file->name, "stdout") ||
					!strcmp(file->name, "stderr"));
		bool is_result = transfer_is_result(file);
		char path[PATH_MAX + 160];

		if (is_of_lab(file))
			continue;
		name_file(boot, file, is_result && results == 1, path, sizeof(path));
		if (is_result)
			result = keep_result(file, path, about, profiles, e);
		else
			result = write_new(path, &(struct piece){ file->data, file->size }, 1, e);
		if (!result && is_result)
			snprintf(boot->results[boot->result_count++], PATH_MAX, "%.*s",
				 PATH_MAX - 1, path);
		if (stream && !strcmp(file->name, "stdout"))
			boot->output = copy_text(file);
		else if (stream)
			boot->errors = copy_text(file);
	}
	return result;
}
