// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/admit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/utsname.h>

#include "machine/limits.h"

/* A pair needs its file, its two rings, and for a moment the file it was forked with. */
#define FILES_A_PAIR 4
/* Standard streams, result file, signals, each thread's /proc files. */
#define FILES_BESIDE 32
#define FILES_A_THREAD 2

/* Linux 6.14 began to charge ring memory to RLIMIT_MEMLOCK. */
static bool kernel_charges_rings(void)
{
	struct utsname name;
	int major, minor;

	return !uname(&name) && sscanf(name.release, "%d.%d", &major, &minor) == 2 &&
	       (major > 6 || (major == 6 && minor >= 14));
}

static int admit_files(const struct point *point, struct error *e)
{
	uint64_t threads = (uint64_t)point->placement.count * (point_is_split(point) ? 2 : 1);
	uint64_t files = FILES_A_PAIR * (uint64_t)point->pairs + FILES_A_THREAD * threads +
			 FILES_BESIDE;
	char option[64];
	int result;

	snprintf(option, sizeof(option), "--pairs %d", point->pairs);
	result = limits_need_files(files, option, e);
	if (result)
		return result;
	/* The kernel measures a table by the same limit, although no slot is a descriptor. */
	snprintf(option, sizeof(option), "--slots %u", point->slots);
	return limits_need_files(point->slots, option, e);
}

static int admit_locked_memory(const struct point *point, const struct limits *limits,
			       struct error *e)
{
	uint64_t pair = limits_ring_bytes(point->ring, 2 * point->ring) +
			limits_ring_bytes(point->ring, point->cq);
	uint64_t needed = pair * (uint64_t)point->pairs;

	if (limits->locked_memory.rlim_cur == RLIM_INFINITY ||
	    needed <= limits->locked_memory.rlim_cur)
		return 0;
	return error_set(e, ERROR_USAGE, ENOMEM,
			 "--pairs %d with --ring %u and --cq %u needs about %" PRIu64
			 " kB of locked memory, the limit is %" PRIu64
			 " kB; raise it (ulimit -l), or use fewer --pairs (%" PRIu64
			 " fit) or a smaller --cq",
			 point->pairs, point->ring, point->cq, needed / 1024,
			 (uint64_t)limits->locked_memory.rlim_cur / 1024,
			 (uint64_t)limits->locked_memory.rlim_cur / pair);
}

int admit_sweep(const struct sweep *sweep, struct error *e)
{
	bool charged = !limits_memlock_free() && kernel_charges_rings();
	struct limits limits;
	int result = 0;

	limits_read(&limits);
	for (size_t i = 0; !result && i < sweep->count; i++) {
		result = admit_files(&sweep->points[i], e);
		if (!result && charged)
			result = admit_locked_memory(&sweep->points[i], &limits, e);
	}
	return result;
}
