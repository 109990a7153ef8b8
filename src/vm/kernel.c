// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/kernel.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/list.h"
#include "vm/apt.h"
#include "vm/image.h"
#include "vm/packages.h"
#include "vm/sources.h"

/* What a spec asks for. */
struct wish {
	const char *spec;
	enum vm_arch arch;
	const char *series;	/* "6.12", or "" for any */
	const char *suite;	/* the only one to look in, or NULL */
	char release[96];	/* exactly this, or "" */
	char folder[PATH_MAX / 2];	/* kernels/ARCH in the cache */
};

/* The image in an unpacked package: set by a walk, so one at a time. */
static char found_image[PATH_MAX];

static int find_image(const char *path, const struct stat *stat, int type, struct FTW *walk)
{
	if (type == FTW_F && S_ISREG(stat->st_mode) && stat->st_size > 1 << 20 &&
	    !strncmp(path + walk->base, "vmlinuz", 7)) {
		snprintf(found_image, sizeof(found_image), "%s", path);
		return 1;
	}
	return 0;
}

static int use(const struct wish *wish, const char *release, struct vm_kernel *kernel)
{
	char path[PATH_MAX], *text;

	snprintf(kernel->path, sizeof(kernel->path), "%s/%s/vmlinuz", wish->folder, release);
	if (access(kernel->path, R_OK) < 0)
		return -ENOENT;
	snprintf(kernel->name, sizeof(kernel->name), "%s", release);
	snprintf(path, sizeof(path), "%s/%s/package", wish->folder, release);
	text = vm_read_file(path);
	snprintf(kernel->package, sizeof(kernel->package), "%.*s",
		 text ? (int)strcspn(text, "\n") : 0, text ? text : "");
	free(text);
	return 0;
}

static int use_newest(const struct wish *wish, struct vm_kernel *kernel)
{
	DIR *directory = opendir(wish->folder);
	const struct dirent *entry;
	char newest[256] = "";

	while (directory && (entry = readdir(directory)) != NULL) {
		if (isdigit((unsigned char)entry->d_name[0]) &&
		    packages_in_series(entry->d_name, wish->series) &&
		    (!newest[0] || packages_compare(entry->d_name, newest) > 0))
			snprintf(newest, sizeof(newest), "%s", entry->d_name);
	}
	if (directory)
		closedir(directory);
	return newest[0] ? use(wish, newest, kernel) : -ENOENT;
}

static int use_cached(const struct wish *wish, struct vm_kernel *kernel)
{
	char path[PATH_MAX], release[128];
	ssize_t length;

	if (wish->release[0])
		return use(wish, wish->release, kernel);
	if (!wish->suite)
		return use_newest(wish, kernel);
	snprintf(path, sizeof(path), "%s/by-spec/%s", wish->folder, wish->spec);
	length = readlink(path, release, sizeof(release) - 1);
	if (length <= 0)
		return -ENOENT;
	release[length] = '\0';
	return use(wish, release + 3, kernel);
}

static int put_link(const struct wish *wish, const char *release, struct error *e)
{
	char path[PATH_MAX], target[160];

	if (!wish->suite)
		return 0;
	snprintf(path, sizeof(path), "%s/by-spec", wish->folder);
	if (vm_make_folder(path, e))
		return -e->code;
	snprintf(path, sizeof(path), "%s/by-spec/%s", wish->folder, wish->spec);
	snprintf(target, sizeof(target), "../%s", release);
	unlink(path);
	if (symlink(target, path) < 0)
		return error_set(e, ERROR_FAILED, errno, "cannot write '%s': %s", path,
				 strerror(errno));
	return 0;
}

