/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef INSTALLS_SUPPORT_H
#define INSTALLS_SUPPORT_H

#include <stdint.h>

#include "workloads/installs.h"

#define USED 8
#define SLOTS 16
#define PAIR 3
#define STAMP UINT64_C(0x1122334455667788)

/* An honest fill: install i lands in slot i, CQEs in order. */
struct fill {
	struct io_uring_cqe sent_cqes[USED + 1], arrived_cqes[USED + 1];
	struct arrivals sent, arrived;
	struct installs installs;
	unsigned slot_of[USED];
	uint8_t taken[SLOTS];
	uint64_t read_back[USED];
	struct error e;
};

/* The same memory at each call. */
struct fill *fill_honest(void);

int fill_judge(struct fill *fill);

/* `stamps`: one a slot; NULL: STAMP in all. */
int fill_judge_stamps(struct fill *fill, const uint64_t *stamps);

/* Refused, with words that hold `why`. */
void fill_refused(struct fill *fill, const char *why);

#endif
