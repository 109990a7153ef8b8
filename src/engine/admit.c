// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/admit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "engine/files.h"
#include "engine/team.h"
#include "machine/counters.h"
#include "machine/limits.h"
#include "machine/machine_use.h"
#include "workloads/reclaim.h"

/* The two rings of a pair; one is enough to remove. */
#define FILES_A_PAIR 2
/* Standard streams, result file, signals; what each thread reads of /proc, besides its counters. */
#define FILES_BESIDE 32
#define FILES_A_THREAD 2
/* What a block adds to the addresses that the coordinator has: libraries' buffers and the like, a
 * thread's stack with its guard, what a round of a pair is in the record (measured: 4 to 6 kB). */
#define ADDRESSES_BESIDE (UINT64_C(16) << 20)
#define ADDRESSES_A_THREAD (TEAM_STACK_BYTES + UINT64_C(65536))
#define ADDRESSES_A_ROUND UINT64_C(8192)

/* Linux 6.14 began to charge ring memory to RLIMIT_MEMLOCK. */
static bool kernel_charges_rings(void)
{
	struct utsname name;
	int major, minor;

	return !uname(&name) && sscanf(name.release, "%d.%d", &major, &minor) == 2 &&
	       (major > 6 || (major == 6 && minor >= 14));
}

/* Descriptors of a pair beside its rings and what it installs. */
static uint64_t own_files(const struct point *point)
{
	return point_removes(point) ? point->used + RECLAIM_FILES_BESIDE : 0;
}

/* Files that a block may have open at the same time, with those that only the kernel still holds. */
static int admit_live_files(const struct point *point, struct error *e)
{
	struct machine_use use;
	uint64_t each = 2 * (uint64_t)point->used + RECLAIM_FILES_BESIDE;
	char option[96];

	if (!point_removes(point))
		return 0;
	snprintf(option, sizeof(option), "--pairs %d with --used %u and --churn %u", point->pairs,
		 point->used, point->churn);
	machine_use_read(&use);
	return machine_use_admit(&use, each * (uint64_t)point->pairs + point->churn, option, e);
}

/* Of a pair. */
static uint64_t ring_bytes(const struct point *point)
{
	uint64_t target = limits_ring_bytes(point->ring, point->cq);

	if (workloads[point->workload]->one_ring)
		return target;
	return target + limits_ring_bytes(point->ring, 2 * point->ring);
}

/* `a_thread`: descriptors that each thread has. */
static int admit_files(const struct point *point, uint64_t a_thread, struct error *e)
{
	uint64_t installed = (uint64_t)files_needed(point);
	uint64_t own = own_files(point) * (uint64_t)point->pairs;
	uint64_t files = installed + own + FILES_A_PAIR * (uint64_t)point->pairs +
			 a_thread * (uint64_t)point_threads(point) + FILES_BESIDE;
	char option[64];
	int result;

	if (own)
		snprintf(option, sizeof(option), "--pairs %d with --used %u", point->pairs,
			 point->used);
	else
		snprintf(option, sizeof(option), "--pairs %d", point->pairs);
	result = limits_need_files(files, option, e);
	if (!result)
		result = admit_live_files(point, e);
	if (result)
		return result;
	/* The kernel measures a table by the same limit, although no slot is a descriptor. */
	snprintf(option, sizeof(option), "--slots %u", point->slots);
	return limits_need_files(point->slots + (point_removes(point) ? 1 : 0), option, e);
}

/* `present`: threads that this user has, the coordinator among them. */
static int admit_processes(const struct point *point, uint64_t present, struct error *e)
{
	/* A thread alone is the block's process. */
	uint64_t threads = (uint64_t)point_threads(point) > 1 ? (uint64_t)point_threads(point) + 1 : 1;
	char option[80];

	snprintf(option, sizeof(option), "--pairs %d, %" PRIu64 " running already",
		 point->pairs, present);
	return limits_need_processes(present + threads, option, e);
}

