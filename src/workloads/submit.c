// SPDX-License-Identifier: GPL-2.0-or-later
#include "workloads/submit.h"

#include <errno.h>

bool submit_rest(struct pair *pair, struct io_uring *ring, unsigned count, int taken)
{
	struct side *side = &pair->sender;
	unsigned left = count;

	for (;;) {
		if (taken > 0) {
			left -= (unsigned)taken;
		} else if (taken != -EINTR) {
			side->error = taken ? -taken : EIO;
			return false;
		}
		if (!left)
			break;
		taken = uring_enter(ring, left, 0, 0);
	}
	/* Punted to io-wq, for send-fd where the target's lock was taken: rare, and waited for. */
	while (uring_ready(ring) < count) {
		int result = uring_enter(ring, 0, count, pair->shape->timeout_ns);

		side->slept = true;
		if (result == -EINTR && !atomic_load_explicit(pair->stop, memory_order_relaxed))
			continue;
		if (result < 0) {
			side->timed_out = result == -ETIME;
			side->error = side->timed_out ? 0 : -result;
			return false;
		}
	}
	return true;
}
