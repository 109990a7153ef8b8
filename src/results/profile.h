/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_RESULTS_PROFILE_H
#define RINGSCALE_RESULTS_PROFILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/*
 * What a `profile` record holds: instructions and calls by function, each per install. One, or the
 * difference of two.
 */
enum profile_mode { PROFILE_USER, PROFILE_KERNEL, PROFILE_INTERRUPT, PROFILE_MODES };
extern const char *const profile_mode_names[PROFILE_MODES];

/* One function in one mode, on both sides; [1] is 0 where there is one profile only. */
struct profile_row {
	const char *function;	/* borrowed from the records */
	enum profile_mode mode;
	double instructions[2], calls[2];
};

struct profile {
	struct profile_row *rows;	/* owned; largest (difference) first */
	size_t count;
	double total[PROFILE_MODES][2];
};

/* The frame of a record: "" or what is amiss, in `why`. Of its `first_fill` too. */
bool profile_check(const json_t *record, char *why, size_t size);

/*
 * Reads one profile (b NULL) or two; a record, or its `first_fill`, which stay with the caller for
 * as long as rows are looked at. Both passed profile_check. 0 or -ENOMEM; profile_release then too.
 */
int profile_read(struct profile *profile, const json_t *a, const json_t *b);
void profile_release(struct profile *profile);

/*
 * The group of a function: io_uring, slab, file, lock, entry, memory, interrupt, other, user. By a
 * table of prefixes of what kernels call their functions; what comes in with an interrupt is
 * `interrupt`, what runs in user mode `user`.
 */
#define PROFILE_GROUPS 9
extern const char *const profile_group_names[PROFILE_GROUPS];
size_t profile_group(const struct profile_row *row);

/* What a profile's rows of a side say of `function` in kernel mode, 0 where it is not there. */
double profile_calls(const struct profile *profile, int side, const char *function);
double profile_instructions(const struct profile *profile, int side, const char *function);

/* Calls of the slab allocator's entry points (kmalloc, kmem_cache_alloc and their kind). */
double profile_allocator_calls(const struct profile *profile, int side);

#endif
