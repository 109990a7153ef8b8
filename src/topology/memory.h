/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_TOPOLOGY_MEMORY_H
#define RINGSCALE_TOPOLOGY_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "topology/topology.h"

/*
 * Nodes of memory by OS index: which there are, from which one the calling thread's
 * kernel allocations come, and on which one pages really lie.
 */

/* The node that counts this PU as its own and has memory; -1: none. */
int memory_home(const struct topology *topology, int pu);

/* Whether the topology has this node, with memory. 0, or -EINVAL with an ERROR_USAGE that begins
 * with `what` (the option as typed) and names the nodes that could be given. */
int memory_check_node(const struct topology *topology, int node, const char *what, struct error *e);

/* Whether this kernel lets a process choose nodes. 0, or -errno with an ERROR_UNAVAILABLE; leaves
 * the caller's policy as it was. */
int memory_probe(struct error *e);

/*
 * Policy of the calling thread, for what it and the kernel on its behalf allocate from now on: a
 * node first, others only where it is full; all nodes with memory in turn; or again what it was.
 * Every use stands between a begin and an end on one thread. 0 or -errno.
 */
struct memory_policy {
	int mode;			/* what was there before */
	struct bitmask *nodes;		/* owned */
};
#define MEMORY_INTERLEAVE (-2)
int memory_begin(struct memory_policy *policy, const struct topology *topology, int node);
void memory_end(struct memory_policy *policy);

/* How many pages were seen on each node. */
struct memory_pages {
	int64_t *on_node;		/* owned; NULL: nothing was seen */
	int nodes;			/* length */
};

/* Adds the pages of this process that [address, address + size_bytes) touches. 0 or -errno; pages
 * of which the kernel says nothing are left out. */
int memory_look(struct memory_pages *pages, const void *address, size_t size_bytes);
void memory_pages_free(struct memory_pages *pages);

#endif
