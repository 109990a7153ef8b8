/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_VM_BOOT_H
#define RINGSCALE_VM_BOOT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "vm/context.h"
#include "vm/qemu.h"
#include "vm/transfer.h"

/* One start of QEMU, watched to its end. */
enum boot_end {
	BOOT_WHOLE,		/* everything came back */
	BOOT_OOPS,		/* the guest's kernel is lost: worth another try */
	BOOT_TORN,		/* the guest ended without a whole transfer: likewise */
	BOOT_NO_INIT,		/* nothing from init within the boot limit */
	BOOT_HANG,		/* not finished within the run limit */
	BOOT_NO_QEMU,		/* QEMU itself failed */
	BOOT_INTERRUPTED,
};

struct boot_limits {
	int64_t boot_ns;	/* from QEMU's start to init's first word */
	int64_t run_ns;		/* from there to the end */
};

struct boot {
	enum boot_end end;
	char reason[400];	/* one line; "" for BOOT_WHOLE */
	int64_t boot_ns, run_ns;	/* what they took */
	struct transfer transfer;	/* of BOOT_WHOLE; boot_free releases it */
};

/*
 * Boots what `plan` says and waits for its end, a limit, an oops or the interrupt.
 * QEMU is gone when it returns, and the transfer's file too; the console's file stays. Returns 0
 * with boot->end set, or -errno with *e where no process could be started.
 */
int boot_run(const struct vm_context *context, const struct qemu_plan *plan,
	     const struct boot_limits *limits, struct boot *boot, struct error *e);
void boot_free(struct boot *boot);

#endif
