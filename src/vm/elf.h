/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_VM_ELF_H
#define RINGSCALE_VM_ELF_H

#include <limits.h>
#include <stddef.h>

#include "base/error.h"
#include "vm/shape.h"

/* What a program or library needs to be loaded, read from its own file, whatever machine it is
 * for. */
#define ELF_NEEDED_MAX 64

struct elf {
	enum vm_arch arch;
	char interpreter[256];			/* "" for a static program or a library */
	char needed[ELF_NEEDED_MAX][128];	/* names of libraries */
	size_t needed_count;
};

/* 0, or -errno: ERROR_USAGE where it is no ELF file of a machine the lab knows. */
int elf_read(struct elf *elf, const char *path, struct error *e);

/* Files that a program needs in a guest: where each is here, and where it is to be there. */
struct library {
	char from[PATH_MAX / 2];
	char to[256];
};
struct libraries {
	struct library *list;
	size_t count;
};

/*
 * Gathers the program's interpreter and libraries, and theirs. `sysroot` is where those of
 * another machine are; NULL: the machine's own, from where this very program was loaded
 * and the folders that its loader looks in. 0 or -errno, naming the library that is missing.
 */
int libraries_gather(struct libraries *libraries, const char *program, const char *sysroot,
		     struct error *e);
void libraries_free(struct libraries *libraries);

#endif
