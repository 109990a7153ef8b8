/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_COMMANDS_TOPO_PRINT_H
#define RINGSCALE_COMMANDS_TOPO_PRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "topology/topology.h"

/* Prints what `topo` shows to stdout: lines of at most 80 columns, or all facts as
 * one JSON object. 0, or -errno with *e filled. */
int topo_print_text(const struct topology *topology, bool color, struct error *e);
int topo_print_json(const struct topology *topology, struct error *e);

/* The latencies between nodes as the firmware tells them, or NULL: release them with
 * hwloc_distances_release. */
struct hwloc_distances_s *topo_distances(const struct topology *topology);

/* Bytes of a node; false where an imported topology does not tell. */
bool topo_node_bytes(const struct topology *topology, hwloc_obj_t node, uint64_t *bytes);

#endif
