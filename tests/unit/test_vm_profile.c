// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm/counts.h"
#include "vm/profile.h"
#include "vm/symbols.h"

int exported_function_of_the_test(void);
int __attribute__((noinline)) exported_function_of_the_test(void)
{
	return 7;
}

static const char kallsyms[] =
	"ffffffff81000000 T _text\n"
	"ffffffff81000100 t io_rsrc_node_alloc.isra.0\n"
	"ffffffff81000100 t alias_of_it\n"
	"ffffffff81000200 T __memset\n"
	"ffffffff81000200 W memset\n"
	"ffffffff81000200 T memset_orig\n"
	"ffffffff81000300 t __pfx_fget\n"
	"ffffffff81000310 T fget\n"
	"ffffffff81000400 t fget.cold\n"
	"ffffffff81000500 T asm_sysvec_apic_timer_interrupt\n"
	"ffffffff81000600 T asm_exc_page_fault\n"
	"ffffffff81000700 T _etext\n"
	"ffffffff82000000 D some_data\n"
	"ffffffffc0000000 t helper.constprop.0\t[a_module]\n";

static const char *name_at(const struct symbols *symbols, uint64_t address)
{
	const struct symbol *symbol = symbols_find(symbols, address);

	return symbol ? symbol->name : "none";
}

static void symbols_of_a_kernel(void **state)
{
	struct symbols symbols = { 0 };
	struct error e = ERROR_INIT;

	(void)state;
	assert_int_equal(symbols_add_kernel(&symbols, kallsyms, &e), 0);
	assert_int_equal(symbols_finish(&symbols), 0);
	assert_string_equal(name_at(&symbols, 0xffffffff80ffffff), "none");
	assert_string_equal(name_at(&symbols, 0xffffffff81000000), "_text");
	assert_string_equal(name_at(&symbols, 0xffffffff810001ff), "alias_of_it");
	/* Global before local, then fewer underscores, then shorter. */
	assert_string_equal(name_at(&symbols, 0xffffffff81000200), "memset");
	assert_string_equal(name_at(&symbols, 0xffffffff81000305), "memset");
	assert_string_equal(name_at(&symbols, 0xffffffff81000310), "fget");
	assert_string_equal(name_at(&symbols, 0xffffffff81000400), "fget");
	assert_false(symbols_find(&symbols, 0xffffffff81000400)->entry);
	assert_true(symbols_find(&symbols, 0xffffffff81000310)->entry);
	/* Behind the text's end is nothing, up to the module. */
	assert_string_equal(name_at(&symbols, 0xffffffff81000700), "none");
	assert_string_equal(name_at(&symbols, 0xffffffff82000000), "none");
	assert_string_equal(name_at(&symbols, 0xffffffffc0000010), "helper [a_module]");
	assert_string_equal(name_at(&symbols, 0xffffffffc0100000), "none");
	symbols_free(&symbols);
}

static void hidden_and_missing_symbols(void **state)
{
	struct symbols symbols = { 0 };
	struct error e = ERROR_INIT;

	(void)state;
	assert_int_not_equal(symbols_add_kernel(&symbols, "0000000000000000 T _text\n"
						"0000000000000000 T fget\n", &e), 0);
	assert_int_equal(e.kind, ERROR_UNAVAILABLE);
	assert_non_null(strstr(e.text, "kptr_restrict"));
	e = (struct error)ERROR_INIT;
	assert_int_not_equal(symbols_add_kernel(&symbols, "", &e), 0);
	assert_int_equal(e.kind, ERROR_UNAVAILABLE);
	e = (struct error)ERROR_INIT;
	assert_int_not_equal(symbols_add_kernel(&symbols, "nonsense\n\nffff\nffff T\n", &e), 0);
	symbols_free(&symbols);
}

/* This very program, as it is mapped now. */
static void symbols_of_a_program(void **state)
{
	uint64_t address = (uint64_t)(uintptr_t)exported_function_of_the_test;
	struct symbols symbols = { 0 };
	uint64_t start, end, offset;
	char line[512], access[8];
	FILE *maps = fopen("/proc/self/maps", "re");

	(void)state;
	assert_int_equal(exported_function_of_the_test(), 7);
	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %7s %lx", &start, &end, access, &offset) == 4 &&
		    address >= start && address < end)
			symbols_add_file(&symbols, "/proc/self/exe", start, offset, end - start);
	}
	fclose(maps);
	symbols_add_file(&symbols, "/nonexistent", 0, 0, 1);
	symbols_add_file(&symbols, "/etc/passwd", 0, 0, 1 << 20);
	assert_int_equal(symbols_finish(&symbols), 0);
	assert_string_equal(name_at(&symbols, address), "exported_function_of_the_test");
	assert_int_equal(symbols_find(&symbols, address)->start, address);
	symbols_free(&symbols);
}

