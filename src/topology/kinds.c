// SPDX-License-Identifier: GPL-2.0-or-later
#include "topology/kinds.h"

#include "topology/odd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Neighbours whose capacities differ by at most this share of the larger are one kind:
 * cores of one design differ that much by their best frequency. */
#define MERGE_PERCENT 10

/* What hwloc says about one of its kinds. */
struct told {
	hwloc_bitmap_t cpus;		/* owned; also PUs that are offline or cut off */
	int efficiency;
	long capacity;			/* -1: not told */
	const char *core_type;		/* NULL: not told; owned by hwloc */
	bool has_frequency;
};

struct telling {
	struct topology *topology;
	struct error *e;
	struct told *told;
	int count;
};

static int no_memory(struct error *e)
{
	return error_set(e, ERROR_FAILED, ENOMEM, "out of memory");
}

int kinds_add(struct topology *topology, const char *name, int rank, hwloc_const_bitmap_t cpus,
	      const char *told_by, struct error *e)
{
	struct kind *kinds = reallocarray(topology->kinds, (size_t)topology->kind_count + 1,
					  sizeof(*kinds));
	struct kind *kind;

	if (!kinds)
		return no_memory(e);
	topology->kinds = kinds;
	kind = &kinds[topology->kind_count];
	*kind = (struct kind){ .rank = rank };
	snprintf(kind->name, sizeof(kind->name), "%s", name);
	snprintf(kind->told_by, sizeof(kind->told_by), "%s", told_by);
	topology->kind_count++;
	kind->cpus = hwloc_bitmap_dup(cpus);
	kind->candidates = hwloc_bitmap_dup(cpus);
	if (!kind->cpus || !kind->candidates ||
	    hwloc_bitmap_and(kind->candidates, kind->candidates, topology->candidates))
		return no_memory(e);
	return 0;
}

hwloc_bitmap_t kinds_all_pus(const struct topology *topology)
{
	hwloc_bitmap_t all = hwloc_bitmap_alloc();
	hwloc_obj_t pu = NULL;

	/* From the PU objects: the sets of an imported file may have no end. */
	while (all && (pu = hwloc_get_next_obj_by_type(topology->hwloc, HWLOC_OBJ_PU, pu)))
		if (hwloc_bitmap_set(all, pu->os_index)) {
			hwloc_bitmap_free(all);
			all = NULL;
		}
	return all;
}

bool kinds_split_core(const struct topology *topology, hwloc_const_bitmap_t cpus, int *inside,
		      int *outside)
{
	hwloc_obj_t core = NULL;
	unsigned cpu;

	while ((core = hwloc_get_next_obj_by_type(topology->hwloc, HWLOC_OBJ_CORE, core))) {
		*inside = *outside = -1;
		if (hwloc_bitmap_isincluded(core->cpuset, cpus) ||
		    !hwloc_bitmap_intersects(core->cpuset, cpus))
			continue;
		hwloc_bitmap_foreach_begin(cpu, core->cpuset) {
			int *first = hwloc_bitmap_isset(cpus, cpu) ? inside : outside;

			if (*first < 0)
				*first = (int)cpu;
		}
		hwloc_bitmap_foreach_end();
		return true;
	}
	return false;
}

/* All PUs are of one kind that has no name; `reason` becomes told_by and, if `odd`, a remark. */
static int all_unknown(struct telling *t, bool odd, const char *reason)
{
	hwloc_bitmap_t all = kinds_all_pus(t->topology);
	int rc;

	if (!all)
		return no_memory(t->e);
	rc = kinds_add(t->topology, "unknown", -1, all, reason, t->e);
	hwloc_bitmap_free(all);
	if (!rc && odd && odd_add(t->topology, "core kinds unknown: %s; --kinds P=LIST,E=LIST "
				  "tells them", reason))
		rc = no_memory(t->e);
	return rc;
}

/* Appends what hwloc says about its kind `index`. */
static int read_told(struct telling *t, int index)
{
	struct told *told = &t->told[t->count++];
	struct hwloc_info_s *infos = NULL;
	hwloc_const_bitmap_t complete = hwloc_topology_get_complete_cpuset(t->topology->hwloc);
	unsigned count = 0;

	told->capacity = -1;
	told->cpus = hwloc_bitmap_alloc();
	if (!told->cpus ||
	    hwloc_cpukinds_get_info(t->topology->hwloc, (unsigned)index, told->cpus,
				    &told->efficiency, &count, &infos, 0) ||
	    hwloc_bitmap_and(told->cpus, told->cpus, complete))
		return no_memory(t->e);
	for (unsigned i = 0; i < count; i++) {
		char *end;
		long number = strtol(infos[i].value, &end, 10);

		if (strcmp(infos[i].name, "CoreType") == 0)
			told->core_type = infos[i].value;
		else if (strcmp(infos[i].name, "LinuxCapacity") == 0 && end != infos[i].value &&
			 !*end && number > 0)
			told->capacity = number;
		else if (strncmp(infos[i].name, "Frequency", 9) == 0)
			told->has_frequency = true;
	}
	return 0;
}

