/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_BASE_MARKER_H
#define RINGSCALE_BASE_MARKER_H

/*
 * Marks for whoever watches the program instruction by instruction, as the plugin of `vm
 * --profile` does: a NOP each, always compiled in, known by its operand, so that no
 * address has to be known.
 *
 * The engine has them around the timed calls of every workload, OPEN behind the first look at
 * the clock and CLOSE behind the last, so that a window holds as many instructions as the
 * clock counts. A workload needs none of its own.
 *
 *	BLOCK	a block begins; in the coordinator, once for every block that is recorded
 *	ASIDE	the next window is a warm-up fill: not measured
 *	COLD	the next window is the first fill of a ring that lasts a round
 *	OPEN	the window begins behind this instruction
 *	CLOSE	and ends before this one
 */
#define MARKER_BLOCK	1
#define MARKER_ASIDE	2
#define MARKER_COLD	3
#define MARKER_OPEN	4
#define MARKER_CLOSE	5
#define MARKER_LAST	MARKER_CLOSE

/*
 * x86-64: nopl MARKER_BASE + n (%rax), 0f 1f 80 and a displacement of four bytes; nothing is
 * accessed. arm64: movz xzr, #MARKER_BASE + n, which writes nowhere; the operand of its hints has
 * seven bits only, and they have meanings.
 */
#define MARKER_BASE	0x5c00

/* Nothing is moved across it by the compiler. */
#if defined(__x86_64__)
#define marker(n) \
	__asm__ volatile(".byte 0x0f, 0x1f, 0x80\n\t.long %c0" :: "i"(MARKER_BASE + (n)) : "memory")
#elif defined(__aarch64__)
#define marker(n) __asm__ volatile("movz xzr, %0" :: "i"(MARKER_BASE + (n)) : "memory")
#else
#define marker(n) __asm__ volatile("" ::: "memory")
#endif

#endif
