/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_TOPOLOGY_IMPORT_H
#define RINGSCALE_TOPOLOGY_IMPORT_H

#include <hwloc.h>

#include "base/error.h"

/* hwloc's time grows with the square of the PUs: 16384 take seconds, twice as many a minute. */
#define IMPORT_PUS_MAX 16384

/*
 * Loads another machine: `source` is an XML file if such a file exists, else a
 * synthetic description. What hwloc makes of a damaged file is tried in a child
 * first, so that a crash, an abort or a hang of the reader is an ERROR_USAGE here.
 * On success *hwloc is loaded and is the caller's to destroy, and `name` says
 * what was read. Forks: call it while the process has one thread.
 */
int import_load(const char *source, hwloc_topology_t *hwloc, char *name, size_t size,
		struct error *e);

/* Initialises *hwloc with the flags that every topology is loaded with. 0 or -errno. */
int import_init(hwloc_topology_t *hwloc);

#endif
