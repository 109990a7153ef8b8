// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/advice.h"
#include "machine/noise.h"

/* A machine on which nothing disturbs and nothing is unknown. */
static const char quiet_machine[] =
	"{\"governor\": \"performance\", \"energy_preference\": \"performance\","
	" \"turbo\": false, \"smt\": false, \"hypervisor\": \"none\", \"clock_source\": \"tsc\","
	" \"cpu_quota\": null, \"isolated_pus\": \"none\", \"audit_enabled\": 0,"
	" \"audit_parameter\": null, \"init_on_alloc\": false, \"init_on_free\": false,"
	" \"slab_debug\": \"none\", \"kfence_interval_ms\": 0, \"lockdep\": false,"
	" \"debug_options\": [], \"mitigations\": {\"mds\": \"Not affected\"},"
	" \"preemption_requested\": \"full\", \"preemption_actual\": \"full\","
	" \"numa_balancing\": 0, \"memory_cgroup\": \"/\", \"memory_cgroup_accounting\": true,"
	" \"kernel_tainted\": 0}";

static struct advice_facts quiet_facts(void)
{
	struct advice_facts facts = {
		.identity = json_loads(quiet_machine, 0, NULL),
		.limits = { .open_files = { 1024, 1048576 },
			    .locked_memory = { RLIM_INFINITY, RLIM_INFINITY } },
		.pu_count = 4,
		.window_ns = 1000000000,
	};

	assert_non_null(facts.identity);
	return facts;
}

/* Judges and returns one check, which the caller need not free. */
static const struct advice *judged(const struct advice_facts *facts, const char *name)
{
	static struct advice list[64];

	assert_true(advice_count() <= 64);
	advice_judge(facts, list);
	for (size_t i = 0; i < advice_count(); i++)
		if (!strcmp(list[i].name, name))
			return &list[i];
	fail_msg("no check '%s'", name);
	return NULL;
}

static void a_quiet_machine_is_all_ok(void **state)
{
	struct advice_facts facts = quiet_facts();
	struct advice *list = calloc(advice_count(), sizeof(*list));

	(void)state;
	advice_judge(&facts, list);
	for (size_t i = 0; i < advice_count(); i++)
		if (list[i].state != ADVICE_OK || !*list[i].found || *list[i].fix)
			fail_msg("%s: %s, %s", list[i].name, advice_state_name(list[i].state),
				 list[i].found);
	free(list);
	json_decref(facts.identity);
}

static void a_machine_that_tells_nothing_is_never_called_quiet(void **state)
{
	/* Null here is knowledge: no sysctl, no quota to be seen, no preference. */
	static const char *const fine[] = { "io_uring", "send-fd", "open files", "locked memory",
					    "energy", "CPU quota", "isolation", "NUMA balancing" };
	struct advice_facts facts = quiet_facts();
	struct advice *list = calloc(advice_count(), sizeof(*list));
	const char *key;
	json_t *value;
	void *next;

	(void)state;
	json_object_foreach_safe(facts.identity, next, key, value)
		json_object_set_new(facts.identity, key, json_null());
	facts.pu_count = 0;
	facts.foreign_ns = facts.steal_ns = NOISE_UNKNOWN;
	advice_judge(&facts, list);
	for (size_t i = 0; i < advice_count(); i++) {
		enum advice_state expected = ADVICE_NOTE;

		for (size_t f = 0; f < sizeof(fine) / sizeof(fine[0]); f++)
			if (!strcmp(fine[f], list[i].name))
				expected = ADVICE_OK;
		if (list[i].state != expected)
			fail_msg("%s: %s, %s", list[i].name, advice_state_name(list[i].state),
				 list[i].found);
	}
	free(list);
	json_decref(facts.identity);
}

