// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/resume.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/quote.h"

/* So much of a value is shown; two of them and the rest fit into struct error. */
#define SHOWN 100

#define OTHER_FILE "measure again into another file"

/* What must be the same. */
static const struct subject {
	const char *what;
	const char *object, *key;	/* header[object][key]; object NULL: header[key] */
	const char *way_out;
} subjects[] = {
	{ "the boot", "machine", "boot_id", "blocks of two boots are not one run; " OTHER_FILE },
	{ "the program", "machine", "binary_hash", "go on with the very binary that began, or "
	  OTHER_FILE },
	{ "the clock", NULL, "clock", "go on where it was begun" },
	{ "the inherited mask", NULL, "inherited", "start with the same one (taskset -c LIST), or "
	  OTHER_FILE },
	{ "the mask of candidates", NULL, "candidates", "start in the same cgroup, with the same "
	  "PUs online, or " OTHER_FILE },
	{ "the topology", NULL, "topology", OTHER_FILE },
	{ "the method", NULL, "method", "the header was changed; " OTHER_FILE },
	{ "the seed", NULL, "seed", "the header was changed; " OTHER_FILE },
};

static const json_t *get(const json_t *header, const struct subject *subject)
{
	if (subject->object)
		header = json_object_get(header, subject->object);
	return json_object_get(header, subject->key);
}

/* A line of XML that says nothing about the machine's shape, or that a setting can change. */
static bool is_remark(const char *line)
{
	line += strspn(line, " \t");
	return !strncmp(line, "<info ", 6) || !strncmp(line, "<page_type ", 11);
}

/* The next line that counts at or behind *at, without its end; false: there is none. */
static bool next_line(const char **at, const char **line, size_t *length)
{
	while (**at) {
		*line = *at + strspn(*at, " \t");
		*length = strcspn(*line, "\n");
		*at = *line + *length + (((*line)[*length]) == '\n');
		if (*length && !is_remark(*line))
			return true;
	}
	*line = "nothing";
	*length = strlen(*line);
	return false;
}

/* A line from shortly before it differs from the other. */
static void show_line(const char *line, size_t length, const char *other, size_t other_length,
		      char buffer[static SHOWN + 1])
{
	size_t same = 0;

	while (same < length && same < other_length && line[same] == other[same])
		same++;
	same = same > SHOWN / 4 ? same - SHOWN / 4 : 0;
	snprintf(buffer, SHOWN + 1, "%s%.*s", same ? "..." : "", (int)(length - same), line + same);
}

/* Line by line. False: *a and *b are the first lines that differ. */
static bool same_topology(const char *file, const char *now, char a[static SHOWN + 1],
			  char b[static SHOWN + 1])
{
	const char *lines[2];
	size_t lengths[2];

	for (;;) {
		bool more = next_line(&file, &lines[0], &lengths[0]);
		bool more_now = next_line(&now, &lines[1], &lengths[1]);

		if (!more && !more_now)
			return true;
		if (more == more_now && lengths[0] == lengths[1] &&
		    !memcmp(lines[0], lines[1], lengths[0]))
			continue;
		show_line(lines[0], lengths[0], lines[1], lengths[1], a);
		show_line(lines[1], lengths[1], lines[0], lengths[0], b);
		return false;
	}
}

/* A value as it is shown: a text without its quotes, all else as JSON. */
static void show(const json_t *value, char buffer[static SHOWN + 1])
{
	char *text = json_is_string(value) ? strdup(json_string_value(value))
		     : value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;

	if (!value || json_is_null(value))
		snprintf(buffer, SHOWN + 1, "unknown");
	else
		snprintf(buffer, SHOWN + 1, "%s", text ? text : "?");
	free(text);
}

/* The first members that differ, instead of whole objects. */
static void show_members(const json_t *file, const json_t *now, char a[static SHOWN + 1],
			 char b[static SHOWN + 1])
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)now, name, value) {
		const json_t *other = json_object_get(file, name);
		char texts[2][SHOWN + 1];

		if (json_equal(other, value))
			continue;
		if (json_is_object(other) && json_is_object(value)) {
			show_members(other, value, a, b);
			return;
		}
		show(other, texts[0]);
		show(value, texts[1]);
		snprintf(a, SHOWN + 1, "%.30s %.60s", name, texts[0]);
		snprintf(b, SHOWN + 1, "%.30s %.60s", name, texts[1]);
		return;
	}
	show(file, a);
	show(now, b);
}

static bool is_same(const json_t *file, const json_t *now, const struct subject *subject,
		    char a[static SHOWN + 1], char b[static SHOWN + 1])
{
	const char *key = subject->key;

	/* Absent is not unknown: neither program writes it. */
	if ((!file && !now) || (file && !json_is_null(file) && json_equal(file, now)))
		return true;
	if (!strcmp(key, "topology") && json_is_string(file) && json_is_string(now))
		return same_topology(json_string_value(file), json_string_value(now), a, b);
	if (json_is_object(file) && json_is_object(now)) {
		show_members(file, now, a, b);
	} else {
		show(file, a);
		show(now, b);
	}
	return false;
}

