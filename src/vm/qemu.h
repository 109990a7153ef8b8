/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_VM_QEMU_H
#define RINGSCALE_VM_QEMU_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "vm/context.h"
#include "vm/shape.h"

/* The emulator: the one unpacked in the cache where it starts, else the installed one. */
struct vm_qemu {
	char program[PATH_MAX / 2];
	char data[PATH_MAX / 2];	/* folder for -L; "" for the installed one */
	char libraries[PATH_MAX];	/* "LD_LIBRARY_PATH=..."; "" likewise */
	char version[96];		/* "10.0.2 (Debian 1:10.0.2+ds-2...)" */
};

/* 0, or -ENOENT with an ERROR_UNAVAILABLE that names the package. */
int qemu_find(const struct vm_context *context, enum vm_arch arch, struct vm_qemu *qemu,
	      struct error *e);

/*
 * Gets the QEMU of this suite's backports into the cache, if it is newer than the installed
 * one. Returns 0 also where it is there already. ERROR_UNAVAILABLE where it is not to be had.
 */
int qemu_fetch(const struct vm_context *context, struct error *e);

/* What a machine is started with. */
struct qemu_plan {
	const struct vm_shape *shape;
	const struct vm_qemu *qemu;
	const char *kernel, *initramfs, *command_line;
	const char *device_tree;	/* NULL: QEMU's own */
	const char *console, *transfer;	/* files that the two ports write to */
	bool path_clock;		/* count instructions instead of time */
	uint32_t seed;			/* of the guest's random numbers, with path_clock */
	const char *plugin, *counts;	/* the plugin and the file it writes; NULL: none */
};

/* The named CPU model: cmpxchg16b is faulty in QEMU 7.2's emulation, so no guest has it. */
const char *qemu_cpu_model(const struct vm_shape *shape);

/* Arguments that grow; argv is NULL-terminated and owned. */
struct qemu_arguments {
	char **argv;
	size_t count;
	bool failed;
};

/* A value as an option of QEMU wants it: a comma ends one unless it is doubled. free() it; NULL
 * without memory. Pure. */
char *qemu_value(const char *text);

/* Fills an empty *arguments with the whole command line. 0 or -ENOMEM. Pure. */
int qemu_build(const struct qemu_plan *plan, struct qemu_arguments *arguments);
void qemu_arguments_free(struct qemu_arguments *arguments);

/* Device tree of a shape with capacities: QEMU's own with capacity-dmips-mhz added, written to
 * `path`. 0 or -errno. */
int qemu_device_tree(const struct vm_context *context, const struct qemu_plan *plan,
		     const char *path, struct error *e);

/* The serial port's device in the guest that results come through, and that of the console. */
const char *qemu_transfer_port(enum vm_arch arch);
const char *qemu_console_port(enum vm_arch arch);

#endif
