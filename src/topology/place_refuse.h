/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_TOPOLOGY_PLACE_REFUSE_H
#define RINGSCALE_TOPOLOGY_PLACE_REFUSE_H

#include "topology/place_pool.h"
#include "topology/place_text.h"

/* What a --place cannot be, said to its user: all fill *e with an ERROR_USAGE and return -errno. */

int refuse_place(const struct place *place, struct error *e, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* No kind of this name here, or not one PU of it that may be used. */
int refuse_kind(const struct topology *topology, const struct place *place, const char *name,
		const struct kind *kind, struct error *e);

/* `pairs` were asked for and `possible` can be given: with the reason where that is none, and
 * what the same kinds can be given instead. */
int refuse_pairs(const struct topology *topology, const struct place *place,
		 const struct wish *wish, int pairs, int possible, struct error *e);

/* An explicit PU that is no candidate. */
int refuse_pu(const struct topology *topology, const struct place *place, int pu,
	      struct error *e);

#endif
