/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_WORKLOADS_RIG_H
#define RINGSCALE_WORKLOADS_RIG_H

#include "workloads/workload.h"

/*
 * The rings of a pair, as every workload that fills a table needs them. The
 * functions with the signature of a hook serve as one.
 */

/* Hook open: the source ring with pair->file in fixed slot 0, its io-wq bound. */
int rig_open_source(struct pair *pair, struct error *e);

/* Hook prepare: the target ring with its sparse table; create_ns and register_ns.
 * -ENOMEM, which late ring teardown causes, is retried for RIG_RETRY_NS. */
#define RIG_RETRY_NS INT64_C(1000000000)
int rig_prepare_target(struct pair *pair, struct error *e);

/* Hook finish: unregisters the table and closes the target ring; unregister_ns and exit_ns. */
void rig_finish_target(struct pair *pair);

/* Hook close. */
void rig_close_source(struct pair *pair);

/* Reads the stamp of install i through fixed slot slot_of[i] of the target into
 * read_back[i], 0 where that fails. Uses the target ring, so only after its CQ was drained. */
int rig_read_back(struct pair *pair, struct error *e);

/* Hook check's first step: a failed call, a wait that outlasted the limit. */
int rig_judge_sides(const struct pair *pair, struct error *e);

#endif
