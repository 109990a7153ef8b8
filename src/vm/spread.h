/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_VM_SPREAD_H
#define RINGSCALE_VM_SPREAD_H

#include <jansson.h>
#include <stddef.h>

#include "base/error.h"

/*
 * What a lab's boots say together: for every role and point the mean of each boot's
 * rounds (ns or instructions per install, as the clock was), and how far the boots lie
 * apart: the resolution of a comparison between kernels.
 */
struct spread_series {
	char role[32], kernel[96], id[40];
	json_t *point;		/* of the result file; owned */
	double *means;		/* one a boot; owned */
	size_t count;
	double mean, min, max;	/* over the boots */
	/* Of their profiles, means over the boots that have one: instructions in user and kernel mode,
	 * calls of io_rsrc_node_alloc and of the slab allocator. Per install. */
	size_t profiles;
	double user_part, kernel_part, nodes, allocations;
};

struct spread {
	struct spread_series *list;
	size_t count;
};

/* Adds one result file of a boot in a role. Points that are not valid are left out. 0 or -errno. */
int spread_add(struct spread *spread, const char *role, const char *kernel, const char *path,
	       struct error *e);

/* (max - min) / mean in percent; NAN for less than two boots. */
double spread_percent(const struct spread_series *series);

/* The series of the same point in the first role, or NULL. */
const struct spread_series *spread_reference(const struct spread *spread,
					     const struct spread_series *series);
void spread_free(struct spread *spread);

#endif
