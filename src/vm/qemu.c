// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/qemu.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vm/apt.h"
#include "vm/process.h"
#include "vm/sources.h"

#define VERSION_LIMIT_NS 20000000000

/* "QEMU emulator version 7.2.22 (Debian ...)" */
static int read_version(const struct vm_context *context, struct vm_qemu *qemu, struct error *e)
{
	const char *const argv[] = { qemu->program, "--version", NULL };
	struct process process = {
		.argv = argv, .environment = { qemu->libraries[0] ? qemu->libraries : NULL },
	};
	char *text = NULL;
	const char *version;
	int result = process_run(&process, VERSION_LIMIT_NS, context->interrupt_fd, &text, e);

	if (result)
		return result;
	version = strstr(text, "version ");
	version = version ? version + 8 : text;
	snprintf(qemu->version, sizeof(qemu->version), "%.*s", (int)strcspn(version, "\n"),
		 version);
	free(text);
	return 0;
}

static void set_cached(const struct vm_context *context, enum vm_arch arch, struct vm_qemu *qemu)
{
	snprintf(qemu->program, sizeof(qemu->program), "%s/qemu/usr/bin/qemu-system-%s",
		 context->cache, vm_arch_name(arch));
	snprintf(qemu->data, sizeof(qemu->data), "%s/qemu/usr/share", context->cache);
	snprintf(qemu->libraries, sizeof(qemu->libraries),
		 "LD_LIBRARY_PATH=%s/qemu/usr/lib/x86_64-linux-gnu:"
		 "%s/qemu/usr/lib/aarch64-linux-gnu", context->cache, context->cache);
}

int qemu_find(const struct vm_context *context, enum vm_arch arch, struct vm_qemu *qemu,
	      struct error *e)
{
	struct error failed = ERROR_INIT;
	int result;

	memset(qemu, 0, sizeof(*qemu));
	set_cached(context, arch, qemu);
	if (!access(qemu->program, X_OK)) {
		result = read_version(context, qemu, &failed);
		if (!result)
			return 0;
		if (result == -EINTR)
			return error_set(e, failed.kind, failed.code, "%s", failed.text);
		vm_say(context, "the cached QEMU does not start (%s); using the installed one",
		       failed.text);
		error_clear(&failed);
	}
	memset(qemu, 0, sizeof(*qemu));
	snprintf(qemu->program, sizeof(qemu->program), "qemu-system-%s", vm_arch_name(arch));
	result = read_version(context, qemu, &failed);
	if (result == -ENOENT)
		return error_set(e, ERROR_UNAVAILABLE, ENOENT,
				 "'%s' is not installed; install Debian's qemu-system-%s "
				 "(make deps check does) or the like", qemu->program,
				 arch == VM_X86_64 ? "x86" : "arm");
	return result ? error_set(e, failed.kind, failed.code, "%s", failed.text) : 0;
}

/* Downloads what installing would take, as far as it is newer than what is installed. */
static int download(const struct apt *apt, const char *release, const char *folder,
		    struct error *e)
{
	static const char *const wanted[] = { "qemu-system-x86", "qemu-system-arm", NULL };
	char *list = NULL, *rest = NULL;
	const char *packages[64];
	size_t count = 0;
	int result = apt_closure(apt, wanted, release, &list, e);

	if (result)
		return result;
	for (char *line = strtok_r(list, "\n", &rest); line && count < 63;
	     line = strtok_r(NULL, "\n", &rest))
		packages[count++] = line;
	packages[count] = NULL;
	result = count ? apt_download(apt, packages, folder, e)
		       : error_set(e, ERROR_UNAVAILABLE, ENOENT,
				   "%s has no QEMU newer than the installed one", release);
	free(list);
	return result;
}

static int fetch_into(const struct vm_context *context, const char *release, const char *temporary,
		      struct error *e)
{
	char tree[PATH_MAX], final[PATH_MAX];
	struct apt *apt = malloc(sizeof(*apt));
	int arch = vm_arch_here(), result;

	if (!apt)
		return error_set(e, ERROR_FAILED, ENOMEM, "no memory to fetch");
	snprintf(tree, sizeof(tree), "%s/tree", temporary);
	snprintf(final, sizeof(final), "%s/qemu", context->cache);
	result = apt_open(apt, context, vm_arch_package(arch < 0 ? VM_X86_64 : (enum vm_arch)arch),
			  release, APT_BESIDE, e);
	if (!result) {
		vm_say(context, "fetching QEMU of %s", release);
		result = download(apt, release, temporary, e);
	}
	if (!result)
		result = apt_unpack(context, temporary, tree, e);
	if (!result && rename(tree, final) < 0)
		result = error_set(e, ERROR_FAILED, errno, "cannot keep '%s': %s", final,
				   strerror(errno));
	free(apt);
	return result;
}

int qemu_fetch(const struct vm_context *context, struct error *e)
{
	char path[PATH_MAX], temporary[PATH_MAX / 2], codename[64], release[96];
	int lock = vm_lock(context, e), result;

	if (lock < 0)
		return lock;
	snprintf(path, sizeof(path), "%s/qemu", context->cache);
	sources_codename(codename, sizeof(codename));
	snprintf(release, sizeof(release), "%s-backports", codename);
	if (!access(path, F_OK)) {
		result = 0;
	} else if (!codename[0]) {
		result = error_set(e, ERROR_UNAVAILABLE, ENOENT,
				   "this distribution has no code name, so no backports are known");
	} else {
		result = vm_make_temporary(context, temporary, sizeof(temporary), e);
		if (!result) {
			result = fetch_into(context, release, temporary, e);
			vm_remove(temporary);
		}
	}
	close(lock);
	return result;
}

int qemu_device_tree(const struct vm_context *context, const struct qemu_plan *plan,
		     const char *path, struct error *e)
{
	struct qemu_arguments arguments = { 0 };
	struct process process = {
		.environment = { plan->qemu->libraries[0] ? plan->qemu->libraries : NULL },
	};
	char machine[PATH_MAX + 32];
	int result = qemu_build(plan, &arguments);

	snprintf(machine, sizeof(machine), "dumpdtb=%s", path);
	for (size_t i = 0; !result && i + 1 < arguments.count; i++) {
		if (strcmp(arguments.argv[i], "-machine"))
			continue;
		free(arguments.argv[i + 1]);
		arguments.argv[i + 1] = NULL;
		if (asprintf(&arguments.argv[i + 1], "virt,gic-version=3,%s", machine) < 0)
			result = -ENOMEM;
	}
	process.argv = (const char *const *)arguments.argv;
	if (!result)
		result = process_run(&process, VERSION_LIMIT_NS, context->interrupt_fd, NULL, e);
	else
		error_set(e, ERROR_FAILED, ENOMEM, "no memory for a device tree");
	for (unsigned i = 0; !result && i < plan->shape->capacity_count; i++) {
		char node[32], value[16];
		const char *const argv[] = {
			"fdtput", "-t", "i", path, node, "capacity-dmips-mhz", value, NULL
		};

		snprintf(node, sizeof(node), "/cpus/cpu@%x", i % 16 + i / 16 * 256);
		snprintf(value, sizeof(value), "%u", plan->shape->capacity[i]);
		result = process_run(&(struct process){ .argv = argv }, VERSION_LIMIT_NS,
				     context->interrupt_fd, NULL, e);
	}
	qemu_arguments_free(&arguments);
	return result;
}
