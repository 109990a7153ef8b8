// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/clock.h"

#include <errno.h>

void clock_sleep_ns(int64_t ns)
{
	struct timespec left = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR)
		;
}

void clock_spin_ns(int64_t ns)
{
	int64_t end = clock_now_ns() + ns;

	while (clock_now_ns() < end)
		clock_pause();
}