/* Addresses of this process as it is now. */
static uint64_t present_addresses(void)
{
	uint64_t pages = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	if (file && fscanf(file, "%" SCNu64, &pages) != 1)
		pages = 0;
	if (file)
		fclose(file);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static int admit_addresses(const struct point *point, const struct method *method,
			   struct error *e)
{
	const struct pair *pair = NULL;
	uint64_t install = 2 * sizeof(*pair->sent.cqes) + sizeof(*pair->read_back) +
			   sizeof(*pair->slot_of);
	uint64_t arrays = install * point->used +
			  (point->slots > point->used ? point->slots : point->used);
	uint64_t rounds = ADDRESSES_A_ROUND * (method->warmup + method->rounds);
	uint64_t threads = (uint64_t)point_threads(point) > 1 ? (uint64_t)point_threads(point) : 0;
	char option[80];

	snprintf(option, sizeof(option), "--pairs %d with --used %u", point->pairs, point->used);
	return limits_need_addresses(present_addresses() + ADDRESSES_BESIDE +
				     ADDRESSES_A_THREAD * threads +
				     (uint64_t)point->pairs * (arrays + ring_bytes(point) + rounds),
				     option, e);
}

/* `charged`: the kernel charges ring memory too, not only buffers. */
static int admit_locked_memory(const struct point *point, const struct limits *limits, bool charged,
			       struct error *e)
{
	/* What a batch replaces may go later than what it puts there comes. */
	uint64_t slots = (uint64_t)workloads[point->workload]->slot_locked_bytes *
			 (point->slots + point->batch);
	uint64_t rings = charged ? ring_bytes(point) : 0;
	uint64_t pair = rings + slots;
	uint64_t needed = pair * (uint64_t)point->pairs;
	char what[64];

	if (limits->locked_memory.rlim_cur == RLIM_INFINITY ||
	    needed <= limits->locked_memory.rlim_cur)
		return 0;
	if (slots)
		snprintf(what, sizeof(what), "--slots %u", point->slots);
	else
		snprintf(what, sizeof(what), "--ring %u and --cq %u", point->ring, point->cq);
	if (pair > limits->locked_memory.rlim_cur)
		return error_set(e, ERROR_USAGE, ENOMEM,
				 "%s needs about %" PRIu64 " kB of locked memory for a pair, the limit is %"
				 PRIu64 " kB; raise it (ulimit -l), or use a smaller %s", what, pair / 1024,
				 (uint64_t)limits->locked_memory.rlim_cur / 1024,
				 slots ? "--slots" : "--cq");
	return error_set(e, ERROR_USAGE, ENOMEM,
			 "--pairs %d with %s needs about %" PRIu64
			 " kB of locked memory, the limit is %" PRIu64
			 " kB; raise it (ulimit -l), or use fewer --pairs (%" PRIu64
			 " fit) or a smaller %s",
			 point->pairs, what, needed / 1024,
			 (uint64_t)limits->locked_memory.rlim_cur / 1024,
			 (uint64_t)limits->locked_memory.rlim_cur / pair, slots ? "--slots" : "--cq");
}

int admit_sweep(const struct sweep *sweep, const struct method *method, struct error *e)
{
	bool limited = !limits_memlock_free(), charged = limited && kernel_charges_rings();
	bool counted = !limits_processes_free();
	uint64_t present = counted ? limits_user_threads() : 0;
	uint64_t a_thread = FILES_A_THREAD;
	struct limits limits;
	int result = 0;

	limits_read(&limits);
	/* What is denied on one PU is denied on all: asked once, not for every point. */
	if (sweep->count)
		a_thread += (uint64_t)counters_files(sweep->points[0].placement.pairs[0].sender_pu);
	for (size_t i = 0; !result && i < sweep->count; i++) {
		const struct point *point = &sweep->points[i];

		result = admit_files(point, a_thread, e);
		if (!result && limited)
			result = admit_locked_memory(point, &limits, charged, e);
		if (!result && counted)
			result = admit_processes(point, present, e);
		if (!result && limits.address_space.rlim_cur != RLIM_INFINITY)
			result = admit_addresses(point, method, e);
	}
	return result;
}