/* Moves the image into place: a folder is there whole or not at all. */
static int keep(const struct wish *wish, const char *temporary, const char *release,
		const char *package, struct error *e)
{
	char fresh[PATH_MAX], path[PATH_MAX + 16], final[PATH_MAX];
	enum vm_arch arch;

	if (image_check(found_image, &arch, e))
		return -e->code;
	snprintf(fresh, sizeof(fresh), "%s/fresh", temporary);
	if (vm_make_folder(fresh, e) || vm_make_folder(wish->folder, e))
		return -e->code;
	snprintf(path, sizeof(path), "%s/package", fresh);
	if (vm_write_file(path, package, e))
		return -e->code;
	snprintf(path, sizeof(path), "%s/vmlinuz", fresh);
	snprintf(final, sizeof(final), "%s/%s", wish->folder, release);
	if (rename(found_image, path) < 0 || chmod(path, 0644) < 0 || rename(fresh, final) < 0)
		return error_set(e, ERROR_FAILED, errno, "cannot keep '%s': %s", final,
				 strerror(errno));
	return 0;
}

static int fetch_package(const struct wish *wish, const struct apt *apt, const char *package,
			 const char *release, struct error *e)
{
	const char *const packages[] = { package, NULL };
	char temporary[PATH_MAX / 2], tree[PATH_MAX];
	int result = vm_make_temporary(apt->context, temporary, sizeof(temporary), e);

	if (result)
		return result;
	vm_say(apt->context, "fetching %s", package);
	snprintf(tree, sizeof(tree), "%s/tree", temporary);
	result = apt_download(apt, packages, temporary, e);
	if (!result)
		result = apt_unpack(apt->context, temporary, tree, e);
	found_image[0] = '\0';
	if (!result && nftw(tree, find_image, 16, FTW_PHYS) != 1)
		result = -ENOENT;
	else if (!result)
		result = keep(wish, temporary, release, package, e);
	vm_remove(temporary);
	return result;
}

/* Looks in the lists of one suite. -ENOENT with *e empty: nothing of the kind there. */
static int fetch_from(const struct wish *wish, const struct apt *apt, struct vm_kernel *kernel,
		      struct error *e)
{
	char pattern[128], release[128] = "", package[192], *names = NULL;
	int result;

	packages_pattern(apt->arch, pattern, sizeof(pattern));
	result = apt_names(apt, pattern, &names, e);
	if (result)
		return result;
	if (wish->release[0])
		snprintf(release, sizeof(release), "%s", wish->release);
	else if (!packages_newest(names, wish->series, release, sizeof(release)))
		result = -ENOENT;
	if (!result && use(wish, release, kernel)) {
		result = -ENOENT;
		for (unsigned i = 0; result == -ENOENT && e->kind == ERROR_NONE &&
		     packages_of(names, release, i, package, sizeof(package)); i++)
			result = fetch_package(wish, apt, package, release, e);
		if (!result)
			result = use(wish, release, kernel);
	}
	free(names);
	return result ? result : put_link(wish, release, e);
}

/* Asks one suite after the other; what each said is gathered in `tried`. */
static int fetch(const struct vm_context *context, const struct wish *wish,
		 struct vm_kernel *kernel, struct error *e)
{
	char backports[96], codename[64], tried[200] = "", reason[200] = "";
	const char *suites[] = { NULL, backports, "stable", "stable-backports", "sid" };
	size_t count = sizeof(suites) / sizeof(suites[0]);
	struct apt *apt = malloc(sizeof(*apt));
	int result = -ENOENT;

