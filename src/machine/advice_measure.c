// SPDX-License-Identifier: GPL-2.0-or-later
/* Can this machine measure: io_uring itself, and what the limits allow in the words of options. */
#include "machine/advice.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define TABLE_MAX 1048576
#define TABLE_DEFAULT 4096
#define RING_DEFAULT 256

/* Error texts end in "; " and the way out: that is the fix. */
static void say_error(struct advice *advice, const struct error *e)
{
	const char *way_out = strstr(e->text, "; ");

	advice_say(advice, ADVICE_FORBIDS, way_out ? way_out + 2 : NULL, "%.*s",
		   (int)(way_out ? way_out - e->text : (long)strlen(e->text)), e->text);
}

static void judge_io_uring(const struct advice_facts *facts, struct advice *advice)
{
	if (facts->setup.kind != ERROR_NONE)
		say_error(advice, &facts->setup);
	else
		advice_say(advice, ADVICE_OK, NULL, "allowed (a ring was made and used)");
}

static void judge_send_fd(const struct advice_facts *facts, struct advice *advice)
{
	if (facts->setup.kind != ERROR_NONE)
		advice_say(advice, ADVICE_FORBIDS, NULL, "not tried: needs io_uring");
	else if (facts->send_fd.kind != ERROR_NONE)
		say_error(advice, &facts->send_fd);
	else
		advice_say(advice, ADVICE_OK, NULL,
			   "works (a file was installed in another ring and read back)");
}

static void judge_open_files(const struct advice_facts *facts, struct advice *advice)
{
	uint64_t largest = limits_largest_table(&facts->limits);
	const struct rlimit *files = &facts->limits.open_files;
	char soft[32], hard[32];

	snprintf(soft, sizeof(soft), "%" PRIu64, (uint64_t)files->rlim_cur);
	snprintf(hard, sizeof(hard), "%" PRIu64, (uint64_t)files->rlim_max);
	advice_say(advice, largest >= TABLE_MAX ? ADVICE_OK : ADVICE_NOTE,
		   largest >= TABLE_MAX ? NULL :
		   "as root: prlimit --pid $$ --nofile=1048576, then run from that shell",
		   "--slots up to %" PRIu64
		   " (RLIMIT_NOFILE soft %s, raised where needed; hard %s)%s",
		   largest, files->rlim_cur == RLIM_INFINITY ? "unlimited" : soft,
		   files->rlim_max == RLIM_INFINITY ? "unlimited" : hard,
		   largest < TABLE_DEFAULT ? "; the default of 4096 is refused" : "");
}

static void judge_locked_memory(const struct advice_facts *facts, struct advice *advice)
{
	const struct limits *limits = &facts->limits;
	uint64_t small = limits_rings(limits, RING_DEFAULT, 512);

	if (facts->memlock_free) {
		advice_say(advice, ADVICE_OK, NULL, "not charged to this process (CAP_IPC_LOCK)");
		return;
	}
	if (small == UINT64_MAX) {
		advice_say(advice, ADVICE_OK, NULL, "unlimited");
		return;
	}
	/* The kernel gives it back late, so that half of it is what can be counted on. */
	advice_say(advice, small < 4 ? ADVICE_DISTURBS : ADVICE_NOTE,
		   "raise RLIMIT_MEMLOCK (ulimit -l unlimited, or LimitMEMLOCK= in systemd)",
		   "RLIMIT_MEMLOCK of %" PRIu64 " bytes is room for about %" PRIu64
		   " rings of --cq 512, %" PRIu64 " of --cq 4096, %" PRIu64
		   " of --cq 65536; a pair needs two, and what is closed is given back late",
		   (uint64_t)limits->locked_memory.rlim_cur, small,
		   limits_rings(limits, RING_DEFAULT, 4096),
		   limits_rings(limits, RING_DEFAULT, 65536));
}

static void judge_pus(const struct advice_facts *facts, struct advice *advice)
{
	if (facts->pu_count < 1)
		advice_say(advice, ADVICE_NOTE, NULL, "the mask of allowed PUs cannot be read");
	else if (facts->pu_count == 1)
		advice_say(advice, ADVICE_NOTE, "allow more PUs (taskset, cpuset of the cgroup)",
			   "one PU is allowed: --reap inline with one pair only");
	else
		advice_say(advice, ADVICE_OK, NULL, "%d allowed", facts->pu_count);
}

const struct advice_check advice_measure_checks[] = {
	{ "io_uring", judge_io_uring },
	{ "send-fd", judge_send_fd },
	{ "open files", judge_open_files },
	{ "locked memory", judge_locked_memory },
	{ "PUs", judge_pus },
	{ NULL, NULL },
};