static int refuse(const char *path, const char *what, const char *file, const char *now,
		  const char *way_out, struct error *e)
{
	char name[QUOTE_SIZE], a[QUOTE_SIZE], b[QUOTE_SIZE];

	return error_set(e, ERROR_USAGE, EINVAL,
			 "--resume '%.120s': %s is not the same: %s in the file, %s now; %s",
			 quote_text(path, name), what, quote_text(file, a), quote_text(now, b),
			 way_out);
}

static int compare_points(const char *path, const json_t *file, const json_t *now,
			  struct error *e)
{
	char what[48], a[SHOWN + 1], b[SHOWN + 1];

	if (json_array_size(file) != json_array_size(now)) {
		snprintf(a, sizeof(a), "%zu", json_array_size(file));
		snprintf(b, sizeof(b), "%zu", json_array_size(now));
		return refuse(path, "the number of points", a, b, OTHER_FILE, e);
	}
	for (size_t i = 0; i < json_array_size(now); i++) {
		const json_t *old = json_array_get(file, i), *new = json_array_get(now, i);

		if (json_equal(old, new))
			continue;
		snprintf(what, sizeof(what), "point %zu of %zu", i + 1, json_array_size(now));
		show_members(old, new, a, b);
		return refuse(path, what, a, b, "the header was changed; " OTHER_FILE, e);
	}
	return 0;
}

int resume_compare(const char *path, const json_t *file, const json_t *now, struct error *e)
{
	char a[SHOWN + 1], b[SHOWN + 1];

	for (size_t i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++) {
		const struct subject *subject = &subjects[i];

		if (!is_same(get(file, subject), get(now, subject), subject, a, b))
			return refuse(path, subject->what, a, b, subject->way_out, e);
	}
	return compare_points(path, json_object_get(file, "points"),
			      json_object_get(now, "points"), e);
}

/* Points by identity, for bsearch. */
struct named {
	const char *id;
	unsigned point;
};

static int by_id(const void *a, const void *b)
{
	return strcmp(((const struct named *)a)->id, ((const struct named *)b)->id);
}

static int mark_done(const struct sweep *sweep, const struct method *method,
		     const struct result *result, const struct named *names, bool *done,
		     unsigned *points, struct error *e)
{
	for (size_t i = 0; i < result->block_count; i++) {
		const json_t *block = result->blocks[i];
		json_int_t number = json_integer_value(json_object_get(block, "block"));
		struct named key = { .id = json_string_value(json_object_get(block, "id")) };
		const struct named *found = bsearch(&key, names, sweep->count, sizeof(*names),
						    by_id);
		char name[QUOTE_SIZE];

		if (!found || number >= method->blocks)
			return error_set(e, ERROR_FAILED, EINVAL,
					 "'%s': holds block %lld of point %.40s, which its own header "
					 "does not ask for; " OTHER_FILE,
					 quote_text(result->path, name), (long long)number, key.id);
		points[i] = found->point;
		done[(size_t)found->point * method->blocks + (size_t)number] = true;
	}
	return 0;
}

int resume_skip(const struct sweep *sweep, const struct method *method,
		const struct result *result, struct step *steps, size_t *count, unsigned *points,
		struct error *e)
{
	struct named *names = calloc(sweep->count, sizeof(*names));
	bool *done = calloc(sweep->count * method->blocks, sizeof(*done));
	size_t left = 0;
	int rc = names && done ? 0 : error_set(e, ERROR_FAILED, ENOMEM, "out of memory");

	for (size_t i = 0; i < sweep->count && !rc; i++)
		names[i] = (struct named){ sweep->points[i].id, i };
	if (!rc) {
		qsort(names, sweep->count, sizeof(*names), by_id);
		rc = mark_done(sweep, method, result, names, done, points, e);
	}
	for (size_t i = 0; i < *count && !rc; i++)
		if (!done[(size_t)steps[i].point * method->blocks + steps[i].block])
			steps[left++] = steps[i];
	if (!rc)
		*count = left;
	free(names);
	free(done);
	return rc;
}

json_t *resume_record(const struct record_run *run, bool cut_line, size_t blocks_done)
{
	return json_pack("{s:s, s:o, s:o, s:b, s:I, s:o, s:o}", "record", "resume",
			 "utc", record_utc(), "argv", record_argv(run->argc, run->argv),
			 "cut_line", cut_line, "blocks_done", (json_int_t)blocks_done,
			 "limits_before", limits_json(&run->before),
			 "limits_after", limits_json(&run->after));
}
