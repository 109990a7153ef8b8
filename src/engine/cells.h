/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_ENGINE_CELLS_H
#define RINGSCALE_ENGINE_CELLS_H

#include <stdint.h>

#include "base/error.h"
#include "engine/point.h"

/* A set of axes, a bit each. */
#define AXIS_BIT(axis) (UINT32_C(1) << (axis))

/*
 * Which combinations of axis values cannot exist on any machine: a table of
 * rules, each over two axes. To add one: a row in cells.c, a test.
 *
 * Takes a point whose numbers are resolved. Returns 0, or -EINVAL with an
 * ERROR_USAGE that names both options with their values; *axes (may be NULL) then holds the two.
 */
int cell_check(const struct point *point, uint32_t *axes, struct error *e);

#endif
