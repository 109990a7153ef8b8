/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_ENGINE_FLAGS_H
#define RINGSCALE_ENGINE_FLAGS_H

#include <jansson.h>

#include "engine/point.h"

/*
 * Flags say that a valid block was disturbed, or measured something that its axes
 * do not show. They never change a number or an exit status.
 *
 * To add one: a row in flags.c, a test.
 */
struct flag {
	const char *name;
	char letter;			/* stands for it in a table */
	const char *threshold;		/* when it is set, in words and numbers */
	const char *explanation;	/* what it means and what to do */
};

/* All flags, ended by one without a name. */
extern const struct flag flags[];

const struct flag *flag_find(const char *name);

/* Fills the `flags` of a block record from what it holds. `coordinator_off`: the
 * coordinator stayed off the measured PUs. */
void flags_set(json_t *record, const struct point *point, bool coordinator_off);

#endif
