/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_TESTS_TOPOLOGY_SUPPORT_H
#define RINGSCALE_TESTS_TOPOLOGY_SUPPORT_H

#include "topology/topology.h"

/* For the tests of topology/, which run in the root of the repository. */

/* Loads topologies/NAME.xml, or a synthetic text if there is no such file. Fails the test. */
void support_load(struct topology *topology, const char *name, const char *kinds);

/* Loads topologies/NAME.xml with every `from` replaced by `to`. */
void support_load_changed(struct topology *topology, const char *name, const char *from,
			  const char *to);

/* The index of the kind, which must exist. */
int support_kind(const struct topology *topology, const char *name);

/* Fails unless the kind exists with these PUs ("0-3") and so many candidates. */
void support_has_kind(const struct topology *topology, const char *name, const char *pus,
		      int available);

/* Whether a remark of topology->odd holds `text`. */
int support_is_odd(const struct topology *topology, const char *text);

/* Reads a whole file, or NULL. free() it. */
char *support_read(const char *path);

/* Writes a file under /tmp and returns its path, good until the next call. */
const char *support_write(const char *bytes, size_t size);

#endif
