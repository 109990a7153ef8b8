/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_TOPOLOGY_ODD_H
#define RINGSCALE_TOPOLOGY_ODD_H

#include "topology/topology.h"

/* Adds a sentence to topology->odd. 0 or -ENOMEM. */
int odd_add(struct topology *topology, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Adds what is odd about caches, nodes, packages and PUs, whatever the kinds. 0 or -ENOMEM. */
int odd_find(struct topology *topology);

/* The set as "0-3,8": fresh text for free(), or NULL without memory. */
char *odd_list(hwloc_const_bitmap_t set);

#endif
