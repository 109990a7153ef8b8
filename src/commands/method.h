/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_COMMANDS_METHOD_H
#define RINGSCALE_COMMANDS_METHOD_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/sweep.h"

/*
 * The method options, each spelled once. To add one: a line here, a row and its
 * case in method.c, its field in struct method, its line in man/ringscale.1, a test.
 */
enum method_option {
	METHOD_ROUNDS,
	METHOD_WARMUP,
	METHOD_BLOCKS,
	METHOD_ORDER,
	METHOD_SEED,
	METHOD_TIMEOUT,
	METHOD_SYNC,
	METHOD_SOLO,
	METHOD_OVERSUBSCRIBE,
	METHOD_WITH_CONTROL,
	METHOD_COUNT
};

struct method_info {
	const char *name;		/* "rounds": option --rounds */
	const char *argument;		/* metavariable in --help; NULL for a flag */
	const char *help;
	int64_t min, max;		/* of counts; 0, 0 for others */
};

const struct method_info *method_info(enum method_option which);

/* The option with this name (no dashes), or METHOD_COUNT. */
enum method_option method_find(const char *name);

/* Sets the defaults. The seed is 0: none was chosen. */
void method_init(struct method *method);

/* Stores one option; `value` is NULL for a flag. 0, or -EINVAL with an ERROR_USAGE. */
int method_set(struct method *method, enum method_option which, const char *value,
	       struct error *e);

/* The value as one would type it, in `buffer` (32 bytes) or a constant; "" for a flag. */
const char *method_text(const struct method *method, enum method_option which, char *buffer,
			size_t size);

#endif
