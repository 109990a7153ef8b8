// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

static int fail(struct error *e, const char *what, int code)
{
	return error_set(e, ERROR_FAILED, code, "cannot %s: %s%s", what, strerror(code),
			 code == EMFILE || code == ENFILE
				 ? "; raise the limit of open files (ulimit -n) or use fewer --pairs"
			 : code == ENOMEM ? "; free some memory, or use fewer --pairs" : "");
}

/* A new memfd that begins with a new stamp, or -errno. */
static int make_one(uint64_t *stamp)
{
	int fd;

	do {
		if (getrandom(stamp, sizeof(*stamp), 0) != sizeof(*stamp))
			return -EIO;
	} while (!*stamp);
	fd = memfd_create("ringscale", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, stamp, sizeof(*stamp)) != sizeof(*stamp)) {
		close(fd);
		return -EIO;
	}
	return fd;
}

int files_needed(const struct point *point)
{
	return point->pairs;
}

int files_make(struct files *files, int count, struct error *e)
{
	files->count = 0;
	files->fds = calloc((size_t)count, sizeof(*files->fds));
	files->stamps = calloc((size_t)count, sizeof(*files->stamps));
	if (!files->fds || !files->stamps)
		return fail(e, "remember the files to install", ENOMEM);
	while (files->count < count) {
		int fd = make_one(&files->stamps[files->count]);

		if (fd < 0)
			return fail(e, "make a file to install", -fd);
		files->fds[files->count++] = fd;
	}
	return 0;
}

void files_close(struct files *files)
{
	for (int i = 0; i < files->count; i++)
		close(files->fds[i]);
	free(files->fds);
	free(files->stamps);
	memset(files, 0, sizeof(*files));
}

int files_take(struct files *files, struct error *e)
{
	for (int i = 0; i < files->count; i++) {
		char path[64];
		int fd;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", files->fds[i]);
		fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0)
			return fail(e, "open a file to install", errno);
		close(files->fds[i]);
		files->fds[i] = fd;
		if (flock(fd, LOCK_EX | LOCK_NB) < 0)
			return fail(e, "lock a file to install", errno);
	}
	return 0;
}

bool files_are_free(const struct files *files)
{
	for (int i = 0; i < files->count; i++) {
		if (flock(files->fds[i], LOCK_EX | LOCK_NB) < 0)
			return false;
		flock(files->fds[i], LOCK_UN);
	}
	return true;
}
