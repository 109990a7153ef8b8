// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/shape.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/list.h"
#include "vm/process.h"

#define SHAPE_FILE_MAX (1u << 20)

/* Folders beside the program, in a source tree, under build/NAME, installed. */
static const char *const folders[] = {
	"topologies", "../topologies", "../../topologies", "../share/ringscale/topologies", NULL
};

static int program_folder(char *folder, size_t size)
{
	ssize_t length = readlink("/proc/self/exe", folder, size - 1);

	if (length <= 0)
		return -ENOENT;
	folder[length] = '\0';
	*strrchr(folder, '/') = '\0';
	return 0;
}

static int load_file(struct vm_shape *shape, const char *name, const char *path, struct error *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), result;
	struct stat stat;
	char *text = NULL;

	if (fd < 0 || fstat(fd, &stat) < 0)
		result = error_set(e, ERROR_USAGE, errno, "--shape '%s': %s", path,
				   strerror(errno));
	else if (!S_ISREG(stat.st_mode) || stat.st_size > SHAPE_FILE_MAX)
		result = error_set(e, ERROR_USAGE, EINVAL, "--shape '%s': is not a shape file",
				   path);
	else if (!(text = process_read_all(fd, SHAPE_FILE_MAX)))
		result = error_set(e, ERROR_FAILED, ENOMEM, "no memory for '%s'", path);
	else if (strlen(text) != (size_t)stat.st_size)
		result = error_set(e, ERROR_USAGE, EINVAL, "--shape '%s': is not a text file",
				   path);
	else
		result = shape_parse(shape, name, text, e);
	free(text);
	if (fd >= 0)
		close(fd);
	return result;
}

/* Appends the names of the shapes in a folder. */
static void list_shapes(const char *folder, char *list, size_t size)
{
	DIR *directory = opendir(folder);
	const struct dirent *entry;

	while (directory && (entry = readdir(directory)) != NULL) {
		size_t length = strlen(entry->d_name), at = strlen(list);

		if (length > 3 && !strcmp(entry->d_name + length - 3, ".vm"))
			snprintf(list + at, size - at, "%s%.*s", at ? ", " : "", (int)length - 3,
				 entry->d_name);
	}
	if (directory)
		closedir(directory);
}

int shape_load(struct vm_shape *shape, const char *name, struct error *e)
{
	char base[PATH_MAX / 2], path[PATH_MAX], known[256] = "";

	if (strchr(name, '/') || !access(name, F_OK)) {
		const char *slash = strrchr(name, '/');

		return load_file(shape, slash ? slash + 1 : name, name, e);
	}
	for (int i = 0; !program_folder(base, sizeof(base)) && folders[i]; i++) {
		snprintf(path, sizeof(path), "%s/%s/%s.vm", base, folders[i], name);
		if (!access(path, F_OK))
			return load_file(shape, name, path, e);
		*strrchr(path, '/') = '\0';
		if (!known[0])
			list_shapes(path, known, sizeof(known));
	}
	return error_set(e, ERROR_USAGE, ENOENT, "--shape %s: no such shape or file; known: %s",
			 list_quote(name).text, known[0] ? known : "none, no topologies folder");
}
