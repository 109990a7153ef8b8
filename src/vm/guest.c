// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/guest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vm/cpio.h"
#include "vm/elf.h"
#include "vm/guest_init.h"
#include "vm/qemu.h"

struct guest_files {
	char program[PATH_MAX / 2], busybox[PATH_MAX / 2];
	struct libraries libraries;
};

char *guest_quote(const char *word)
{
	char *quoted = malloc(strlen(word) * 4 + 3), *to = quoted;

	if (!quoted)
		return NULL;
	*to++ = '\'';
	for (; *word; word++) {
		if (*word == '\'') {
			memcpy(to, "'\\''", 4);
			to += 4;
		} else {
			*to++ = *word;
		}
	}
	*to++ = '\'';
	*to = '\0';
	return quoted;
}

/* Whether this machine's own program and libraries will do. */
static bool is_native(const struct guest *guest)
{
	return guest->arch == (enum vm_arch)vm_arch_here();
}

static int find_program(const struct vm_context *context, const struct guest *guest,
			struct guest_files *files, struct error *e)
{
	ssize_t length;

	if (guest->program) {
		snprintf(files->program, sizeof(files->program), "%s", guest->program);
		return 0;
	}
	if (!is_native(guest)) {
		snprintf(files->program, sizeof(files->program), "%s/%s/ringscale", context->cache,
			 vm_arch_package(guest->arch));
		if (!access(files->program, R_OK))
			return 0;
		return error_set(e, ERROR_UNAVAILABLE, ENOENT,
				 "no program for %s: '%s' is not there; build it with "
				 "tools/cross.sh, or give one with --program",
				 vm_arch_name(guest->arch), files->program);
	}
	length = readlink("/proc/self/exe", files->program, sizeof(files->program) - 1);
	if (length < 0)
		return error_set(e, ERROR_FAILED, errno, "cannot tell where this program is: %s",
				 strerror(errno));
	files->program[length] = '\0';
	return 0;
}

/* It stands alone in the guest until the libraries' folder is known, so it must be static. */
static int find_busybox(const char *sysroot, const struct guest *guest,
			struct guest_files *files, struct error *e)
{
	static const char *const places[] = { "/bin/busybox", "/usr/bin/busybox",
					      "/usr/lib/busybox/busybox-static", NULL };
	struct elf *elf = malloc(sizeof(*elf));
	bool found = false;

	for (int i = 0; elf && places[i] && !found; i++) {
		struct error ignored = ERROR_INIT;

		snprintf(files->busybox, sizeof(files->busybox), "%s%s", sysroot ? sysroot : "",
			 places[i]);
		found = !elf_read(elf, files->busybox, &ignored) && !elf->interpreter[0] &&
			!elf->needed_count && elf->arch == guest->arch;
	}
	free(elf);
	return found ? 0 : error_set(e, ERROR_UNAVAILABLE, ENOENT,
				     "no static busybox for %s in '%s'; install busybox-static "
				     "(make deps check does)", vm_arch_name(guest->arch),
				     sysroot ? sysroot : "/");
}

static int check_arch(const struct guest *guest, const char *program, struct error *e)
{
	struct elf *elf = malloc(sizeof(*elf));
	int result = elf ? elf_read(elf, program, e)
			 : error_set(e, ERROR_FAILED, ENOMEM, "no memory for the guest");

	if (!result && elf->arch != guest->arch)
		result = error_set(e, ERROR_USAGE, EINVAL,
				   "program '%s' is for %s, the shape is %s", program,
				   vm_arch_name(elf->arch), vm_arch_name(guest->arch));
	free(elf);
	return result;
}

int guest_files_find(const struct vm_context *context, const struct guest *guest,
		     struct guest_files **out, struct error *e)
{
	struct guest_files *files = calloc(1, sizeof(*files));
	char cached[PATH_MAX / 2];
	const char *sysroot = guest->sysroot;
	int result;

