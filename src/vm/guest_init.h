/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_VM_GUEST_INIT_H
#define RINGSCALE_VM_GUEST_INIT_H

/* The guest's init: a script for busybox's shell. */
extern const char guest_init[];

#endif
