/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_COMMANDS_VM_PRINT_H
#define RINGSCALE_COMMANDS_VM_PRINT_H

#include "commands/options.h"
#include "vm/lab.h"
#include "vm/spread.h"

/* What `vm` says while its guests work, and in the end. */
struct vm_print {
	const struct common_options *common;
	const struct lab *lab;
	struct spread *spread;		/* filled by vm_print_ended */
};

/* For struct lab_listener; the argument is a struct vm_print. What a guest printed goes to the
 * stream that it was printed on. */
void vm_print_begins(void *argument, const struct lab_boot *boot);
void vm_print_ended(void *argument, const struct lab_boot *boot);

/* With two boots or more: every role's cost per install, and how far its boots lie apart. */
void vm_print_summary(const struct vm_print *print);

#endif