	if (!apt)
		return error_set(e, ERROR_FAILED, ENOMEM, "no memory to fetch");
	sources_codename(codename, sizeof(codename));
	snprintf(backports, sizeof(backports), "%s-backports", codename);
	if (wish->suite) {
		suites[0] = wish->suite;
		count = 1;
	}
	for (size_t i = 0; i < count; i++) {
		struct error failed = ERROR_INIT;
		size_t at = strlen(tried);

		result = apt_open(apt, context, vm_arch_package(wish->arch), suites[i],
				  APT_SUITE, &failed);
		if (!result)
			result = fetch_from(wish, apt, kernel, &failed);
		if (!result)
			break;
		if (failed.kind != ERROR_NONE && failed.kind != ERROR_UNAVAILABLE) {
			*e = failed;
			break;
		}
		snprintf(tried + at, sizeof(tried) - at, "%s%s%s", at ? ", " : "",
			 suites[i] ? suites[i] : "own suite",
			 failed.kind == ERROR_NONE ? " (has none)" : " (not to be had)");
		if (failed.kind != ERROR_NONE && !reason[0])
			snprintf(reason, sizeof(reason), ": %.190s", failed.text);
	}
	free(apt);
	return result ? error_set(e, ERROR_UNAVAILABLE, ENOENT,
				  "kernel '%s' (%s) is not to be had; tried %s%s; give a local "
				  "image, or look at apt's sources and the network", wish->spec,
				  vm_arch_package(wish->arch), tried, reason) : 0;
}

static int use_file(const char *spec, enum vm_arch arch, struct vm_kernel *kernel,
		    struct error *e)
{
	const char *slash = strrchr(spec, '/');
	enum vm_arch found;
	size_t i;

	if (image_check(spec, &found, e))
		return -e->code;
	if (found != arch)
		return error_set(e, ERROR_USAGE, EINVAL,
				 "--kernel %s: is for %s, the shape is %s",
				 list_quote(spec).text, vm_arch_name(found), vm_arch_name(arch));
	if (!realpath(spec, kernel->path))
		return error_set(e, ERROR_USAGE, errno, "--kernel %s: %s", list_quote(spec).text,
				 strerror(errno));
	/* It becomes part of file names. */
	snprintf(kernel->name, sizeof(kernel->name), "%s", slash ? slash + 1 : spec);
	for (i = 0; kernel->name[i]; i++)
		if (!isalnum((unsigned char)kernel->name[i]) && !strchr("+-._", kernel->name[i]))
			kernel->name[i] = '_';
	kernel->package[0] = '\0';
	return 0;
}

/* What the text can mean; a pattern for apt is made of it, so nothing else may be in it. */
static int read_spec(struct wish *wish, struct error *e)
{
	const char *spec = wish->spec;
	size_t length = strlen(spec), allowed;

	allowed = strspn(spec, "abcdefghijklmnopqrstuvwxyz0123456789.+-");
	if (!length || length > 90 || allowed != length || spec[0] == '.' || spec[0] == '-')
		return error_set(e, ERROR_USAGE, EINVAL,
				 "--kernel %s: is no file, version (6.12), suite (sid) or package "
				 "name", list_quote(spec).text);
	wish->series = "";
	if (packages_release(spec, wish->release, sizeof(wish->release)))
		return 0;
	if (!strncmp(spec, "linux-", 6))
		return error_set(e, ERROR_USAGE, EINVAL,
				 "--kernel %s: is no package with an image; they begin with "
				 "linux-image- or linux-binary- and a version",
				 list_quote(spec).text);
	if (isdigit((unsigned char)spec[0]))
		wish->series = spec;
	else
		wish->suite = spec;
	return 0;
}

int kernel_find(const struct vm_context *context, const char *spec, enum vm_arch arch,
		struct vm_kernel *kernel, struct error *e)
{
	struct wish wish = { .spec = spec, .arch = arch };
	struct stat stat_buffer;
	int lock, result;

	if (strchr(spec, '/') || (!stat(spec, &stat_buffer) && S_ISREG(stat_buffer.st_mode)))
		return use_file(spec, arch, kernel, e);
	result = read_spec(&wish, e);
	if (result)
		return result;
	snprintf(wish.folder, sizeof(wish.folder), "%s/kernels/%s", context->cache,
		 vm_arch_package(arch));
	if (!use_cached(&wish, kernel))
		return 0;
	lock = vm_lock(context, e);
	if (lock < 0)
		return lock;
	/* Another process may have fetched it meanwhile. */
	result = use_cached(&wish, kernel) ? fetch(context, &wish, kernel, e) : 0;
	close(lock);
	return result;
}
