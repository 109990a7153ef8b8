// SPDX-License-Identifier: GPL-2.0-or-later
#include "topology/topology.h"

#include "topology/inherited.h"

#include <errno.h>
#include <sched.h>

/* The kernel refuses masks shorter than its own; none is longer than this. */
#define MASK_BITS_MAX (1 << 20)

int inherited_read(hwloc_bitmap_t mask)
{
	for (int bits = CPU_SETSIZE; bits <= MASK_BITS_MAX; bits *= 2) {
		size_t size = CPU_ALLOC_SIZE(bits);
		cpu_set_t *set = CPU_ALLOC(bits);
		int rc = 0;

		if (!set)
			return -ENOMEM;
		if (sched_getaffinity(0, size, set))
			rc = -errno;
		hwloc_bitmap_zero(mask);
		for (int cpu = 0; !rc && cpu < bits; cpu++)
			if (CPU_ISSET_S(cpu, size, set) && hwloc_bitmap_set(mask, (unsigned)cpu))
				rc = -ENOMEM;
		CPU_FREE(set);
		if (rc != -EINVAL)
			return rc;
	}
	return -EINVAL;
}

static int set_affinity(hwloc_const_bitmap_t mask)
{
	int bits = hwloc_bitmap_last(mask) + 1;
	size_t size = CPU_ALLOC_SIZE(bits);
	cpu_set_t *set = CPU_ALLOC(bits);
	int rc = 0;
	unsigned cpu;

	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(size, set);
	hwloc_bitmap_foreach_begin(cpu, mask)
		CPU_SET_S(cpu, size, set);
	hwloc_bitmap_foreach_end();
	if (sched_setaffinity(0, size, set))
		rc = -errno;
	CPU_FREE(set);
	return rc;
}

int topology_bind_thread(const struct topology *topology, int os_index)
{
	hwloc_bitmap_t mask;
	int rc;

	/* hwloc pretends that binding on an imported topology worked. */
	if (topology->imported || os_index < 0 ||
	    !hwloc_bitmap_isset(topology->candidates, (unsigned)os_index))
		return -EINVAL;
	mask = hwloc_bitmap_alloc();
	if (!mask)
		return -ENOMEM;
	rc = hwloc_bitmap_only(mask, (unsigned)os_index) ? -ENOMEM : 0;
	if (!rc && hwloc_set_cpubind(topology->hwloc, mask,
				     HWLOC_CPUBIND_THREAD | HWLOC_CPUBIND_STRICT))
		rc = errno ? -errno : -EIO;
	/* Read back from the kernel: the mask that counts is its own. */
	if (!rc)
		rc = inherited_read(mask);
	if (!rc && (hwloc_bitmap_weight(mask) != 1 || hwloc_bitmap_first(mask) != os_index))
		rc = -EIO;
	hwloc_bitmap_free(mask);
	return rc;
}

int topology_avoid(const struct topology *topology, hwloc_const_bitmap_t pus)
{
	hwloc_bitmap_t room;
	unsigned cpu;
	int rc = 0;

	if (topology->imported)
		return -EINVAL;
	room = hwloc_bitmap_dup(topology->candidates);
	if (!room)
		return -ENOMEM;
	hwloc_bitmap_foreach_begin(cpu, pus) {
		hwloc_obj_t pu = topology_pu(topology, (int)cpu);
		hwloc_obj_t core = pu ? hwloc_get_ancestor_obj_by_type(topology->hwloc,
								       HWLOC_OBJ_CORE, pu) : NULL;

		hwloc_bitmap_clr(room, cpu);
		if (core)
			hwloc_bitmap_andnot(room, room, core->cpuset);
	}
	hwloc_bitmap_foreach_end();
	if (!hwloc_bitmap_iszero(room))
		rc = set_affinity(room);
	if (!rc)
		rc = !hwloc_bitmap_iszero(room);
	hwloc_bitmap_free(room);
	return rc;
}
