// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm/guest.h"
#include "vm/lab.h"
#include "vm/transfer.h"

static const char whole[] =
	"ringscale-lab 1\nrelease 6.12.95+deb12\n"
	"file 9 cbf43926 stdout\n123456789\n"
	"file 0 00000000 empty file.jsonl\n\n"
	"status 3\nend 2\n";

static void parse(struct transfer *transfer, const char *text, size_t size)
{
	char *copy = malloc(size + 1);

	assert_non_null(copy);
	memcpy(copy, text, size);
	transfer_parse(transfer, copy, size);
}

static void the_checksum_is_that_of_gzip(void **state)
{
	(void)state;
	assert_int_equal(transfer_checksum("123456789", 9), 0xcbf43926);
	assert_int_equal(transfer_checksum("", 0), 0);
}

static void a_whole_transfer(void **state)
{
	struct transfer transfer;

	(void)state;
	parse(&transfer, whole, strlen(whole));
	assert_true(transfer.hello && transfer.complete);
	assert_string_equal(transfer.release, "6.12.95+deb12");
	assert_int_equal(transfer.status, 3);
	assert_int_equal(transfer.count, 2);
	assert_string_equal(transfer.files[0].name, "stdout");
	assert_memory_equal(transfer.files[0].data, "123456789", 9);
	assert_string_equal(transfer.files[1].name, "empty file.jsonl");
	transfer_free(&transfer);
}

static void cut_anywhere_it_is_never_whole(void **state)
{
	(void)state;
	for (size_t size = 0; size < strlen(whole); size++) {
		struct transfer transfer;

		parse(&transfer, whole, size);
		assert_false(transfer.complete);
		assert_true(transfer.wrong[0]);
		transfer_free(&transfer);
	}
}

static void with_a_changed_byte_it_is_never_whole(void **state)
{
	const char *content = strstr(whole, "123456789");

	(void)state;
	for (size_t i = 0; i < 9; i++) {
		struct transfer transfer;
		char copy[sizeof(whole)];

		memcpy(copy, whole, sizeof(whole));
		copy[content - whole + (ptrdiff_t)i] ^= 1;
		parse(&transfer, copy, strlen(whole));
		assert_false(transfer.complete);
		assert_non_null(strstr(transfer.wrong, "checksum"));
		transfer_free(&transfer);
	}
}

static void what_a_guest_cannot_make_the_host_do(void **state)
{
	static const char *const bad[] = {
		"file 0 00000000 ../x\n\n", "file 0 00000000 .x\n\n", "file 0 00000000 a/b\n\n",
		"file 0 00000000 \n\n", "file 99999999999999999999 0 x\n\n", "file -1 00000000 x\n\n",
		"file 5 00000000 x\n\n", "something\n", "status x\n", "end 0\n", "end 1\nstatus 0\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct transfer transfer;
		char text[256];

		snprintf(text, sizeof(text), "ringscale-lab 1\n%sstatus 0\nend 0\n", bad[i]);
		parse(&transfer, text, strlen(text));
		if (transfer.complete)
			fail_msg("taken for whole: %s", bad[i]);
		transfer_free(&transfer);
	}
}

static void a_lost_kernel_is_told_from_a_lost_program(void **state)
{
	static const char *const lost[] = {
		"[ 1.0] BUG: unable to handle page fault for address: 00\n",
		"[ 1.0] Kernel panic - not syncing: VFS: Unable to mount\n",
		"[ 1.0] Oops: Oops: 0000 [#1] PREEMPT SMP\n",
		"[ 1.0] Internal error: Oops: 0000000096000004 [#1] SMP\n",
		"[ 1.0] Unable to handle kernel NULL pointer dereference\n",
		"[ 1.0] kernel BUG at mm/slub.c:1!\n",
		"[ 1.0] traps: PANIC: double fault, error_code: 0x0\n",
	};
	char line[200];

	(void)state;
	for (size_t i = 0; i < sizeof(lost) / sizeof(lost[0]); i++) {
		char text[512];

		snprintf(text, sizeof(text), "booting\n%smore\n", lost[i]);
		assert_true(console_find_oops(text, line, sizeof(line)));
		assert_memory_equal(line, lost[i], strlen(lost[i]) - 1);
	}
	assert_false(console_find_oops("init: line 3: x: not found\n[ 2.0] reboot: Power down\n"
				       "[ 1.0] ringscale[77]: segfault at 0 ip 1 sp 2\n"
				       "traps: ringscale[9] general protection fault ip:1\n", line,
				       sizeof(line)));
}

/* The first mark counts, in the order of the text. */
static void the_first_line_is_the_one_that_is_told(void **state)
{
	char line[100];

	(void)state;
	assert_true(console_find_oops("BUG: kernel NULL pointer dereference\r\nOops: 0000 [#1]\n"
				      "Kernel panic - not syncing: Fatal\n", line, sizeof(line)));
	assert_string_equal(line, "BUG: kernel NULL pointer dereference");
}

static void words_for_a_shell(void **state)
{
	static const struct {
		const char *word, *quoted;
	} cases[] = {
		{ "run", "'run'" }, { "", "''" }, { "a b$c", "'a b$c'" }, { "it's", "'it'\\''s'" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *quoted = guest_quote(cases[i].word);

		assert_string_equal(quoted, cases[i].quoted);
		free(quoted);
	}
}

static void roles_follow_the_kernels(void **state)
{
	struct lab_kernel kernels[] = { { .spec = "6.12" }, { .spec = "sid" }, { .spec = "6.12" },
					{ .spec = "6.1" } };

	(void)state;
	lab_assign_roles(kernels, 4);
	assert_string_equal(kernels[0].role, "A");
	assert_string_equal(kernels[1].role, "B");
	assert_string_equal(kernels[2].role, "A");
	assert_string_equal(kernels[3].role, "C");
}

static void a_counting_clock_has_its_kernel_parameters(void **state)
{
	struct lab lab = { .append = "debug" };
	char *text;

	(void)state;
	shape_single(&lab.shape);
	lab.shape.arch = VM_X86_64;
	text = lab_command_line(&lab);
	assert_string_equal(text, "console=ttyS0 panic=-1 oops=panic quiet rdinit=/init debug");
	free(text);
	lab.path_clock = true;
	text = lab_command_line(&lab);
	assert_non_null(strstr(text, "ringscale.clock=path init_on_alloc=0 audit=0"));
	assert_non_null(strstr(text, "nokaslr norandmaps"));
	free(text);
	lab.perturb = 2;
	text = lab_command_line(&lab);
	assert_null(strstr(text, "nokaslr"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_checksum_is_that_of_gzip),
		cmocka_unit_test(a_whole_transfer),
		cmocka_unit_test(cut_anywhere_it_is_never_whole),
		cmocka_unit_test(with_a_changed_byte_it_is_never_whole),
		cmocka_unit_test(what_a_guest_cannot_make_the_host_do),
		cmocka_unit_test(a_lost_kernel_is_told_from_a_lost_program),
		cmocka_unit_test(the_first_line_is_the_one_that_is_told),
		cmocka_unit_test(words_for_a_shell),
		cmocka_unit_test(roles_follow_the_kernels),
		cmocka_unit_test(a_counting_clock_has_its_kernel_parameters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
