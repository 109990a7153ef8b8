/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_WORKLOADS_INSTALLS_H
#define RINGSCALE_WORKLOADS_INSTALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "workloads/workload.h"

/*
 * The verdict over one fill of installs: pure functions over recorded arrays,
 * no ring and no system call, so that tests can feed them every lie a fill
 * could tell.
 *
 * Install i carries the tag installs_tag(pair, i) as user_data on both rings.
 */
struct installs {
	unsigned pair;			/* whose tags are expected */
	unsigned slots, used;
	bool explicit_slot;		/* install i asked for slot i and both ends return 0 */
	/* No installs but messages: the source returns 0, the target the number of the message,
	 * which slot_of holds too. */
	bool message;
	bool skip_cqe;			/* no target CQEs are posted */
	const struct arrivals *sent, *arrived;
	unsigned sent_left, arrived_left;	/* CQEs still in the rings after reaping */
	bool overflow;			/* IORING_SQ_CQ_OVERFLOW was seen at any sample */
	unsigned dropped;		/* SQEs that the kernel dropped */
};

static inline uint64_t installs_tag(unsigned pair, unsigned install)
{
	return ((uint64_t)pair << 32) | install;
}

/*
 * Judges the completions: one source CQE and (unless skipped) one target CQE for
 * every install, flags zero, result in range, both ends name the same slot, no
 * slot twice, none missing, nothing left over. Fills slot_of[0..used). `taken` is scratch of
 * max(slots, used) bytes. Returns 0, or -errno with an ERROR_FAILED naming the first lie.
 */
int installs_judge(const struct installs *installs, unsigned *slot_of, uint8_t *taken,
		   struct error *e);

/*
 * One sender's part of a fill of several: every CQE in `sent` must speak of one of the installs
 * [first, first + count), and there must be `count`. 0, or -errno with an ERROR_FAILED.
 */
int installs_judge_share(const struct arrivals *sent, unsigned pair, unsigned first, unsigned count,
			 struct error *e);

/*
 * Judges what was read back: read_back[i], read through slot slot_of[i], must be stamps[i] where
 * `each` install has its own file, else stamps[0]; 0 stands for a slot that could not be read.
 */
int installs_judge_stamps(const uint64_t *read_back, const unsigned *slot_of, unsigned used,
			  const uint64_t *stamps, bool each, struct error *e);

#endif
