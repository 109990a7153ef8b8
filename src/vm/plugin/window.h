/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_VM_PLUGIN_WINDOW_H
#define RINGSCALE_VM_PLUGIN_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Where the guest is: in which block of the measurement, in a timed region or not, and below
 * which interrupts and exceptions. Knows nothing of what is gathered. One vCPU.
 */
enum window_kind { WINDOW_COUNTED, WINDOW_COLD, WINDOW_KINDS };

/*
 * A place: the program and its system calls (0), or what an entry of the kernel interrupted and has
 * not returned to yet. Nested ones have nodes of their own.
 */
#define WINDOW_PLACES 48
struct window_place {
	unsigned parent;
	uint64_t entry;		/* address of the entry's code */
};

struct window {
	bool open;
	enum window_kind kind, next_kind;
	bool next_aside;
	unsigned block;		/* marks of blocks seen: from 1; 0 before the first */
	unsigned place;		/* index into places */
	unsigned lost_depth;	/* entries that had no place left */
	uint64_t half_entry;	/* an entry if what runs next lies at half_end; 0: none */
	uint64_t half_end;
	struct window_place places[WINDOW_PLACES];
	unsigned place_count;
	uint64_t opened[WINDOW_KINDS];	/* windows of this block */
};

void window_init(struct window *window);
/* A mark other than MARKER_BLOCK, in the order of execution. */
void window_mark(struct window *window, int marker);
/* The next block of the measurement. */
void window_next_block(struct window *window);
/* An entry of the kernel begins at `address`; the return from one is over. */
void window_enter(struct window *window, uint64_t address);
/* The first block of what may be an entry ran, up to `end`; what may be its second runs. */
void window_half_enter(struct window *window, uint64_t address, uint64_t end);
void window_enter_rest(struct window *window, uint64_t address);
void window_leave(struct window *window);

#endif
