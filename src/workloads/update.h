/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_WORKLOADS_UPDATE_H
#define RINGSCALE_WORKLOADS_UPDATE_H

#include <sys/uio.h>

#include "workloads/workload.h"

/*
 * What the workloads that replace the contents of a table have in common.
 *
 * Updates go round the table slot by slot, and every time round they put the other one of two
 * things into the slots: each replaces what the time round before has left, and what is read
 * back tells which time round it was. Update u since the table was registered is of slot
 * u % slots; the first time round is the filling of the table, which is not timed.
 */
struct update {
	uint64_t next;			/* u of the next one */
	uint64_t stamps[2];		/* what is read back from slots by the time round, even and odd */
	int files[2];			/* update-files: the pair's, and one of its own */
	void *pages[2];			/* update-buffers */
	/* The things as one call takes them, alike: `batch` descriptors or iovecs. Owned. */
	void *entries[2];
};

static inline struct update *update_of(const struct pair *pair)
{
	return pair->own;
}

/* Which of the two things update u puts into its slot. */
static inline unsigned update_which(const struct pair *pair, uint64_t u)
{
	return (unsigned)(u / pair->shape->slots % 2);
}

/* For the hook open: pair->own, entries of `entry` in an array for each of the two. 0 or -errno;
 * update_free releases, also after failure. */
int update_make(struct pair *pair, size_t entry_size, struct error *e);
void update_fill_entries(struct pair *pair, unsigned which, const void *entry, size_t entry_size);
void update_free(struct pair *pair);

/* Hook prepare: what there is not of ring and table, the latter full. */
int update_prepare(struct pair *pair, struct error *e);

/* Hook send of updates by register calls of a batch each; a batch ends with the table. */
void update_send_calls(struct pair *pair);

/* Of hook check, before the slots are read back: failed calls, completions. Then slot_of[0, n) are the
 * slots that this fill has touched, n is returned in *touched, and update_expected says what is
 * to be read in slot_of[i]. 0 or -errno. */
int update_judge(struct pair *pair, unsigned *touched, struct error *e);
uint64_t update_expected(const struct pair *pair, unsigned touched, unsigned i);

/* Hook check's last step: read_back[0, touched) against it. */
int update_judge_slots(const struct pair *pair, unsigned touched, struct error *e);

#endif
