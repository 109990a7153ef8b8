/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_VM_SYSROOT_H
#define RINGSCALE_VM_SYSROOT_H

#include "base/error.h"
#include "vm/context.h"
#include "vm/shape.h"

/*
 * Headers, libraries and a static busybox of another architecture, from this distribution's
 * packages, unpacked as CACHE/ARCH/sysroot: what the program is cross-built with and
 * what its guest holds. This machine's packages are not touched. Returns 0 also where
 * it is there already, or -errno: ERROR_UNAVAILABLE where it is not to be had.
 */
int sysroot_fetch(const struct vm_context *context, enum vm_arch arch, struct error *e);

#endif
