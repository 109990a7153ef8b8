// SPDX-License-Identifier: GPL-2.0-or-later
#include "installs_support.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

struct fill *fill_honest(void)
{
	static struct fill fill;

	memset(&fill, 0, sizeof(fill));
	for (unsigned i = 0; i < USED; i++) {
		fill.sent_cqes[i].user_data = installs_tag(PAIR, i);
		fill.sent_cqes[i].res = (int)i;
		fill.arrived_cqes[i] = fill.sent_cqes[i];
		fill.read_back[i] = STAMP;
	}
	fill.sent = (struct arrivals){ fill.sent_cqes, USED };
	fill.arrived = (struct arrivals){ fill.arrived_cqes, USED };
	fill.installs = (struct installs){
		.pair = PAIR, .slots = SLOTS, .used = USED,
		.sent = &fill.sent, .arrived = &fill.arrived,
	};
	return &fill;
}

int fill_judge(struct fill *fill)
{
	return installs_judge(&fill->installs, fill->slot_of, fill->taken, &fill->e);
}

int fill_judge_stamps(struct fill *fill, const uint64_t *stamps)
{
	return installs_judge_stamps(fill->read_back, fill->slot_of, USED,
				     stamps ? stamps : &(uint64_t){ STAMP }, stamps, &fill->e);
}

void fill_refused(struct fill *fill, const char *why)
{
	assert_int_not_equal(fill_judge(fill), 0);
	assert_int_equal(fill->e.kind, ERROR_FAILED);
	if (!strstr(fill->e.text, why))
		fail_msg("'%s' does not say '%s'", fill->e.text, why);
}
