// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/resume.h"

#define XML "<topology>\n <object type=\"PU\" os_index=\"0\">\n  <info name=\"a\" value=\"b\"/>\n" \
	    "  <page_type size=\"4096\" count=\"1\"/>\n </object>\n</topology>\n"

static json_t *header(void)
{
	return json_pack("{s:{s:s, s:s}, s:s, s:s, s:s, s:I, s:{s:i, s:s}, s:[{s:s, s:{s:i}}]}",
			 "machine", "boot_id", "boot-1", "binary_hash", "fnv1a64:1",
			 "inherited", "0-3", "candidates", "0-1", "topology", XML,
			 "seed", (json_int_t)5, "method", "rounds", 15, "order", "shuffle",
			 "points", "id", "0123", "point", "slots", 64);
}

/* Compares two equal headers after `change` has been made to the file's; returns the error's text. */
static const char *compare(void (*change)(json_t *file))
{
	static struct error e;
	json_t *file = header(), *now = header();
	int rc;

	assert_non_null(file);
	e = (struct error)ERROR_INIT;
	if (change)
		change(file);
	rc = resume_compare("f.jsonl", file, now, &e);
	json_decref(file);
	json_decref(now);
	assert_true(!rc == (e.kind == ERROR_NONE));
	assert_true(!rc || e.kind == ERROR_USAGE);
	return e.text;
}

static void assert_refused(void (*change)(json_t *file), const char *what, const char *file,
			   const char *now)
{
	const char *text = compare(change);

	assert_non_null(strstr(text, "f.jsonl"));
	if (!strstr(text, what) || !strstr(text, file) || !strstr(text, now))
		fail_msg("%s", text);
}

static void set(json_t *object, const char *name, json_t *value)
{
	json_object_set_new(object, name, value);
}

static void other_boot(json_t *file)
{
	set(json_object_get(file, "machine"), "boot_id", json_string("boot-0"));
}

static void unknown_boot(json_t *file)
{
	set(json_object_get(file, "machine"), "boot_id", json_null());
}

static void other_program(json_t *file)
{
	set(json_object_get(file, "machine"), "binary_hash", json_string("fnv1a64:2"));
}

static void no_machine(json_t *file)
{
	json_object_del(file, "machine");
}

static void other_mask(json_t *file)
{
	set(file, "inherited", json_string("0-7"));
}

static void other_candidates(json_t *file)
{
	set(file, "candidates", json_string("0"));
}

static void other_method(json_t *file)
{
	set(json_object_get(file, "method"), "rounds", json_integer(16));
}

static void other_value(json_t *file)
{
	json_t *point = json_array_get(json_object_get(file, "points"), 0);

	set(json_object_get(point, "point"), "slots", json_integer(128));
}

static void more_points(json_t *file)
{
	json_array_append_new(json_object_get(file, "points"), json_object());
}

static void other_object(json_t *file)
{
	set(file, "topology", json_string("<topology>\n <object type=\"PU\" os_index=\"3\">\n"
					  " </object>\n</topology>\n"));
}

static void shorter_topology(json_t *file)
{
	set(file, "topology", json_string("<topology>\n"));
}

static void other_remarks(json_t *file)
{
	set(file, "topology", json_string("<topology>\n<object type=\"PU\" os_index=\"0\">\n"
					  "  <info name=\"c\" value=\"d\"/>\n"
					  " </object>\n</topology>\n"));
}

static void what_is_the_same_is_taken(void **state)
{
	(void)state;
	assert_string_equal(compare(NULL), "");
	/* hwloc's remarks and counts of huge pages change without the machine changing. */
	assert_string_equal(compare(other_remarks), "");
}

static void what_differs_is_named_with_both_values(void **state)
{
	(void)state;
	assert_refused(other_boot, "boot", "boot-0 in the file", "boot-1 now");
	assert_refused(unknown_boot, "boot", "unknown in the file", "boot-1 now");
	assert_refused(no_machine, "boot", "unknown in the file", "boot-1 now");
	assert_refused(other_program, "program", "fnv1a64:2 in", "fnv1a64:1 now");
	assert_refused(other_mask, "inherited mask", "0-7 in", "0-3 now");
	assert_refused(other_candidates, "candidates", "0 in", "0-1 now");
	assert_refused(other_method, "method", "rounds 16", "rounds 15");
	assert_refused(other_value, "point 1 of 1", "slots 128", "slots 64");
	assert_refused(more_points, "number of points", "2 in", "1 now");
	assert_refused(other_object, "topology", "os_index=\"3\"", "os_index=\"0\"");
	assert_refused(shorter_topology, "topology", "nothing in", "os_index=\"0\"");
}

/* Two points of three blocks, and the ids of their points. */
static struct point points[2] = { { .id = "bbbb" }, { .id = "aaaa" } };
static const struct sweep sweep = { .points = points, .count = 2 };
static const struct method method = { .blocks = 3 };

static json_t *block(const char *id, int number)
{
	return json_pack("{s:s, s:i}", "id", id, "block", number);
}

/* Skips blocks[0..count), which are released; the steps left as "point.block ". */
static int skip_blocks(json_t **blocks, size_t count, char *left, unsigned *found,
		       struct error *e)
{
	struct step steps[] = { { 1, 2 }, { 0, 0 }, { 1, 0 }, { 0, 2 }, { 1, 1 }, { 0, 1 } };
	struct result result = { .path = (char *)"f.jsonl", .blocks = blocks, .block_count = count };
	size_t steps_left = 6, used = 0;
	int rc = resume_skip(&sweep, &method, &result, steps, &steps_left, found, e);

	for (size_t i = 0; !rc && i < steps_left; i++)
		used += (size_t)sprintf(left + used, "%u.%u ", steps[i].point, steps[i].block);
	for (size_t i = 0; i < count; i++)
		json_decref(blocks[i]);
	return rc;
}

static void done_blocks_are_skipped_in_order(void **state)
{
	json_t *blocks[] = { block("aaaa", 2), block("bbbb", 2), block("aaaa", 1) };
	struct error e = ERROR_INIT;
	unsigned found[3];
	char left[64] = "";

	(void)state;
	assert_int_equal(skip_blocks(blocks, 3, left, found, &e), 0);
	assert_string_equal(left, "0.0 1.0 0.1 ");
	assert_int_equal(found[0], 1);
	assert_int_equal(found[1], 0);
	assert_int_equal(found[2], 1);
}

static void nothing_done_leaves_all(void **state)
{
	struct error e = ERROR_INIT;
	unsigned found[1];
	char left[64] = "";

	(void)state;
	assert_int_equal(skip_blocks(NULL, 0, left, found, &e), 0);
	assert_string_equal(left, "1.2 0.0 1.0 0.2 1.1 0.1 ");
}

static void strange_blocks_are_refused(void **state)
{
	json_t *beyond[] = { block("aaaa", 3) }, *unknown[] = { block("cccc", 0) };
	struct error e = ERROR_INIT;
	unsigned found[1];
	char left[64];

	(void)state;
	assert_int_not_equal(skip_blocks(beyond, 1, left, found, &e), 0);
	assert_non_null(strstr(e.text, "block 3 of point aaaa"));
	error_clear(&e);
	assert_int_not_equal(skip_blocks(unknown, 1, left, found, &e), 0);
	assert_non_null(strstr(e.text, "cccc"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_the_same_is_taken),
		cmocka_unit_test(what_differs_is_named_with_both_values),
		cmocka_unit_test(done_blocks_are_skipped_in_order),
		cmocka_unit_test(nothing_done_leaves_all),
		cmocka_unit_test(strange_blocks_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
