// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/plugin/code.h"

#include <string.h>

#include "base/marker.h"

enum code_arch code_arch_of(const char *target)
{
	if (!strcmp(target, "x86_64"))
		return CODE_X86_64;
	return strcmp(target, "aarch64") ? CODE_OTHER : CODE_ARM64;
}

static uint32_t word(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

static bool is(const struct code_insn *insn, const char *bytes, size_t size)
{
	return insn->size == size && !memcmp(insn->bytes, bytes, size);
}

int code_marker(enum code_arch arch, const struct code_insn *insn)
{
	uint32_t value = 0;

	if (arch == CODE_X86_64 && insn->size == 7 && !memcmp(insn->bytes, "\x0f\x1f\x80", 3))
		value = word(insn->bytes + 3);
	else if (arch == CODE_ARM64 && insn->size == 4 &&
		 (word(insn->bytes) & 0xffe0001f) == 0xd280001f)
		value = word(insn->bytes) >> 5 & 0xffff;
	return value > MARKER_BASE && value <= MARKER_BASE + MARKER_LAST ? (int)(value - MARKER_BASE)
									 : 0;
}

static enum code_entry entry_of_x86(const struct code_insn *insns, size_t count)
{
	size_t at = is(&insns[0], "\xf3\x0f\x1e\xfa", 4);

	if (is(&insns[0], "\xfc", 1))
		return CODE_ENTRY_SECOND;
	if (at + 1 == count && is(&insns[at], "\x0f\x01\xca", 3))
		return CODE_ENTRY_FIRST;
	if (at + 1 < count && is(&insns[at + 1], "\xfc", 1) &&
	    (is(&insns[at], "\x0f\x01\xca", 3) || is(&insns[at], "\x0f\x1f\x00", 3)))
		return CODE_ENTRY;
	return CODE_NO_ENTRY;
}

enum code_entry code_entry_of(enum code_arch arch, const struct code_insn *insns, size_t count)
{
	if (arch == CODE_X86_64 && count)
		return entry_of_x86(insns, count);
	/* stp x0, x1, [sp]; stp x2, x3, [sp, #16]; stp x4, x5, [sp, #32] */
	if (arch == CODE_ARM64 && count >= 3 && word(insns[0].bytes) == 0xa90007e0 &&
	    word(insns[1].bytes) == 0xa9010fe2 && word(insns[2].bytes) == 0xa90217e4)
		return CODE_ENTRY;
	return CODE_NO_ENTRY;
}

bool code_is_return(enum code_arch arch, const struct code_insn *insn)
{
	if (arch == CODE_X86_64)
		return is(insn, "\x48\xcf", 2);
	return arch == CODE_ARM64 && insn->size == 4 && word(insn->bytes) == 0xd69f03e0;
}
