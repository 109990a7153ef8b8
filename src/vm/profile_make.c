// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vm/process.h"
#include "vm/profile.h"

#define UNPACK_LIMIT_NS 60000000000

static const struct transfer_file *find_file(const struct transfer *transfer, const char *name)
{
	for (size_t i = 0; i < transfer->count; i++)
		if (!strcmp(transfer->files[i].name, name))
			return &transfer->files[i];
	return NULL;
}

static int unpack(const struct vm_context *context, const struct transfer_file *file,
		  const char *scratch, char **text, struct error *e)
{
	const char *const argv[] = { "gzip", "-dc", scratch, NULL };
	struct process process = { .argv = argv };
	FILE *out = fopen(scratch, "we");
	bool failed = !out;
	int result;

	if (out && fwrite(file->data, 1, file->size, out) != file->size)
		failed = true;
	if (out && fclose(out))
		failed = true;
	result = failed ? error_set(e, ERROR_FAILED, errno, "cannot write '%s': %s", scratch,
				    strerror(errno))
			: process_run(&process, UNPACK_LIMIT_NS, context->interrupt_fd, text, e);
	remove(scratch);
	return result;
}

/* "START-END r-xp OFFSET DEVICE INODE  PATH" of code. */
static void add_mapping(struct profile_names *names, const struct guest_files *files,
			const char *line)
{
	uint64_t start, end, offset;
	char access[8], path[256], shown[300];
	const char *from;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %255[^\n]", &start, &end,
		   access, &offset, path) != 5 || access[2] != 'x' || end <= start)
		return;
	from = guest_files_source(files, path);
	if (from)
		symbols_add_file(&names->program, from, start, offset, end - start);
	if (path[0] == '[')
		snprintf(shown, sizeof(shown), "%s", path);
	else
		snprintf(shown, sizeof(shown), "[%s]",
			 strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
	symbols_add(&names->files, start, end - start, shown, 0);
}

static int load_names(struct profile_names *names, const struct guest_files *files,
		      const char *kallsyms, const struct transfer_file *map, struct error *e)
{
	char *text = map ? strndup(map->data, map->size) : NULL, *rest = NULL;
	int result = symbols_add_kernel(&names->kernel, kallsyms, e);

	for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest))
		add_mapping(names, files, line);
	free(text);
	if (!result && (symbols_finish(&names->kernel) || symbols_finish(&names->program) ||
			symbols_finish(&names->files)))
		result = error_set(e, ERROR_FAILED, ENOMEM, "no memory for symbols");
	return result;
}

/* Block records of the only result file that the guest sent. A new array, or NULL with *e. */
static json_t *read_blocks(const struct transfer *transfer, struct error *e)
{
	const struct transfer_file *file = NULL;
	json_t *blocks = json_array();
	size_t files = 0;

	for (size_t i = 0; i < transfer->count; i++) {
		if (!transfer_is_result(&transfer->files[i]))
			continue;
		file = &transfer->files[i];
		files++;
	}
	if (files != 1) {
		json_decref(blocks);
		error_set(e, ERROR_UNAVAILABLE, ENODATA,
			  files ? "the guest left several result files; a profile needs one"
				: "the guest left no result file");
		return NULL;
	}
	for (const char *line = file->data, *end = file->data + file->size; line < end;) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		size_t length = newline ? (size_t)(newline - line) : (size_t)(end - line);
		json_t *record = json_loadb(line, length, 0, NULL);
		const char *kind = json_string_value(json_object_get(record, "record"));

		if (kind && !strcmp(kind, "block"))
			json_array_append(blocks, record);
		json_decref(record);
		line += length + 1;
	}
	return blocks;
}

int profile_make(const struct vm_context *context, const struct guest_files *files,
		 const struct transfer *transfer, const char *counts_path, const char *scratch,
		 json_t **records, struct error *e)
{
	const struct transfer_file *symbols = find_file(transfer, GUEST_SYMBOLS);
	struct profile_names names = { 0 };
	struct counts counts = { 0 };
	char *text = vm_read_file(counts_path), *kallsyms = NULL;
	json_t *blocks = NULL;
	int result;

	*records = NULL;
	result = text ? counts_parse(&counts, text, e)
		      : error_set(e, ERROR_UNAVAILABLE, ENOENT, "the plugin left no counts");
	if (!result && !symbols)
		result = error_set(e, ERROR_UNAVAILABLE, ENOENT,
				   "the guest sent no symbols of its kernel");
	if (!result)
		result = unpack(context, symbols, scratch, &kallsyms, e);
	if (!result)
		result = load_names(&names, files, kallsyms, find_file(transfer, GUEST_MAP), e);
	if (!result) {
		blocks = read_blocks(transfer, e);
		result = blocks ? profile_records(&counts, &names, blocks, records, e) : -e->code;
	}
	if (!result && !json_array_size(*records)) {
		json_decref(*records);
		*records = NULL;
		result = error_set(e, ERROR_UNAVAILABLE, ENODATA,
				   "no timed region was seen: nothing valid was measured, or the "
				   "guest's program has no marks");
	}
	json_decref(blocks);
	free(text);
	free(kallsyms);
	profile_names_free(&names);
	counts_free(&counts);
	return result;
}
