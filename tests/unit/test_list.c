// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/list.h"

#define MAX 1048576

static void assert_refused(const struct error *e, const char *option, const char *value)
{
	assert_int_equal(e->kind, ERROR_USAGE);
	assert_non_null(strstr(e->text, option));
	assert_non_null(strstr(e->text, value));
	assert_null(strchr(e->text, '\n'));
}

static void counts_are_whole_strings(void **state)
{
	static const char *const bad[] = {
		"", "-1", "+1", " 1", "1 ", "4k", "1e3", "0x10", "1.5", "0", "1048577", "2^32",
		"4294967296", "9223372036854775808", "18446744073709551617",
		"99999999999999999999999999999999999999", "one", "1,2", "\n",
	};
	int64_t value = 0;
	struct error e = ERROR_INIT;

	(void)state;
	assert_int_equal(list_parse_count("--slots", "1048576", 1, MAX, &value, &e), 0);
	assert_int_equal(value, MAX);
	assert_int_equal(list_parse_count("--slots", "0064", 1, MAX, &value, &e), 0);
	assert_int_equal(value, 64);
	assert_int_equal(list_parse_count("--n", "9223372036854775807", 0, INT64_MAX, &value, &e),
			 0);
	assert_true(value == INT64_MAX);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		error_clear(&e);
		value = 7;
		assert_true(list_parse_count("--slots", bad[i], 1, MAX, &value, &e) < 0);
		assert_refused(&e, "--slots", list_quote(bad[i]).text);
		assert_int_equal(value, 7);
	}
}

static void times_need_units(void **state)
{
	static const struct {
		const char *text;
		int64_t ns;
	} good[] = {
		{ "0", 0 }, { "0s", 0 }, { "1ns", 1 }, { "20us", 20000 }, { "50ms", 50000000 },
		{ "60s", 60000000000 },
	};
	static const char *const bad[] = {
		"", "50", "ms", "-1ms", "1.5ms", "1m", "1 s", "1S", "61s", "60001ms", "1ss",
		"9223372036854775807s", "99999999999999999999ns",
	};
	struct error e = ERROR_INIT;
	int64_t ns;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(list_parse_time("--gap", good[i].text, 60000000000, &ns, &e), 0);
		assert_true(ns == good[i].ns);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		error_clear(&e);
		assert_true(list_parse_time("--gap", bad[i], 60000000000, &ns, &e) < 0);
		assert_refused(&e, "--gap", list_quote(bad[i]).text);
	}
}

static void times_are_written_in_their_largest_unit(void **state)
{
	char buffer[32];

	(void)state;
	assert_string_equal(list_format_time(0, buffer, sizeof(buffer)), "0");
	assert_string_equal(list_format_time(50000000, buffer, sizeof(buffer)), "50ms");
	assert_string_equal(list_format_time(1500000, buffer, sizeof(buffer)), "1500us");
	assert_string_equal(list_format_time(60000000000, buffer, sizeof(buffer)), "60s");
	assert_string_equal(list_format_time(1001, buffer, sizeof(buffer)), "1001ns");
	list_format_time(INT64_MAX, buffer, sizeof(buffer));
	assert_string_equal(buffer, "9223372036854775807ns");
}

static void assert_list(const char *text, const char *expected)
{
	struct count_list list = { 0 };
	struct error e = ERROR_INIT;
	char got[256] = "";

	assert_int_equal(count_list_parse("--slots", text, 0, MAX, &list, &e), 0);
	for (size_t i = 0; i < list.count; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%lld", i ? "," : "",
			 (long long)list.values[i]);
	assert_string_equal(got, expected);
	count_list_free(&list);
	assert_null(list.values);
}

static void ranges_are_expanded(void **state)
{
	(void)state;
	assert_list("64", "64");
	assert_list("64,16,32", "64,16,32");
	assert_list("1..4", "1,2,3,4");
	assert_list("5..5", "5");
	assert_list("0..0", "0");
	assert_list("0..10+5", "0,5,10");
	assert_list("0..9+5", "0,5");
	assert_list("1..1+100", "1");
	assert_list("1..8x2", "1,2,4,8");
	assert_list("3..20x2", "3,6,12");
	assert_list("1..3,8..32x4", "1,2,3,8,32");
	assert_list("1048576..1048576x2", "1048576");
}

static void bad_lists_are_refused(void **state)
{
	static const char *const bad[] = {
		"", ",", "64,", ",64", "64,,256", "8..1", "1..", "..8", "1...8", "1..8+", "1..8x",
		"1..8+0", "1..8x1", "1..8x0", "0..8x2", "1..8*2", "1..8+2x2", "1..8+-1",
		"1..1048577",
		"1..x2", "a..b", "4k..8k", "64,64", "1..4,2", "2..8x2,8", "1..99999999999999999999",
		"64;128", "64 128", "1-8", "*",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct count_list list = { 0 };
		struct error e = ERROR_INIT;

		if (count_list_parse("--slots", bad[i], 0, MAX, &list, &e) == 0)
			fail_msg("\"%s\" was taken", bad[i]);
		assert_refused(&e, "--slots", "\"");
		count_list_free(&list);
	}
}