static int parse(struct counts *counts, const char *text)
{
	struct error e = ERROR_INIT;
	int result = counts_parse(counts, text, &e);

	assert_true(!result == !e.text[0]);
	return result;
}

static void counts_that_are_not_whole(void **state)
{
	static const char *const bad[] = {
		"", "something else\nend\n", "ringscale-profile 1\n", "ringscale-profile 1\nruns 1 0 0 ff 1 1\n",
		"ringscale-profile 1\nruns 1 0 0 ff 1\nend\n", "ringscale-profile 1\nruns 1 2 0 ff 1 1\nend\n",
		"ringscale-profile 1\nruns 1 0 1 ff 1 1\nend\n", "ringscale-profile 1\nruns 1 0 64 ff 1 1\nend\n",
		"ringscale-profile 1\nplace 0 0 ff\nend\n", "ringscale-profile 1\nplace 2 2 ff\nend\n",
		"ringscale-profile 1\nlost 1\nend\n", "ringscale-profile 1\nend", "ringscale-profile 1\nend\nmore\n",
	};
	struct counts counts;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (!parse(&counts, bad[i]))
			fail_msg("taken for whole: %s", bad[i]);
		counts_free(&counts);
	}
	assert_int_equal(parse(&counts, "ringscale-profile 1\nend\n"), 0);
	counts_free(&counts);
}

#define BLOCK(id, valid, installs, ns) \
	"{\"record\":\"block\",\"id\":\"" id "\",\"valid\":" valid ",\"point\":{\"slots\":1},\"pairs\":[" \
	"{\"rounds\":[{\"installs\":" installs ",\"fill_ns\":" ns "}]}]}"

static json_t *profile_of(const char *counts_text, const char *blocks_text)
{
	struct profile_names names = { 0 };
	struct error e = ERROR_INIT;
	struct counts counts;
	json_t *blocks = json_loads(blocks_text, 0, NULL), *records = NULL;

	assert_non_null(blocks);
	assert_int_equal(parse(&counts, counts_text), 0);
	assert_int_equal(symbols_add_kernel(&names.kernel, kallsyms, &e), 0);
	symbols_add(&names.program, 0x401000, 0x100, "send_fd_send", 0);
	symbols_add(&names.files, 0x401000, 0x10000, "[ringscale]", 0);
	assert_int_equal(symbols_finish(&names.kernel), 0);
	assert_int_equal(symbols_finish(&names.program), 0);
	assert_int_equal(symbols_finish(&names.files), 0);
	assert_int_equal(profile_records(&counts, &names, blocks, &records, &e), 0);
	json_decref(blocks);
	profile_names_free(&names);
	counts_free(&counts);
	return records;
}

/* Instructions or calls of a function in a mode, or -1 where it has no row. */
static double value_of(const json_t *fill, const char *function, const char *mode, const char *what)
{
	const json_t *row;
	size_t i;

	json_array_foreach(json_object_get(fill, "functions"), i, row)
		if (!strcmp(json_string_value(json_object_get(row, "function")), function) &&
		    !strcmp(json_string_value(json_object_get(row, "mode")), mode))
			return json_number_value(json_object_get(row, what));
	return -1;
}

static double total_of(const json_t *fill, const char *mode)
{
	return json_number_value(json_object_get(json_object_get(fill, "total"), mode));
}

