/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_ENGINE_ADMIT_H
#define RINGSCALE_ENGINE_ADMIT_H

#include "base/error.h"
#include "engine/sweep.h"

/*
 * Whether this process's limits (open files, locked memory, processes, address space)
 * let every point of the sweep be measured: raises soft limits where needed, and refuses before anything is measured
 * what cannot fit, naming the limit and the option that asked too much.
 * Returns 0 or -errno.
 */
int admit_sweep(const struct sweep *sweep, const struct method *method, struct error *e);

#endif
