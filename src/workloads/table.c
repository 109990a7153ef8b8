// SPDX-License-Identifier: GPL-2.0-or-later
#include "workloads/list.h"

#include <stddef.h>

const struct workload *const workloads[] = {
	&send_fd_workload,
	&bare_workload,
	NULL,
};

const char *const workload_names[] = {
	"send-fd",
	"bare",
	NULL,
};
