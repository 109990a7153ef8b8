// SPDX-License-Identifier: GPL-2.0-or-later
/* What the control groups of this process take from it: CPU time, and work per allocation. */
#include "machine/fields.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/files.h"

/*
 * Cuts the next line "number:controllers:path" of /proc/self/cgroup out of *text; false at the
 * end. No controllers: the unified hierarchy.
 */
static bool next_group(char **text, char **controllers, char **path)
{
	while (*text && **text) {
		char *line = *text;

		*text += strcspn(line, "\n");
		if (**text)
			*(*text)++ = '\0';
		*controllers = strchr(line, ':');
		*path = *controllers ? strchr(*controllers + 1, ':') : NULL;
		if (!*path)
			continue;
		*(*controllers)++ = '\0';
		*(*path)++ = '\0';
		return true;
	}
	return false;
}

/* Whether a comma list holds the word. */
static bool lists(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += length)
		if ((at == list || at[-1] == ',') && (!at[length] || at[length] == ','))
			return true;
	return false;
}

static json_t *memory_cgroup(const struct machine *m, const char *file)
{
	char *text = machine_read_all(m->root, file), *rest = text, *controllers, *path;
	json_t *unified = NULL, *own = NULL;

	while (!own && next_group(&rest, &controllers, &path)) {
		if (lists(controllers, "memory"))
			own = field_text(path);
		else if (!*controllers && !unified)
			unified = field_text(path);
	}
	free(text);
	if (!own)
		return unified;
	json_decref(unified);
	return own;
}

static json_t *memory_accounting(const struct machine *m, const char *symbol)
{
	char value[256];
	int enabled = kernel_config_enabled(m->config, symbol);

	if (kernel_parameter(m->command_line, "cgroup_disable", value, sizeof(value)) &&
	    lists(value, "memory"))
		enabled = 0;
	if (kernel_parameter(m->command_line, "cgroup.memory", value, sizeof(value)) &&
	    lists(value, "nokmem"))
		enabled = 0;
	return field_truth(enabled);
}

/* Quota of one cgroup as a share of one PU: 0 if it sets none, below 0 if unreadable. */
static double quota_of(const struct machine *m, const char *folder)
{
	char path[1024], line[64];
	int64_t quota_us, period_us;

	snprintf(path, sizeof(path), "%s/cpu.max", folder);
	if (machine_read_line_under(m->root, path, line, sizeof(line)) > 0) {
		if (sscanf(line, "%" SCNd64 " %" SCNd64, &quota_us, &period_us) == 2)
			return period_us > 0 ? (double)quota_us / period_us : -1;
		return strncmp(line, "max", 3) ? -1 : 0;
	}
	snprintf(path, sizeof(path), "%s/cpu.cfs_quota_us", folder);
	if (machine_read_number(m->root, path, &quota_us))
		return -1;
	snprintf(path, sizeof(path), "%s/cpu.cfs_period_us", folder);
	if (quota_us < 0)
		return 0;
	return machine_read_number(m->root, path, &period_us) || period_us <= 0 ?
	       -1 : (double)quota_us / period_us;
}

/* Smallest quota from this cgroup up to the root of what is mounted. */
static double smallest_quota(const struct machine *m, const char *mount, const char *path)
{
	char folder[768];
	size_t mount_length = strlen(mount);
	double smallest = 0;

	snprintf(folder, sizeof(folder), "%s%s", mount, path);
	for (;;) {
		double quota = quota_of(m, folder);
		char *slash = strrchr(folder, '/');

		if (quota > 0 && (smallest == 0 || quota < smallest))
			smallest = quota;
		if (!slash || (size_t)(slash - folder) < mount_length)
			return smallest;
		*slash = '\0';
	}
}

static json_t *cpu_quota(const struct machine *m, const char *file)
{
	char *text = machine_read_all(m->root, file), *rest = text, *controllers, *path;
	double smallest = 0;

	while (next_group(&rest, &controllers, &path)) {
		double quota = 0;

		if (!*controllers)
			quota = smallest_quota(m, "/sys/fs/cgroup", path);
		else if (lists(controllers, "cpu"))
			quota = smallest_quota(m, "/sys/fs/cgroup/cpu", path);
		if (quota > 0 && (smallest == 0 || quota < smallest))
			smallest = quota;
	}
	free(text);
	/* Null: none is set, or none can be seen from here. */
	return smallest > 0 ? json_real(smallest) : NULL;
}

const struct field cgroup_fields[] = {
	{ "cpu_quota", cpu_quota, "/proc/self/cgroup" },
	{ "memory_cgroup", memory_cgroup, "/proc/self/cgroup" },
	{ "memory_cgroup_accounting", memory_accounting, "CONFIG_MEMCG" },
	{ NULL, NULL, NULL },
};
