/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_ENGINE_COORDINATOR_H
#define RINGSCALE_ENGINE_COORDINATOR_H

#include <jansson.h>

#include "base/error.h"
#include "engine/interrupt.h"
#include "engine/sweep.h"
#include "topology/topology.h"

/* Who is told how a sweep goes. Calls come between blocks, never during one. */
struct coordinator_listener {
	/* Before a block: step `index` of `count`. */
	void (*begins)(void *context, const struct step *step, size_t index, size_t count);
	/* After it: the record (borrowed), on its way to the file and the table.
	 * A failure ends the sweep. */
	int (*done)(void *context, const struct step *step, json_t *record, struct error *e);
	void *context;
};

/*
 * Measures all blocks of a sweep, one after the other, from steps[0..count).
 * Returns 0 when all are done (valid or not), or -errno with what ended it: a
 * signal (ERROR_INTERRUPTED), or a failure of the listener or of the process table. The caller's affinity is
 * changed: it stays off the PUs that are being measured, where there is room.
 */
int coordinator_run(const struct sweep *sweep, const struct method *method,
		    const struct topology *topology, const struct step *steps, size_t count,
		    struct interrupt *interrupt, const struct coordinator_listener *listener,
		    struct error *e);

#endif
