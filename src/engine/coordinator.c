// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/coordinator.h"

#include <errno.h>
#include <hwloc.h>

#include "engine/block.h"
#include "engine/flags.h"
#include "machine/lab_clock.h"

/* Off the PUs of this point's threads and their siblings. False: there is no room. */
static bool step_aside(const struct point *point, const struct topology *topology)
{
	hwloc_bitmap_t pus = hwloc_bitmap_alloc();
	int result;

	if (!pus)
		return false;
	for (int i = 0; i < point->placement.count; i++) {
		hwloc_bitmap_set(pus, (unsigned)point->placement.pairs[i].sender_pu);
		if (point->placement.pairs[i].receiver_pu >= 0)
			hwloc_bitmap_set(pus, (unsigned)point->placement.pairs[i].receiver_pu);
	}
	result = topology_avoid(topology, pus);
	hwloc_bitmap_free(pus);
	return result > 0;
}

static int run_step(const struct sweep *sweep, const struct method *method,
		    const struct topology *topology, const struct step *step,
		    struct interrupt *interrupt, const struct coordinator_listener *listener,
		    struct error *e)
{
	const struct point *point = &sweep->points[step->point];
	bool aside = step_aside(point, topology);
	json_t *record = NULL;
	int result = block_measure(point, step->block, method, topology, interrupt, &record, e);

	if (result)
		return result;
	json_object_set_new(record, "coordinator_aside", json_boolean(aside));
	flags_set(record, point, aside);
	result = listener->done(listener->context, step, record, e);
	json_decref(record);
	return result;
}

int coordinator_run(const struct sweep *sweep, const struct method *method,
		    const struct topology *topology, const struct step *steps, size_t count,
		    struct interrupt *interrupt, const struct coordinator_listener *listener,
		    struct error *e)
{
	bool counts = lab_clock_counts();

	if (counts)
		lab_clock_claim_cpu();
	for (size_t i = 0; i < count; i++) {
		int result;

		if (interrupt_came(interrupt))
			return error_set(e, ERROR_INTERRUPTED, EINTR, "ended by a signal");
		listener->begins(listener->context, &steps[i], i, count);
		result = run_step(sweep, method, topology, &steps[i], interrupt, listener, e);
		if (result)
			return result;
	}
	if (counts)
		lab_clock_leave_map();
	return 0;
}
