// SPDX-License-Identifier: GPL-2.0-or-later
/* What the emulator's plugin knows by itself; it is no part of the library. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/marker.h"
#include "vm/plugin/code.c"
#include "vm/plugin/count.c"
#include "vm/plugin/window.c"

static struct code_insn insn(const char *bytes, size_t size)
{
	struct code_insn made = { .size = size };

	memcpy(made.bytes, bytes, size);
	return made;
}
#define INSN(text) insn(text, sizeof(text) - 1)

static void marks_are_known_by_their_bytes(void **state)
{
	struct code_insn open = INSN("\x0f\x1f\x80\x04\x5c\x00\x00");
	struct code_insn other = INSN("\x0f\x1f\x80\x06\x5c\x00\x00");
	struct code_insn zero = INSN("\x0f\x1f\x80\x00\x00\x00\x00");
	struct code_insn arm = INSN("\x9f\x80\x8b\xd2"), to_x1 = INSN("\x81\x80\x8b\xd2");

	(void)state;
	assert_int_equal(code_marker(CODE_X86_64, &open), MARKER_OPEN);
	assert_int_equal(code_marker(CODE_X86_64, &other), 0);
	assert_int_equal(code_marker(CODE_X86_64, &zero), 0);
	assert_int_equal(code_marker(CODE_ARM64, &open), 0);
	assert_int_equal(code_marker(CODE_ARM64, &arm), MARKER_OPEN);
	assert_int_equal(code_marker(CODE_ARM64, &to_x1), 0);
	assert_int_equal(code_marker(CODE_X86_64, &arm), 0);
}

/* The compiler's own bytes of a mark, as the plugin will find them in this very program. */
static void a_compiled_mark_is_found(void **state)
{
	const uint8_t *at = (const uint8_t *)(uintptr_t)a_compiled_mark_is_found;
	bool found = false;

	(void)state;
	marker(MARKER_COLD);
	for (int i = 0; i < 200 && !found; i++) {
		struct code_insn code = { .size = 7 };

		memcpy(code.bytes, at + i, 7);
		found = code_marker(CODE_X86_64, &code) == MARKER_COLD;
		code.size = 4;
		found = found || code_marker(CODE_ARM64, &code) == MARKER_COLD;
	}
	assert_true(found);
}

static void entries_and_returns(void **state)
{
	const struct code_insn endbr = INSN("\xf3\x0f\x1e\xfa"), clac = INSN("\x0f\x01\xca");
	const struct code_insn nop = INSN("\x0f\x1f\x00"), cld = INSN("\xfc"), push = INSN("\x6a\xff");
	const struct code_insn iret = INSN("\x48\xcf"), eret = INSN("\xe0\x03\x9f\xd6");
	const struct code_insn arm[] = { INSN("\xe0\x07\x00\xa9"), INSN("\xe2\x0f\x01\xa9"),
					 INSN("\xe4\x17\x02\xa9") };

	(void)state;
	assert_int_equal(code_entry_of(CODE_X86_64, (struct code_insn[]){ endbr, clac }, 2),
			 CODE_ENTRY_FIRST);
	assert_int_equal(code_entry_of(CODE_X86_64, (struct code_insn[]){ clac }, 1),
			 CODE_ENTRY_FIRST);
	/* Behind a copy from user space, in the middle of a function. */
	assert_int_equal(code_entry_of(CODE_X86_64, (struct code_insn[]){ clac, push }, 2),
			 CODE_NO_ENTRY);
	assert_int_equal(code_entry_of(CODE_X86_64, (struct code_insn[]){ cld, push }, 2),
			 CODE_ENTRY_SECOND);
	assert_int_equal(code_entry_of(CODE_X86_64, (struct code_insn[]){ nop, cld, push }, 3),
			 CODE_ENTRY);
	assert_int_equal(code_entry_of(CODE_X86_64, (struct code_insn[]){ push, clac, cld }, 3),
			 CODE_NO_ENTRY);
	assert_int_equal(code_entry_of(CODE_ARM64, arm, 3), CODE_ENTRY);
	assert_int_equal(code_entry_of(CODE_ARM64, arm, 2), CODE_NO_ENTRY);
	assert_true(code_is_return(CODE_X86_64, &iret));
	assert_true(code_is_return(CODE_ARM64, &eret));
	assert_false(code_is_return(CODE_X86_64, &cld));
}

