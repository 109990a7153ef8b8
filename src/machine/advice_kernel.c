// SPDX-License-Identifier: GPL-2.0-or-later
/* What of the kernel disturbs: how it was built, and how it was started. */
#include "machine/advice.h"

#include <stdio.h>
#include <string.h>

static const json_t *fact(const struct advice_facts *facts, const char *key)
{
	return json_object_get(facts->identity, key);
}

/* A switch that is on (disturbs), off, or not told. */
static void say_switch(struct advice *advice, const json_t *value, const char *fix,
		       const char *effect)
{
	if (json_is_true(value))
		advice_say(advice, ADVICE_DISTURBS, fix, "on: %s", effect);
	else if (json_is_false(value))
		advice_say(advice, ADVICE_OK, NULL, "off");
	else
		advice_say(advice, ADVICE_NOTE, NULL,
			   "cannot be told: no kernel configuration to be read");
}

static void judge_init_on_alloc(const struct advice_facts *facts, struct advice *advice)
{
	say_switch(advice, fact(facts, "init_on_alloc"), "kernel parameter init_on_alloc=0",
		   "every allocation is zeroed, the node of an install too");
}

static void judge_init_on_free(const struct advice_facts *facts, struct advice *advice)
{
	say_switch(advice, fact(facts, "init_on_free"), "kernel parameter init_on_free=0",
		   "everything freed is zeroed");
}

static void judge_lockdep(const struct advice_facts *facts, struct advice *advice)
{
	say_switch(advice, fact(facts, "lockdep"), "a kernel built without CONFIG_PROVE_LOCKING",
		   "every lock is tracked, costs are many times higher");
}

static void judge_slab_debug(const struct advice_facts *facts, struct advice *advice)
{
	const char *flags = json_string_value(fact(facts, "slab_debug"));

	if (!flags)
		advice_say(advice, ADVICE_NOTE, "run doctor as root",
			   "cannot be told: neither /sys/kernel/slab nor the kernel configuration "
			   "can be read");
	else if (strcmp(flags, "none"))
		advice_say(advice, ADVICE_DISTURBS, "remove slab_debug and slub_debug from the "
			   "kernel parameters; a kernel built without CONFIG_SLUB_DEBUG_ON",
			   "%s: every allocation is checked", flags);
	else
		advice_say(advice, ADVICE_OK, NULL, "off");
}

static void judge_kfence(const struct advice_facts *facts, struct advice *advice)
{
	const json_t *interval = fact(facts, "kfence_interval_ms");

	if (!json_is_integer(interval))
		advice_say(advice, ADVICE_NOTE, "run doctor as root", "cannot be told");
	else if (json_integer_value(interval) != 0)
		advice_say(advice, ADVICE_DISTURBS,
			   "echo 0 >/sys/module/kfence/parameters/sample_interval, or "
			   "kernel parameter kfence.sample_interval=0",
			   "takes a slow path for one allocation every %" JSON_INTEGER_FORMAT " ms",
			   json_integer_value(interval));
	else
		advice_say(advice, ADVICE_OK, NULL, "off");
}

static void judge_debug_options(const struct advice_facts *facts, struct advice *advice)
{
	const json_t *options = fact(facts, "debug_options");
	char names[400] = "";
	bool heavy = false;

	if (!json_is_array(options)) {
		advice_say(advice, ADVICE_NOTE, NULL,
			   "cannot be told: no kernel configuration to be read");
		return;
	}
	for (size_t i = 0; i < json_array_size(options); i++) {
		const char *name = json_string_value(json_array_get(options, i));
		size_t used = strlen(names);

		snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "", name);
		/* Distributions ship this one: some instructions a list operation. */
		heavy = heavy || strcmp(name, "DEBUG_LIST");
	}
	if (!*names)
		advice_say(advice, ADVICE_OK, NULL, "none of those known to be slow");
	else
		advice_say(advice, heavy ? ADVICE_DISTURBS : ADVICE_NOTE,
			   "a kernel built without them", "built with %s", names);
}

static void judge_audit(const struct advice_facts *facts, struct advice *advice)
{
	const json_t *enabled = fact(facts, "audit_enabled");
	const char *parameter = json_string_value(fact(facts, "audit_parameter"));
	bool off = parameter && (!strcmp(parameter, "0") || !strcmp(parameter, "off"));

	if (json_is_integer(enabled) ? json_integer_value(enabled) != 0 : parameter && !off)
		advice_say(advice, ADVICE_DISTURBS,
			   "kernel parameter audit=0 (auditctl -e 0 leaves running programs as "
			   "they are)", "on: every system call and request is looked at");
	else if (json_is_integer(enabled) || off)
		advice_say(advice, ADVICE_OK, NULL, "off");
	else
		advice_say(advice, ADVICE_NOTE, "run doctor as root", "cannot be told");
}

