// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/identity.h"

#include <ctype.h>
#include <gnu/libc-version.h>
#include <inttypes.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "machine/fields.h"
#include "machine/files.h"

json_t *field_text(const char *text)
{
	return text && *text ? json_string(text) : NULL;
}

json_t *field_truth(int truth)
{
	return truth < 0 ? NULL : json_boolean(truth);
}

json_t *field_line(const struct machine *machine, const char *path)
{
	char line[512];

	return machine_read_line_under(machine->root, path, line, sizeof(line)) < 0 ?
	       NULL : field_text(line);
}

json_t *field_number(const struct machine *machine, const char *path)
{
	int64_t value;

	return machine_read_number(machine->root, path, &value) ? NULL : json_integer(value);
}

json_t *field_bool(const struct machine *machine, const char *path)
{
	int64_t value;

	return machine_read_number(machine->root, path, &value) ? NULL : json_boolean(value != 0);
}

json_t *field_pus(const struct machine *machine, const char *path)
{
	char line[512];

	if (machine_read_line_under(machine->root, path, line, sizeof(line)) < 0)
		return NULL;
	/* Kernels print an unallocated mask as "(null)". */
	return json_string(*line && strcmp(line, "(null)") ? line : "none");
}

static json_t *hash_text(uint64_t hash)
{
	return json_sprintf("fnv1a64:%016" PRIx64, hash);
}

static json_t *read_version(const struct machine *machine, const char *argument)
{
	(void)machine, (void)argument;
	return json_string(RINGSCALE_VERSION);
}

static json_t *read_binary_hash(const struct machine *machine, const char *argument)
{
	uint64_t hash;

	(void)machine;
	return fnv1a_file(argument, &hash) ? NULL : hash_text(hash);
}

/* Which file of a library is loaded: its name carries the exact version. */
static int note_library(struct dl_phdr_info *info, size_t size, void *libraries)
{
	static const char *const names[] = { "liburing", "libhwloc", "libnuma", "libjansson",
					     "libgsl" };
	const char *base = strrchr(info->dlpi_name, '/');

	(void)size;
	for (size_t i = 0; base && i < sizeof(names) / sizeof(names[0]); i++) {
		size_t length = strlen(names[i]);
		char *file;

		if (strncmp(base + 1, names[i], length) || strncmp(base + 1 + length, ".so", 3))
			continue;
		file = realpath(info->dlpi_name, NULL);
		json_object_set_new(libraries, names[i],
				    json_string(file ? strrchr(file, '/') + 1 : base + 1));
		free(file);
	}
	return 0;
}

static json_t *read_libraries(const struct machine *machine, const char *argument)
{
	json_t *libraries = json_object();

	(void)machine, (void)argument;
	if (!libraries)
		return NULL;
	dl_iterate_phdr(note_library, libraries);
	json_object_set_new(libraries, "libc", json_sprintf("glibc %s", gnu_get_libc_version()));
	return libraries;
}

static json_t *read_config_hash(const struct machine *machine, const char *argument)
{
	(void)argument;
	if (!machine->config)
		return NULL;
	return hash_text(fnv1a(FNV_START, machine->config, strlen(machine->config)));
}

static json_t *read_host(const struct machine *machine, const char *argument)
{
	(void)argument;
	return field_text(machine->name.nodename);
}

static json_t *read_release(const struct machine *machine, const char *argument)
{
	(void)argument;
	return field_text(machine->name.release);
}

static json_t *read_kernel_version(const struct machine *machine, const char *argument)
{
	(void)argument;
	return field_text(machine->name.version);
}

static json_t *read_architecture(const struct machine *machine, const char *argument)
{
	(void)argument;
	return field_text(machine->name.machine);
}

static json_t *read_command_line(const struct machine *machine, const char *argument)
{
	(void)argument;
	return field_text(machine->command_line);
}

const struct field program_fields[] = {
	{ "program_version", read_version, NULL },
	{ "binary_hash", read_binary_hash, "/proc/self/exe" },
	{ "libraries", read_libraries, NULL },
	{ "host", read_host, NULL },
	{ "boot_id", field_line, "/proc/sys/kernel/random/boot_id" },
	{ "kernel_release", read_release, NULL },
	{ "kernel_version", read_kernel_version, NULL },
	{ "architecture", read_architecture, NULL },
	{ "config_hash", read_config_hash, NULL },
	{ "kernel_command_line", read_command_line, NULL },
	{ NULL, NULL, NULL },
};

static int add_fields(json_t *identity, const struct machine *machine, const struct field *fields)
{
	for (; fields->name; fields++) {
		json_t *value = fields->read(machine, fields->argument);

		if (json_object_set_new(identity, fields->name, value ? value : json_null()))
			return -1;
	}
	return 0;
}

json_t *identity_describe_under(const char *root)
{
	struct machine machine = { .root = root };
	json_t *identity = json_object();

	if (!identity)
		return NULL;
	uname(&machine.name);
	machine.command_line = machine_read_all(root, "/proc/cmdline");
	if (machine.command_line)
		machine.command_line[strcspn(machine.command_line, "\n")] = '\0';
	machine.config = kernel_config_read(root, machine.name.release);
	machine.cpuinfo = machine_read_all(root, "/proc/cpuinfo");
	if (add_fields(identity, &machine, program_fields) ||
	    add_fields(identity, &machine, kernel_fields) ||
	    add_fields(identity, &machine, debug_fields) ||
	    add_fields(identity, &machine, cpu_fields) ||
	    add_fields(identity, &machine, cgroup_fields)) {
		json_decref(identity);
		identity = NULL;
	}
	free(machine.command_line);
	free(machine.config);
	free(machine.cpuinfo);
	return identity;
}

json_t *identity_describe(void)
{
	return identity_describe_under("");
}

void identity_boot_id(char *buffer, size_t size)
{
	if (machine_read_line("/proc/sys/kernel/random/boot_id", buffer, size) < 0)
		buffer[0] = '\0';
}

void identity_clock_source(char *buffer, size_t size)
{
	if (machine_read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource",
			      buffer, size) < 0)
		buffer[0] = '\0';
}

void identity_host(char *buffer, size_t size)
{
	struct utsname name;
	size_t used = 0;

	if (!uname(&name)) {
		for (const char *c = name.nodename; *c && used + 1 < size; c++)
			if (isalnum((unsigned char)*c) || *c == '-' || *c == '.')
				buffer[used++] = *c;
	}
	buffer[used] = '\0';
	/* A name that begins with a dot would hide the file. */
	if (!used || buffer[0] == '.')
		snprintf(buffer, size, "host");
}
