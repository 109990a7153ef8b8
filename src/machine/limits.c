// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/limits.h"

#include <ctype.h>
#include <dirent.h>
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
#define CAP_SYS_ADMIN_BIT 21
#define CAP_SYS_RESOURCE_BIT 24
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

/* What must be raised where a limit is too low, and how one does that. */
struct kind {
	int resource;
	int code;			/* of what happens beyond it */
	uint64_t unit;			/* that its numbers are shown in */
	const char *what, *name;
	const char *prlimit, *ulimit;	/* prlimit takes plain numbers, ulimit units */
};

static int need(const struct kind *kind, uint64_t needed, const char *option, struct error *e)
{
	uint64_t shown = (needed + kind->unit - 1) / kind->unit;
	struct rlimit limit;

	if (getrlimit(kind->resource, &limit))
		return error_set(e, ERROR_FAILED, errno, "%s: cannot be read: %s", kind->name,
				 strerror(errno));
	if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= needed)
		return 0;
	/* The hard limit is the administrator's word: not raised, not even as root. */
	if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < needed)
		return error_set(e, ERROR_USAGE, kind->code,
				 "%s: needs %" PRIu64 " %s, but the hard limit "
				 "%s is %" PRIu64 "; ask for less, or raise it "
				 "(as root: prlimit --pid $$ --%s=%" PRIu64 ")",
				 option, shown, kind->what, kind->name,
				 (uint64_t)limit.rlim_max / kind->unit, kind->prlimit,
				 shown * kind->unit);
	limit.rlim_cur = needed;
	if (setrlimit(kind->resource, &limit))
		return error_set(e, ERROR_USAGE, kind->code,
				 "%s: needs %" PRIu64 " %s, but the soft limit "
				 "%s cannot be raised: %s; raise it before "
				 "(ulimit %s %" PRIu64 ")",
				 option, shown, kind->what, kind->name, strerror(errno),
				 kind->ulimit, shown);
	return 0;
}

int limits_need_files(uint64_t needed, const char *option, struct error *e)
{
	static const struct kind kind = { RLIMIT_NOFILE, EMFILE, 1, "open files", "RLIMIT_NOFILE",
					  "nofile", "-n" };

	return need(&kind, needed, option, e);
}

int limits_need_processes(uint64_t needed, const char *option, struct error *e)
{
	static const struct kind kind = { RLIMIT_NPROC, EAGAIN, 1, "processes and threads of this user",
					  "RLIMIT_NPROC", "nproc", "-u" };

	return need(&kind, needed, option, e);
}

int limits_need_addresses(uint64_t needed_bytes, const char *option, struct error *e)
{
	static const struct kind kind = { RLIMIT_AS, ENOMEM, 1024, "kB of address space",
					  "RLIMIT_AS", "as", "-v" };

	return need(&kind, needed_bytes, option, e);
}

/* Threads of one process, if it belongs to `user`, else 0. */
static uint64_t threads_of(const char *pid, uid_t user)
{
	char path[64], line[256];
	unsigned long owner = 0, threads = 0;
	bool has_owner = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%.20s/status", pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (!threads && fgets(line, sizeof(line), file)) {
		/* The first of four: the real one, which the kernel counts by. */
		if (sscanf(line, "Uid: %lu", &owner) == 1)
			has_owner = true;
		else
			sscanf(line, "Threads: %lu", &threads);
	}
	fclose(file);
	return has_owner && owner == user ? threads : 0;
}

uint64_t limits_user_threads(void)
{
	DIR *processes = opendir("/proc");
	uint64_t threads = 0;
	struct dirent *entry;

	while (processes && (entry = readdir(processes)))
		if (isdigit((unsigned char)entry->d_name[0]))
			threads += threads_of(entry->d_name, getuid());
	if (processes)
		closedir(processes);
	return threads;
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

/* Capabilities in effect that count outside of this container too; 0 where unknown. */
static uint64_t capabilities(void)
{
	char namespace[64];
	uint64_t effective;
	ssize_t length = readlink("/proc/self/ns/user", namespace, sizeof(namespace) - 1);

	/* Root of a container's user namespace shows the bits and is charged all the same. */
	if (length > 0) {
		namespace[length] = '\0';
		if (strcmp(namespace, FIRST_USER_NAMESPACE))
			return 0;
	}
	return machine_status_hex("CapEff:", &effective) ? 0 : effective;
}

bool limits_memlock_free(void)
{
	return capabilities() >> CAP_IPC_LOCK_BIT & 1;
}

bool limits_processes_free(void)
{
	uint64_t have = capabilities();

	/* kernel/fork.c, copy_process: either of them, or the first user, who is root. */
	return have >> CAP_SYS_ADMIN_BIT & 1 || have >> CAP_SYS_RESOURCE_BIT & 1 ||
	       (have && getuid() == 0);
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
