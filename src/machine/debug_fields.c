// SPDX-License-Identifier: GPL-2.0-or-later
/* What a kernel does for safety or for its own developers, and what that costs every install. */
#include "machine/fields.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "machine/files.h"

/* A switch with a parameter of the command line, and a default in the configuration. */
static int parameter_or_config(const struct machine *m, const char *name, const char *symbol)
{
	char value[64];
	int truth = -1;

	/* Without the command line the default proves nothing. */
	if (!m->command_line)
		return -1;
	if (kernel_parameter(m->command_line, name, value, sizeof(value)))
		truth = kernel_bool(value);
	/* What the kernel cannot read leaves its default. */
	return truth >= 0 ? truth : kernel_config_enabled(m->config, symbol);
}

static json_t *init_on_alloc(const struct machine *m, const char *symbol)
{
	return field_truth(parameter_or_config(m, "init_on_alloc", symbol));
}

static json_t *init_on_free(const struct machine *m, const char *symbol)
{
	return field_truth(parameter_or_config(m, "init_on_free", symbol));
}

/* Flags that one cache really has, in the letters of the parameter slab_debug; -1 if unreadable. */
static int slab_flags(const struct machine *m, const char *cache, char *flags)
{
	static const struct {
		const char *file;
		char letter;
	} switches[] = {
		{ "sanity_checks", 'F' }, { "red_zone", 'Z' }, { "poison", 'P' },
		{ "store_user", 'U' }, { "trace", 'T' },
	};
	char path[256];
	int64_t value;
	int count = 0;

	for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++) {
		snprintf(path, sizeof(path), "/sys/kernel/slab/%s/%s", cache, switches[i].file);
		if (machine_read_number(m->root, path, &value))
			return -1;
		if (value)
			flags[count++] = switches[i].letter;
	}
	flags[count] = '\0';
	return count;
}

static json_t *slab_debug(const struct machine *m, const char *cache)
{
	char value[128];
	int count = slab_flags(m, cache, value);

	if (count >= 0)
		return json_string(count ? value : "none");
	if (kernel_parameter(m->command_line, "slub_debug", value, sizeof(value)) ||
	    kernel_parameter(m->command_line, "slab_debug", value, sizeof(value)))
		return json_string(!*value ? "FZPU" : strcmp(value, "-") ? value : "none");
	/* Without the command line its silence says nothing. */
	if (!m->command_line || !m->config)
		return NULL;
	return json_string(kernel_config_enabled(m->config, "CONFIG_SLUB_DEBUG_ON") ?
			   "FZPU" : "none");
}

/* Whether `path` is certainly not there, though the folder or file `witness` is. */
static bool certainly_absent(const struct machine *m, const char *path, const char *witness)
{
	char full[512];

	snprintf(full, sizeof(full), "%s%s", m->root, path);
	if (!access(full, F_OK) || errno != ENOENT)
		return false;
	snprintf(full, sizeof(full), "%s%s", m->root, witness);
	return !access(full, F_OK);
}

static json_t *kfence(const struct machine *m, const char *path)
{
	int64_t interval_ms;

	if (!machine_read_number(m->root, path, &interval_ms))
		return json_integer(interval_ms);
	/* The file is root's alone, but everybody sees whether it is there. */
	return certainly_absent(m, path, "/sys/module") ? json_integer(0) : NULL;
}

static json_t *lockdep(const struct machine *m, const char *path)
{
	int64_t proving;

	/* Proving can be switched off while lockdep itself stays built in. */
	if (!machine_read_number(m->root, "/proc/sys/kernel/prove_locking", &proving))
		return json_boolean(proving != 0);
	if (certainly_absent(m, path, "/proc/cmdline"))
		return json_false();
	return kernel_config_enabled(m->config, "CONFIG_LOCKDEP") == 1 ? json_true() : NULL;
}

static json_t *debug_options(const struct machine *m, const char *argument)
{
	static const char *const symbols[] = {
		"CONFIG_KASAN", "CONFIG_KCSAN", "CONFIG_KMSAN", "CONFIG_KCOV", "CONFIG_GCOV_KERNEL",
		"CONFIG_UBSAN_TRAP", "CONFIG_PROVE_LOCKING", "CONFIG_PROVE_RCU", "CONFIG_LOCK_STAT",
		"CONFIG_DEBUG_SPINLOCK", "CONFIG_DEBUG_MUTEXES", "CONFIG_DEBUG_ATOMIC_SLEEP",
		"CONFIG_DEBUG_OBJECTS", "CONFIG_DEBUG_LIST", "CONFIG_DEBUG_PREEMPT",
		"CONFIG_DEBUG_PAGEALLOC_ENABLE_DEFAULT", "CONFIG_DEBUG_KMEMLEAK",
		"CONFIG_DEBUG_VM", "CONFIG_DEBUG_ENTRY", "CONFIG_PAGE_OWNER",
		"CONFIG_SLUB_DEBUG_ON",
		"CONFIG_FAULT_INJECTION", "CONFIG_PREEMPT_TRACER", "CONFIG_IRQSOFF_TRACER",
	};
	json_t *found;

	(void)argument;
	if (!m->config)
		return NULL;
	found = json_array();
	for (size_t i = 0; found && i < sizeof(symbols) / sizeof(symbols[0]); i++)
		if (kernel_config_enabled(m->config, symbols[i]) == 1)
			json_array_append_new(found, json_string(symbols[i] + strlen("CONFIG_")));
	return found;
}

const struct field debug_fields[] = {
	{ "init_on_alloc", init_on_alloc, "CONFIG_INIT_ON_ALLOC_DEFAULT_ON" },
	{ "init_on_free", init_on_free, "CONFIG_INIT_ON_FREE_DEFAULT_ON" },
	/* Resource nodes come from it (64 bytes, charged to the cgroup from 6.13 on). */
	{ "slab_debug", slab_debug, "kmalloc-64" },
	{ "kfence_interval_ms", kfence, "/sys/module/kfence/parameters/sample_interval" },
	{ "lockdep", lockdep, "/proc/lockdep_stats" },
	{ "debug_options", debug_options, NULL },
	{ NULL, NULL, NULL },
};
