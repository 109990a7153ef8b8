// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/elf.h"

#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where loaders look without a configuration of their own. */
static const char *const folders[] = {
	"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu",
	"/usr/lib/aarch64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib",
	NULL
};

/* Libraries go into one folder of the guest: its LD_LIBRARY_PATH. */
#define GUEST_FOLDER "/lab/lib"

static bool has(const struct libraries *libraries, const char *to)
{
	for (size_t i = 0; i < libraries->count; i++)
		if (!strcmp(libraries->list[i].to, to))
			return true;
	return false;
}

static int append(struct libraries *libraries, const char *from, const char *to)
{
	struct library *list = realloc(libraries->list, (libraries->count + 1) * sizeof(*list));

	if (!list)
		return -ENOMEM;
	libraries->list = list;
	snprintf(list[libraries->count].from, sizeof(list->from), "%s", from);
	snprintf(list[libraries->count].to, sizeof(list->to), "%s", to);
	libraries->count++;
	return 0;
}

struct search {
	const char *name;
	char *path;
	size_t size;
};

/* One of this process's own libraries: the surest place of all. */
static int look_at_loaded(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct search *search = argument;
	const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;

	(void)size;
	if (!slash || strcmp(slash + 1, search->name))
		return 0;
	snprintf(search->path, search->size, "%s", info->dlpi_name);
	return 1;
}

static bool find(const char *name, const char *sysroot, char *path, size_t size)
{
	struct search search = { name, path, size };

	if (!sysroot && dl_iterate_phdr(look_at_loaded, &search))
		return true;
	for (int i = 0; folders[i]; i++) {
		snprintf(path, size, "%s%s/%s", sysroot ? sysroot : "", folders[i], name);
		if (!access(path, R_OK))
			return true;
	}
	return false;
}

static int add_needed(struct libraries *libraries, const struct elf *elf, const char *sysroot,
		      struct error *e)
{
	for (size_t i = 0; i < elf->needed_count; i++) {
		char from[PATH_MAX / 2], to[256];

		snprintf(to, sizeof(to), GUEST_FOLDER "/%s", elf->needed[i]);
		if (has(libraries, to))
			continue;
		if (!find(elf->needed[i], sysroot, from, sizeof(from)))
			return error_set(e, ERROR_UNAVAILABLE, ENOENT,
					 "library '%s' of the guest's program is not in '%s'",
					 elf->needed[i], sysroot ? sysroot : "/lib");
		if (append(libraries, from, to))
			return error_set(e, ERROR_FAILED, ENOMEM, "no memory for libraries");
	}
	return 0;
}

/* The interpreter keeps its place: it stands in the program by its whole path. */
static int add_interpreter(struct libraries *libraries, const struct elf *elf,
			   const char *sysroot, struct error *e)
{
	char from[PATH_MAX / 2];
	const char *slash = strrchr(elf->interpreter, '/');

	if (!elf->interpreter[0])
		return 0;
	snprintf(from, sizeof(from), "%s%s", sysroot ? sysroot : "", elf->interpreter);
	/* In a sysroot it may be a link to an absolute path. */
	if (access(from, R_OK) < 0 && !find(slash ? slash + 1 : elf->interpreter, sysroot, from,
					    sizeof(from)))
		return error_set(e, ERROR_UNAVAILABLE, ENOENT,
				 "the guest's program needs '%s', which is not in '%s'",
				 elf->interpreter, sysroot ? sysroot : "/");
	if (append(libraries, from, elf->interpreter))
		return error_set(e, ERROR_FAILED, ENOMEM, "no memory for libraries");
	return 0;
}

int libraries_gather(struct libraries *libraries, const char *program, const char *sysroot,
		     struct error *e)
{
	struct elf *elf = malloc(sizeof(*elf));
	int result;

	memset(libraries, 0, sizeof(*libraries));
	if (!elf)
		return error_set(e, ERROR_FAILED, ENOMEM, "no memory for libraries");
	result = elf_read(elf, program, e);
	if (!result)
		result = add_interpreter(libraries, elf, sysroot, e);
	if (!result)
		result = add_needed(libraries, elf, sysroot, e);
	/* The list grows while it is walked: what libraries need comes behind them. */
	for (size_t i = 0; !result && i < libraries->count; i++) {
		char from[PATH_MAX / 2];

		snprintf(from, sizeof(from), "%s", libraries->list[i].from);
		result = elf_read(elf, from, e);
		if (!result)
			result = add_needed(libraries, elf, sysroot, e);
	}
	free(elf);
	return result;
}

void libraries_free(struct libraries *libraries)
{
	free(libraries->list);
	memset(libraries, 0, sizeof(*libraries));
}
