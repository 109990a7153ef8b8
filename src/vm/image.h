/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_VM_IMAGE_H
#define RINGSCALE_VM_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "vm/shape.h"

/*
 * Whether a file is a kernel that QEMU can start: known by its boot header, so
 * that a wrong or torn file is refused at once and not after a boot limit.
 * arch is what it was built for. 0, or -errno with an ERROR_USAGE that quotes `path`.
 */
int image_check(const char *path, enum vm_arch *arch, struct error *e);

/* The same for its first `size` bytes of `file_size`. NULL, or what is wrong. Pure. */
const char *image_judge(const uint8_t *head, size_t size, uint64_t file_size, enum vm_arch *arch);

#endif
