// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/sysroot.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vm/apt.h"

#define PACKAGES_MAX 100

static const char *const wanted[] = {
	"libc6-dev", "linux-libc-dev", "liburing-dev", "libhwloc-dev", "libnuma-dev",
	"libjansson-dev", "libgsl-dev", "busybox-static", NULL
};

/* Of what they depend on, libraries alone are of use: nothing here is ever run. */
static bool is_useful(const char *package)
{
	for (int i = 0; wanted[i]; i++) {
		size_t length = strlen(wanted[i]);

		if (!strncmp(package, wanted[i], length) && package[length] == '=')
			return true;
	}
	return !strncmp(package, "lib", 3) && strncmp(package, "libperl", 7);
}

static int download(const struct apt *apt, const char *folder, struct error *e)
{
	const char *packages[PACKAGES_MAX];
	char *list = NULL, *rest = NULL;
	size_t count = 0;
	int result = apt_closure(apt, wanted, NULL, &list, e);

	if (result)
		return result;
	for (char *line = strtok_r(list, "\n", &rest); line && count < PACKAGES_MAX - 1;
	     line = strtok_r(NULL, "\n", &rest))
		if (is_useful(line))
			packages[count++] = line;
	packages[count] = NULL;
	result = apt_download(apt, packages, folder, e);
	free(list);
	return result;
}

static int fetch_into(const struct vm_context *context, enum vm_arch arch, const char *temporary,
		      const char *final, struct error *e)
{
	struct apt *apt = malloc(sizeof(*apt));
	char tree[PATH_MAX];
	int result;

	if (!apt)
		return error_set(e, ERROR_FAILED, ENOMEM, "no memory to fetch");
	snprintf(tree, sizeof(tree), "%s/tree", temporary);
	result = apt_open(apt, context, vm_arch_package(arch), NULL, APT_FOREIGN, e);
	if (!result) {
		vm_say(context, "fetching libraries of %s", vm_arch_package(arch));
		result = download(apt, temporary, e);
	}
	if (!result)
		result = apt_unpack(context, temporary, tree, e);
	if (!result && rename(tree, final) < 0)
		result = error_set(e, ERROR_FAILED, errno, "cannot keep '%s': %s", final,
				   strerror(errno));
	free(apt);
	return result;
}

int sysroot_fetch(const struct vm_context *context, enum vm_arch arch, struct error *e)
{
	char folder[PATH_MAX / 2], final[PATH_MAX], temporary[PATH_MAX / 2];
	int lock = vm_lock(context, e), result = 0;

	if (lock < 0)
		return lock;
	snprintf(folder, sizeof(folder), "%s/%s", context->cache, vm_arch_package(arch));
	snprintf(final, sizeof(final), "%s/sysroot", folder);
	if (access(final, F_OK) < 0) {
		result = vm_make_folder(folder, e);
		if (!result)
			result = vm_make_temporary(context, temporary, sizeof(temporary), e);
		if (!result) {
			result = fetch_into(context, arch, temporary, final, e);
			vm_remove(temporary);
		}
	}
	close(lock);
	return result;
}