static void windows_by_their_marks(void **state)
{
	struct window window;

	(void)state;
	window_init(&window);
	window_next_block(&window);
	window_mark(&window, MARKER_ASIDE);
	window_mark(&window, MARKER_OPEN);
	assert_false(window.open);
	window_mark(&window, MARKER_CLOSE);
	window_mark(&window, MARKER_COLD);
	window_mark(&window, MARKER_OPEN);
	assert_true(window.open && window.kind == WINDOW_COLD);
	window_mark(&window, MARKER_CLOSE);
	assert_false(window.open);
	window_mark(&window, MARKER_OPEN);
	assert_true(window.open && window.kind == WINDOW_COUNTED);
	assert_int_equal(window.opened[WINDOW_COUNTED], 1);
	assert_int_equal(window.opened[WINDOW_COLD], 1);
	window_next_block(&window);
	assert_false(window.open);
	assert_int_equal(window.opened[WINDOW_COUNTED], 0);
	assert_int_equal(window.block, 2);
}

static void entries_nest_and_come_back(void **state)
{
	struct window window;
	unsigned interrupt, nested;

	(void)state;
	window_init(&window);
	window_mark(&window, MARKER_OPEN);
	window_enter(&window, 0x100);
	interrupt = window.place;
	window_half_enter(&window, 0x200, 0x207);
	window_enter_rest(&window, 0x300);
	assert_int_equal(window.place, interrupt);
	window_half_enter(&window, 0x200, 0x207);
	window_enter_rest(&window, 0x207);
	nested = window.place;
	assert_int_equal(window.places[nested].parent, interrupt);
	window_leave(&window);
	window_leave(&window);
	assert_int_equal(window.place, 0);
	/* A system call that ends with the same instruction leaves nothing. */
	window_leave(&window);
	assert_int_equal(window.place, 0);
	window_enter(&window, 0x100);
	assert_int_equal(window.place, interrupt);
}

static void more_places_than_there_is_room_for(void **state)
{
	struct window window;

	(void)state;
	window_init(&window);
	window_mark(&window, MARKER_OPEN);
	for (unsigned i = 0; i < WINDOW_PLACES + 10; i++)
		window_enter(&window, i + 1);
	assert_int_equal(window.place, WINDOW_PLACES - 1);
	for (unsigned i = 0; i < WINDOW_PLACES + 10; i++)
		window_leave(&window);
	assert_int_equal(window.place, 0);
}

static void counts_are_written_and_begin_anew(void **state)
{
	struct piece *piece = count_piece(0x1000, 5);
	struct window window;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	window_init(&window);
	window_next_block(&window);
	window_mark(&window, MARKER_OPEN);
	count_run(&window, piece);
	count_run(&window, piece);
	window_enter(&window, 0xff);
	count_run(&window, piece);
	count_flush(&window, out);
	window_next_block(&window);
	count_flush(&window, out);
	fclose(out);
	assert_string_equal(text, "windows 1 0 1\nplace 1 0 ff\nruns 1 0 0 1000 5 2\n"
			    "runs 1 0 1 1000 5 1\nplace 1 0 ff\n");
	free(text);
	free(piece->runs);
	free(piece);
	ran = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marks_are_known_by_their_bytes),
		cmocka_unit_test(a_compiled_mark_is_found),
		cmocka_unit_test(entries_and_returns),
		cmocka_unit_test(windows_by_their_marks),
		cmocka_unit_test(entries_nest_and_come_back),
		cmocka_unit_test(more_places_than_there_is_room_for),
		cmocka_unit_test(counts_are_written_and_begin_anew),
	};

	return cmocka_run_group_tests_name("plugin_code", tests, NULL, NULL);
}
