// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/gate.h"

#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdlib.h>
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

static void nap(_Atomic uint32_t *word, uint32_t value)
{
	struct timespec limit = { .tv_nsec = NAP_NS };

	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &limit, NULL, 0);
}

static void wake(_Atomic uint32_t *word, int count)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

static void open_gate(struct gate *gate)
{
	/* Reset before the release below lets anyone come round to the gate again. */
	atomic_store_explicit(&gate->waiting, 0, memory_order_relaxed);
	atomic_fetch_add_explicit(&gate->generation, 1, memory_order_release);
	if (!gate->spin)
		wake(&gate->generation, INT32_MAX);
}

/* Until *word is no longer `value`; false: stopped, or too late. */
static bool wait_change(struct gate *gate, _Atomic uint32_t *word, uint32_t value)
{
	int64_t since_ns = clock_now_ns();
	unsigned spins = 0;

	while (atomic_load_explicit(word, memory_order_acquire) == value) {
		if (gate->spin) {
			clock_pause();
			if (++spins % SPINS_PER_LOOK)
				continue;
		} else {
			nap(word, value);
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
	else if (!wait_change(gate, &gate->generation, generation))
		return false;
	return !atomic_load_explicit(gate->stop, memory_order_relaxed);
}

int lane_init(struct lane *lane, unsigned count)
{
	lane->count = count;
	atomic_init(&lane->arrived, 0);
	lane->turns = malloc(count * sizeof(*lane->turns));
	if (!lane->turns)
		return -ENOMEM;
	for (unsigned i = 0; i < count; i++)
		atomic_init(&lane->turns[i], i + 1 - count);
	return 0;
}

void lane_free(struct lane *lane)
{
	free(lane->turns);
	lane->turns = NULL;
}

bool gate_wait_turn(struct gate *gate, struct lane *lane, unsigned *ticket)
{
	uint32_t generation = atomic_load_explicit(&gate->generation, memory_order_acquire);
	_Atomic uint32_t *turn;
	uint32_t value;

	*ticket = atomic_fetch_add_explicit(&lane->arrived, 1, memory_order_relaxed);
	turn = &lane->turns[*ticket % lane->count];
	value = *ticket + 1 - lane->count;	/* as the lane's last time here left it */
	if (atomic_fetch_add_explicit(&gate->waiting, 1, memory_order_acq_rel) + 1 ==
	    gate->expected)
		open_gate(gate);
	else if (*ticket % lane->count == 0 && !wait_change(gate, &gate->generation, generation))
		return false;
	if (*ticket % lane->count && !wait_change(gate, turn, value))
		return false;
	return !atomic_load_explicit(gate->stop, memory_order_relaxed);
}

void lane_pass(struct lane *lane, unsigned ticket)
{
	unsigned next = ticket + 1;

	if (next % lane->count == 0)
		return;
	atomic_store_explicit(&lane->turns[next % lane->count], next + 1, memory_order_release);
	wake(&lane->turns[next % lane->count], 1);
}
