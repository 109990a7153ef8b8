/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_ENGINE_PRESET_MARKS_H
#define RINGSCALE_ENGINE_PRESET_MARKS_H

#include "topology/topology.h"

/*
 * Marks in a preset's products, which stand for what a machine has. In a list of pairs "PUS" stands
 * for the number of candidates, "HALF" for how many pairs of two threads they hold, at least 1. An
 * item with "KIND" stands for as many as there are kinds, one with "KIND:KIND" for all ordered pairs
 * of them, "NODES" for node:N of every node with memory.
 */

/* What of a machine the marks stand for. */
struct preset_machine {
	int pus;
	const char **kinds, **kind_pairs, **nodes;	/* owned; ended by NULL, never empty */
};

/* Fills *machine from the candidates; preset_machine_free releases it, also after failure. 0 or
 * -ENOMEM. */
int preset_machine_init(struct preset_machine *machine, const struct topology *topology);
void preset_machine_free(struct preset_machine *machine);

/* A copy of `text` with the marks replaced, to be freed by the caller; NULL without memory. */
char *preset_replace_marks(const char *text, const struct preset_machine *machine);

#endif
