// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/transfer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a kernel says when it is lost. User programs that crash say other things. */
static const char *const marks[] = {
	"Kernel panic - not syncing", "BUG: unable to handle", "BUG: kernel NULL pointer",
	"kernel BUG at ", "Unable to handle kernel", "Internal error: ", "[#1]",
	"PANIC: double fault", "traps: PANIC",
};

uint32_t transfer_checksum(const void *data, size_t size)
{
	const unsigned char *bytes = data;
	uint32_t table[256], crc = 0xffffffff;

	for (uint32_t i = 0; i < 256; i++) {
		uint32_t value = i;

		for (int bit = 0; bit < 8; bit++)
			value = value >> 1 ^ (value & 1 ? 0xedb88320 : 0);
		table[i] = value;
	}
	for (size_t i = 0; i < size; i++)
		crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 0xff];
	return ~crc;
}

/* Where a parse stands. */
struct cursor {
	const char *at, *end;
};

/* The next line without its newline, copied; false where there is no whole one. */
static bool next_line(struct cursor *cursor, char *line, size_t size)
{
	const char *newline = memchr(cursor->at, '\n', (size_t)(cursor->end - cursor->at));
	size_t length;

	if (!newline)
		return false;
	length = (size_t)(newline - cursor->at);
	if (length >= size)
		return false;
	memcpy(line, cursor->at, length);
	line[length] = '\0';
	cursor->at = newline + 1;
	return true;
}

/* Names come from the guest and become names here. */
static bool name_is_safe(const char *name)
{
	if (!*name || *name == '.' || strlen(name) >= sizeof(((struct transfer_file *)0)->name))
		return false;
	for (; *name; name++)
		if (*name == '/' || (unsigned char)*name < ' ' || *name == 127)
			return false;
	return true;
}

static bool read_file(struct transfer *transfer, struct cursor *cursor, const char *line)
{
	struct transfer_file *file = &transfer->files[transfer->count];
	unsigned long long size;
	unsigned crc;
	int at = 0;

	if (sscanf(line, "file %llu %x %n", &size, &crc, &at) != 2 || !at ||
	    !name_is_safe(line + at)) {
		snprintf(transfer->wrong, sizeof(transfer->wrong), "a file's line is damaged");
		return false;
	}
	if (transfer->count == TRANSFER_FILES_MAX) {
		snprintf(transfer->wrong, sizeof(transfer->wrong), "more than %d files",
			 TRANSFER_FILES_MAX);
		return false;
	}
	if (size >= (size_t)(cursor->end - cursor->at) || cursor->at[size] != '\n') {
		snprintf(transfer->wrong, sizeof(transfer->wrong), "%.100s is torn", line + at);
		return false;
	}
	if (transfer_checksum(cursor->at, size) != crc) {
		snprintf(transfer->wrong, sizeof(transfer->wrong),
			 "%.100s is damaged: its checksum is wrong", line + at);
		return false;
	}
	snprintf(file->name, sizeof(file->name), "%s", line + at);
	file->data = cursor->at;
	file->size = size;
	transfer->count++;
	cursor->at += size + 1;
	return true;
}

/* One line behind the greeting; false ends the parse. */
static bool read_line(struct transfer *transfer, struct cursor *cursor, const char *line,
		      bool *have_status)
{
	size_t count;
	int at = 0;

	if (sscanf(line, "release %95s%n", transfer->release, &at) == 1 && !line[at])
		return true;
	if (!strncmp(line, "file ", 5))
		return read_file(transfer, cursor, line);
	if (sscanf(line, "status %d%n", &transfer->status, &at) == 1 && !line[at]) {
		*have_status = true;
		return true;
	}
	if (sscanf(line, "end %zu%n", &count, &at) == 1 && !line[at]) {
		transfer->complete = *have_status && count == transfer->count;
		if (!transfer->complete)
			snprintf(transfer->wrong, sizeof(transfer->wrong),
				 "%zu of %zu files came", transfer->count, count);
		return false;
	}
	snprintf(transfer->wrong, sizeof(transfer->wrong), "a line is damaged");
	return false;
}

void transfer_parse(struct transfer *transfer, char *text, size_t size)
{
	struct cursor cursor = { text, text + size };
	bool have_status = false;
	char line[512];

	memset(transfer, 0, sizeof(*transfer));
	transfer->text = text;
	transfer->status = -1;
	if (!next_line(&cursor, line, sizeof(line)) || strcmp(line, "ringscale-lab 1")) {
		snprintf(transfer->wrong, sizeof(transfer->wrong), "the guest sent nothing");
		return;
	}
	transfer->hello = true;
	while (next_line(&cursor, line, sizeof(line)))
		if (!read_line(transfer, &cursor, line, &have_status))
			return;
	snprintf(transfer->wrong, sizeof(transfer->wrong), "the transfer ends in the middle");
}

bool transfer_is_result(const struct transfer_file *file)
{
	static const char suffix[] = ".jsonl";
	size_t length = strlen(file->name);

	return length >= sizeof(suffix) && !strcmp(file->name + length - sizeof(suffix) + 1, suffix);
}

void transfer_free(struct transfer *transfer)
{
	free(transfer->text);
	memset(transfer, 0, sizeof(*transfer));
}

bool console_find_oops(const char *text, char *line, size_t size)
{
	const char *first = NULL;

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		const char *found = strstr(text, marks[i]);

		if (found && (!first || found < first))
			first = found;
	}
	if (!first)
		return false;
	while (first > text && first[-1] != '\n')
		first--;
	snprintf(line, size, "%.*s", (int)strcspn(first, "\r\n"), first);
	return true;
}
