// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/table.h"

#include "results/quote.h"
#include "results/wrap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

static void prints(const struct table *table, int width, const char *expected)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(table_print(table, out, width), 0);
	fclose(out);
	if (strcmp(text, expected))
		fail_msg("printed:\n%sexpected:\n%s", text, expected);
	free(text);
}

static void columns_fit_their_cells(void **state)
{
	struct table table = { 0 };

	(void)state;
	table_column(&table, "reap", TABLE_LEFT);
	table_column(&table, "slots", TABLE_RIGHT);
	table_column(&table, "ns/install", TABLE_RIGHT);
	table_row(&table);
	table_cell(&table, "%s", "inline");
	table_cell(&table, "%d", 64);
	table_cell(&table, "%.2f", 136.978);
	table_row(&table);
	table_cell(&table, "%s", "poll");
	table_cell(&table, "%d", 1048576);
	table_cell(&table, "%s", "");
	prints(&table, 80,
	       "reap      slots  ns/install\n"
	       "inline       64      136.98\n"
	       "poll    1048576\n");
	table_free(&table);
	table_free(&table);
}

static void empty_columns_are_left_out(void **state)
{
	struct table table = { 0 };

	(void)state;
	table_column(&table, "a", TABLE_LEFT);
	table_column(&table, "efficiency", TABLE_RIGHT);
	table_column(&table, "c", TABLE_LEFT);
	prints(&table, 80, "a  efficiency  c\n");
	for (int i = 0; i < 2; i++) {
		table_row(&table);
		table_cell(&table, "%d", i);
		table_cell(&table, "%s", "");
		table_cell(&table, "x");
	}
	table_row(&table); /* a row may end early */
	table_cell(&table, "2");
	prints(&table, 80, "a  c\n0  x\n1  x\n2\n");
	table_free(&table);
}

static void widths_are_those_of_characters(void **state)
{
	struct table table = { 0 };

	(void)state;
	table_column(&table, "\xc2\xb1", TABLE_RIGHT);
	table_column(&table, "n", TABLE_LEFT);
	table_row(&table);
	table_cell(&table, "1.5");
	table_cell(&table, "x");
	prints(&table, 80, "  \xc2\xb1  n\n1.5  x\n");
	table_free(&table);
	assert_int_equal(wrap_width("\xc2\xb1 \xe2\x82\xac"), 3);
	assert_int_equal(wrap_width(""), 0);
}

static void a_remark_spans_the_rest(void **state)
{
	struct table table = { 0 };

	(void)state;
	table_column(&table, "reap", TABLE_LEFT);
	table_column(&table, "ns", TABLE_RIGHT);
	table_column(&table, "flags", TABLE_LEFT);
	table_row(&table);
	table_cell(&table, "inline");
	table_cell(&table, "136.98");
	table_cell(&table, "-");
	table_row(&table);
	table_cell(&table, "poll");
	table_remark(&table, "invalid: %s", "slot 7 was filled twice by pair 0 in round 3");
	prints(&table, 0,
	       "reap        ns  flags\n"
	       "inline  136.98  -\n"
	       "poll    invalid: slot 7 was filled twice by pair 0 in round 3\n");
	prints(&table, 40,
	       "reap        ns  flags\n"
	       "inline  136.98  -\n"
	       "poll    invalid: slot 7 was filled twice\n"
	       "        by pair 0 in round 3\n");
	/* Less room than a remark needs beside the cells: below them. */
	prints(&table, 30,
	       "reap        ns  flags\n"
	       "inline  136.98  -\n"
	       "poll\n"
	       "    invalid: slot 7 was filled\n"
	       "    twice by pair 0 in round 3\n");
	table_free(&table);
	/* A column that only remarks cross is empty, and its width does not count. */
	table_column(&table, "a", TABLE_LEFT);
	table_column(&table, "b", TABLE_RIGHT);
	table_row(&table);
	table_cell(&table, "1");
	table_remark(&table, "invalid");
	prints(&table, 80, "a\n1  invalid\n");
	table_free(&table);
	table_column(&table, "a", TABLE_LEFT);
	table_row(&table);
	table_remark(&table, "nothing measured");
	prints(&table, 80, "\nnothing measured\n");
	table_free(&table);
}

static void too_wide_is_wrapped(void **state)
{
	struct table table = { 0 };

	(void)state;
	table_column(&table, "place", TABLE_LEFT);
	table_column(&table, "sender ns", TABLE_RIGHT);
	table_column(&table, "flags", TABLE_LEFT);
	table_row(&table);
	table_cell(&table, "auto");
	table_cell(&table, "123456");
	table_cell(&table, "smt,disturbed,oversubscribed");
	table_row(&table);
	table_cell(&table, "P:E+l2");
	table_cell(&table, "7");
	table_cell(&table, "a b");
	prints(&table, 47,
	       "place   sender ns  flags\n"
	       "auto       123456  smt,disturbed,oversubscribed\n"
	       "P:E+l2          7  a b\n");
	prints(&table, 40,
	       "place   sender ns  flags\n"
	       "auto       123456  smt,disturbed,\n"
	       "                   oversubscribed\n"
	       "P:E+l2          7  a b\n");
	prints(&table, 30,
	       "place   sender  flags\n"
	       "            ns\n"
	       "auto    123456  smt,disturbed,\n"
	       "                oversubscribed\n"
	       "P:E+l2       7  a b\n");
	prints(&table, 28,
	       "place  sender flags\n"
	       "           ns\n"
	       "auto   123456 smt,disturbed,\n"
	       "              oversubscribed\n"
	       "P:E+l2      7 a b\n");
	prints(&table, 22,
	       "place  sender flags\n"
	       "           ns\n"
	       "auto   123456 smt,\n"
	       "              disturbe\n"
	       "              d,\n"
	       "              oversubs\n"
	       "              cribed\n"
	       "P:E+l2      7 a b\n");
	table_free(&table);
}

