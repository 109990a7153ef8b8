/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_VM_PROFILE_H
#define RINGSCALE_VM_PROFILE_H

#include <jansson.h>

#include "base/error.h"
#include "vm/context.h"
#include "vm/counts.h"
#include "vm/guest.h"
#include "vm/symbols.h"
#include "vm/transfer.h"

/*
 * Where the instructions of a measurement went: the plugin's counts by function, as `profile`
 * records of a result file, which doc/result-schema.json describes.
 *
 * A piece of code belongs to the function that holds its first address, and one at a function's
 * first address is a call. What an interrupt brought in is of mode `interrupt`, whatever function
 * it is in, from its entry up to its return; exceptions (a page fault) are the install's own.
 */

/* Who lives where. `files` are whole mappings: what is in no function of theirs is "[NAME]". */
struct profile_names {
	struct symbols kernel, program, files;
};
void profile_names_free(struct profile_names *names);

/*
 * A new array of records, one for every point that has valid blocks. `blocks` are a result file's block
 * records in its order, an array: the i-th belongs to the i-th block that the plugin saw. Points of which
 * nothing was seen have no record. 0 or -errno. Pure.
 */
int profile_records(const struct counts *counts, const struct profile_names *names,
		    const json_t *blocks, json_t **records, struct error *e);

/*
 * All of it for a boot that ended whole: reads the plugin's file at `counts_path`, what the guest
 * sent, the programs' files. `scratch` is a path to write to, removed again. 0 with a new array, or
 * -errno with the reason, mostly ERROR_UNAVAILABLE.
 */
int profile_make(const struct vm_context *context, const struct guest_files *files,
		 const struct transfer *transfer, const char *counts_path, const char *scratch,
		 json_t **records, struct error *e);

/*
 * Finds the plugin (`path`, or the one built or installed with this program) into `found` of
 * `size` bytes, and has the emulator load it. ERROR_UNAVAILABLE with the reason where it is not
 * there or cannot be loaded, as by a QEMU built without plugins. 0 or -errno.
 */
struct vm_qemu;
int profile_find_plugin(const struct vm_context *context, const struct vm_qemu *qemu,
			const char *path, char *found, size_t size, struct error *e);

#endif
