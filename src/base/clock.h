/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_BASE_CLOCK_H
#define RINGSCALE_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* One clock, in ns. Costs a vDSO call where the clock source allows it. */
static inline int64_t clock_read_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* What every measured interval is made of: not slewed by NTP, the same on
 * every CPU. */
static inline int64_t clock_now_ns(void)
{
	return clock_read_ns(CLOCK_MONOTONIC_RAW);
}

/* CPU time of the calling thread: a system call, so never inside a timed region. */
static inline int64_t clock_thread_cpu_ns(void)
{
	return clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Tells the core that this is a spin loop. */
static inline void clock_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield" ::: "memory");
#else
	__asm__ volatile("" ::: "memory");
#endif
}

/* Sleeps for `ns`, going on after a signal; or spins for it. */
void clock_sleep_ns(int64_t ns);
void clock_spin_ns(int64_t ns);

#endif
