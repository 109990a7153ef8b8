/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_TOPOLOGY_RELATION_H
#define RINGSCALE_TOPOLOGY_RELATION_H

#include <stdbool.h>
#include <stddef.h>

#include "topology/topology.h"

/*
 * How two PUs stand to each other. Five facts, not a ladder: PUs can share an L3
 * and not a node, a package and no cache. A core, cache or package is unknown where
 * neither PU has such an object; where one has it, the other is outside it. A node is
 * unknown where either PU has no local memory.
 */
enum sameness { RELATION_UNKNOWN, RELATION_SAME, RELATION_DIFFERENT };

struct relation {
	enum sameness core, l2, l3, node, package;
};

/* What --place can ask for. RELATION_ANY: nothing. */
enum relation_term {
	RELATION_ANY,
	RELATION_SMT,			/* same core */
	RELATION_L2,			/* same L2, other core */
	RELATION_L3,			/* same L3, other L2 */
	RELATION_NUMA,			/* same node, other L3 */
	RELATION_CROSS_NUMA,		/* other node */
	RELATION_CROSS_PACKAGE,		/* other package */
	RELATION_TERM_COUNT
};

/* "smt", ...; "" for RELATION_ANY. */
const char *relation_term_name(enum relation_term term);

/* Where a PU is: numbers of its objects, equal for PUs in the same one, -1 where it has none. */
struct position {
	int core, l2, l3, node, package;
};

/* The position of a PU object; all -1 for NULL. */
struct position relation_position(const struct topology *topology, hwloc_obj_t pu);

/* The relation of the PUs at two positions. */
struct relation relation_between(const struct position *a, const struct position *b);

/* The relation of two PUs by OS index; all unknown where there is no such PU. */
struct relation relation_of(const struct topology *topology, int a, int b);

/* Whether a relation is what the term asks for; unknown never matches. */
bool relation_holds(const struct relation *relation, enum relation_term term);

/*
 * Writes the label of a row: the nearest of smt, l2, l3, numa that holds, then what
 * is crossed none the less ("l3+cross-numa"); only what is crossed; or "unknown".
 * 32 bytes hold every label.
 */
void relation_label(const struct relation *relation, char *label, size_t size);

#endif
