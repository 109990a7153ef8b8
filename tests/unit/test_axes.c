// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/axes.h"

/* Parses, writes back, compares. */
static void assert_taken(enum axis axis, const char *text, const char *expected)
{
	struct axis_list list = { 0 };
	struct error e = ERROR_INIT;
	char *got;

	if (axis_list_parse(axis, text, &list, &e))
		fail_msg("--%s \"%s\": %s", axis_info(axis)->name, text, e.text);
	got = axis_list_text(&list);
	assert_non_null(got);
	assert_string_equal(got, expected);
	free(got);
	axis_list_free(&list);
}

static void assert_refused(enum axis axis, const char *text, const char *why)
{
	struct axis_list list = { 0 };
	struct error e = ERROR_INIT;
	char option[AXIS_OPTION_SIZE];

	if (!axis_list_parse(axis, text, &list, &e))
		fail_msg("--%s \"%s\" was taken", axis_info(axis)->name, text);
	assert_int_equal(e.kind, ERROR_USAGE);
	assert_non_null(strstr(e.text, axis_option(axis, option)));
	if (!strstr(e.text, why))
		fail_msg("no \"%s\" in: %s", why, e.text);
	axis_list_free(&list);
}

static void every_row_is_whole(void **state)
{
	(void)state;
	for (enum axis axis = 0; axis < AXIS_COUNT; axis++) {
		const struct axis_info *info = axis_info(axis);

		assert_non_null(info->name);
		assert_non_null(info->help);
		assert_non_null(info->argument);
		assert_true((info->type == AXIS_TYPE_NAME || info->type == AXIS_TYPE_MEM) ==
			    (info->names != NULL));
		assert_int_equal(axis_find(info->name), axis);
		assert_taken(axis, info->initial, info->initial);
	}
	assert_int_equal(axis_find("slot"), AXIS_SLOT);
	assert_int_equal(axis_find("slots"), AXIS_SLOTS);
	assert_int_equal(axis_find("slo"), AXIS_COUNT);
	assert_int_equal(axis_find(""), AXIS_COUNT);
}

static void counts(void **state)
{
	static const enum axis plain[] = { AXIS_PAIRS, AXIS_SLOTS, AXIS_BATCH, AXIS_RING, AXIS_CQ,
					   AXIS_FILLS, AXIS_USED };
	static const char *const bad[] = { "0", "-1", "4294967296", "2^32", "4k", "1e3", "64,,256",
					   "8..1", "", " 4", "1.5" };

	(void)state;
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		assert_taken(plain[i], "64", "64");
		assert_taken(plain[i], "1..8x2,64", "1,2,4,8,64");
		assert_refused(plain[i], "64,64", "twice");
		assert_refused(plain[i], "1..8x2,4", "twice");
		for (size_t j = 0; j < sizeof(bad) / sizeof(bad[0]); j++)
			assert_refused(plain[i], bad[j], "\"");
	}
	assert_taken(AXIS_SLOTS, "1048576", "1048576");
	assert_refused(AXIS_SLOTS, "1048577", "1048576");
	assert_taken(AXIS_SLOTS, "1..3", "1,2,3");
}

static void rings_are_powers_of_two(void **state)
{
	(void)state;
	assert_taken(AXIS_RING, "1,32768", "1,32768");
	assert_refused(AXIS_RING, "65536", "32768");
	assert_refused(AXIS_RING, "100", "128");
	assert_refused(AXIS_RING, "256,257", "512");
	assert_taken(AXIS_CQ, "auto,65536", "auto,65536");
	assert_refused(AXIS_CQ, "131072", "65536");
	assert_refused(AXIS_CQ, "5000", "8192");
}

static void used(void **state)
{
	(void)state;
	assert_taken(AXIS_USED, "all", "all");
	assert_taken(AXIS_USED, "64,50%,all", "64,50%,all");
	assert_taken(AXIS_USED, "1%,099%", "1%,99%");
	assert_taken(AXIS_USED, "100%", "all");
	assert_refused(AXIS_USED, "100%,all", "twice");
	assert_refused(AXIS_USED, "0%", "\"0%\"");
	assert_refused(AXIS_USED, "101%", "\"101%\"");
	assert_refused(AXIS_USED, "%", "\"%\"");
	assert_refused(AXIS_USED, "-1%", "\"-1%\"");
	assert_refused(AXIS_USED, "5.5%", "\"5.5%\"");
	assert_refused(AXIS_USED, "10..50%", "\"10..50%\"");
	assert_refused(AXIS_USED, "00000000000000000000000000001%", "%");
	assert_refused(AXIS_USED, "auto", "\"auto\"");
	assert_refused(AXIS_USED, "All", "\"All\"");
}

