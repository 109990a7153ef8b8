// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/context.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <poll.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vm/process.h"

#define TEXT_MAX (16u << 20)

int vm_context_init(struct vm_context *context, struct error *e)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int length;

	/* The specification wants relative paths ignored. */
	if (cache && cache[0] == '/')
		length = snprintf(context->cache, sizeof(context->cache), "%s/ringscale", cache);
	else if (home && home[0] == '/')
		length = snprintf(context->cache, sizeof(context->cache), "%s/.cache/ringscale",
				  home);
	else
		return error_set(e, ERROR_USAGE, ENOENT,
				 "no cache folder: neither XDG_CACHE_HOME nor HOME is set");
	if (length >= (int)sizeof(context->cache))
		return error_set(e, ERROR_USAGE, ENAMETOOLONG,
				 "the cache folder's path is too long; set XDG_CACHE_HOME");
	return 0;
}

void vm_say(const struct vm_context *context, const char *format, ...)
{
	char text[512];
	va_list arguments;

	if (!context->say)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	context->say(context->argument, text);
}

int vm_make_folder(const char *path, struct error *e)
{
	char part[PATH_MAX];
	size_t length = strlen(path);

	for (size_t i = 1; i <= length; i++) {
		if (path[i] != '/' && path[i])
			continue;
		snprintf(part, sizeof(part), "%.*s", (int)i, path);
		if (mkdir(part, 0777) < 0 && errno != EEXIST)
			return error_set(e, ERROR_FAILED, errno, "cannot make folder '%s': %s",
					 part, strerror(errno));
	}
	return 0;
}

int vm_make_temporary(const struct vm_context *context, char *path, size_t size, struct error *e)
{
	if (vm_make_folder(context->cache, e))
		return -e->code;
	snprintf(path, size, "%s/tmp-XXXXXX", context->cache);
	if (!mkdtemp(path))
		return error_set(e, ERROR_FAILED, errno, "cannot make a folder in '%s': %s",
				 context->cache, strerror(errno));
	return 0;
}

static int remove_one(const char *path, const struct stat *stat, int type, struct FTW *walk)
{
	(void)stat;
	(void)type;
	(void)walk;
	remove(path);
	return 0;
}

void vm_remove(const char *path)
{
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

int vm_write_file(const char *path, const char *text, struct error *e)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	size_t length = strlen(text), at = 0;
	int code = 0;

	if (fd < 0)
		return error_set(e, ERROR_FAILED, errno, "cannot write '%s': %s", path,
				 strerror(errno));
	while (at < length && !code) {
		ssize_t done = write(fd, text + at, length - at);

		if (done < 0 && errno != EINTR)
			code = errno;
		else if (done > 0)
			at += (size_t)done;
	}
	if (close(fd) < 0 && !code)
		code = errno;
	return code ? error_set(e, ERROR_FAILED, code, "cannot write '%s': %s", path,
				strerror(code)) : 0;
}

char *vm_read_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text;

	if (fd < 0)
		return NULL;
	text = process_read_all(fd, TEXT_MAX);
	close(fd);
	return text;
}

/* Temporary folders are made under the lock: who holds it finds only those of the dead. */
static void remove_leftovers(const struct vm_context *context)
{
	char pattern[PATH_MAX];
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/tmp-??????", context->cache);
	if (glob(pattern, 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++)
		vm_remove(found.gl_pathv[i]);
	globfree(&found);
}

int vm_lock(const struct vm_context *context, struct error *e)
{
	char path[PATH_MAX];
	bool said = false;
	int fd;

	if (vm_make_folder(context->cache, e))
		return -e->code;
	snprintf(path, sizeof(path), "%s/lock", context->cache);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return error_set(e, ERROR_FAILED, errno, "cannot open '%s': %s", path,
				 strerror(errno));
	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		struct pollfd poll_fd = { .fd = context->interrupt_fd, .events = POLLIN };
		int code = errno;

		if (code != EWOULDBLOCK || poll(&poll_fd, 1, 200) > 0) {
			close(fd);
			return code == EWOULDBLOCK
				? error_set(e, ERROR_INTERRUPTED, EINTR, "interrupted")
				: error_set(e, ERROR_FAILED, code, "cannot lock '%s': %s", path,
					    strerror(code));
		}
		if (!said)
			vm_say(context, "waiting for another fetch");
		said = true;
	}
	remove_leftovers(context);
	return fd;
}
