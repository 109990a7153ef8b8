// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A plugin of QEMU's emulation: which instructions the timed region consists of. Loaded as
 * -plugin FILE,out=PATH, where the counts go; FILE,probe=on only says that it can be loaded.
 *
 * One file for QEMU 7.2 (version 1 of the interface) and for 9.0 and later (versions 2 to 4),
 * which refuse each other's: what it calls itself is decided while it is loaded.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/marker.h"
#include "vm/plugin/api.h"
#include "vm/plugin/code.h"
#include "vm/plugin/count.h"
#include "vm/plugin/window.h"

QEMU_PLUGIN_EXPORT extern int qemu_plugin_version;
QEMU_PLUGIN_EXPORT int qemu_plugin_install(uint64_t id, const struct qemu_plugin_info *info,
					   int argc, char **argv);

int qemu_plugin_version = 1;

static struct window window;
static enum code_arch arch;
static bool data_is_copied;
static FILE *out;

__attribute__((constructor)) static void choose_version(void)
{
	if (qemu_plugin_scoreboard_new)
		qemu_plugin_version = 2;
}

static void read_insn(const struct qemu_plugin_insn *insn, struct code_insn *code)
{
	const void *(*data)(const struct qemu_plugin_insn *);

	code->size = qemu_plugin_insn_size(insn);
	if (code->size > CODE_BYTES)
		code->size = CODE_BYTES;
	if (data_is_copied) {
		qemu_plugin_insn_data(insn, code->bytes, code->size);
		return;
	}
	data = (const void *(*)(const struct qemu_plugin_insn *))(void *)qemu_plugin_insn_data;
	memcpy(code->bytes, data(insn), code->size);
}

static void run_piece(unsigned vcpu, void *data)
{
	(void)vcpu;
	if (window.open)
		count_run(&window, data);
}

static void run_entry(unsigned vcpu, void *data)
{
	const struct piece *piece = data;

	if (window.open)
		window_enter(&window, piece->address);
	run_piece(vcpu, data);
}

static void run_first_half(unsigned vcpu, void *data)
{
	const struct piece *piece = data;

	if (window.open)
		window_half_enter(&window, piece->address, piece->end);
	run_piece(vcpu, data);
}

static void run_second_half(unsigned vcpu, void *data)
{
	const struct piece *piece = data;

	if (window.open)
		window_enter_rest(&window, piece->address);
	run_piece(vcpu, data);
}

/* Called before the piece runs: its last instruction, the return, still belongs to the place. */
static void run_return(unsigned vcpu, void *data)
{
	run_piece(vcpu, data);
	if (window.open)
		window_leave(&window);
}

static void run_marker(unsigned vcpu, void *data)
{
	int marker = (int)(intptr_t)data;

	(void)vcpu;
	if (marker != MARKER_BLOCK) {
		window_mark(&window, marker);
		return;
	}
	count_flush(&window, out);
	window_next_block(&window);
}

/* A block with a mark inside is counted instruction by instruction: the mark divides it. */
static void watch_insns(struct qemu_plugin_tb *tb, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		struct code_insn code = { .size = 0 };
		struct piece *piece;
		int marker;

		read_insn(insn, &code);
		marker = code_marker(arch, &code);
		if (marker) {
			qemu_plugin_register_vcpu_insn_exec_cb(insn, run_marker,
							       QEMU_PLUGIN_NO_REGS,
							       (void *)(intptr_t)marker);
			continue;
		}
		piece = count_piece(qemu_plugin_insn_vaddr(insn), 1);
		if (piece)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, run_piece,
							       QEMU_PLUGIN_NO_REGS, piece);
	}
}

/* What is called when a block runs, by the code at its beginning and its end. */
static qemu_plugin_executed callback_for(const struct code_insn *first, size_t count,
					 const struct code_insn *last)
{
	if (code_is_return(arch, last))
		return run_return;
	switch (code_entry_of(arch, first, count)) {
	case CODE_ENTRY:
		return run_entry;
	case CODE_ENTRY_FIRST:
		return run_first_half;
	case CODE_ENTRY_SECOND:
		return run_second_half;
	default:
		return run_piece;
	}
}

static void translated(uint64_t id, struct qemu_plugin_tb *tb)
{
	size_t count = qemu_plugin_tb_n_insns(tb);
	struct code_insn first[CODE_ENTRY_INSNS], last = { .size = 0 };
	struct qemu_plugin_insn *insn = NULL;
	struct piece *piece;

	(void)id;
	if (!count)
		return;
	memset(first, 0, sizeof(first));
	for (size_t i = 0; i < count; i++) {
		insn = qemu_plugin_tb_get_insn(tb, i);
		read_insn(insn, &last);
		if (i < CODE_ENTRY_INSNS)
			first[i] = last;
		if (code_marker(arch, &last)) {
			watch_insns(tb, count);
			return;
		}
	}
	piece = count_piece(qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0)), (uint32_t)count);
	if (!piece)
		return;
	piece->end = qemu_plugin_insn_vaddr(insn) + last.size;
	qemu_plugin_register_vcpu_tb_exec_cb(tb, callback_for(first, count, &last),
					     QEMU_PLUGIN_NO_REGS, piece);
}

static void ended(uint64_t id, void *data)
{
	(void)id;
	(void)data;
	count_flush(&window, out);
	fputs("end\n", out);
	fclose(out);
}

static int refuse(const char *what, const char *argument)
{
	fprintf(stderr, "ringscale plugin: %s '%s'\n", what, argument);
	return -1;
}

int qemu_plugin_install(uint64_t id, const struct qemu_plugin_info *info, int argc, char **argv)
{
	arch = code_arch_of(info->target_name);
	data_is_copied = info->version.cur >= 3;
	if (!info->system_emulation || arch == CODE_OTHER)
		return refuse("no profile of target", info->target_name);
	for (int i = 0; i < argc; i++) {
		if (!strcmp(argv[i], "probe=on")) {
			printf("plugin interface %d\n", info->version.cur);
			fflush(stdout);
			_exit(0);
		}
		if (strncmp(argv[i], "out=", 4))
			return refuse("unknown argument", argv[i]);
		out = fopen(argv[i] + 4, "w");
		if (!out)
			return refuse("cannot write", argv[i] + 4);
	}
	if (!out)
		return refuse("no file given with", "out=");
	fputs("ringscale-profile 1\n", out);
	window_init(&window);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, ended, NULL);
	return 0;
}
