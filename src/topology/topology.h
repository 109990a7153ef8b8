/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_TOPOLOGY_TOPOLOGY_H
#define RINGSCALE_TOPOLOGY_TOPOLOGY_H

#include <hwloc.h>
#include <stdbool.h>

#include "base/error.h"

/*
 * What hwloc says about a machine, with what hwloc does not do added: PUs that
 * may be used are online, allowed by the cgroup and in the mask that the
 * program inherited; kinds are told apart and named. Read-only once loaded:
 * any thread may read it.
 */
struct kind {
	char name[16];			/* "P", "E", "LPE", "k0".., "unknown" */
	hwloc_bitmap_t cpus;		/* all PUs of the kind */
	hwloc_bitmap_t candidates;	/* those that may be used */
	int rank;			/* 0 = slowest; -1 unknown */
	char told_by[128];		/* how the kind was told: "CoreType=IntelAtom, no L3" */
};

struct topology {
	hwloc_topology_t hwloc;
	bool imported;			/* not this machine: plan and topo only */
	char source[160];		/* "this machine", "FILE", "synthetic numa:2 ..." */
	hwloc_bitmap_t candidates;	/* PUs that threads may be put on */
	hwloc_bitmap_t inherited;	/* mask the program was started with; NULL if imported */
	struct kind *kinds;		/* at least one; best last */
	int kind_count;
	char **odd;			/* what is odd about this machine, a sentence each */
	int odd_count;
};

/*
 * Loads this machine (source NULL), an XML file, or a synthetic description.
 * `kinds` (NULL or the text of --kinds, "P=0-3,E=4-7") overrides what hwloc says.
 * Must be called before the program changes its own affinity, and while it has one
 * thread: HWLOC_* is taken out of the environment (and said in `odd`), and an import
 * is first tried in a child. Returns 0 or -errno with *e filled; topology_release
 * undoes it, also after failure.
 */
int topology_load(struct topology *topology, const char *source, const char *kinds,
		  struct error *e);
void topology_release(struct topology *topology);

/* The hwloc PU object with this OS index, or NULL. */
hwloc_obj_t topology_pu(const struct topology *topology, int os_index);

/* The kind that holds this PU; never NULL. */
const struct kind *topology_kind_of(const struct topology *topology, int os_index);

/* The topology as hwloc XML (v2 format), for the result file's header. free() it. NULL
 * without memory. */
char *topology_xml(const struct topology *topology);

/* Binds the calling thread to one PU and reads the binding back. 0 or -errno.
 * Refuses (-EINVAL) on an imported topology. */
int topology_bind_thread(const struct topology *topology, int os_index);

/* Takes the calling thread off `pus` and their SMT siblings, as far as the
 * inherited mask has room. Returns 1 if it has, 0 if there is no room (nothing changed), -errno. */
int topology_avoid(const struct topology *topology, hwloc_const_bitmap_t pus);

#endif
