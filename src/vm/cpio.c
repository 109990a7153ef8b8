// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/cpio.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/files.h"
#include "vm/process.h"

#define MODE_FOLDER 0040755
#define MODE_FILE 0100000
#define MODE_CHARACTER 0020600
#define FILE_MAX (512u << 20)

int cpio_open(struct cpio *cpio, const char *path, struct error *e)
{
	memset(cpio, 0, sizeof(*cpio));
	cpio->path = path;
	cpio->inode = 1;
	cpio->hash = FNV_START;
	cpio->out = fopen(path, "we");
	if (!cpio->out)
		return error_set(e, ERROR_FAILED, errno, "cannot write '%s': %s", path,
				 strerror(errno));
	return 0;
}

static void put(struct cpio *cpio, const void *data, size_t size)
{
	if (cpio->failed.kind != ERROR_NONE || !size)
		return;
	cpio->hash = fnv1a(cpio->hash, data, size);
	if (fwrite(data, 1, size, cpio->out) != size)
		error_set(&cpio->failed, ERROR_FAILED, errno, "cannot write '%s': %s", cpio->path,
			  strerror(errno));
}

/* Names and contents are filled up to four bytes. */
static void pad(struct cpio *cpio, size_t size)
{
	put(cpio, "\0\0\0", (4 - size % 4) % 4);
}

static void entry(struct cpio *cpio, const char *name, unsigned mode, const void *data,
		  size_t size, unsigned major, unsigned minor)
{
	char header[128];
	size_t name_size, length;

	while (*name == '/')
		name++;
	name_size = strlen(name) + 1;
	length = (size_t)snprintf(header, sizeof(header),
				  "070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X",
				  cpio->inode++, mode, 0, 0, 1, 0, (unsigned)size, 0, 0, major,
				  minor, (unsigned)name_size, 0);
	put(cpio, header, length);
	put(cpio, name, name_size);
	pad(cpio, length + name_size);
	put(cpio, data, size);
	pad(cpio, size);
}

void cpio_folder(struct cpio *cpio, const char *name)
{
	entry(cpio, name, MODE_FOLDER, NULL, 0, 0, 0);
}

void cpio_data(struct cpio *cpio, const char *name, unsigned mode, const void *data, size_t size)
{
	entry(cpio, name, MODE_FILE | mode, data, size, 0, 0);
}

void cpio_device(struct cpio *cpio, const char *name, unsigned major, unsigned minor)
{
	entry(cpio, name, MODE_CHARACTER, NULL, 0, major, minor);
}

void cpio_copy(struct cpio *cpio, const char *name, unsigned mode, const char *from)
{
	int fd = open(from, O_RDONLY | O_CLOEXEC);
	struct stat stat;
	char *data = NULL;

	if (fd >= 0 && !fstat(fd, &stat) && S_ISREG(stat.st_mode) && stat.st_size < FILE_MAX)
		data = process_read_all(fd, FILE_MAX);
	if (data)
		cpio_data(cpio, name, mode, data, (size_t)stat.st_size);
	else
		error_set(&cpio->failed, ERROR_FAILED, errno ? errno : EIO,
			  "cannot read '%s' for the guest", from);
	free(data);
	if (fd >= 0)
		close(fd);
}

int cpio_close(struct cpio *cpio, struct error *e)
{
	entry(cpio, "TRAILER!!!", 0, NULL, 0, 0, 0);
	if (fclose(cpio->out) && cpio->failed.kind == ERROR_NONE)
		error_set(&cpio->failed, ERROR_FAILED, errno, "cannot write '%s': %s", cpio->path,
			  strerror(errno));
	cpio->out = NULL;
	if (cpio->failed.kind == ERROR_NONE)
		return 0;
	remove(cpio->path);
	return error_set(e, cpio->failed.kind, cpio->failed.code, "%s", cpio->failed.text);
}
