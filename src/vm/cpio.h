/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_VM_CPIO_H
#define RINGSCALE_VM_CPIO_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/*
 * An initramfs: a "newc" archive as the kernel unpacks it
 * (Documentation/driver-api/early-userspace/buffer-format.rst). Owner 0, time 0 and
 * counted inodes: the same content makes the same bytes.
 */
struct cpio {
	FILE *out;
	const char *path;	/* of the archive, for messages; borrowed */
	uint32_t inode;
	uint64_t hash;		/* FNV-1a of all that was written */
	struct error failed;	/* the first failure; what comes behind it does nothing */
};

/* Creates the archive. 0 or -errno with *e. */
int cpio_open(struct cpio *cpio, const char *path, struct error *e);
/* A folder, and those above it that are not there yet are the caller's to make. */
void cpio_folder(struct cpio *cpio, const char *name);
void cpio_data(struct cpio *cpio, const char *name, unsigned mode, const void *data, size_t size);
/* A copy of a file of this machine. */
void cpio_copy(struct cpio *cpio, const char *name, unsigned mode, const char *from);
/* A character device. */
void cpio_device(struct cpio *cpio, const char *name, unsigned major, unsigned minor);
/* Ends and closes it. 0, or -errno with the first failure; then no archive is left. */
int cpio_close(struct cpio *cpio, struct error *e);

#endif