	*out = files;
	if (!files)
		return error_set(e, ERROR_FAILED, ENOMEM, "no memory for the guest");
	if (!sysroot && !is_native(guest)) {
		snprintf(cached, sizeof(cached), "%s/%s/sysroot", context->cache,
			 vm_arch_package(guest->arch));
		sysroot = cached;
		if (access(sysroot, F_OK) < 0)
			return error_set(e, ERROR_UNAVAILABLE, ENOENT,
					 "no libraries for %s: '%s' is not there; get them with "
					 "ringscale vm --fetch sysroot", vm_arch_name(guest->arch),
					 sysroot);
	}
	result = find_program(context, guest, files, e);
	if (!result)
		result = check_arch(guest, files->program, e);
	if (!result)
		result = find_busybox(sysroot, guest, files, e);
	if (!result)
		result = libraries_gather(&files->libraries, files->program, sysroot, e);
	return result;
}

void guest_files_free(struct guest_files *files)
{
	if (files)
		libraries_free(&files->libraries);
	free(files);
}

const char *guest_files_source(const struct guest_files *files, const char *name)
{
	if (!strcmp(name, "/lab/ringscale"))
		return files->program;
	for (size_t i = 0; i < files->libraries.count; i++)
		if (!strcmp(files->libraries.list[i].to, name))
			return files->libraries.list[i].from;
	return NULL;
}

/* Makes the folders above `name` that were not made yet; `made` remembers them. */
static void make_folders(struct cpio *cpio, const char *name, char *made, size_t size)
{
	for (const char *slash = strchr(name + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		char folder[264];
		size_t at = strlen(made);

		snprintf(folder, sizeof(folder), ":%.*s:", (int)(slash - name), name);
		if (strstr(made, folder))
			continue;
		snprintf(made + at, size - at, "%s", folder + 1);
		folder[strlen(folder) - 1] = '\0';
		cpio_folder(cpio, folder + 1);
	}
}

static int write_arguments(struct cpio *cpio, char *const *command)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	bool failed = !out;

	if (out)
		fputs("set --", out);
	for (; !failed && *command; command++) {
		char *word = guest_quote(*command);

		failed = !word || fprintf(out, " %s", word) < 0;
		free(word);
	}
	if (out && (fputc('\n', out) < 0 || fclose(out)))
		failed = true;
	if (!failed)
		cpio_data(cpio, "/lab/arguments", 0644, text, size);
	free(text);
	return failed ? -ENOMEM : 0;
}

int guest_write(const struct guest *guest, const struct guest_files *files, const char *path,
		uint64_t *hash, struct error *e)
{
	static const char *const folders[] = { "/lab", "/lab/lib", "/bin", "/proc", "/sys", "/dev",
					       "/tmp", "/out", NULL };
	char made[4096] = ":/lab:/lab/lib:/bin:/proc:/sys:/dev:/tmp:/out:", config[128];
	struct cpio cpio;
	int length;

	if (cpio_open(&cpio, path, e))
		return -e->code;
	for (int i = 0; folders[i]; i++)
		cpio_folder(&cpio, folders[i]);
	/* init's own input and output, before /dev is mounted. */
	cpio_device(&cpio, "/dev/console", 5, 1);
	cpio_data(&cpio, "/init", 0755, guest_init, strlen(guest_init));
	cpio_copy(&cpio, "/lab/busybox", 0755, files->busybox);
	cpio_copy(&cpio, "/lab/ringscale", 0755, files->program);
	for (size_t i = 0; i < files->libraries.count; i++) {
		const struct library *library = &files->libraries.list[i];

		make_folders(&cpio, library->to, made, sizeof(made));
		cpio_copy(&cpio, library->to, 0755, library->from);
	}
	length = snprintf(config, sizeof(config),
			  "port=%s\nprior_work=%u\nsettle=%d\nsymbols=%d\n",
			  qemu_transfer_port(guest->arch), guest->prior_work, guest->settle,
			  guest->symbols);
	cpio_data(&cpio, "/lab/config", 0644, config, (size_t)length);
	if (guest->setup)
		cpio_copy(&cpio, "/lab/setup", 0644, guest->setup);
	if (write_arguments(&cpio, guest->command))
		error_set(&cpio.failed, ERROR_FAILED, ENOMEM, "no memory for the guest");
	*hash = cpio.hash;
	return cpio_close(&cpio, e);
}
