// SPDX-License-Identifier: GPL-2.0-or-later
#include "topology/memory.h"

#include <errno.h>
#include <numa.h>
#include <numaif.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* More than a kernel can be built for (MAX_NUMNODES, 2^10). */
#define NODE_BITS 4096
/* Pages asked after at once. */
#define LOOK_PAGES 64

static bool has_memory(hwloc_obj_t node)
{
	return node->attr->numanode.local_memory > 0;
}

int memory_home(const struct topology *topology, int pu)
{
	hwloc_obj_t node = NULL;

	while ((node = hwloc_get_next_obj_by_type(topology->hwloc, HWLOC_OBJ_NUMANODE, node)))
		if (has_memory(node) && hwloc_bitmap_isset(node->cpuset, (unsigned)pu))
			return (int)node->os_index;
	return -1;
}

int memory_check_node(const struct topology *topology, int node, const char *what, struct error *e)
{
	hwloc_bitmap_t usable = hwloc_bitmap_alloc();
	hwloc_obj_t object = NULL;
	char *list = NULL;
	bool there = false, empty = false;
	int rc = 0;

	while (usable && (object = hwloc_get_next_obj_by_type(topology->hwloc, HWLOC_OBJ_NUMANODE,
							      object))) {
		if (has_memory(object))
			hwloc_bitmap_set(usable, object->os_index);
		there |= (int)object->os_index == node;
		empty |= (int)object->os_index == node && !has_memory(object);
	}
	if (!usable || hwloc_bitmap_list_asprintf(&list, usable) < 0)
		rc = error_set(e, ERROR_FAILED, ENOMEM, "out of memory");
	else if (!there || empty)
		rc = error_set(e, ERROR_USAGE, EINVAL, "%s: %s; nodes with memory are %s", what,
			       empty ? "this node has no memory" : "there is no such node", list);
	free(list);
	hwloc_bitmap_free(usable);
	return rc;
}

static int set_policy(int mode, const struct bitmask *nodes)
{
	/* The kernel counts one bit less than it is told. */
	return set_mempolicy(mode, nodes ? nodes->maskp : NULL, nodes ? nodes->size + 1 : 0)
		? -errno : 0;
}

static int read_policy(struct memory_policy *policy)
{
	policy->nodes = numa_bitmask_alloc(NODE_BITS);
	if (!policy->nodes)
		return -ENOMEM;
	return get_mempolicy(&policy->mode, policy->nodes->maskp, policy->nodes->size + 1, NULL, 0)
		? -errno : 0;
}

int memory_probe(struct error *e)
{
	struct memory_policy policy = { 0 };
	int rc = read_policy(&policy);

	if (!rc)
		rc = set_policy(policy.mode, policy.mode == MPOL_DEFAULT || policy.mode == MPOL_LOCAL
					     ? NULL : policy.nodes);
	if (policy.nodes)
		numa_bitmask_free(policy.nodes);
	if (!rc)
		return 0;
	return error_set(e, ERROR_UNAVAILABLE, -rc, "--mem: the kernel does not let this process choose "
			 "memory (set_mempolicy: %s); %s, or use --mem local", strerror(-rc),
			 rc == -ENOSYS ? "it needs CONFIG_NUMA"
				       : "a container may need CAP_SYS_NICE or another seccomp profile");
}

int memory_begin(struct memory_policy *policy, const struct topology *topology, int node)
{
	struct bitmask *nodes = numa_bitmask_alloc(NODE_BITS);
	hwloc_obj_t object = NULL;
	int rc = nodes ? read_policy(policy) : -ENOMEM;

	if (!rc && node != MEMORY_INTERLEAVE)
		numa_bitmask_setbit(nodes, (unsigned)node);
	while (!rc && node == MEMORY_INTERLEAVE &&
	       (object = hwloc_get_next_obj_by_type(topology->hwloc, HWLOC_OBJ_NUMANODE, object)))
		if (has_memory(object))
			numa_bitmask_setbit(nodes, object->os_index);
	if (!rc)
		rc = set_policy(node == MEMORY_INTERLEAVE ? MPOL_INTERLEAVE : MPOL_PREFERRED, nodes);
	if (nodes)
		numa_bitmask_free(nodes);
	if (rc && policy->nodes) {
		numa_bitmask_free(policy->nodes);
		policy->nodes = NULL;
	}
	return rc;
}

void memory_end(struct memory_policy *policy)
{
	if (!policy->nodes)
		return;
	/* What was there was allowed once: it cannot be refused now. */
	set_policy(policy->mode, policy->mode == MPOL_DEFAULT || policy->mode == MPOL_LOCAL
				 ? NULL : policy->nodes);
	numa_bitmask_free(policy->nodes);
	policy->nodes = NULL;
}

static int count_page(struct memory_pages *pages, int node)
{
	if (node >= pages->nodes) {
		int64_t *grown = realloc(pages->on_node, (size_t)(node + 1) * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		memset(grown + pages->nodes, 0, (size_t)(node + 1 - pages->nodes) * sizeof(*grown));
		pages->on_node = grown;
		pages->nodes = node + 1;
	}
	pages->on_node[node]++;
	return 0;
}

int memory_look(struct memory_pages *pages, const void *address, size_t size_bytes)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t at = (uintptr_t)address / page * page;
	uintptr_t end = (uintptr_t)address + size_bytes;
	int rc = 0;

	while (!rc && at < end) {
		void *addresses[LOOK_PAGES];
		int nodes[LOOK_PAGES];
		int count = 0;

		for (; count < LOOK_PAGES && at < end; at += page)
			addresses[count++] = (void *)at;
		/* Without nodes to move to it only says where the pages are. */
		if (move_pages(0, (unsigned long)count, addresses, NULL, nodes, 0) < 0)
			return -errno;
		for (int i = 0; !rc && i < count; i++)
			if (nodes[i] >= 0)
				rc = count_page(pages, nodes[i]);
	}
	return rc;
}

void memory_pages_free(struct memory_pages *pages)
{
	free(pages->on_node);
	*pages = (struct memory_pages){ 0 };
}
