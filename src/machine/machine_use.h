/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_MACHINE_MACHINE_USE_H
#define RINGSCALE_MACHINE_MACHINE_USE_H

#include <stdint.h>

#include "base/error.h"

/*
 * What the kernel holds for everybody on this machine: open files and slab memory. To be
 * compared with a moment ago; other programs are in it. NOISE_UNKNOWN (noise.h) where denied or absent.
 */
struct machine_use {
	int64_t files;		/* allocated, of /proc/sys/fs/file-nr: counted exactly at every read */
	int64_t file_limit;	/* fs.file-max; INT64_MAX where it is beyond */
	int64_t slab_bytes;	/* Slab of /proc/meminfo, in whole pages */
};

void machine_use_read(struct machine_use *use);

/* The same from files below `root`, as in files.h. */
void machine_use_read_under(const char *root, struct machine_use *use);

/*
 * Whether `needed` more open files are harmless: they may take up half of what fs.file-max leaves, as a
 * machine without any can start no program. Nothing is said where it is unknown. `option` asked
 * for them ("--used 4096"). 0, or -ENFILE with an ERROR_USAGE. Pure.
 */
int machine_use_admit(const struct machine_use *use, uint64_t needed, const char *option,
		      struct error *e);

#endif
