// SPDX-License-Identifier: GPL-2.0-or-later
/* --file per-slot: a file of its own for every install. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/uring.h"
#include "workloads/rig.h"

int rig_make_file(uint64_t stamp)
{
	int fd = memfd_create("ringscale", MFD_CLOEXEC), code;

	if (fd < 0)
		return -errno;
	errno = ENOSPC;
	if (write(fd, &stamp, sizeof(stamp)) == sizeof(stamp) && !fcntl(fd, F_SETFL, O_NONBLOCK))
		return fd;
	code = errno;
	close(fd);
	return -code;
}

int rig_fill_source(struct pair *pair, struct error *e)
{
	pair->stamps[0] = pair->stamp;
	for (unsigned i = 1; i < pair->count; i++) {
		int fd, result;

		/* Neighbours differ, and pairs begin at random places. 0 means unreadable. */
		pair->stamps[i] = pair->stamps[i - 1] + 1;
		pair->stamps[i] += !pair->stamps[i];
		fd = rig_make_file(pair->stamps[i]);
		result = fd < 0 ? fd : uring_update_files(&pair->source, i, &fd, 1);
		if (fd >= 0)
			close(fd);
		if (result)
			return error_set(e, ERROR_FAILED, -result,
					 "cannot make file %u of %u (--file per-slot): %s; use "
					 "fewer --used or --pairs",
					 i + 1, pair->count, strerror(-result));
	}
	return 0;
}
