// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/advice.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "base/clock.h"
#include "machine/identity.h"
#include "machine/noise.h"
#include "machine/uring_probe.h"

/* /proc/stat counts in 10 ms: over this window one count is below one per cent of a PU. */
#define WINDOW_NS 1100000000

static const struct advice_check *const tables[] = {
	advice_measure_checks,
	advice_disturb_checks,
	advice_kernel_checks,
};
#define TABLE_COUNT (sizeof(tables) / sizeof(tables[0]))

const char *advice_state_name(enum advice_state state)
{
	static const char *const names[] = {
		[ADVICE_OK] = "ok",
		[ADVICE_NOTE] = "note",
		[ADVICE_DISTURBS] = "disturbs",
		[ADVICE_FORBIDS] = "forbids",
	};

	return names[state];
}

void advice_say(struct advice *advice, enum advice_state state, const char *fix,
		const char *format, ...)
{
	va_list args;

	advice->state = state;
	snprintf(advice->fix, sizeof(advice->fix), "%s", fix ? fix : "");
	va_start(args, format);
	vsnprintf(advice->found, sizeof(advice->found), format, args);
	va_end(args);
}

size_t advice_count(void)
{
	size_t count = 0;

	for (size_t t = 0; t < TABLE_COUNT; t++)
		for (const struct advice_check *check = tables[t]; check->name; check++)
			count++;
	return count;
}

void advice_judge(const struct advice_facts *facts, struct advice *list)
{
	for (size_t t = 0; t < TABLE_COUNT; t++)
		for (const struct advice_check *check = tables[t]; check->name; check++, list++) {
			*list = (struct advice){ .name = check->name };
			check->judge(facts, list);
		}
}

/* PUs in the mask of the calling thread; 0 where it cannot be read. */
static int allowed_pus(void)
{
	/* The kernel wants a mask as large as its own: grow until it fits. */
	for (int size = 1024; size <= 1 << 20; size *= 2) {
		cpu_set_t *mask = CPU_ALLOC(size);
		int count = 0, result;

		if (!mask)
			return 0;
		result = sched_getaffinity(0, CPU_ALLOC_SIZE(size), mask);
		if (!result)
			count = CPU_COUNT_S(CPU_ALLOC_SIZE(size), mask);
		CPU_FREE(mask);
		if (!result || errno != EINVAL)
			return count;
	}
	return 0;
}

static int64_t own_cpu_ns(void)
{
	struct rusage self, children;

	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &children);
	timeradd(&self.ru_utime, &self.ru_stime, &self.ru_utime);
	timeradd(&children.ru_utime, &children.ru_stime, &children.ru_utime);
	timeradd(&self.ru_utime, &children.ru_utime, &self.ru_utime);
	return self.ru_utime.tv_sec * INT64_C(1000000000) + self.ru_utime.tv_usec * INT64_C(1000);
}

static void probe(struct advice_facts *facts)
{
	if (!uring_probe_setup(&facts->setup))
		uring_probe_send_fd(&facts->send_fd);
}

int advice_facts_read(struct advice_facts *facts, struct error *e)
{
	struct cpu_time before, after;
	int64_t start_ns, own_ns, left_ns;

	*facts = (struct advice_facts){
		.foreign_ns = NOISE_UNKNOWN,
		.steal_ns = NOISE_UNKNOWN,
		.pu_count = allowed_pus(),
	};
	start_ns = clock_now_ns();
	own_ns = own_cpu_ns();
	noise_cpu_time(&before);
	/* All that takes time goes into the window; what it costs is taken off again. */
	facts->identity = identity_describe();
	if (!facts->identity)
		return error_set(e, ERROR_FAILED, ENOMEM, "doctor: out of memory; free some");
	limits_read(&facts->limits);
	facts->memlock_free = limits_memlock_free();
	probe(facts);
	left_ns = WINDOW_NS - (clock_now_ns() - start_ns);
	if (left_ns > 0)
		clock_sleep_ns(left_ns);
	noise_cpu_time(&after);
	own_ns = own_cpu_ns() - own_ns;
	facts->window_ns = clock_now_ns() - start_ns;
	if (before.steal_ns != NOISE_UNKNOWN && after.steal_ns != NOISE_UNKNOWN)
		facts->steal_ns = after.steal_ns - before.steal_ns;
	if (before.busy_ns != NOISE_UNKNOWN && after.busy_ns != NOISE_UNKNOWN) {
		facts->foreign_ns = after.busy_ns - before.busy_ns - own_ns;
		if (facts->foreign_ns < 0)
			facts->foreign_ns = 0;
	}
	return 0;
}

void advice_facts_release(struct advice_facts *facts)
{
	json_decref(facts->identity);
	facts->identity = NULL;
}