static void automatic(void **state)
{
	(void)state;
	assert_taken(AXIS_FILLS, "auto,1", "auto,1");
	assert_refused(AXIS_FILLS, "auto,auto", "twice");
	assert_refused(AXIS_FILLS, "all", "\"all\"");
	assert_refused(AXIS_PAIRS, "auto", "\"auto\"");
}

static void names(void **state)
{
	(void)state;
	assert_taken(AXIS_REAP, "after,inline,poll,wait", "after,inline,poll,wait");
	assert_refused(AXIS_REAP, "pol", "inline, poll, wait, after");
	assert_refused(AXIS_REAP, "Poll", "\"Poll\"");
	assert_refused(AXIS_REAP, "poll,poll", "twice");
	assert_taken(AXIS_SLOT, "alloc,explicit", "alloc,explicit");
	assert_taken(AXIS_CQE, "skip", "skip");
	/* Later work is unknown until it exists. */
	assert_taken(AXIS_CYCLE, "reuse,fresh,reregister", "reuse,fresh,reregister");
	assert_taken(AXIS_FILE, "own,shared,per-slot", "own,shared,per-slot");
	assert_taken(AXIS_RING_FD, "registered,plain", "registered,plain");
	assert_refused(AXIS_CYCLE, "reused", "known are fresh, reregister, reuse");
	assert_refused(AXIS_FILE, "slot", "known are own, shared, per-slot");
	assert_refused(AXIS_RING_FD, "fixed", "known are plain, registered");
	assert_refused(AXIS_WORKLOAD, "reclaims", "send-fd, msg-data, bare");
	assert_taken(AXIS_WORKLOAD, "bare", "bare");
	assert_refused(AXIS_WORKLOAD, "send-fd,bare", "one value");
}

static void gaps(void **state)
{
	struct axis_list list = { 0 };
	struct error e = ERROR_INIT;

	(void)state;
	assert_taken(AXIS_GAP, "0,50ms,50ms:spin", "0,50ms,50ms:spin");
	assert_taken(AXIS_GAP, "50000us", "50ms");
	assert_taken(AXIS_GAP, "0:spin", "0");
	assert_taken(AXIS_GAP, "60s", "60s");
	assert_refused(AXIS_GAP, "50ms,50000us", "twice");
	assert_refused(AXIS_GAP, "0,0s:spin", "twice");
	assert_refused(AXIS_GAP, "50", "\"50\"");
	assert_refused(AXIS_GAP, "61s", "60s");
	assert_refused(AXIS_GAP, "50ms:spun", ":spun");
	assert_refused(AXIS_GAP, "50ms:", "TIME:spin");
	assert_refused(AXIS_GAP, ":spin", "\"\"");
	assert_refused(AXIS_GAP, "-1ms", "\"-1ms\"");
	assert_int_equal(axis_list_parse(AXIS_GAP, "2us:spin", &list, &e), 0);
	assert_int_equal(list.values[0].number, 2000);
	assert_int_equal(list.values[0].mode, MODE_SPIN);
	axis_list_free(&list);
}

static void places(void **state)
{
	(void)state;
	assert_taken(AXIS_PLACE, "auto,0,0:1+2:3,l2", "auto,0,0:1+2:3,l2");
	assert_refused(AXIS_PLACE, "l2,l2", "twice");
	assert_refused(AXIS_PLACE, "l4", "l4");
	assert_refused(AXIS_PLACE, "0:", "0:");
	assert_refused(AXIS_PLACE, "auto,", "empty");
}

static void copies_are_independent(void **state)
{
	struct product a = { 0 }, b = { 0 };
	struct error e = ERROR_INIT;

	(void)state;
	assert_true(product_equal(&a, &b));
	assert_int_equal(axis_list_parse(AXIS_SLOTS, "64,256", &a.axes[AXIS_SLOTS], &e), 0);
	assert_false(product_equal(&a, &b));
	assert_int_equal(axis_list_copy(&b.axes[AXIS_SLOTS], &a.axes[AXIS_SLOTS]), 0);
	b.typed[AXIS_SLOTS] = true;
	assert_true(product_equal(&a, &b));
	product_free(&a);
	assert_int_equal(b.axes[AXIS_SLOTS].count, 2);
	assert_string_equal(b.axes[AXIS_SLOTS].values[1].text, "256");
	product_free(&b);
	assert_false(b.typed[AXIS_SLOTS]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_is_whole),
		cmocka_unit_test(counts),
		cmocka_unit_test(rings_are_powers_of_two),
		cmocka_unit_test(used),
		cmocka_unit_test(automatic),
		cmocka_unit_test(names),
		cmocka_unit_test(gaps),
		cmocka_unit_test(places),
		cmocka_unit_test(copies_are_independent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