/* Whether hwloc's kinds cover every PU and cut no core; if not, *reason says so. */
static bool is_consistent(const struct telling *t, char *reason, size_t size)
{
	hwloc_bitmap_t rest = kinds_all_pus(t->topology);
	int inside = -1, outside = -1, left;

	if (!rest)
		return true;
	for (int i = 0; i < t->count; i++)
		hwloc_bitmap_andnot(rest, rest, t->told[i].cpus);
	left = hwloc_bitmap_weight(rest);
	hwloc_bitmap_free(rest);
	if (left > 0) {
		int all = hwloc_get_nbobjs_by_type(t->topology->hwloc, HWLOC_OBJ_PU);

		snprintf(reason, size, "hwloc's kinds cover %d of %d PUs", all - left, all);
		return false;
	}
	for (int i = 0; i < t->count; i++)
		if (kinds_split_core(t->topology, t->told[i].cpus, &inside, &outside)) {
			snprintf(reason, size, "siblings %d and %d are in different kinds", inside,
				 outside);
			return false;
		}
	return true;
}

/* The kinds by CoreType: index into this table is the rank. */
enum intel { INTEL_LPE, INTEL_E, INTEL_P, INTEL_COUNT };

static const struct {
	const char *name, *core_type;
} intel[INTEL_COUNT] = {
	[INTEL_LPE] = { "LPE", "IntelLowPower" },
	[INTEL_E] = { "E", "IntelAtom" },
	[INTEL_P] = { "P", "IntelCore" },
};

static int intel_index(const char *core_type)
{
	for (int i = 0; core_type && i < INTEL_COUNT; i++)
		if (strcmp(core_type, intel[i].core_type) == 0)
			return i;
	return -1;
}

/*
 * Moves from the E-cores to the LP E-cores those without an L3, if there are others
 * with one among the P-cores: hwloc 2.9 knows no LP E-cores and calls them Atom.
 */
static int split_low_power(struct telling *t, hwloc_bitmap_t *sets)
{
	hwloc_bitmap_t with_l3 = hwloc_bitmap_alloc();
	hwloc_bitmap_t without = kinds_all_pus(t->topology);
	hwloc_obj_t cache = NULL;
	int rc = with_l3 && without ? 0 : no_memory(t->e);

	while (!rc && (cache = hwloc_get_next_obj_by_type(t->topology->hwloc, HWLOC_OBJ_L3CACHE,
							  cache)))
		if (hwloc_bitmap_or(with_l3, with_l3, cache->cpuset))
			rc = no_memory(t->e);
	if (!rc && hwloc_bitmap_intersects(with_l3, sets[INTEL_P]) &&
	    (hwloc_bitmap_and(without, without, sets[INTEL_E]) ||
	     hwloc_bitmap_andnot(without, without, with_l3) ||
	     hwloc_bitmap_andnot(sets[INTEL_E], sets[INTEL_E], without) ||
	     hwloc_bitmap_or(sets[INTEL_LPE], sets[INTEL_LPE], without)))
		rc = no_memory(t->e);
	hwloc_bitmap_free(without);
	hwloc_bitmap_free(with_l3);
	return rc;
}

static int add_intel(struct telling *t, hwloc_bitmap_t *sets, const int *merged, bool moved)
{
	int rank = 0;
	int rc = 0;

	for (int i = 0; i < INTEL_COUNT && !rc; i++) {
		char told_by[128];

		if (hwloc_bitmap_iszero(sets[i]))
			continue;
		if (i == INTEL_LPE && moved)
			snprintf(told_by, sizeof(told_by),
				 "CoreType=%s without the L3 of the P-cores",
				 intel[merged[INTEL_LPE] ? INTEL_LPE : INTEL_E].core_type);
		else
			snprintf(told_by, sizeof(told_by), "CoreType=%s", intel[i].core_type);
		if (merged[i] > 1 &&
		    odd_add(t->topology, "%d kinds of hwloc are all CoreType=%s and differ by "
			    "frequency alone: one kind, %s", merged[i], intel[i].core_type,
			    intel[i].name))
			return no_memory(t->e);
		rc = kinds_add(t->topology, intel[i].name, rank++, sets[i], told_by, t->e);
	}
	return rc;
}

static int tell_intel(struct telling *t)
{
	hwloc_bitmap_t sets[INTEL_COUNT] = { NULL };
	int merged[INTEL_COUNT] = { 0 };
	int low_power = 0;
	int rc = 0;

	for (int i = 0; i < INTEL_COUNT; i++) {
		sets[i] = hwloc_bitmap_alloc();
		if (!sets[i])
			rc = no_memory(t->e);
	}
	for (int i = 0; i < t->count && !rc; i++) {
		int index = intel_index(t->told[i].core_type);

		merged[index]++;
		if (hwloc_bitmap_or(sets[index], sets[index], t->told[i].cpus))
			rc = no_memory(t->e);
	}
	if (!rc) {
		low_power = hwloc_bitmap_weight(sets[INTEL_LPE]);
		rc = split_low_power(t, sets);
	}
	if (!rc)
		rc = add_intel(t, sets, merged, hwloc_bitmap_weight(sets[INTEL_LPE]) > low_power);
	for (int i = 0; i < INTEL_COUNT; i++)
		hwloc_bitmap_free(sets[i]);
	return rc;
}

