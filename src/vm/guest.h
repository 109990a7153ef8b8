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
};

/* Finds the program, its libraries and a static busybox. Says what is missing, with the way out. */
struct guest_files;
int guest_files_find(const struct vm_context *context, const struct guest *guest,
		     struct guest_files **files, struct error *e);
void guest_files_free(struct guest_files *files);

/* Writes the archive; *hash is of its content. 0 or -errno. */
int guest_write(const struct guest *guest, const struct guest_files *files, const char *path,
		uint64_t *hash, struct error *e);

/* A word in quotes, for a shell. free() it. NULL without memory. Pure. */
char *guest_quote(const char *word);

#endif
