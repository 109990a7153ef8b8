/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_TOPOLOGY_PLACE_WISH_H
#define RINGSCALE_TOPOLOGY_PLACE_WISH_H

#include "topology/place_pool.h"
#include "topology/place_text.h"

/* What place_resolve, place_share and place_fan have in common. */

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

/*
 * Ends a resolution that found the PUs (rc 0) or not: fills all of *placement that follows from
 * them (labels, smt, oversubscribed), or frees it. Returns rc, or -ENOMEM.
 */
int place_settle(const struct topology *topology, struct placement *placement, int rc,
		 struct error *e);

#endif
