/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_WORKLOADS_REQUESTS_H
#define RINGSCALE_WORKLOADS_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "workloads/workload.h"

/*
 * The verdict over one fill of requests that concern one ring: pure functions over recorded
 * arrays, no ring and no system call, so that tests can feed them every lie.
 *
 * Request i carries installs_tag(pair, i) as its user_data.
 */
struct requests {
	unsigned pair;			/* whose tags are expected */
	unsigned count;
	int result;			/* what every one of them must return */
	const char *unit;		/* one of them, for messages: "NOP" */
	const struct arrivals *done;
	unsigned left;			/* CQEs still in the ring after reaping */
	bool overflow;			/* IORING_SQ_CQ_OVERFLOW was seen */
	unsigned dropped;		/* SQEs that the kernel dropped */
};

/*
 * Judges completions: one for every request, each with the result that it must have, flags
 * zero, no tag twice, none missing, nothing left over. `taken` is scratch of `count` bytes.
 * Returns 0, or -errno with an ERROR_FAILED naming the first lie.
 */
int requests_judge(const struct requests *requests, uint8_t *taken, struct error *e);

/*
 * Judges register calls, each recorded as a CQE of user_data installs_tag(pair, first request of the
 * call), flags how many it asked for, res what it returned: all that was asked for was done, in
 * order, none left out. Looks at nothing of `requests` but pair, count, unit and done.
 */
int requests_judge_calls(const struct requests *requests, struct error *e);

#endif
