/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_TOPOLOGY_KINDS_H
#define RINGSCALE_TOPOLOGY_KINDS_H

#include "topology/topology.h"

/* Fills topology->kinds from what hwloc says; what it says that cannot be a kind
 * of core goes to topology->odd. Returns 0 or -ENOMEM with *e filled. */
int kinds_tell(struct topology *topology, struct error *e);

/* Fills topology->kinds from the text of --kinds ("P=0-1,10-13,E=2-9"); PUs that it leaves
 * out are "unknown". ERROR_USAGE if it contradicts itself or the machine. */
int kinds_given(struct topology *topology, const char *text, struct error *e);

/* Appends a kind with a copy of `cpus`, its candidates counted. 0, or -ENOMEM with *e filled. */
int kinds_add(struct topology *topology, const char *name, int rank, hwloc_const_bitmap_t cpus,
	      const char *told_by, struct error *e);

/* PUs of the topology, whether they may be used or not: a fresh set, or NULL without memory. */
hwloc_bitmap_t kinds_all_pus(const struct topology *topology);

/* A core whose PUs are partly inside `cpus`: its first PU inside and its first outside. */
bool kinds_split_core(const struct topology *topology, hwloc_const_bitmap_t cpus, int *inside,
		      int *outside);

#endif
