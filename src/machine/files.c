// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/files.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/identity.h"

static int full_path(const char *root, const char *path, char *buffer, size_t size)
{
	int length = snprintf(buffer, size, "%s%s", root, path);

	return length < 0 || (size_t)length >= size ? -ENAMETOOLONG : 0;
}

int machine_read_line(const char *path, char *buffer, size_t size)
{
	ssize_t length;
	int fd, result;

	buffer[0] = '\0';
	/* Some files of /sys/kernel/debug wait for a writer: never block on one. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	do
		length = read(fd, buffer, size - 1);
	while (length < 0 && errno == EINTR);
	result = length < 0 ? -errno : 0;
	close(fd);
	if (result) {
		buffer[0] = '\0';
		return result;
	}
	buffer[length] = '\0';
	buffer[strcspn(buffer, "\n")] = '\0';
	length = strlen(buffer);
	while (length > 0 && isspace((unsigned char)buffer[length - 1]))
		buffer[--length] = '\0';
	return length;
}

int machine_read_line_under(const char *root, const char *path, char *buffer, size_t size)
{
	char full[1024];
	int result = full_path(root, path, full, sizeof(full));

	buffer[0] = '\0';
	return result ? result : machine_read_line(full, buffer, size);
}

char *machine_read_fd(int fd)
{
	size_t size = 0, capacity = 1 << 12;
	char *text = malloc(capacity);

	while (text) {
		ssize_t length = read(fd, text + size, capacity - size - 1);
		char *larger;

		if (length < 0 && errno == EINTR)
			continue;
		if (length < 0)
			break;
		size += length;
		text[size] = '\0';
		if (length == 0)
			return text;
		if (capacity - size > 1)
			continue;
		capacity *= 2;
		larger = realloc(text, capacity);
		if (!larger)
			break;
		text = larger;
	}
	free(text);
	return NULL;
}

char *machine_read_all(const char *root, const char *path)
{
	char full[1024], *text;
	int fd;

	if (full_path(root, path, full, sizeof(full)))
		return NULL;
	fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return NULL;
	text = machine_read_fd(fd);
	close(fd);
	return text;
}

int machine_read_number(const char *root, const char *path, int64_t *value)
{
	char line[64], *end;
	int length = machine_read_line_under(root, path, line, sizeof(line));

	if (length < 0)
		return length;
	errno = 0;
	*value = strtoll(line, &end, 10);
	return errno || end == line || *end ? -EINVAL : 0;
}

static int status_number(const char *name, int base, uint64_t *value)
{
	char *status = machine_read_all("", "/proc/thread-self/status");
	char *line, *end;
	int result = -ENOENT;

	for (line = status; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, strlen(name)))
			continue;
		line += strlen(name);
		errno = 0;
		*value = strtoull(line, &end, base);
		result = errno || end == line ? -EINVAL : 0;
		break;
	}
	free(status);
	return result;
}

int machine_status_hex(const char *name, uint64_t *value)
{
	return status_number(name, 16, value);
}

int machine_status_number(const char *name, int64_t *value)
{
	uint64_t number;
	int result = status_number(name, 10, &number);

	if (!result)
		*value = (int64_t)number;
	return result;
}

uint64_t fnv1a(uint64_t hash, const void *data, size_t size)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	return hash;
}

int fnv1a_file(const char *path, uint64_t *hash)
{
	char buffer[1 << 16];
	ssize_t length;
	int fd = open(path, O_RDONLY | O_CLOEXEC), result;

	if (fd < 0)
		return -errno;
	*hash = FNV_START;
	while ((length = read(fd, buffer, sizeof(buffer))) != 0) {
		if (length < 0 && errno == EINTR)
			continue;
		if (length < 0)
			break;
		*hash = fnv1a(*hash, buffer, length);
	}
	result = length < 0 ? -errno : 0;
	close(fd);
	return result;
}
