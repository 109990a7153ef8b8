// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/machine_use.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/files.h"
#include "machine/noise.h"

static void read_files(const char *root, struct machine_use *use)
{
	char line[96];
	uint64_t files, unused, limit;

	if (machine_read_line_under(root, "/proc/sys/fs/file-nr", line, sizeof(line)) < 0 ||
	    sscanf(line, "%" SCNu64 " %" SCNu64 " %" SCNu64, &files, &unused, &limit) != 3)
		return;
	use->files = (int64_t)files;
	use->file_limit = limit > INT64_MAX ? INT64_MAX : (int64_t)limit;
}

static void read_slab(const char *root, struct machine_use *use)
{
	char *text = machine_read_all(root, "/proc/meminfo");
	const char *line = text ? strstr(text, "\nSlab:") : NULL;
	int64_t kilobytes;

	if (line && sscanf(line, " Slab: %" SCNd64 " kB", &kilobytes) == 1)
		use->slab_bytes = kilobytes * 1024;
	free(text);
}

void machine_use_read_under(const char *root, struct machine_use *use)
{
	*use = (struct machine_use){ NOISE_UNKNOWN, NOISE_UNKNOWN, NOISE_UNKNOWN };
	read_files(root, use);
	read_slab(root, use);
}

int machine_use_admit(const struct machine_use *use, uint64_t needed, const char *option,
		      struct error *e)
{
	int64_t left = use->file_limit - use->files;

	if (use->files == NOISE_UNKNOWN || use->file_limit == NOISE_UNKNOWN ||
	    (left > 0 && needed <= (uint64_t)left / 2))
		return 0;
	return error_set(e, ERROR_USAGE, ENFILE,
			 "%s: may hold %" PRIu64 " files, and of the machine's %" PRId64
			 " (fs.file-max) %" PRId64 " are open; half of what is left is the most: ask for "
			 "less, or raise it (as root: sysctl fs.file-max=N)", option, needed,
			 use->file_limit, use->files);
}

void machine_use_read(struct machine_use *use)
{
	machine_use_read_under("", use);
}
