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

/*
 * The threads of one PU among those of a gate. Where threads share PUs, what they do behind a gate
 * may go in turns: the first of every lane goes on when the gate opens, each other one when the
 * one before it has ended its turn. Let loose all at once, dozens of threads that make and
 * unmap rings would queue up for the process's memory map, asleep, several times each.
 */
struct lane {
	unsigned count;			/* threads in it */
	_Atomic unsigned arrived;	/* ever: its threads' tickets */
	_Atomic uint32_t *turns;	/* [ticket % count]: ticket + 1 once it is its turn; owned */
} __attribute__((aligned(128)));

/* `stop` is borrowed and outlives the gate. */
void gate_init(struct gate *gate, unsigned expected, bool spin, int64_t limit_ns,
	       _Atomic bool *stop);

/* Waits for the others. True: all came. False: stopped, or the limit passed and *stop was set here. */
bool gate_wait(struct gate *gate);

/* A lane of `count` threads. 0 or -ENOMEM; lane_free also after failure. */
int lane_init(struct lane *lane, unsigned count);
void lane_free(struct lane *lane);

/* The same, and goes on in turn: *ticket is for lane_pass. Every thread of the lane comes every time. */
bool gate_wait_turn(struct gate *gate, struct lane *lane, unsigned *ticket);

/* Ends a turn. Before the thread's next wait, and when it leaves. */
void lane_pass(struct lane *lane, unsigned ticket);

#endif
