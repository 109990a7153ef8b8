/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_COMMANDS_VM_REQUEST_H
#define RINGSCALE_COMMANDS_VM_REQUEST_H

#include <argp.h>
#include <stdbool.h>

#include "base/error.h"
#include "vm/lab.h"

#define VM_BOOTS_MAX 100

/*
 * What `vm` is asked for. To add an option: its key and row in vm_request.c, its case there, its
 * line in man/ringscale.1, a test of good and bad values in tests/cli/vm.bats.
 */
struct vm_request {
	const char *kernels, *shape, *fetch, *out;	/* borrowed; NULL where not given */
	const char *plugin;	/* likewise */
	bool perturb_given, seed_given, profile;
	struct lab lab;		/* options are stored where they are used */
};

/* For struct option_command; the input is a struct vm_request. */
extern const struct argp_option vm_options[];
extern const char vm_examples[];
int vm_set_option(int key, const char *value, void *input, struct error *e);

#endif