static void everything_that_disturbs_is_found_and_has_its_fix(void **state)
{
	static const struct {
		const char *key, *value, *check, *fix;
		enum advice_state expected;
	} cases[] = {
		{ "governor", "\"powersave\"", "governor", "cpupower", ADVICE_DISTURBS },
		{ "governor", "\"performance,powersave\"", "governor", "cpupower",
		  ADVICE_DISTURBS },
		{ "energy_preference", "\"balance_performance\"", "energy", "energy_performance",
		  ADVICE_DISTURBS },
		{ "turbo", "true", "turbo", "no_turbo", ADVICE_DISTURBS },
		{ "smt", "true", "SMT", "smt/control", ADVICE_NOTE },
		{ "hypervisor", "\"KVMKVMKVM\"", "hypervisor", "bare metal", ADVICE_DISTURBS },
		{ "clock_source", "\"hpet\"", "clock source", "clocksource=tsc", ADVICE_DISTURBS },
		{ "clock_source", "\"jiffies\"", "clock source", "dmesg", ADVICE_DISTURBS },
		{ "clock_source", "\"kvm-clock\"", "clock source", "clocksource=tsc", ADVICE_NOTE },
		{ "clock_source", "\"arch_sys_counter\"", "clock source", "", ADVICE_OK },
		{ "cpu_quota", "1.5", "CPU quota", "cpu.max", ADVICE_DISTURBS },
		{ "isolated_pus", "\"2-3\"", "isolation", "taskset", ADVICE_NOTE },
		{ "audit_enabled", "1", "audit", "audit=0", ADVICE_DISTURBS },
		{ "audit_enabled", "2", "audit", "audit=0", ADVICE_DISTURBS },
		{ "init_on_alloc", "true", "init_on_alloc", "init_on_alloc=0", ADVICE_DISTURBS },
		{ "init_on_free", "true", "init_on_free", "init_on_free=0", ADVICE_DISTURBS },
		{ "slab_debug", "\"FZPU\"", "slab debugging", "slab_debug", ADVICE_DISTURBS },
		{ "kfence_interval_ms", "100", "KFENCE", "sample_interval", ADVICE_DISTURBS },
		{ "lockdep", "true", "lockdep", "CONFIG_PROVE_LOCKING", ADVICE_DISTURBS },
		{ "debug_options", "[\"DEBUG_LIST\"]", "debug options", "", ADVICE_NOTE },
		{ "debug_options", "[\"DEBUG_LIST\", \"KASAN\"]", "debug options", "without",
		  ADVICE_DISTURBS },
		{ "mitigations", "{\"l1tf\": \"Mitigation: PTE Inversion; VMX: vulnerable\"}",
		  "mitigations", "mitigations=off", ADVICE_NOTE },
		{ "preemption_actual", "\"none\"", "preemption", "preempt=", ADVICE_NOTE },
		{ "numa_balancing", "1", "NUMA balancing", "sysctl kernel.numa_balancing=0",
		  ADVICE_DISTURBS },
		{ "memory_cgroup", "\"/user.slice\"", "memory cgroup", "nokmem", ADVICE_NOTE },
		{ "kernel_tainted", "4096", "kernel tainted", "dmesg", ADVICE_NOTE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct advice_facts facts = quiet_facts();
		const struct advice *advice;

		json_object_set_new(facts.identity, cases[i].key,
				    json_loads(cases[i].value, JSON_DECODE_ANY, NULL));
		advice = judged(&facts, cases[i].check);
		if (advice->state != cases[i].expected || !strstr(advice->fix, cases[i].fix))
			fail_msg("%s = %s: %s, %s; fix: %s", cases[i].key, cases[i].value,
				 advice_state_name(advice->state), advice->found, advice->fix);
		json_decref(facts.identity);
	}
}

static void audit_is_told_by_its_parameter_where_the_kernel_is_silent(void **state)
{
	static const struct {
		const char *parameter;
		enum advice_state expected;
	} cases[] = {
		{ "0", ADVICE_OK }, { "off", ADVICE_OK }, { "1", ADVICE_DISTURBS },
		{ NULL, ADVICE_NOTE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct advice_facts facts = quiet_facts();

		json_object_set_new(facts.identity, "audit_enabled", json_null());
		json_object_set_new(facts.identity, "audit_parameter", cases[i].parameter ?
				    json_string(cases[i].parameter) : json_null());
		assert_int_equal(judged(&facts, "audit")->state, cases[i].expected);
		json_decref(facts.identity);
	}
}

static void a_refused_io_uring_forbids_with_reason_and_way_out(void **state)
{
	struct advice_facts facts = quiet_facts();
	const struct advice *advice;

	(void)state;
	error_set(&facts.setup, ERROR_UNAVAILABLE, EPERM, "io_uring: no; change it; or leave");
	advice = judged(&facts, "io_uring");
	assert_int_equal(advice->state, ADVICE_FORBIDS);
	assert_string_equal(advice->found, "io_uring: no");
	assert_string_equal(advice->fix, "change it; or leave");
	assert_int_equal(judged(&facts, "send-fd")->state, ADVICE_FORBIDS);
	error_clear(&facts.setup);
	error_set(&facts.send_fd, ERROR_UNAVAILABLE, EINVAL, "send-fd: kernel too old");
	assert_int_equal(judged(&facts, "io_uring")->state, ADVICE_OK);
	advice = judged(&facts, "send-fd");
	assert_int_equal(advice->state, ADVICE_FORBIDS);
	assert_string_equal(advice->found, "send-fd: kernel too old");
	assert_string_equal(advice->fix, "");
	json_decref(facts.identity);
}

static void limits_are_told_in_the_words_of_options(void **state)
{
	struct advice_facts facts = quiet_facts();

	(void)state;
	facts.limits.open_files = (struct rlimit){ 1024, 524288 };
	assert_non_null(strstr(judged(&facts, "open files")->found, "--slots up to 524288"));
	assert_int_equal(judged(&facts, "open files")->state, ADVICE_NOTE);
	assert_null(strstr(judged(&facts, "open files")->found, "4096"));
	facts.limits.open_files = (struct rlimit){ 1024, 4000 };
	assert_non_null(strstr(judged(&facts, "open files")->found, "default of 4096 is refused"));
	facts.limits.open_files = (struct rlimit){ RLIM_INFINITY, RLIM_INFINITY };
	assert_non_null(strstr(judged(&facts, "open files")->found, "--slots up to 1048576"));

	facts.limits.locked_memory = (struct rlimit){ 8 << 20, 8 << 20 };
	assert_int_equal(judged(&facts, "locked memory")->state, ADVICE_NOTE);
	assert_non_null(strstr(judged(&facts, "locked memory")->found, "--cq 4096"));
	facts.limits.locked_memory.rlim_cur = 65536;
	assert_int_equal(judged(&facts, "locked memory")->state, ADVICE_DISTURBS);
	facts.memlock_free = true;
	assert_int_equal(judged(&facts, "locked memory")->state, ADVICE_OK);
	json_decref(facts.identity);
}

static void one_pu_load_and_theft(void **state)
{
	struct advice_facts facts = quiet_facts();

	(void)state;
	facts.pu_count = 1;
	assert_int_equal(judged(&facts, "PUs")->state, ADVICE_NOTE);
	assert_non_null(strstr(judged(&facts, "PUs")->found, "--reap inline"));
	facts.foreign_ns = 40000000;
	assert_int_equal(judged(&facts, "load")->state, ADVICE_OK);
	facts.foreign_ns = 60000000;
	assert_int_equal(judged(&facts, "load")->state, ADVICE_DISTURBS);
	assert_non_null(strstr(judged(&facts, "load")->found, "0.06 PUs"));
	facts.steal_ns = 20000000;
	assert_int_equal(judged(&facts, "steal")->state, ADVICE_DISTURBS);
	facts.window_ns = 0;
	assert_int_equal(judged(&facts, "steal")->state, ADVICE_OK);
	json_decref(facts.identity);
}

static void long_lists_are_cut_and_not_overrun(void **state)
{
	struct advice_facts facts = quiet_facts();
	json_t *many = json_array(), *all = json_object();
	char name[48];

	(void)state;
	for (int i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), "A_RATHER_LONG_OPTION_%d", i);
		json_array_append_new(many, json_string(name));
		json_object_set_new(all, name, json_string("Mitigation: yes"));
	}
	json_object_set_new(facts.identity, "debug_options", many);
	json_object_set_new(facts.identity, "mitigations", all);
	assert_int_equal(judged(&facts, "debug options")->state, ADVICE_DISTURBS);
	assert_non_null(strstr(judged(&facts, "mitigations")->found, "200 active"));
	json_decref(facts.identity);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_quiet_machine_is_all_ok),
		cmocka_unit_test(a_machine_that_tells_nothing_is_never_called_quiet),
		cmocka_unit_test(everything_that_disturbs_is_found_and_has_its_fix),
		cmocka_unit_test(audit_is_told_by_its_parameter_where_the_kernel_is_silent),
		cmocka_unit_test(a_refused_io_uring_forbids_with_reason_and_way_out),
		cmocka_unit_test(limits_are_told_in_the_words_of_options),
		cmocka_unit_test(one_pu_load_and_theft),
		cmocka_unit_test(long_lists_are_cut_and_not_overrun),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
