/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_VM_APT_H
#define RINGSCALE_VM_APT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "vm/context.h"

/*
 * apt with a state of its own under the cache: lists of one suite and
 * architecture, nothing installed, the machine's apt neither locked nor
 * changed. Works as an ordinary user. Downloads are verified as apt verifies.
 */
struct apt {
	const struct vm_context *context;
	char folder[PATH_MAX / 2];
	char arch[16];		/* Debian's name */
	char suite[64];		/* "" the machine's own */
	bool foreign;		/* nothing counts as installed */
	char options[10][PATH_MAX];
};

/* Whose lists, and what counts as installed. */
enum apt_scope {
	APT_SUITE,	/* of the suite alone */
	APT_BESIDE,	/* of the suite and the machine's own: for packages with dependencies */
	APT_FOREIGN,	/* of the suite, with nothing installed: for another architecture */
};

/*
 * Gets the lists of a suite (NULL: the machine's own). Returns 0, or -errno: ERROR_UNAVAILABLE
 * where the mirror does not have it or cannot be reached.
 */
int apt_open(struct apt *apt, const struct vm_context *context, const char *arch,
	     const char *suite, enum apt_scope scope, struct error *e);

/* Names of packages that match a regular expression, a line each; *names is to be freed. */
int apt_names(const struct apt *apt, const char *pattern, char **names, struct error *e);

/* Downloads packages ("NAME" or "NAME=VERSION", NULL-terminated) into `folder`. */
int apt_download(const struct apt *apt, const char *const *packages, const char *folder,
		 struct error *e);

/*
 * What installing `packages` would take, as "NAME=VERSION" lines; *list is to be freed. `release`:
 * the suite that is preferred, or NULL.
 */
int apt_closure(const struct apt *apt, const char *const *packages, const char *release,
		char **list, struct error *e);

/* "NAME=VERSION" lines out of apt's --print-uris, to be freed. NULL without memory. Pure. */
char *apt_parse_uris(const char *text);

/* Unpacks all packages of `from` into `to`, and removes them. */
int apt_unpack(const struct vm_context *context, const char *from, const char *to,
	       struct error *e);

#define APT_LIMIT_NS 900000000000

#endif