static int by_capacity(const void *a, const void *b)
{
	const struct told *left = a, *right = b;

	return (left->capacity > right->capacity) - (left->capacity < right->capacity);
}

/* Whether told[i] belongs to the kind of told[i - 1]. */
static bool is_merged(const struct telling *t, int i)
{
	long slower = t->told[i - 1].capacity, faster = t->told[i].capacity;

	return (double)(faster - slower) * 100 <= (double)faster * MERGE_PERCENT;
}

/* Adds told[first..end) as one kind. */
static int add_group(struct telling *t, int first, int end, int rank, int groups)
{
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	char name[16], told_by[128];
	long low = t->told[first].capacity, high = t->told[end - 1].capacity;
	int rc = 0;

	for (int i = first; cpus && i < end; i++)
		if (hwloc_bitmap_or(cpus, cpus, t->told[i].cpus))
			rc = no_memory(t->e);
	if (groups == 2)
		snprintf(name, sizeof(name), "%s", rank ? "P" : "E");
	else
		snprintf(name, sizeof(name), "k%d", rank);
	if (low == high)
		snprintf(told_by, sizeof(told_by), "LinuxCapacity=%ld", low);
	else
		snprintf(told_by, sizeof(told_by), "LinuxCapacity=%ld..%ld, %d kinds merged", low,
			 high, end - first);
	if (!rc)
		rc = cpus ? kinds_add(t->topology, name, rank, cpus, told_by, t->e) :
			    no_memory(t->e);
	hwloc_bitmap_free(cpus);
	if (!rc && end - first > 1 &&
	    odd_add(t->topology,
		    "%d kinds of hwloc lie within %d %% of capacity (%ld to %ld): merged "
		    "into %s",
		    end - first, MERGE_PERCENT, low, high, name))
		rc = no_memory(t->e);
	return rc;
}

static int tell_capacity(struct telling *t)
{
	int groups = 1, rank = 0, first = 0;
	int rc = 0;

	qsort(t->told, (size_t)t->count, sizeof(*t->told), by_capacity);
	for (int i = 1; i < t->count; i++)
		groups += !is_merged(t, i);
	for (int i = 1; i <= t->count && !rc; i++)
		if (i == t->count || !is_merged(t, i)) {
			rc = add_group(t, first, i, rank++, groups);
			first = i;
		}
	return rc;
}

/* Why hwloc's several kinds say nothing about the cores; NULL: they have capacities. */
static const char *why_unknown(const struct telling *t)
{
	bool capacity = true, frequency = false, equal = true, core_type = false;

	for (int i = 0; i < t->count; i++) {
		core_type |= t->told[i].core_type != NULL;
		frequency |= t->told[i].has_frequency;
		if (t->told[i].efficiency < 0)
			return "hwloc cannot rank its kinds (efficiency -1)";
		capacity &= t->told[i].capacity > 0;
		equal &= t->told[i].capacity == t->told[0].capacity;
	}
	if (capacity && !equal)
		return NULL;
	if (core_type)
		return "hwloc's kinds have core types that are not all known here";
	return frequency ? "hwloc's kinds differ by frequency alone"
			 : "hwloc's kinds differ by nothing that tells cores apart";
}

static int tell(struct telling *t)
{
	bool is_intel = true;
	char reason[128];

	if (t->count == 0)
		return all_unknown(t, false, "hwloc reports no kinds");
	if (!is_consistent(t, reason, sizeof(reason)))
		return all_unknown(t, true, reason);
	for (int i = 0; i < t->count; i++)
		is_intel &= intel_index(t->told[i].core_type) >= 0;
	/* A core type is a fact of the core, so it holds even where hwloc finds no ranks. */
	if (is_intel)
		return tell_intel(t);
	if (t->count == 1)
		return kinds_add(t->topology, "k0", 0, t->told[0].cpus, "hwloc reports one kind",
				 t->e);
	if (why_unknown(t)) {
		snprintf(reason, sizeof(reason), "%s (%d)", why_unknown(t), t->count);
		return all_unknown(t, true, reason);
	}
	return tell_capacity(t);
}

int kinds_tell(struct topology *topology, struct error *e)
{
	struct telling t = { .topology = topology, .e = e };
	int count = hwloc_cpukinds_get_nr(topology->hwloc, 0);
	int rc = 0;

	t.told = calloc(count > 0 ? (size_t)count : 1, sizeof(*t.told));
	if (!t.told)
		return no_memory(e);
	for (int i = 0; i < count && !rc; i++)
		rc = read_told(&t, i);
	if (!rc)
		rc = tell(&t);
	for (int i = 0; i < t.count; i++)
		hwloc_bitmap_free(t.told[i].cpus);
	free(t.told);
	return rc;
}