static void judge_mitigations(const struct advice_facts *facts, struct advice *advice)
{
	json_t *all = json_object_get(facts->identity, "mitigations"), *value;
	char names[400] = "";
	const char *name;
	int count = 0;

	if (!json_is_object(all)) {
		advice_say(advice, ADVICE_NOTE, NULL, "cannot be read");
		return;
	}
	json_object_foreach(all, name, value) {
		size_t used = strlen(names);

		if (!strstr(json_string_value(value), "Mitigation"))
			continue;
		count++;
		snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "", name);
	}
	if (count)
		advice_say(advice, ADVICE_NOTE, "for an experiment on a machine that runs nothing "
			   "else: kernel parameter mitigations=off",
			   "%d active, paid at every entry to the kernel: %s", count, names);
	else
		advice_say(advice, ADVICE_OK, NULL, "none active");
}

static void judge_preemption(const struct advice_facts *facts, struct advice *advice)
{
	const char *requested = json_string_value(fact(facts, "preemption_requested"));
	const char *actual = json_string_value(fact(facts, "preemption_actual"));

	if (!actual)
		advice_say(advice, ADVICE_NOTE, "as root: mount -t debugfs none /sys/kernel/debug",
			   "asked for %s, what is in force cannot be told",
			   requested ? requested : "what cannot be told either");
	else if (requested && strcmp(requested, actual))
		advice_say(advice, ADVICE_NOTE, "kernel parameter preempt=",
			   "%s, though %s was asked for", actual, requested);
	else
		advice_say(advice, ADVICE_OK, NULL, "%s", actual);
}

static void judge_numa_balancing(const struct advice_facts *facts, struct advice *advice)
{
	const json_t *mode = fact(facts, "numa_balancing");

	if (!json_is_integer(mode))
		advice_say(advice, ADVICE_OK, NULL, "this kernel has none");
	else if (json_integer_value(mode) != 0)
		advice_say(advice, ADVICE_DISTURBS, "sysctl kernel.numa_balancing=0",
			   "on: pages are unmapped to see who uses them, and moved");
	else
		advice_say(advice, ADVICE_OK, NULL, "off");
}

static void judge_memory_cgroup(const struct advice_facts *facts, struct advice *advice)
{
	const json_t *accounting = fact(facts, "memory_cgroup_accounting");
	const char *path = json_string_value(fact(facts, "memory_cgroup"));

	if (json_is_false(accounting) || (path && !strcmp(path, "/")))
		advice_say(advice, ADVICE_OK, NULL, "allocations are not charged");
	else if (path)
		advice_say(advice, ADVICE_NOTE, "kernel parameter cgroup.memory=nokmem",
			   "allocations are charged to the cgroup %s", path);
	else
		advice_say(advice, ADVICE_NOTE, NULL, "cannot be told");
}

static void judge_taint(const struct advice_facts *facts, struct advice *advice)
{
	const json_t *taint = fact(facts, "kernel_tainted");

	if (!json_is_integer(taint))
		advice_say(advice, ADVICE_NOTE, NULL, "cannot be read");
	else if (json_integer_value(taint) != 0)
		advice_say(advice, ADVICE_NOTE,
			   "dmesg tells what tainted it; boot again without it",
			   "%" JSON_INTEGER_FORMAT ": foreign modules or an earlier fault",
			   json_integer_value(taint));
	else
		advice_say(advice, ADVICE_OK, NULL, "no");
}

const struct advice_check advice_kernel_checks[] = {
	{ "audit", judge_audit },
	{ "init_on_alloc", judge_init_on_alloc },
	{ "init_on_free", judge_init_on_free },
	{ "slab debugging", judge_slab_debug },
	{ "KFENCE", judge_kfence },
	{ "lockdep", judge_lockdep },
	{ "debug options", judge_debug_options },
	{ "mitigations", judge_mitigations },
	{ "preemption", judge_preemption },
	{ "NUMA balancing", judge_numa_balancing },
	{ "memory cgroup", judge_memory_cgroup },
	{ "kernel tainted", judge_taint },
	{ NULL, NULL },
};
