/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_VM_PLUGIN_CODE_H
#define RINGSCALE_VM_PLUGIN_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a guest's instructions say by their bytes alone. Pure. */
enum code_arch { CODE_X86_64, CODE_ARM64, CODE_OTHER };

/* By QEMU's name of the target. */
enum code_arch code_arch_of(const char *target);

#define CODE_BYTES 16
struct code_insn {
	uint8_t bytes[CODE_BYTES];
	size_t size;
};

/* The n of a marker(n) of base/marker.h, or 0. */
int code_marker(enum code_arch arch, const struct code_insn *insn);

/*
 * Where the kernel is entered by an interrupt or exception. x86-64: clac (or the NOP that stands
 * for it) and cld, behind an endbr64 where there is one: the beginning of every entry made by
 * idtentry. As the emulator ends a block behind clac, most come in two blocks. arm64: x0 to x5
 * stored to the stack's end: the beginning of kernel_entry, which system calls pass too. Symbols
 * later tell which is which.
 */
enum code_entry {
	CODE_NO_ENTRY,
	CODE_ENTRY,		/* begins with all of it */
	CODE_ENTRY_FIRST,	/* ends with clac: an entry if the block behind it is ... */
	CODE_ENTRY_SECOND,	/* ... one that begins with cld */
};

/* Of a block of `count` instructions, of which the first CODE_ENTRY_INSNS are looked at. */
#define CODE_ENTRY_INSNS 3
enum code_entry code_entry_of(enum code_arch arch, const struct code_insn *insns, size_t count);

/* Whether it returns from there: iretq, eret. */
bool code_is_return(enum code_arch arch, const struct code_insn *insn);

#endif
