/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_VM_LAB_H
#define RINGSCALE_VM_LAB_H

#include <jansson.h>
#include <stddef.h>

#include "base/error.h"
#include "vm/boot.h"
#include "vm/context.h"
#include "vm/guest.h"
#include "vm/kernel.h"
#include "vm/qemu.h"
#include "vm/shape.h"

/* A kernel of the list, in its role: the first of the list is A, the next other one B, ... */
struct lab_kernel {
	const char *spec;
	char role[32];
	struct vm_kernel kernel;
};

/* What the user asked for; all of it borrowed. */
struct lab {
	const struct vm_context *context;
	struct vm_shape shape;
	struct vm_qemu qemu;
	struct lab_kernel *kernels;
	size_t kernel_count;
	bool path_clock;
	unsigned perturb;		/* passes with differing layouts; 0: one, fixed */
	unsigned retries;		/* of one boot */
	uint32_t seed;
	struct boot_limits limits;
	const char *append;		/* more of a kernel command line; NULL */
	const char *plugin;		/* what profiles, with path_clock; NULL: nothing does */
	const char *out;		/* folder for the results, there and empty */
	struct guest guest;
};

/* One boot that is over, with what it left in the folder. */
struct lab_boot {
	size_t index, count;		/* from 0; of all boots */
	const struct lab_kernel *kernel;
	unsigned attempts;
	enum boot_end end;
	char reason[400];
	char attempt_reasons[800];	/* of those before the last, a line each */
	double boot_s, run_s;
	int status;			/* of the command; 1 where it did not come back */
	char no_profile[700];		/* why there is none, though asked for: status is 3 then */
	char prefix[PATH_MAX];		/* OUT/01-A-6.12.95: what files begin with */
	char *output, *errors;		/* what the command printed; NULL: nothing came */
	char (*results)[PATH_MAX];	/* result files written; owned */
	size_t result_count;
};

struct lab_listener {
	/* Before a boot, and before each further attempt. */
	void (*begins)(void *argument, const struct lab_boot *boot);
	void (*ended)(void *argument, const struct lab_boot *boot);
	void *argument;
};

/*
 * Boots everything in order. Returns 0 when all boots were made (whatever came of them: *status is
 * the worst exit status), or -errno with what ended it: ERROR_INTERRUPTED, or ERROR_FAILED where
 * nothing can be written. Writes lab.json in the folder, in either case.
 */
int lab_run(const struct lab *lab, const struct lab_listener *listener, int *status,
	    struct error *e);

/* Gives every kernel its role. */
void lab_assign_roles(struct lab_kernel *kernels, size_t count);

/* The kernel command line of boot `index`: to be freed; NULL without memory. Pure. */
char *lab_command_line(const struct lab *lab);

/* The `lab` object of a result file's header. A new reference. */
json_t *lab_describe(const struct lab *lab, const struct lab_boot *boot, const char *command_line,
		     uint64_t initramfs_hash, uint32_t seed);

/*
 * Writes what a guest sent into the lab's folder, result files with `about` in their headers and
 * `profiles`, an array of records or NULL, before their end.
 * Fills boot->output and the like. 0 or -errno.
 */
int lab_keep(const struct transfer *transfer, struct lab_boot *boot, json_t *about,
	     const json_t *profiles, struct error *e);

#endif
