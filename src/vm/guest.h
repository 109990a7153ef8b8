/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_VM_GUEST_H
#define RINGSCALE_VM_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "vm/context.h"
#include "vm/shape.h"

/*
 * What runs inside: an initramfs of a busybox, an init script, the program with
 * its libraries, and its command line. The guest works in /out; all files it
 * leaves there come back.
 */
struct guest {
	enum vm_arch arch;
	const char *program;	/* NULL: this very one, or the cross-built one */
	const char *sysroot;	/* NULL: the machine's own, or the one in the cache */
	const char *setup;	/* shell script that init reads before the command; NULL */
	char *const *command;	/* "run", "--pairs", ...: NULL-terminated */
	unsigned prior_work;	/* how much init does before the command: 0 none */
	bool settle;		/* wait until the clock has settled */
	bool symbols;		/* send the kernel's symbols and the program's map too, when all is done */
};

/* Finds the program, its libraries and a static busybox. Says what is missing, with the way out. */
struct guest_files;
int guest_files_find(const struct vm_context *context, const struct guest *guest,
		     struct guest_files **files, struct error *e);
void guest_files_free(struct guest_files *files);

/* Writes the archive; *hash is of its content. 0 or -errno. */
int guest_write(const struct guest *guest, const struct guest_files *files, const char *path,
		uint64_t *hash, struct error *e);

/* Where on this machine a file of the guest comes from ("/lab/ringscale", a library's path there);
 * NULL where it is none of these. */
const char *guest_files_source(const struct guest_files *files, const char *name);

/* What a guest with `symbols` sends of itself beside the files of its command. */
#define GUEST_SYMBOLS "lab-kallsyms.gz"
#define GUEST_MAP "lab-maps"

/* A word in quotes, for a shell. free() it. NULL without memory. Pure. */
char *guest_quote(const char *word);

#endif
