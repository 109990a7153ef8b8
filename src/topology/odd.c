// SPDX-License-Identifier: GPL-2.0-or-later
#include "topology/odd.h"

#include "topology/relation.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int odd_add(struct topology *topology, const char *format, ...)
{
	char **odd = reallocarray(topology->odd, (size_t)topology->odd_count + 1, sizeof(*odd));
	va_list args;
	int length;

	if (!odd)
		return -ENOMEM;
	topology->odd = odd;
	va_start(args, format);
	length = vasprintf(&odd[topology->odd_count], format, args);
	va_end(args);
	if (length < 0)
		return -ENOMEM;
	topology->odd_count++;
	return 0;
}

char *odd_list(hwloc_const_bitmap_t set)
{
	char *text = NULL;

	return hwloc_bitmap_list_asprintf(&text, set) < 0 ? NULL : text;
}

/* What is odd about a set of nodes or PUs, unless it is empty: "PUs 8-15 have no ...". */
static int add_set(struct topology *topology, hwloc_const_bitmap_t set, const char *what,
		   const char *lack)
{
	bool several = hwloc_bitmap_weight(set) != 1;
	char *list;
	int rc;

	if (hwloc_bitmap_iszero(set))
		return 0;
	list = odd_list(set);
	rc = list ? odd_add(topology, "%s%s %s %s %s", what, several ? "s" : "", list,
			    several ? "have" : "has", lack) : -ENOMEM;
	free(list);
	return rc;
}

static int odd_nodes(struct topology *topology)
{
	hwloc_bitmap_t no_memory = hwloc_bitmap_alloc(), no_pus = hwloc_bitmap_alloc();
	hwloc_bitmap_t homeless = hwloc_bitmap_alloc();
	hwloc_obj_t node = NULL, pu = NULL;
	int rc = no_memory && no_pus && homeless ? 0 : -ENOMEM;

	while (!rc && (node = hwloc_get_next_obj_by_type(topology->hwloc, HWLOC_OBJ_NUMANODE,
							 node))) {
		if (node->attr->numanode.local_memory == 0 &&
		    hwloc_bitmap_set(no_memory, node->os_index))
			rc = -ENOMEM;
		if (hwloc_bitmap_iszero(node->cpuset) && hwloc_bitmap_set(no_pus, node->os_index))
			rc = -ENOMEM;
	}
	while (!rc && (pu = hwloc_get_next_obj_by_type(topology->hwloc, HWLOC_OBJ_PU, pu))) {
		struct position position = relation_position(topology, pu);

		if (position.node < 0 && hwloc_bitmap_set(homeless, pu->os_index))
			rc = -ENOMEM;
	}
	if (!rc)
		rc = add_set(topology, no_memory, "node", "no memory, or its size is not told");
	if (!rc)
		rc = add_set(topology, no_pus, "node", "no PUs");
	if (!rc)
		rc = add_set(topology, homeless, "PU", "no local memory: the node is unknown");
	hwloc_bitmap_free(no_memory);
	hwloc_bitmap_free(no_pus);
	hwloc_bitmap_free(homeless);
	return rc;
}

/* Whether one object of type `wide` covers PUs of several objects of type `narrow`. */
static bool spans(const struct topology *topology, hwloc_obj_type_t wide, hwloc_obj_type_t narrow)
{
	hwloc_obj_t object = NULL;

	while ((object = hwloc_get_next_obj_by_type(topology->hwloc, wide, object))) {
		hwloc_obj_t inner = NULL;

		while ((inner = hwloc_get_next_obj_by_type(topology->hwloc, narrow, inner)))
			if (hwloc_bitmap_intersects(inner->cpuset, object->cpuset) &&
			    !hwloc_bitmap_isincluded(object->cpuset, inner->cpuset))
				return true;
	}
	return false;
}

/* PUs without an ancestor of this type, where others have one. */
static int odd_cache(struct topology *topology, hwloc_obj_type_t type, const char *lack)
{
	hwloc_bitmap_t without = hwloc_bitmap_alloc();
	hwloc_obj_t pu = NULL;
	int rc = without ? 0 : -ENOMEM;

	if (hwloc_get_nbobjs_by_type(topology->hwloc, type) <= 0)
		goto out;
	while (!rc && (pu = hwloc_get_next_obj_by_type(topology->hwloc, HWLOC_OBJ_PU, pu)))
		if (!hwloc_get_ancestor_obj_by_type(topology->hwloc, type, pu) &&
		    hwloc_bitmap_set(without, pu->os_index))
			rc = -ENOMEM;
	if (!rc)
		rc = add_set(topology, without, "PU", lack);
out:
	hwloc_bitmap_free(without);
	return rc;
}

static int odd_levels(struct topology *topology)
{
	static const struct {
		hwloc_obj_type_t type;
		const char *name, *option;
	} levels[] = {
		{ HWLOC_OBJ_CORE, "cores", "siblings cannot be told" },
		{ HWLOC_OBJ_L2CACHE, "L2 caches", "--place l2 and l3 cannot be given" },
		{ HWLOC_OBJ_L3CACHE, "L3 caches", "--place l3 and numa cannot be given" },
		{ HWLOC_OBJ_PACKAGE, "packages", "--place cross-package cannot be given" },
	};
	int rc = 0;

	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]) && !rc; i++)
		if (hwloc_get_nbobjs_by_type(topology->hwloc, levels[i].type) == 0)
			rc = odd_add(topology, "no %s are reported: %s", levels[i].name,
				     levels[i].option);
	if (!rc)
		rc = odd_cache(topology, HWLOC_OBJ_L2CACHE, "no L2, others have one");
	if (!rc)
		rc = odd_cache(topology, HWLOC_OBJ_L3CACHE, "no L3, others have one");
	if (!rc && spans(topology, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_NUMANODE))
		rc = odd_add(topology,
			     "an L3 spans several nodes: PUs share an L3 and not the node");
	if (!rc && spans(topology, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_PACKAGE))
		rc = odd_add(topology, "an L3 spans several packages: the packages are not what "
			     "they seem");
	if (!rc && spans(topology, HWLOC_OBJ_NUMANODE, HWLOC_OBJ_PACKAGE))
		rc = odd_add(topology, "a node spans several packages");
	return rc;
}

/* Cores of which a part of the threads is missing: offline, or cut off. */
static int odd_cores(struct topology *topology)
{
	hwloc_obj_t core = NULL;
	int partial = 0;

	while ((core = hwloc_get_next_obj_by_type(topology->hwloc, HWLOC_OBJ_CORE, core)))
		partial += !hwloc_bitmap_isequal(core->cpuset, core->complete_cpuset);
	if (!partial)
		return 0;
	return odd_add(topology, "%d core%s a PU that is offline or not shown", partial,
		       partial == 1 ? " has" : "s have");
}

int odd_find(struct topology *topology)
{
	int rc = odd_nodes(topology);

	if (!rc)
		rc = odd_levels(topology);
	return rc ? rc : odd_cores(topology);
}