static void refusals_quote_the_item(void **state)
{
	struct count_list list = { 0 };
	struct error e = ERROR_INIT;

	(void)state;
	assert_true(count_list_parse("--slots", "64,4k,8", 1, MAX, &list, &e) < 0);
	assert_refused(&e, "--slots", "\"4k\"");
	count_list_free(&list);
	error_clear(&e);
	assert_true(count_list_parse("--slots", "64,,256", 1, MAX, &list, &e) < 0);
	assert_refused(&e, "--slots", "\"64,,256\"");
	count_list_free(&list);
	error_clear(&e);
	assert_true(count_list_parse("--slots", "8..1", 1, MAX, &list, &e) < 0);
	assert_refused(&e, "--slots", "\"8..1\"");
	count_list_free(&list);
}

static void long_lists_have_an_end(void **state)
{
	struct count_list list = { 0 };
	struct error e = ERROR_INIT;

	(void)state;
	assert_int_equal(count_list_parse("--n", "1..65536", 0, INT64_MAX, &list, &e), 0);
	assert_int_equal(list.count, LIST_MAX_VALUES);
	count_list_free(&list);
	assert_true(count_list_parse("--n", "1..65537", 0, INT64_MAX, &list, &e) < 0);
	assert_refused(&e, "--n", "65536 values");
	count_list_free(&list);
	error_clear(&e);
	assert_true(count_list_parse("--n", "1..40000,50000..90000", 0, INT64_MAX, &list, &e) < 0);
	count_list_free(&list);
	error_clear(&e);
	assert_true(count_list_parse("--n", "0..9223372036854775807", 0, INT64_MAX, &list, &e) < 0);
	count_list_free(&list);
	/* The next value would overflow: the range ends there. */
	error_clear(&e);
	assert_int_equal(count_list_parse("--n", "9223372036854775800..9223372036854775807+5", 0,
					  INT64_MAX, &list, &e), 0);
	assert_int_equal(list.count, 2);
	count_list_free(&list);
	assert_int_equal(count_list_parse("--n", "4611686018427387904..9223372036854775807x2", 0,
					  INT64_MAX, &list, &e), 0);
	assert_int_equal(list.count, 1);
	count_list_free(&list);
}

static void texts_are_cut_at_commas(void **state)
{
	struct text_list list = { 0 };
	struct error e = ERROR_INIT;

	(void)state;
	assert_int_equal(text_list_parse("--place", "auto,0:1+2:3", &list, &e), 0);
	assert_int_equal(list.count, 2);
	assert_string_equal(list.items[0], "auto");
	assert_string_equal(list.items[1], "0:1+2:3");
	text_list_free(&list);
	assert_int_equal(list.count, 0);
	assert_true(text_list_parse("--place", "a,,b", &list, &e) < 0);
	text_list_free(&list);
}

static void names_are_looked_up(void **state)
{
	static const char *const names[] = { "inline", "poll", "wait", "after", NULL };
	struct error e = ERROR_INIT;
	size_t index = 9;

	(void)state;
	assert_int_equal(list_parse_name("--reap", "wait", names, &index, &e), 0);
	assert_int_equal(index, 2);
	assert_true(list_parse_name("--reap", "pol", names, &index, &e) < 0);
	assert_refused(&e, "--reap", "\"pol\"");
	assert_non_null(strstr(e.text, "inline, poll, wait, after"));
	assert_int_equal(index, 2);
}

static void quotes_stay_on_one_line(void **state)
{
	char text[4096];

	(void)state;
	assert_string_equal(list_quote("").text, "\"\"");
	assert_string_equal(list_quote("4k").text, "\"4k\"");
	assert_string_equal(list_quote("a\nb\x1b[31m").text, "\"a?b?[31m\"");
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_true(strlen(list_quote(text).text) < sizeof(struct quoted));
	assert_non_null(strstr(list_quote(text).text, "x...\""));
	/* Two-byte characters: cut between them, wherever the limit falls. */
	for (size_t i = 0; i + 2 < sizeof(text); i += 2)
		memcpy(text + i, "\xc3\xa9", 2);
	for (int shift = 0; shift < 2; shift++) {
		struct quoted quoted = list_quote(text + 2 - shift);
		size_t end = strcspn(quoted.text + 1 + shift, ".");

		assert_int_equal(end % 2, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_whole_strings),
		cmocka_unit_test(times_need_units),
		cmocka_unit_test(times_are_written_in_their_largest_unit),
		cmocka_unit_test(ranges_are_expanded),
		cmocka_unit_test(bad_lists_are_refused),
		cmocka_unit_test(refusals_quote_the_item),
		cmocka_unit_test(long_lists_have_an_end),
		cmocka_unit_test(texts_are_cut_at_commas),
		cmocka_unit_test(names_are_looked_up),
		cmocka_unit_test(quotes_stay_on_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