static void numbers_are_never_cut(void **state)
{
	struct table table = { 0 };

	(void)state;
	table_column(&table, "x", TABLE_RIGHT);
	table_column(&table, "y", TABLE_RIGHT);
	table_row(&table);
	table_cell(&table, "1234567890");
	table_cell(&table, "98765");
	prints(&table, 10,
	       "         x     y\n"
	       "1234567890 98765\n");
	table_free(&table);
}

static void many_columns_stay_in_80(void **state)
{
	static const char *const headings[] = {
		"pairs", "slots",     "kinds",	  "batch",	"ns/install", "\xc2\xb1 95 %",
		"CV %",	 "sender ns", "rate M/s", "efficiency", "flags",
	};
	static const char *const cells[] = {
		"16",
		"4096",
		"LPE:LPE",
		"64",
		"1136.97",
		"12.34",
		"10.55",
		"1136.12",
		"105.33",
		"0.98",
		"smt,disturbed,spin,gap",
	};
	struct table table = { 0 };
	char *text = NULL, *line, *rest;
	size_t size = 0;
	FILE *out;

	(void)state;
	for (size_t i = 0; i < 11; i++)
		table_column(&table, headings[i], i == 2 || i == 10 ? TABLE_LEFT : TABLE_RIGHT);
	table_row(&table);
	for (size_t i = 0; i < 11; i++)
		table_cell(&table, "%s", cells[i]);
	out = open_memstream(&text, &size);
	assert_int_equal(table_print(&table, out, 80), 0);
	fclose(out);
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		assert_true(wrap_width(line) <= 80);
		assert_int_not_equal(line[strlen(line) - 1], ' ');
	}
	free(text);
	table_free(&table);
}

static void misuse_and_full_outputs_are_reported(void **state)
{
	struct table table = { 0 };
	FILE *full = fopen("/dev/full", "w"), *out = fopen("/dev/null", "w");

	(void)state;
	table_cell(&table, "no row");
	assert_int_equal(table_print(&table, out, 80), -EINVAL);
	table_free(&table);
	table_column(&table, "a", TABLE_LEFT);
	table_row(&table);
	table_cell(&table, "1");
	assert_int_equal(table_print(&table, out, 80), 0);
	assert_int_equal(table_print(&table, full, 80), -ENOSPC);
	table_cell(&table, "one too many");
	assert_int_equal(table_print(&table, out, 80), -EINVAL);
	table_free(&table);
	table_column(&table, "a", TABLE_LEFT);
	table_row(&table);
	table_remark(&table, "r");
	table_cell(&table, "behind the remark");
	assert_int_equal(table_print(&table, out, 80), -EINVAL);
	table_free(&table);
	assert_int_equal(table_print(&table, out, 80), 0);
	fclose(full);
	fclose(out);
}

static void wrapping(void **state)
{
	const char *text = "one two,three  four";
	static const char *const pieces[] = { "one two,", "three", "four" };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct wrap_piece piece = wrap_next(&text, 8);

		assert_int_equal(piece.bytes, strlen(pieces[i]));
		assert_memory_equal(piece.text, pieces[i], piece.bytes);
		assert_int_equal(piece.width, piece.bytes);
	}
	assert_int_equal(wrap_next(&text, 8).bytes, 0);
	assert_string_equal(text, "");
	text = "\xc2\xb1\xc2\xb1\xc2\xb1"; /* cut between characters, not in one */
	assert_int_equal(wrap_next(&text, 2).bytes, 4);
	assert_int_equal(wrap_next(&text, 0).bytes, 2);
	assert_int_equal(wrap_longest_word("one two,three  four"), 5);
	assert_int_equal(wrap_longest_word(""), 0);
}

static void quoting(void **state)
{
	char buffer[QUOTE_SIZE], big[1000];

	(void)state;
	assert_string_equal(quote_text("a\nb\033[1m\x7f \xc2\xb5", buffer), "a?b?[1m? \xc2\xb5");
	memset(big, 'x', sizeof(big));
	big[0] = '<';
	big[998] = '>';
	big[999] = '\0';
	quote_text(big, buffer);
	assert_int_equal(strlen(buffer), QUOTE_SIZE - 1);
	assert_int_equal(buffer[0], '<');
	assert_non_null(strstr(buffer, "x...x"));
	assert_int_equal(buffer[QUOTE_SIZE - 2], '>');
	big[QUOTE_SIZE - 1] = '\0';
	assert_string_equal(quote_text(big, buffer), big);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_fit_their_cells),
		cmocka_unit_test(empty_columns_are_left_out),
		cmocka_unit_test(widths_are_those_of_characters),
		cmocka_unit_test(a_remark_spans_the_rest),
		cmocka_unit_test(too_wide_is_wrapped),
		cmocka_unit_test(numbers_are_never_cut),
		cmocka_unit_test(many_columns_stay_in_80),
		cmocka_unit_test(misuse_and_full_outputs_are_reported),
		cmocka_unit_test(wrapping),
		cmocka_unit_test(quoting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
