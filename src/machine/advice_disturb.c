// SPDX-License-Identifier: GPL-2.0-or-later
/* What of the machine disturbs: clocks, siblings, the host, other programs. */
#include "machine/advice.h"

#include <stdio.h>
#include <string.h>

#include "machine/noise.h"

/* Shares of one PU from which on other programs, and a host's theft, are called a disturbance. */
#define FOREIGN_SHARE 0.05
#define STEAL_SHARE 0.01

static const char *text_of(const struct advice_facts *facts, const char *key)
{
	return json_string_value(json_object_get(facts->identity, key));
}

static void judge_governor(const struct advice_facts *facts, struct advice *advice)
{
	const char *governor = text_of(facts, "governor");

	if (!governor)
		advice_say(advice, ADVICE_NOTE, NULL,
			   "no frequency governor to be seen: the clock is the firmware's or the "
			   "host's affair");
	else if (strcmp(governor, "performance"))
		advice_say(advice, ADVICE_DISTURBS, "cpupower frequency-set -g performance",
			   "%s: the clock follows the load", governor);
	else
		advice_say(advice, ADVICE_OK, NULL, "performance");
}

static void judge_energy_preference(const struct advice_facts *facts, struct advice *advice)
{
	const char *preference = text_of(facts, "energy_preference");

	if (!preference)
		advice_say(advice, ADVICE_OK, NULL, "none");
	else if (strcmp(preference, "performance"))
		advice_say(advice, ADVICE_DISTURBS,
			   "echo performance | tee /sys/devices/system/cpu/cpufreq/policy*/"
			   "energy_performance_preference",
			   "%s: the processor trades clock for energy", preference);
	else
		advice_say(advice, ADVICE_OK, NULL, "performance");
}

static void judge_turbo(const struct advice_facts *facts, struct advice *advice)
{
	const json_t *turbo = json_object_get(facts->identity, "turbo");

	if (json_is_true(turbo))
		advice_say(advice, ADVICE_DISTURBS,
			   "echo 1 >/sys/devices/system/cpu/intel_pstate/no_turbo, or "
			   "echo 0 >/sys/devices/system/cpu/cpufreq/boost",
			   "on: the clock depends on temperature and on how many cores work");
	else if (json_is_false(turbo))
		advice_say(advice, ADVICE_OK, NULL, "off");
	else
		advice_say(advice, ADVICE_NOTE, NULL, "cannot be told");
}

static void judge_smt(const struct advice_facts *facts, struct advice *advice)
{
	const json_t *smt = json_object_get(facts->identity, "smt");

	if (json_is_true(smt))
		advice_say(advice, ADVICE_NOTE, "echo off >/sys/devices/system/cpu/smt/control",
			   "on: other programs on a sibling slow a measured thread down");
	else if (json_is_false(smt))
		advice_say(advice, ADVICE_OK, NULL, "off");
	else
		advice_say(advice, ADVICE_NOTE, NULL, "cannot be told");
}

static void judge_hypervisor(const struct advice_facts *facts, struct advice *advice)
{
	const char *hypervisor = text_of(facts, "hypervisor");

	if (!hypervisor)
		advice_say(advice, ADVICE_NOTE, NULL, "cannot be told");
	else if (strcmp(hypervisor, "none"))
		advice_say(advice, ADVICE_DISTURBS,
			   "measure on bare metal; else compare inside this guest only, in turns",
			   "%s: the host and its other guests take time and caches unseen",
			   hypervisor);
	else
		advice_say(advice, ADVICE_OK, NULL, "none");
}

static void judge_clock_source(const struct advice_facts *facts, struct advice *advice)
{
	static const char *const steady[] = { "tsc", "arch_sys_counter", "timebase", "tod",
					      "riscv_clocksource", "stick" };
	static const char *const virtual[] = { "kvm-clock", "hyperv_clocksource_tsc_page" };
	const char *source = text_of(facts, "clock_source");

	if (!source) {
		advice_say(advice, ADVICE_NOTE, NULL, "cannot be read");
		return;
	}
	for (size_t i = 0; i < sizeof(steady) / sizeof(steady[0]); i++)
		if (!strcmp(source, steady[i])) {
			advice_say(advice, ADVICE_OK, NULL, "%s", source);
			return;
		}
	for (size_t i = 0; i < sizeof(virtual) / sizeof(virtual[0]); i++)
		if (!strcmp(source, virtual[i])) {
			advice_say(advice, ADVICE_NOTE,
				   "where the host's counter is steady: "
				   "kernel parameter clocksource=tsc",
				   "%s: the host scales the time", source);
			return;
		}
	advice_say(advice, ADVICE_DISTURBS,
		   "dmesg | grep -i -e tsc -e clocksource tells why; kernel parameter "
		   "clocksource=tsc where the counter can be trusted",
		   "%s: each reading may be a slow system call or unsteady", source);
}

static void judge_quota(const struct advice_facts *facts, struct advice *advice)
{
	const json_t *quota = json_object_get(facts->identity, "cpu_quota");

	if (json_is_number(quota))
		advice_say(advice, ADVICE_DISTURBS,
			   "lift cpu.max of the cgroup (docker, podman: without --cpus)",
			   "the cgroup may use %.2f PUs: then its threads are stopped",
			   json_number_value(quota));
	else
		advice_say(advice, ADVICE_OK, NULL, "none seen");
}

static void judge_load(const struct advice_facts *facts, struct advice *advice)
{
	double share = facts->window_ns > 0 ? (double)facts->foreign_ns / facts->window_ns : 0;

	if (facts->foreign_ns == NOISE_UNKNOWN)
		advice_say(advice, ADVICE_NOTE, NULL, "cannot be read");
	else if (share >= FOREIGN_SHARE)
		advice_say(advice, ADVICE_DISTURBS, "end them (top shows which)",
			   "other programs used %.2f PUs during %.1f s", share,
			   facts->window_ns / 1e9);
	else
		advice_say(advice, ADVICE_OK, NULL, "others used %.2f PUs during %.1f s", share,
			   facts->window_ns / 1e9);
}

static void judge_steal(const struct advice_facts *facts, struct advice *advice)
{
	double share = facts->window_ns > 0 ? (double)facts->steal_ns / facts->window_ns : 0;

	if (facts->steal_ns == NOISE_UNKNOWN)
		advice_say(advice, ADVICE_NOTE, NULL, "cannot be read");
	else if (share >= STEAL_SHARE)
		advice_say(advice, ADVICE_DISTURBS, "measure when the host is quiet",
			   "the host took %.2f PUs during %.1f s", share, facts->window_ns / 1e9);
	else
		advice_say(advice, ADVICE_OK, NULL, "none seen, which proves little");
}

static void judge_isolation(const struct advice_facts *facts, struct advice *advice)
{
	const char *isolated = text_of(facts, "isolated_pus");

	if (isolated && strcmp(isolated, "none"))
		advice_say(advice, ADVICE_NOTE, "taskset -c the list of PUs to be measured",
			   "PUs %s are isolated: used only if they are in the mask of ringscale",
			   isolated);
	else
		advice_say(advice, ADVICE_OK, NULL, "no PU is isolated from the scheduler");
}

const struct advice_check advice_disturb_checks[] = {
	{ "governor", judge_governor },
	{ "energy", judge_energy_preference },
	{ "turbo", judge_turbo },
	{ "SMT", judge_smt },
	{ "hypervisor", judge_hypervisor },
	{ "clock source", judge_clock_source },
	{ "CPU quota", judge_quota },
	{ "load", judge_load },
	{ "steal", judge_steal },
	{ "isolation", judge_isolation },
	{ NULL, NULL },
};
