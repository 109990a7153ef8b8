/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_ENGINE_BUILDER_H
#define RINGSCALE_ENGINE_BUILDER_H

#include "engine/cells.h"
#include "engine/sweep.h"

/*
 * A sweep in the making: points are placed, told apart by their identity, and
 * added or refused here; sweep.c knows which ones to make. Functions return 0 or -errno
 * with *builder->e filled; those that take a point release it, whatever they return.
 */

/* Placements of one product by place, number of pairs and threads a pair: other
 * axes do not move threads, and finding PUs for 512 pairs is not free. */
struct memo {
	bool tried;
	char *refusal;			/* why there is none */
	struct placement placement;
};

/* Zeroed but for the borrowed fields on top; builder_release undoes it. */
struct builder {
	struct sweep *sweep;
	const struct topology *topology;
	const struct method *method;
	bool strict;
	struct error *e;
	const char *way_out;		/* of the first cell that was dropped; "" */

	int candidates;
	size_t room;			/* of sweep->points */
	size_t pairs;			/* of all points */
	void *ids, *lines;		/* trees of texts: points there are, lines already said */

	/* The product at hand. */
	struct product product;		/* complete: defaults filled in */
	uint32_t preset_axes;		/* chosen by a preset, not typed and no default */
	struct memo *memos;
	size_t memo_count;
};

int builder_no_memory(struct builder *b);
void builder_release(struct builder *b);

/* Takes `point`: into the sweep, or away if its identity is there. */
int builder_add(struct builder *b, struct point *point);

/* A cell that cannot be, for `reason` and because of `axes` (bits): refuses the sweep, with
 * `way_out` ("; ...") behind the reason, or drops the cell and says why. */
int builder_refuse(struct builder *b, const struct point *point, uint32_t axes,
		   const char *reason, const char *way_out);

/* Takes `point`, which is resolved, finds its PUs and adds it. `memo` remembers them for
 * the next point like it; NULL where there is none. */
int builder_place(struct builder *b, struct point *point, struct memo *memo);

/* Takes `point`, whose place is "each", and adds one point a PU or pair of PUs. */
int builder_place_each(struct builder *b, struct point *point);

/* An independent copy with another place; its placement is empty. */
int builder_copy(struct builder *b, struct point *to, const struct point *from,
		 const char *place);

#endif
