// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/limits.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "machine/files.h"

#define TABLE_MAX 1048576
/* sizeof(struct io_rings) before its CQEs, rounded up to what every kernel so far has needed. */
#define RINGS_HEADER_BYTES 320
#define CQE_BYTES 16
#define SQE_BYTES 64
#define CAP_IPC_LOCK_BIT 14
/* PROC_USER_INIT_INO of include/linux/proc_ns.h: part of the kernel's ABI. */
#define FIRST_USER_NAMESPACE "user:[4026531837]"

void limits_read(struct limits *limits)
{
	memset(limits, 0, sizeof(*limits));
	getrlimit(RLIMIT_NOFILE, &limits->open_files);
	getrlimit(RLIMIT_MEMLOCK, &limits->locked_memory);
	getrlimit(RLIMIT_NPROC, &limits->processes);
	getrlimit(RLIMIT_AS, &limits->address_space);
}

int limits_need_files(uint64_t needed, const char *option, struct error *e)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files))
		return error_set(e, ERROR_FAILED, errno, "RLIMIT_NOFILE: cannot be read: %s",
				 strerror(errno));
	if (files.rlim_cur == RLIM_INFINITY || files.rlim_cur >= needed)
		return 0;
	/* The hard limit is the administrator's word: not raised, not even as root. */
	if (files.rlim_max != RLIM_INFINITY && files.rlim_max < needed)
		return error_set(e, ERROR_USAGE, EMFILE,
				 "%s: needs %" PRIu64 " open files, but the hard limit "
				 "RLIMIT_NOFILE is %" PRIu64 "; ask for less, or raise it "
				 "(as root: prlimit --pid $$ --nofile=%" PRIu64 ")",
				 option, needed, (uint64_t)files.rlim_max, needed);
	files.rlim_cur = needed;
	if (setrlimit(RLIMIT_NOFILE, &files))
		return error_set(e, ERROR_USAGE, EMFILE,
				 "%s: needs %" PRIu64 " open files, but the soft limit "
				 "RLIMIT_NOFILE cannot be raised: %s; raise it before "
				 "(ulimit -n %" PRIu64 ")",
				 option, needed, strerror(errno), needed);
	return 0;
}

static json_t *limit_value(rlim_t value)
{
	return value == RLIM_INFINITY ? json_string("unlimited") : json_integer(value);
}

static json_t *limit_json(const struct rlimit *limit)
{
	return json_pack("{s:o, s:o}", "soft", limit_value(limit->rlim_cur), "hard",
			 limit_value(limit->rlim_max));
}

json_t *limits_json(const struct limits *limits)
{
	return json_pack("{s:o, s:o, s:o, s:o}",
			 "open_files", limit_json(&limits->open_files),
			 "locked_memory", limit_json(&limits->locked_memory),
			 "processes", limit_json(&limits->processes),
			 "address_space", limit_json(&limits->address_space));
}

bool limits_memlock_free(void)
{
	char namespace[64];
	uint64_t effective;
	ssize_t length = readlink("/proc/self/ns/user", namespace, sizeof(namespace) - 1);

	/* Root of a container's user namespace shows the bit and is charged all the same. */
	if (length > 0) {
		namespace[length] = '\0';
		if (strcmp(namespace, FIRST_USER_NAMESPACE))
			return false;
	}
	if (machine_status_hex("CapEff:", &effective))
		return false;
	return effective >> CAP_IPC_LOCK_BIT & 1;
}

static uint64_t power_of_two(uint64_t value)
{
	uint64_t power = 1;

	while (power < value)
		power *= 2;
	return power;
}

uint64_t limits_ring_bytes(unsigned sq, unsigned cq)
{
	uint64_t page = sysconf(_SC_PAGESIZE);
	uint64_t sq_entries = power_of_two(sq), cq_entries = power_of_two(cq);
	uint64_t rings = RINGS_HEADER_BYTES + cq_entries * CQE_BYTES +
			 sq_entries * sizeof(uint32_t);
	uint64_t sqes = sq_entries * SQE_BYTES;

	return (rings + page - 1) / page * page + (sqes + page - 1) / page * page;
}

uint64_t limits_rings(const struct limits *limits, unsigned sq, unsigned cq)
{
	if (limits->locked_memory.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	return limits->locked_memory.rlim_cur / limits_ring_bytes(sq, cq);
}

uint64_t limits_largest_table(const struct limits *limits)
{
	rlim_t hard = limits->open_files.rlim_max;

	return hard == RLIM_INFINITY || hard > TABLE_MAX ? TABLE_MAX : hard;
}
