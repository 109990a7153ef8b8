// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/counts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for one more element in a list that doubles when full. */
static void *grow(void *list, size_t count, size_t size)
{
	return count & (count - 1) ? list : realloc(list, (count ? 2 * count : 1) * size);
}

static int add_run(struct counts *counts, const struct counts_run *run)
{
	void *list = grow(counts->runs, counts->run_count, sizeof(*run));

	if (!list)
		return -ENOMEM;
	counts->runs = list;
	counts->runs[counts->run_count++] = *run;
	return 0;
}

static int add_windows(struct counts *counts, const struct counts_windows *windows)
{
	void *list = grow(counts->windows, counts->window_count, sizeof(*windows));

	if (!list)
		return -ENOMEM;
	counts->windows = list;
	counts->windows[counts->window_count++] = *windows;
	return 0;
}

/* 0, -EBADMSG for a line that is none of ours, -ENODATA where the plugin lost some, -ENOMEM. */
static int parse_line(struct counts *counts, const char *line)
{
	struct counts_windows windows;
	struct counts_run run;
	uint64_t address;
	unsigned kind, place, parent;

	if (sscanf(line, "runs %u %u %u %" SCNx64 " %" SCNu64 " %" SCNu64, &run.block, &kind,
		   &run.place, &run.address, &run.insns, &run.runs) == 6) {
		run.kind = kind;
		return kind < COUNTS_KINDS && run.place < COUNTS_PLACES_MAX
			? add_run(counts, &run) : -EBADMSG;
	}
	if (sscanf(line, "windows %u %u %" SCNu64, &windows.block, &kind, &windows.count) == 3) {
		windows.kind = kind;
		return kind < COUNTS_KINDS ? add_windows(counts, &windows) : -EBADMSG;
	}
	if (sscanf(line, "place %u %u %" SCNx64, &place, &parent, &address) == 3) {
		if (!place || place >= COUNTS_PLACES_MAX || parent >= place)
			return -EBADMSG;
		counts->places[place] = (struct counts_place){ parent, address };
		if (place >= counts->place_count)
			counts->place_count = place + 1;
		return 0;
	}
	return strncmp(line, "lost ", 5) ? -EBADMSG : -ENODATA;
}

/* Runs name places; those stand in the file too, before them or not. */
static bool places_are_known(const struct counts *counts)
{
	for (size_t i = 0; i < counts->run_count; i++)
		if (counts->runs[i].place >= counts->place_count)
			return false;
	return true;
}

int counts_parse(struct counts *counts, const char *text, struct error *e)
{
	static const char greeting[] = "ringscale-profile 1\n";
	size_t number = 1;
	int result = 0;

	memset(counts, 0, sizeof(*counts));
	counts->place_count = 1;
	if (strncmp(text, greeting, sizeof(greeting) - 1))
		return error_set(e, ERROR_UNAVAILABLE, EBADMSG,
				 "the plugin wrote no counts; see the boot's console");
	for (text += sizeof(greeting) - 1; *text && !result; text++, number++) {
		if (!strcmp(text, "end\n"))
			return places_are_known(counts) ? 0
				: error_set(e, ERROR_UNAVAILABLE, EBADMSG,
					    "the plugin's counts name a place that they lack");
		result = parse_line(counts, text);
		text = strchr(text, '\n');
		if (!text)
			break;
	}
	if (result == -ENOMEM)
		return error_set(e, ERROR_FAILED, ENOMEM, "no memory for the plugin's counts");
	if (result == -ENODATA)
		return error_set(e, ERROR_UNAVAILABLE, ENODATA,
				 "the plugin had no memory for all it saw; free some memory");
	if (result)
		return error_set(e, ERROR_UNAVAILABLE, EBADMSG,
				 "the plugin's counts are damaged in line %zu", number);
	return error_set(e, ERROR_UNAVAILABLE, ENODATA,
			 "the plugin's counts are not whole: QEMU did not end by itself");
}

void counts_free(struct counts *counts)
{
	free(counts->runs);
	free(counts->windows);
	memset(counts, 0, sizeof(*counts));
}
