// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/topo_print.h"

#include "topology/relation.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

struct hwloc_distances_s *topo_distances(const struct topology *topology)
{
	struct hwloc_distances_s *distances = NULL;
	unsigned count = 1;

	if (hwloc_distances_get_by_type(topology->hwloc, HWLOC_OBJ_NUMANODE, &count, &distances,
					HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) || count == 0)
		return NULL;
	return distances;
}

bool topo_node_bytes(const struct topology *topology, hwloc_obj_t node, uint64_t *bytes)
{
	*bytes = node->attr->numanode.local_memory;
	return *bytes > 0 || !topology->imported;
}

/* A set as "0-3,8"; null without one. */
static json_t *set_json(hwloc_const_bitmap_t set)
{
	char *text = NULL;
	json_t *value;

	if (!set || hwloc_bitmap_list_asprintf(&text, set) < 0)
		return json_null();
	value = json_string(text);
	free(text);
	return value;
}

/* The number of an object, null where there is none. */
static json_t *number_json(int number)
{
	return number < 0 ? json_null() : json_integer(number);
}

static json_t *kinds_json(const struct topology *topology)
{
	json_t *kinds = json_array();

	for (int i = 0; i < topology->kind_count; i++) {
		const struct kind *kind = &topology->kinds[i];

		json_array_append_new(kinds, json_pack(
			"{s:s, s:o, s:o, s:o, s:i, s:s}", "name", kind->name, "rank",
			number_json(kind->rank), "pus", set_json(kind->cpus), "candidates",
			set_json(kind->candidates), "available",
			hwloc_bitmap_weight(kind->candidates), "told_by", kind->told_by));
	}
	return kinds;
}

static json_t *pus_json(const struct topology *topology)
{
	json_t *pus = json_array();
	hwloc_obj_t pu = NULL;

	while ((pu = hwloc_get_next_obj_by_type(topology->hwloc, HWLOC_OBJ_PU, pu))) {
		struct position at = relation_position(topology, pu);
		int os_index = (int)pu->os_index;

		json_array_append_new(pus, json_pack(
			"{s:i, s:b, s:s, s:o, s:o, s:o, s:o, s:o}", "pu", os_index, "candidate",
			hwloc_bitmap_isset(topology->candidates, pu->os_index) != 0, "kind",
			topology_kind_of(topology, os_index)->name, "core", number_json(at.core),
			"l2", number_json(at.l2), "l3", number_json(at.l3), "node",
			number_json(at.node), "package", number_json(at.package)));
	}
	return pus;
}

/* Objects of one type, each with its number (that of "pus") and PUs. */
static json_t *objects_json(const struct topology *topology, hwloc_obj_type_t type)
{
	json_t *objects = json_array();
	hwloc_obj_t object = NULL;

	while ((object = hwloc_get_next_obj_by_type(topology->hwloc, type, object))) {
		json_t *entry = json_pack("{s:i, s:o}", "number", (int)object->logical_index, "pus",
					  set_json(object->cpuset));
		uint64_t bytes;

		if (type == HWLOC_OBJ_L2CACHE || type == HWLOC_OBJ_L3CACHE) {
			bytes = object->attr->cache.size;
			json_object_set_new(entry, "size_bytes",
					    bytes ? json_integer((json_int_t)bytes) : json_null());
		}
		if (type == HWLOC_OBJ_NUMANODE) {
			json_object_set_new(entry, "node", json_integer(object->os_index));
			json_object_set_new(entry, "memory_bytes",
					    topo_node_bytes(topology, object, &bytes)
						    ? json_integer((json_int_t)bytes)
						    : json_null());
		}
		json_array_append_new(objects, entry);
	}
	return objects;
}

static json_t *distances_json(const struct topology *topology)
{
	struct hwloc_distances_s *distances = topo_distances(topology);
	json_t *nodes, *rows, *result;

	if (!distances)
		return json_null();
	nodes = json_array();
	rows = json_array();
	for (unsigned i = 0; i < distances->nbobjs; i++) {
		json_t *row = json_array();

		json_array_append_new(nodes, json_integer(distances->objs[i]->os_index));
		for (unsigned k = 0; k < distances->nbobjs; k++)
			json_array_append_new(row, json_integer((json_int_t)
				distances->values[i * distances->nbobjs + k]));
		json_array_append_new(rows, row);
	}
	result = json_pack("{s:o, s:o}", "nodes", nodes, "values", rows);
	hwloc_distances_release(topology->hwloc, distances);
	return result;
}

static json_t *odd_json(const struct topology *topology)
{
	json_t *odd = json_array();

	for (int i = 0; i < topology->odd_count; i++)
		json_array_append_new(odd, json_string(topology->odd[i]));
	return odd;
}

int topo_print_json(const struct topology *topology, struct error *e)
{
	hwloc_topology_t hwloc = topology->hwloc;
	json_t *object = json_pack(
		"{s:s, s:b, s:{s:o, s:o, s:o, s:o}, s:o, s:o, s:o, s:o}", "topology",
		topology->source, "imported", topology->imported, "masks",
		"online", set_json(hwloc_topology_get_topology_cpuset(hwloc)),
		"allowed", set_json(hwloc_topology_get_allowed_cpuset(hwloc)),
		"inherited", set_json(topology->inherited),
		"candidates", set_json(topology->candidates),
		"kinds", kinds_json(topology), "pus", pus_json(topology),
		"distances", distances_json(topology), "odd", odd_json(topology));
	bool printed = false;

	if (object &&
	    !json_object_set_new(object, "cores", objects_json(topology, HWLOC_OBJ_CORE)) &&
	    !json_object_set_new(object, "l2", objects_json(topology, HWLOC_OBJ_L2CACHE)) &&
	    !json_object_set_new(object, "l3", objects_json(topology, HWLOC_OBJ_L3CACHE)) &&
	    !json_object_set_new(object, "packages", objects_json(topology, HWLOC_OBJ_PACKAGE)) &&
	    !json_object_set_new(object, "nodes", objects_json(topology, HWLOC_OBJ_NUMANODE)))
		printed = json_dumpf(object, stdout, JSON_INDENT(2)) == 0;
	json_decref(object);
	putchar('\n');
	/* A full disk is found by whoever closes stdout. */
	return printed || ferror(stdout) ? 0 :
					   error_set(e, ERROR_FAILED, ENOMEM,
						     "cannot print the topology: out of memory");
}