static void pieces_belong_to_functions(void **state)
{
	json_t *records = profile_of(
		"ringscale-profile 1\n"
		"windows 1 0 2\n"
		"place 1 0 ffffffff81000500\n"	/* an interrupt */
		"place 2 0 ffffffff81000600\n"	/* a page fault */
		"place 3 2 ffffffff81000500\n"	/* an interrupt in a page fault */
		"runs 1 0 0 401000 10 5\n"
		"runs 1 0 0 401020 1 20\n"
		"runs 1 0 0 402000 3 10\n"	/* in the file, in no function */
		"runs 1 0 0 7fff0000 2 10\n"	/* in no file */
		"runs 1 0 0 ffffffff81000310 4 30\n"
		"runs 1 0 0 ffffffff81000310 1 10\n"	/* the same, translated again */
		"runs 1 0 0 ffffffff81000320 7 10\n"
		"runs 1 0 0 ffffffff81000400 1 10\n"	/* its cold part: no call */
		"runs 1 0 0 ffffffff81000500 2 10\n"	/* an entry before it is known */
		"runs 1 0 1 ffffffff81000310 5 10\n"
		"runs 1 0 2 ffffffff81000200 6 10\n"
		"runs 1 0 3 ffffffff81000200 8 10\n"
		"runs 1 0 0 ffffffff81000800 9 10\n"
		"end\n", "[" BLOCK("a", "true", "10", "500") "]");
	const json_t *record = json_array_get(records, 0);

	(void)state;
	assert_int_equal(json_array_size(records), 1);
	assert_float_equal(value_of(record, "send_fd_send", "user", "instructions"), 7, 1e-9);
	assert_float_equal(value_of(record, "send_fd_send", "user", "calls"), 0.5, 1e-9);
	assert_float_equal(value_of(record, "[ringscale]", "user", "instructions"), 3, 1e-9);
	assert_float_equal(value_of(record, "unattributed", "user", "instructions"), 2, 1e-9);
	assert_float_equal(value_of(record, "fget", "kernel", "instructions"), 12 + 1 + 7 + 1, 1e-9);
	assert_float_equal(value_of(record, "fget", "kernel", "calls"), 4, 1e-9);
	assert_float_equal(value_of(record, "fget", "interrupt", "instructions"), 5, 1e-9);
	assert_float_equal(value_of(record, "memset", "kernel", "instructions"), 6, 1e-9);
	assert_float_equal(value_of(record, "memset", "interrupt", "instructions"), 8, 1e-9);
	assert_float_equal(value_of(record, "asm_sysvec_apic_timer_interrupt", "interrupt",
				    "instructions"), 2, 1e-9);
	assert_float_equal(value_of(record, "unattributed", "kernel", "instructions"), 9, 1e-9);
	assert_float_equal(total_of(record, "user"), 12, 1e-9);
	assert_float_equal(total_of(record, "kernel"), 36, 1e-9);
	assert_float_equal(total_of(record, "interrupt"), 15, 1e-9);
	assert_float_equal(total_of(record, "all"), 63, 1e-9);
	assert_float_equal(total_of(record, "unattributed"), 11, 1e-9);
	assert_float_equal(json_number_value(json_object_get(record, "clock")), 50, 1e-9);
	assert_true(json_is_null(json_object_get(record, "first_fill")));
	json_decref(records);
}

static void points_and_kinds_of_fills_are_kept_apart(void **state)
{
	json_t *records = profile_of(
		"ringscale-profile 1\n"
		"windows 1 0 4\nwindows 1 1 2\n"
		"runs 1 0 0 ffffffff81000310 1 40\n"
		"runs 1 1 0 ffffffff81000310 3 40\n"
		"windows 2 0 1\nruns 2 0 0 ffffffff81000310 100 1\n"
		"windows 3 0 1\nruns 3 0 0 ffffffff81000310 1000 1\n"	/* not valid */
		"windows 4 0 4\nruns 4 0 0 ffffffff81000310 3 40\n"
		"end\n",
		"[" BLOCK("a", "true", "40", "40") "," BLOCK("b", "true", "1", "100") ","
		BLOCK("a", "false", "1", "1000") "," BLOCK("a", "true", "40", "120") ","
		BLOCK("c", "true", "7", "7") "]");
	const json_t *a = json_array_get(records, 0), *b = json_array_get(records, 1);
	const json_t *cold = json_object_get(a, "first_fill");

	(void)state;
	/* Nothing was seen of the third. */
	assert_int_equal(json_array_size(records), 2);
	assert_string_equal(json_string_value(json_object_get(a, "id")), "a");
	assert_int_equal(json_integer_value(json_object_get(a, "blocks")), 2);
	assert_int_equal(json_integer_value(json_object_get(a, "installs")), 80);
	assert_float_equal(total_of(a, "kernel"), 2, 1e-9);
	/* Eight windows of ten installs each: two cold ones hold twenty. */
	assert_int_equal(json_integer_value(json_object_get(cold, "installs")), 20);
	assert_float_equal(total_of(cold, "kernel"), 6, 1e-9);
	assert_float_equal(value_of(cold, "fget", "kernel", "calls"), 2, 1e-9);
	assert_float_equal(total_of(b, "kernel"), 100, 1e-9);
	json_decref(records);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbols_of_a_kernel),
		cmocka_unit_test(hidden_and_missing_symbols),
		cmocka_unit_test(symbols_of_a_program),
		cmocka_unit_test(counts_that_are_not_whole),
		cmocka_unit_test(pieces_belong_to_functions),
		cmocka_unit_test(points_and_kinds_of_fills_are_kept_apart),
	};

	return cmocka_run_group_tests_name("vm_profile", tests, NULL, NULL);
}
