// SPDX-License-Identifier: GPL-2.0-or-later
#include "topology/relation.h"

#include <stdio.h>

static const char *const names[RELATION_TERM_COUNT] = {
	[RELATION_ANY] = "",
	[RELATION_SMT] = "smt",
	[RELATION_L2] = "l2",
	[RELATION_L3] = "l3",
	[RELATION_NUMA] = "numa",
	[RELATION_CROSS_NUMA] = "cross-numa",
	[RELATION_CROSS_PACKAGE] = "cross-package",
};

const char *relation_term_name(enum relation_term term)
{
	return names[term];
}

static int ancestor_number(const struct topology *topology, hwloc_obj_t pu, hwloc_obj_type_t type)
{
	hwloc_obj_t object = hwloc_get_ancestor_obj_by_type(topology->hwloc, type, pu);

	return object ? (int)object->logical_index : -1;
}

/* The memory behind this child of an object; between them may stand a memory-side cache. */
static hwloc_obj_t node_below(hwloc_obj_t memory)
{
	while (memory && memory->type != HWLOC_OBJ_NUMANODE)
		memory = memory->memory_first_child;
	return memory;
}

/*
 * The nearest node that counts this PU as its own. Where several are as near (DRAM and
 * HBM of one die) the first. A node without PUs hangs below the machine and is nobody's.
 */
static int home_node(hwloc_obj_t pu)
{
	for (hwloc_obj_t object = pu; object; object = object->parent)
		for (hwloc_obj_t memory = object->memory_first_child; memory;
		     memory = memory->next_sibling) {
			hwloc_obj_t node = node_below(memory);

			if (node && hwloc_bitmap_isset(node->cpuset, pu->os_index))
				return (int)node->logical_index;
		}
	return -1;
}

struct position relation_position(const struct topology *topology, hwloc_obj_t pu)
{
	struct position position = { -1, -1, -1, -1, -1 };

	if (!pu)
		return position;
	position.core = ancestor_number(topology, pu, HWLOC_OBJ_CORE);
	position.l2 = ancestor_number(topology, pu, HWLOC_OBJ_L2CACHE);
	position.l3 = ancestor_number(topology, pu, HWLOC_OBJ_L3CACHE);
	position.package = ancestor_number(topology, pu, HWLOC_OBJ_PACKAGE);
	position.node = home_node(pu);
	return position;
}

/* An object lists all PUs below it, so that a PU without one is outside another's. */
static enum sameness compare(int a, int b)
{
	if (a < 0 && b < 0)
		return RELATION_UNKNOWN;
	return a == b ? RELATION_SAME : RELATION_DIFFERENT;
}

struct relation relation_between(const struct position *a, const struct position *b)
{
	struct relation relation = {
		.core = compare(a->core, b->core),
		.l2 = compare(a->l2, b->l2),
		.l3 = compare(a->l3, b->l3),
		.package = compare(a->package, b->package),
	};

	if (a->node >= 0 && b->node >= 0)
		relation.node = compare(a->node, b->node);
	return relation;
}

struct relation relation_of(const struct topology *topology, int a, int b)
{
	struct position first = relation_position(topology, topology_pu(topology, a));
	struct position second = relation_position(topology, topology_pu(topology, b));

	return relation_between(&first, &second);
}

bool relation_holds(const struct relation *relation, enum relation_term term)
{
	switch (term) {
	case RELATION_ANY:
		return true;
	case RELATION_SMT:
		return relation->core == RELATION_SAME;
	case RELATION_L2:
		return relation->l2 == RELATION_SAME && relation->core == RELATION_DIFFERENT;
	case RELATION_L3:
		return relation->l3 == RELATION_SAME && relation->l2 == RELATION_DIFFERENT;
	case RELATION_NUMA:
		return relation->node == RELATION_SAME && relation->l3 == RELATION_DIFFERENT;
	case RELATION_CROSS_NUMA:
		return relation->node == RELATION_DIFFERENT;
	case RELATION_CROSS_PACKAGE:
		return relation->package == RELATION_DIFFERENT;
	case RELATION_TERM_COUNT:
		break;
	}
	return false;
}

void relation_label(const struct relation *relation, char *label, size_t size)
{
	enum relation_term near = RELATION_SMT, far = RELATION_ANY;

	while (near <= RELATION_NUMA && !relation_holds(relation, near))
		near++;
	/* Another package is the longer way: it says more than another node. */
	if (relation_holds(relation, RELATION_CROSS_PACKAGE))
		far = RELATION_CROSS_PACKAGE;
	else if (relation_holds(relation, RELATION_CROSS_NUMA))
		far = RELATION_CROSS_NUMA;
	if (near > RELATION_NUMA && far == RELATION_ANY)
		snprintf(label, size, "unknown");
	else if (near > RELATION_NUMA)
		snprintf(label, size, "%s", names[far]);
	else
		snprintf(label, size, "%s%s%s", names[near], far ? "+" : "", names[far]);
}
