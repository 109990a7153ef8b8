/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_TOPOLOGY_PLACE_WISH_H
#define RINGSCALE_TOPOLOGY_PLACE_WISH_H

#include "topology/place_pool.h"
#include "topology/place_text.h"

/* What place_resolve and place_share have in common. */

/* What the terms of `place` ask of every pair here. 0, or -EINVAL with an ERROR_USAGE where this
 * machine has no such kinds, or where the terms do not go with the number of threads. */
int place_wish(const struct topology *topology, const struct place *place, bool split,
	       struct wish *wish, struct error *e);

/* PUs of one role's kind in the order in which threads alone are put on them; `pus` is the caller's
 * to free. 0 or -ENOMEM. */
struct line {
	int *pus;
	int count;
};
int place_line_up(const struct topology *topology, const struct wish *wish, int role,
		  struct line *line);

/* Fills all of *placement that follows from the PUs: labels, smt, oversubscribed. 0 or -ENOMEM. */
int place_describe(const struct topology *topology, struct placement *placement);

#endif
