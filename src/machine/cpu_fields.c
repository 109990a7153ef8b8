// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/fields.h"

#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "machine/files.h"
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

/* The different first lines of all files that match, sorted by first appearance, "a,b". */
static json_t *distinct_lines(const struct machine *m, const char *pattern)
{
	char full[512], line[64], all[512] = "";
	glob_t files;

	snprintf(full, sizeof(full), "%s%s", m->root, pattern);
	if (glob(full, 0, NULL, &files))
		return NULL;
	for (size_t i = 0; i < files.gl_pathc; i++) {
		size_t used = strlen(all), length;
		char *seen;

		if (machine_read_line_under("", files.gl_pathv[i], line, sizeof(line)) <= 0)
			continue;
		length = strlen(line);
		for (seen = strstr(all, line); seen; seen = strstr(seen + 1, line))
			if ((seen == all || seen[-1] == ',') &&
			    (!seen[length] || seen[length] == ','))
				break;
		if (!seen && used + length + 2 < sizeof(all))
			snprintf(all + used, sizeof(all) - used, "%s%s", used ? "," : "", line);
	}
	globfree(&files);
	return field_text(all);
}

static json_t *turbo(const struct machine *m, const char *argument)
{
	int64_t value;

	(void)argument;
	if (!machine_read_number(m->root, "/sys/devices/system/cpu/intel_pstate/no_turbo", &value))
		return json_boolean(!value);
	if (!machine_read_number(m->root, "/sys/devices/system/cpu/cpufreq/boost", &value))
		return json_boolean(value != 0);
	return NULL;
}

/* Value of the first line "name<blanks>: value" of /proc/cpuinfo; false if there is none. */
static bool cpuinfo_value(const struct machine *m, const char *name, char *buffer, size_t size)
{
	size_t length = strlen(name);

	for (const char *line = m->cpuinfo; line && *line; line = strchr(line, '\n')) {
		const char *value;

		line += *line == '\n';
		if (strncmp(line, name, length))
			continue;
		value = line + length + strspn(line + length, " \t");
		if (*value++ != ':')
			continue;
		value += strspn(value, " \t");
		snprintf(buffer, size, "%.*s", (int)strcspn(value, "\n"), value);
		return *buffer;
	}
	return false;
}

static json_t *cpu_model(const struct machine *m, const char *argument)
{
	char text[256], part[64];

	(void)argument;
	if (cpuinfo_value(m, "model name", text, sizeof(text)) ||
	    cpuinfo_value(m, "cpu", text, sizeof(text)) ||
	    cpuinfo_value(m, "uarch", text, sizeof(text)))
		return field_text(text);
	/* arm64 has numbers alone; of several kinds this is the first PU's. */
	if (cpuinfo_value(m, "CPU implementer", text, sizeof(text)) &&
	    cpuinfo_value(m, "CPU part", part, sizeof(part)))
		return json_sprintf("implementer %s part %s", text, part);
	return NULL;
}

static json_t *microcode(const struct machine *m, const char *path)
{
	char text[64];

	if (cpuinfo_value(m, "microcode", text, sizeof(text)))
		return field_text(text);
	return field_line(m, path);
}

/* What the hypervisor calls itself; false where the processor offers no such name. */
static bool hypervisor_signature(char text[13])
{
#if defined(__x86_64__) || defined(__i386__)
	unsigned a, b, c, d;

	__cpuid(0x40000000, a, b, c, d);
	memcpy(text, &b, 4);
	memcpy(text + 4, &c, 4);
	memcpy(text + 8, &d, 4);
	text[12] = '\0';
	for (int i = 0; text[i]; i++)
		if (text[i] < ' ' || text[i] > '~')
			return false;
	return a >= 0x40000000 && *text;
#else
	(void)text;
	return false;
#endif
}

static bool has_flag(const char *flags, const char *flag)
{
	size_t length = strlen(flag);
	const char *at = flags;

	while ((at = strstr(at, flag))) {
		if ((at == flags || at[-1] == ' ') && (!at[length] || at[length] == ' '))
			return true;
		at += length;
	}
	return false;
}

static json_t *hypervisor(const struct machine *m, const char *path)
{
	char flags[8192], text[256];

	if (cpuinfo_value(m, "flags", flags, sizeof(flags))) {
		if (!has_flag(flags, "hypervisor"))
			return json_string("none");
		if (!*m->root && hypervisor_signature(text))
			return field_text(text);
		return json_string("present, unnamed");
	}
	/* Elsewhere only what says so is known: silence is not bare metal. */
	if (machine_read_line_under(m->root, path, text, sizeof(text)) > 0)
		return field_text(text);
	if (machine_read_line_under(m->root, "/proc/device-tree/hypervisor/compatible", text,
				    sizeof(text)) > 0)
		return field_text(text);
	if (machine_read_line_under(m->root, "/sys/class/dmi/id/sys_vendor", text,
				    sizeof(text)) > 0 && !strcmp(text, "QEMU"))
		return json_string("QEMU");
	return NULL;
}

const struct field cpu_fields[] = {
	{ "cpu_model", cpu_model, NULL },
	{ "microcode", microcode, "/sys/devices/system/cpu/cpu0/microcode/version" },
	{ "governor", distinct_lines, "/sys/devices/system/cpu/cpufreq/policy*/scaling_governor" },
	{ "energy_preference", distinct_lines,
	  "/sys/devices/system/cpu/cpufreq/policy*/energy_performance_preference" },
	{ "turbo", turbo, NULL },
	{ "smt", field_bool, "/sys/devices/system/cpu/smt/active" },
	{ "online_pus", field_pus, "/sys/devices/system/cpu/online" },
	{ "isolated_pus", field_pus, "/sys/devices/system/cpu/isolated" },
	{ "nohz_full_pus", field_pus, "/sys/devices/system/cpu/nohz_full" },
	{ "hypervisor", hypervisor, "/sys/hypervisor/type" },
	{ NULL, NULL, NULL },
};
