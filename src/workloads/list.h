/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_WORKLOADS_LIST_H
#define RINGSCALE_WORKLOADS_LIST_H

#include "workloads/workload.h"

/* One line per workload file; table.c puts them in order. */
extern const struct workload send_fd_workload;
extern const struct workload msg_data_workload;
extern const struct workload bare_workload;
extern const struct workload reclaim_workload;
extern const struct workload enter_workload;
extern const struct workload update_files_workload;
extern const struct workload update_buffers_workload;

#endif
