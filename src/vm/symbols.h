/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_VM_SYMBOLS_H
#define RINGSCALE_VM_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Which function holds an address of a guest. Two layers: functions, and the
 * mappings of files behind them, which answer where no function does.
 *
 * Functions lie behind one another; one without a size of its own ends where the next one
 * begins. Names lose what a compiler puts behind them (".isra.0", ".constprop.1", ".part.2",
 * ".cold"), so that two builds can be compared. Of several names of one address one is kept: the same
 * in any order in which they are added.
 */
struct symbol {
	uint64_t start, end;	/* end 0 until symbols_finish: unknown */
	char *name;
	bool entry;		/* its first instruction is where it is called */
	unsigned rank;		/* of several names of one address the smallest is kept */
};
struct symbols {
	struct symbol *list;
	size_t count, capacity;
	bool failed;		/* no memory for one: symbols_finish says so */
};

/* Adds a function of `size` bytes, 0: unknown. `rank` as above. */
void symbols_add(struct symbols *symbols, uint64_t start, uint64_t size, const char *name,
		 unsigned rank);

/* Adds the text symbols of a /proc/kallsyms, modules' too ("name [module]"). ERROR_UNAVAILABLE
 * where its addresses are hidden (kptr_restrict) or it has none. 0 or -errno. */
int symbols_add_kernel(struct symbols *symbols, const char *kallsyms, struct error *e);

/*
 * Adds the functions of one file (a program or library) mapped at `start`: `offset` into the file, `size`
 * bytes. A file that cannot be read has none. 0 or -ENOMEM.
 */
void symbols_add_file(struct symbols *symbols, const char *path, uint64_t start, uint64_t offset,
		      uint64_t size);

/* Sorts; lookups may follow, additions no more. 0 or -ENOMEM. */
int symbols_finish(struct symbols *symbols);

/* The function that holds an address, or NULL. */
const struct symbol *symbols_find(const struct symbols *symbols, uint64_t address);

void symbols_free(struct symbols *symbols);

#endif
