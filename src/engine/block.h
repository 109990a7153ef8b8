/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_ENGINE_BLOCK_H
#define RINGSCALE_ENGINE_BLOCK_H

#include <jansson.h>

#include "base/error.h"
#include "engine/interrupt.h"
#include "engine/point.h"
#include "engine/sweep.h"
#include "topology/topology.h"

/*
 * One block: a process of its own, forked from a coordinator that never opens
 * a ring, so that nothing leaks from block to block and a hang or a crash costs
 * one block.
 *
 * block_measure forks it, takes its record, kills it when it makes no progress, and
 * then waits until the last teardown is over: the installed files are locked
 * through the very description that lies in the tables, so the lock is free
 * when the kernel has let go of all of them.
 *
 * Returns 0 with a new *record (valid or not: a crashed or hung block has a record
 * too), or -errno: -EINTR with ERROR_INTERRUPTED when a signal ended it (no record), else
 * ERROR_FAILED because no process could be made.
 */
int block_measure(const struct point *point, unsigned block, const struct method *method,
		  const struct topology *topology, struct interrupt *interrupt, json_t **record,
		  struct error *e);

#endif
