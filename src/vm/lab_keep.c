// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/lab.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SUFFIX ".jsonl"

static bool is_result(const struct transfer_file *file)
{
	size_t length = strlen(file->name), suffix = strlen(SUFFIX);

	return length > suffix && !strcmp(file->name + length - suffix, SUFFIX);
}

/* A file that was not there. */
static int write_new(const char *path, const char *first, size_t first_size, const char *data,
		     size_t size, struct error *e)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666), code = 0;
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (!out) {
		code = errno;
	} else {
		if (fwrite(first, 1, first_size, out) != first_size ||
		    fwrite(data, 1, size, out) != size || fflush(out) || fsync(fd) < 0)
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

static int keep_result(const struct transfer_file *file, const char *path, json_t *about,
		       struct error *e)
{
	size_t old_size = 0;
	char *line = extend_header(file, &old_size, about);
	int result = line ? write_new(path, line, strlen(line), file->data + old_size,
				      file->size - old_size, e)
			  : write_new(path, "", 0, file->data, file->size, e);

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
	     struct error *e)
{
	size_t results = 0;
	int result = 0;

	for (size_t i = 0; i < transfer->count; i++)
		results += is_result(&transfer->files[i]);
	boot->results = calloc(results ? results : 1, sizeof(*boot->results));
	if (!boot->results)
		return error_set(e, ERROR_FAILED, ENOMEM, "no memory for the results");
	for (size_t i = 0; i < transfer->count && !result; i++) {
		const struct transfer_file *file = &transfer->files[i];
		bool stream = i < 2 && (!strcmp(file->name, "stdout") ||
					!strcmp(file->name, "stderr"));
		char path[PATH_MAX + 160];

		name_file(boot, file, is_result(file) && results == 1, path, sizeof(path));
		if (is_result(file))
			result = keep_result(file, path, about, e);
		else
			result = write_new(path, "", 0, file->data, file->size, e);
		if (!result && is_result(file))
			snprintf(boot->results[boot->result_count++], PATH_MAX, "%.*s",
				 PATH_MAX - 1, path);
		if (stream && !strcmp(file->name, "stdout"))
			boot->output = copy_text(file);
		else if (stream)
			boot->errors = copy_text(file);
	}
	return result;
}
