/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_VM_COUNTS_H
#define RINGSCALE_VM_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The file that the plugin wrote, as plugin/count.h describes it. */
enum counts_kind { COUNTS_MEASURED, COUNTS_COLD, COUNTS_KINDS };

/* A piece of code in one place: `insns` instructions, `runs` times, in block `block` (from 1). */
struct counts_run {
	unsigned block, place;
	enum counts_kind kind;
	uint64_t address, insns, runs;
};
struct counts_windows {
	unsigned block;
	enum counts_kind kind;
	uint64_t count;
};
/* What an entry of the kernel interrupted; place 0 is the program with its system calls. */
struct counts_place {
	unsigned parent;
	uint64_t entry;
};
#define COUNTS_PLACES_MAX 64

struct counts {
	struct counts_run *runs;
	size_t run_count;
	struct counts_windows *windows;
	size_t window_count;
	struct counts_place places[COUNTS_PLACES_MAX];
	unsigned place_count;
};

/* Parses the file's text. ERROR_UNAVAILABLE where it is not whole or the plugin lost some. 0 or
 * -errno; counts_free in either case. Pure. */
int counts_parse(struct counts *counts, const char *text, struct error *e);
void counts_free(struct counts *counts);

#endif
