/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_ENGINE_GATE_H
#define RINGSCALE_ENGINE_GATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A gate counts the threads that reach it and lets all go on together when the
 * last has come; then it stands again. What a thread wrote before the gate is
 * seen by all behind it. Threads with a PU of their own spin in it; others sleep (futex).
 *
 * A gate whose threads do not all come within its limit sets *stop, and every
 * gate with the same stop flag opens: a dead thread ends a block, it does not hang it.
 */
struct gate {
	_Atomic unsigned waiting __attribute__((aligned(128)));
	_Atomic uint32_t generation __attribute__((aligned(128)));
	unsigned expected;
	bool spin;
	int64_t limit_ns;
	_Atomic bool *stop;
};

/* `stop` is borrowed and outlives the gate. */
void gate_init(struct gate *gate, unsigned expected, bool spin, int64_t limit_ns,
	       _Atomic bool *stop);

/* Waits for the others. True: all came. False: stopped, or the limit passed and *stop was set here. */
bool gate_wait(struct gate *gate);

#endif
