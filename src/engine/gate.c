// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/gate.h"

#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define SPINS_PER_LOOK 1024
/* A sleeper looks at the stop flag this often. */
#define NAP_NS 20000000

void gate_init(struct gate *gate, unsigned expected, bool spin, int64_t limit_ns,
	       _Atomic bool *stop)
{
	atomic_init(&gate->waiting, 0);
	atomic_init(&gate->generation, 0);
	gate->expected = expected;
	gate->spin = spin;
	gate->limit_ns = limit_ns;
	gate->stop = stop;
}

static void nap(struct gate *gate, uint32_t generation)
{
	struct timespec limit = { .tv_nsec = NAP_NS };

	syscall(SYS_futex, &gate->generation, FUTEX_WAIT_PRIVATE, generation, &limit, NULL, 0);
}

static void open_gate(struct gate *gate)
{
	/* Reset before the release below lets anyone come round to the gate again. */
	atomic_store_explicit(&gate->waiting, 0, memory_order_relaxed);
	atomic_fetch_add_explicit(&gate->generation, 1, memory_order_release);
	if (!gate->spin)
		syscall(SYS_futex, &gate->generation, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

static bool wait_open(struct gate *gate, uint32_t generation)
{
	int64_t since_ns = clock_now_ns();
	unsigned spins = 0;

	while (atomic_load_explicit(&gate->generation, memory_order_acquire) == generation) {
		if (gate->spin) {
			clock_pause();
			if (++spins % SPINS_PER_LOOK)
				continue;
		} else {
			nap(gate, generation);
		}
		if (atomic_load_explicit(gate->stop, memory_order_relaxed))
			return false;
		if (clock_now_ns() - since_ns > gate->limit_ns) {
			atomic_store_explicit(gate->stop, true, memory_order_relaxed);
			return false;
		}
	}
	return true;
}

bool gate_wait(struct gate *gate)
{
	uint32_t generation = atomic_load_explicit(&gate->generation, memory_order_acquire);
	unsigned before = atomic_fetch_add_explicit(&gate->waiting, 1, memory_order_acq_rel);

	if (before + 1 == gate->expected)
		open_gate(gate);
	else if (!wait_open(gate, generation))
		return false;
	return !atomic_load_explicit(gate->stop, memory_order_relaxed);
}
