/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_VM_PLUGIN_COUNT_H
#define RINGSCALE_VM_PLUGIN_COUNT_H

#include <stdint.h>
#include <stdio.h>

#include "vm/plugin/window.h"

/*
 * How often each piece of translated code ran in a window. Pieces are as the emulator translates
 * them, the same address again and again perhaps; who reads the file adds them up.
 */
struct piece {
	uint64_t address, end;			/* end: where it stops; 0 where nobody asks */
	uint32_t insns;
	uint64_t (*runs)[WINDOW_PLACES];	/* [WINDOW_KINDS]; NULL until it runs in a window */
	struct piece *next;			/* of those that have runs */
};

/* For as long as the emulator runs: translated code is never known to be gone. NULL without
 * memory. */
struct piece *count_piece(uint64_t address, uint32_t insns);

/* `piece` runs once, in an open window. */
void count_run(const struct window *window, struct piece *piece);

/*
 * Writes what ran in the block that `window` is in, and begins anew:
 *
 *	windows BLOCK KIND COUNT
 *	place PLACE PARENT ADDRESS		every place so far, but 0
 *	runs BLOCK KIND PLACE ADDRESS INSNS RUNS
 *	lost BLOCK			memory for some was not to be had
 *
 * KIND is 0 for counted, 1 for cold. Addresses are hexadecimal.
 */
void count_flush(const struct window *window, FILE *out);

#endif
