/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_VM_CONTEXT_H
#define RINGSCALE_VM_CONTEXT_H

#include <limits.h>
#include <stddef.h>

#include "base/error.h"

/*
 * What all parts of the lab need: where the cache is, how to stop, whom to tell. The cache is
 * $XDG_CACHE_HOME/ringscale or ~/.cache/ringscale:
 *
 *	apt/ARCH-SUITE/		private package lists
 *	kernels/ARCH/RELEASE/	vmlinuz, and `package`: what it came from
 *	kernels/ARCH/by-spec/	SPEC -> ../RELEASE, so that nothing is fetched twice
 *	qemu/			a newer QEMU, unpacked
 *	arm64/sysroot/		arm64 libraries, headers and busybox
 *	arm64/ringscale		the program cross-built with it
 */
struct vm_context {
	char cache[PATH_MAX / 4];
	int interrupt_fd;		/* readable once the user wants out; -1: never */
	/* A line on what goes on; may be NULL. */
	void (*say)(void *argument, const char *text);
	void *argument;
};

/* Finds the cache folder; it need not be there. 0, or -ENOENT with an ERROR_USAGE. */
int vm_context_init(struct vm_context *context, struct error *e);

void vm_say(const struct vm_context *context, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Makes a folder and those above it. 0 or -errno with an ERROR_FAILED. */
int vm_make_folder(const char *path, struct error *e);

/* Makes a new folder for temporary files in the cache, which is locked; `path` has `size` bytes. */
int vm_make_temporary(const struct vm_context *context, char *path, size_t size, struct error *e);

/* Removes a folder with all that is in it. Does not follow links. */
void vm_remove(const char *path);

/* Writes a whole file, newly made or made again. 0 or -errno with an ERROR_FAILED. */
int vm_write_file(const char *path, const char *text, struct error *e);

/* A whole text file of at most a few MiB; free() it. NULL where unreadable. */
char *vm_read_file(const char *path);

/* Locks the cache against other fetches, and removes what a killed one left; ended by close(). The
 * descriptor or -errno. */
int vm_lock(const struct vm_context *context, struct error *e);

#endif
