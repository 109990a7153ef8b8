/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_WORKLOADS_RIG_H
#define RINGSCALE_WORKLOADS_RIG_H

#include "workloads/workload.h"

/*
 * The rings of a pair, as every workload that fills a table needs them. The
 * functions with the signature of a hook serve as one.
 */

/* Hook open: the source ring with pair->file in fixed slot 0, its io-wq bound. Where every
 * install has a file of its own, those of the slots behind it are made here, and pair->stamps
 * filled; else the hub of a fan-out has the file of every pair, in slot i that of pair i. */
int rig_open_source(struct pair *pair, struct error *e);

/* Hook prepare: the target ring and its sparse table, as far as they are not there; PHASE_CREATE
 * and PHASE_REGISTER, all other phases PHASE_NONE. -ENOMEM, which late ring teardown causes, is
 * retried for RIG_RETRY_NS. */
#define RIG_RETRY_NS INT64_C(1000000000)
int rig_prepare_target(struct pair *pair, struct error *e);

/* Nothing recorded yet by this side of a fill. */
void rig_reset_side(struct side *side, struct arrivals *arrivals);

/* Hook prepare where there is only the target ring: nothing recorded yet, then as above. */
int rig_prepare_alone(struct pair *pair, struct error *e);

/*
 * Hook finish, by cycle: closes the ring (fresh), unregisters the table (reregister), or
 * empties the slots of slot_of and waits for their release, at most RIG_RELEASE_NS (reuse;
 * slot_of is sorted then; one ring alone goes on as it is). After the `last` fill of a ring: unregisters the table and closes
 * the ring.
 */
#define RIG_RELEASE_NS INT64_C(3000000000)
int rig_finish_target(struct pair *pair, bool last, struct error *e);

/* The two steps of it. The table is unregistered (PHASE_UNREGISTER), the ring closed (PHASE_EXIT),
 * each only if there is one. 0 or -errno. */
int rig_unregister_table(struct pair *pair, struct error *e);
void rig_close_target(struct pair *pair);

/* Binds the io-wq workers of a ring that the calling thread has made to the pair's sender_pu.
 * Whether they are. */
bool rig_bind_workers(const struct pair *pair, struct io_uring *ring);

/* Hook close. */
void rig_close_source(struct pair *pair);

/* The calling thread, which is pair's sender or receiver (or both), takes back the ring
 * descriptors that it has registered: an index belongs to its task, and cannot be taken back by
 * another one. */
void rig_leave(struct pair *pair, bool sends, bool receives);

/* Reads the stamp of install i < count through fixed slot slot_of[i] of the target into
 * read_back[i], 0 where that fails. `count` is at most `used`. Uses the target ring, so only after its CQ was drained. */
int rig_read_back(struct pair *pair, unsigned count, struct error *e);

/* Submits the `count` SQEs that liburing has got of the target ring and stays until as many CQEs are
 * there. 0 or -errno. Not timed. */
int rig_complete(struct pair *pair, unsigned count, struct error *e);

/* Hook check's first step: a failed call, a wait that outlasted the limit. */
int rig_judge_sides(const struct pair *pair, struct error *e);

/* Of a fan-in, between the two: puts what its senders recorded into the hub's `gathered` and
 * `stamp_of`, and judges that each got what is its own. */
int rig_gather_sent(struct pair *hub, struct error *e);

/* Hook check's last step: whether every slot holds the file that it should. */
int rig_judge_files(struct pair *pair, struct error *e);

/* Empties the slots of a full table, for rig_finish_target; PHASE_REMOVE and PHASE_RELEASE_WAIT.
 * 0 or -errno. */
int rig_empty_table(struct pair *pair, struct error *e);

/* A new file that begins with `stamp`, a memfd that is read inline. Its descriptor, or -errno. */
int rig_make_file(uint64_t stamp);

/* Makes the files of installs 1 to used - 1 and puts them into the source's slots, for
 * rig_open_source. One descriptor at a time: the table keeps the files. 0 or -errno. */
int rig_fill_source(struct pair *pair, struct error *e);

#endif
