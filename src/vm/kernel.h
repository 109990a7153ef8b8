/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_VM_KERNEL_H
#define RINGSCALE_VM_KERNEL_H

#include <limits.h>

#include "base/error.h"
#include "vm/context.h"
#include "vm/shape.h"

/*
 * Kernels by what a user types:
 *
 *	6.12, 6.12.95		the newest of this series: of the cache, else of the machine's
 *				own suite, its backports, stable, its backports, sid
 *	sid, trixie-backports	the newest of a suite; once fetched, what was newest then
 *	linux-image-...		that package, from wherever it is
 *	./vmlinuz		a file: what has a slash, or exists
 */
struct vm_kernel {
	char path[PATH_MAX];	/* of the image */
	char name[96];		/* release, or the file's name; fit for file names */
	char package[160];	/* what it came from, "NAME"; "" for a file */
};

/*
 * Finds a kernel, and fetches it where it is not in the cache. Returns 0, or -errno:
 * ERROR_UNAVAILABLE where it is not to be had, with what was tried; ERROR_USAGE for a spec or
 * file that is none, or of another architecture.
 */
int kernel_find(const struct vm_context *context, const char *spec, enum vm_arch arch,
		struct vm_kernel *kernel, struct error *e);

#endif
