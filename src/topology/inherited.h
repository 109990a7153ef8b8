/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_TOPOLOGY_INHERITED_H
#define RINGSCALE_TOPOLOGY_INHERITED_H

#include <hwloc.h>

/* Puts the affinity mask of the calling thread into `mask`, however many PUs the
 * kernel knows. 0 or -errno. */
int inherited_read(hwloc_bitmap_t mask);

#endif
