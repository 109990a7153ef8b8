// SPDX-License-Identifier: GPL-2.0-or-later
#include "topology/topology.h"

#include "base/list.h"
#include "topology/import.h"
#include "topology/inherited.h"
#include "topology/kinds.h"
#include "topology/odd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A PU number above this is a damaged file: the kernel has at most 8192. */
#define PU_NUMBER_MAX 1048575

/*
 * hwloc lets its environment replace the machine by a file, or declare a file to be
 * this machine. Neither may happen behind a measurement's back, so that all of it is removed.
 */
static int ignore_environment(struct topology *topology)
{
	char name[64];

	for (char **at = environ; at && *at; ) {
		size_t length = strcspn(*at, "=");

		if (strncmp(*at, "HWLOC_", 6) != 0 || length >= sizeof(name)) {
			at++;
			continue;
		}
		memcpy(name, *at, length);
		name[length] = '\0';
		if (unsetenv(name))
			at++;
		/* The list moved up: look at the same place again. */
		if (strcmp(name, "HWLOC_HIDE_ERRORS") != 0 &&
		    odd_add(topology, "%s is set and ignored: --topology takes an XML file or a "
			    "synthetic description", name))
			return -ENOMEM;
	}
	/* Errors are returned; nothing below commands/ prints. */
	return setenv("HWLOC_HIDE_ERRORS", "2", 1) ? -ENOMEM : 0;
}

static int load_this_machine(struct topology *topology, struct error *e)
{
	int rc = import_init(&topology->hwloc);

	if (rc) {
		topology->hwloc = NULL;
		return error_set(e, ERROR_FAILED, -rc, "cannot start hwloc: out of memory");
	}
	if (hwloc_topology_load(topology->hwloc))
		return error_set(e, ERROR_FAILED, errno, "hwloc cannot read this machine: %s; "
				 "check that /sys and /proc are mounted", strerror(errno));
	snprintf(topology->source, sizeof(topology->source), "this machine");
	topology->inherited = hwloc_bitmap_alloc();
	rc = topology->inherited ? inherited_read(topology->inherited) : -ENOMEM;
	if (rc)
		return error_set(e, ERROR_FAILED, -rc, "cannot read the CPU affinity: %s",
				 strerror(-rc));
	return 0;
}

/* Online, allowed, and in the mask that the program inherited. */
static int find_candidates(struct topology *topology, struct error *e)
{
	hwloc_obj_t pu = NULL;
	hwloc_bitmap_t all = kinds_all_pus(topology);

	topology->candidates = all;
	if (!all)
		return error_set(e, ERROR_FAILED, ENOMEM, "out of memory");
	while ((pu = hwloc_get_next_obj_by_type(topology->hwloc, HWLOC_OBJ_PU, pu)))
		if (pu->os_index > PU_NUMBER_MAX)
			return error_set(e, ERROR_USAGE, EINVAL,
					 "--topology %s: PU number %u is not "
					 "possible; export it again",
					 list_quote(topology->source).text, pu->os_index);
	if (hwloc_bitmap_and(all, all, hwloc_topology_get_allowed_cpuset(topology->hwloc)) ||
	    (topology->inherited && hwloc_bitmap_and(all, all, topology->inherited)))
		return error_set(e, ERROR_FAILED, ENOMEM, "out of memory");
	if (!hwloc_bitmap_iszero(all))
		return 0;
	if (topology->imported)
		return error_set(e, ERROR_USAGE, EINVAL,
				 "--topology %s allows none of its PUs; export "
				 "it again outside of the cgroup",
				 list_quote(topology->source).text);
	return error_set(e, ERROR_UNAVAILABLE, ENODEV,
			 "no PU is online, allowed by the cgroup's cpuset "
			 "and in the inherited mask; widen the cpuset or the mask (taskset)");
}

int topology_load(struct topology *topology, const char *source, const char *kinds,
		  struct error *e)
{
	int rc;

	*topology = (struct topology){ .imported = source != NULL };
	rc = ignore_environment(topology);
	if (rc)
		return error_set(e, ERROR_FAILED, -rc, "out of memory");
	if (source) {
		rc = import_load(source, &topology->hwloc, topology->source,
				 sizeof(topology->source), e);
		if (rc)
			topology->hwloc = NULL;
	} else {
		rc = load_this_machine(topology, e);
	}
	if (!rc)
		rc = find_candidates(topology, e);
	if (!rc)
		rc = kinds ? kinds_given(topology, kinds, e) : kinds_tell(topology, e);
	if (!rc && odd_find(topology))
		rc = error_set(e, ERROR_FAILED, ENOMEM, "out of memory");
	return rc;
}

void topology_release(struct topology *topology)
{
	for (int i = 0; i < topology->kind_count; i++) {
		hwloc_bitmap_free(topology->kinds[i].cpus);
		hwloc_bitmap_free(topology->kinds[i].candidates);
	}
	free(topology->kinds);
	for (int i = 0; i < topology->odd_count; i++)
		free(topology->odd[i]);
	free(topology->odd);
	hwloc_bitmap_free(topology->candidates);
	hwloc_bitmap_free(topology->inherited);
	if (topology->hwloc)
		hwloc_topology_destroy(topology->hwloc);
	*topology = (struct topology){ 0 };
}

hwloc_obj_t topology_pu(const struct topology *topology, int os_index)
{
	if (os_index < 0)
		return NULL;
	return hwloc_get_pu_obj_by_os_index(topology->hwloc, (unsigned)os_index);
}

const struct kind *topology_kind_of(const struct topology *topology, int os_index)
{
	/* Kinds cover all PUs: the last one is not searched. */
	int i = 0;

	while (i + 1 < topology->kind_count &&
	       !hwloc_bitmap_isset(topology->kinds[i].cpus, (unsigned)os_index))
		i++;
	return &topology->kinds[i];
}

char *topology_xml(const struct topology *topology)
{
	char *buffer = NULL, *copy = NULL;
	int size = 0;

	if (hwloc_topology_export_xmlbuffer(topology->hwloc, &buffer, &size, 0))
		return NULL;
	copy = strndup(buffer, (size_t)size);
	hwloc_free_xmlbuffer(topology->hwloc, buffer);
	return copy;
}
