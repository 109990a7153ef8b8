// SPDX-License-Identifier: GPL-2.0-or-later
#include "workloads/list.h"

#include <stddef.h>

const struct workload *const workloads[] = {
	&send_fd_workload,
	&msg_data_workload,
	&bare_workload,
	&reclaim_workload,
	&enter_workload,
	&update_files_workload,
	&update_buffers_workload,
	NULL,
};

const char *const phase_names[PHASE_COUNT] = {
	[PHASE_CREATE] = "create_ns",
	[PHASE_REGISTER] = "register_ns",
	[PHASE_FIRST_FILL] = "first_fill_ns",
	[PHASE_REMOVE] = "remove_ns",
	[PHASE_RELEASE_WAIT] = "release_wait_ns",
	[PHASE_REFILL] = "refill_ns",
	[PHASE_UNREGISTER] = "unregister_ns",
	[PHASE_EXIT] = "exit_ns",
};

const char *const workload_names[] = {
	"send-fd",
	"msg-data",
	"bare",
	"reclaim",
	"enter",
	"update-files",
	"update-buffers",
	NULL,
};
