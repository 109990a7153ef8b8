/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_ENGINE_INTERRUPT_H
#define RINGSCALE_ENGINE_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>

/*
 * SIGINT, SIGTERM and SIGHUP as something to poll: the coordinator is never
 * interrupted in the middle of a line. A SIGHUP that nohup ignores stays ignored. One per process, used by one thread.
 */
struct interrupt {
	int fd;			/* readable once a signal has come; -1 closed */
	sigset_t before;	/* the mask to go back to, also in a child */
	int signal;		/* the first that came; 0 none */
};

/* Blocks the signals and opens the descriptor. 0 or -errno. */
int interrupt_open(struct interrupt *interrupt);

/* Whether a signal has come, now or before. Does not wait. */
bool interrupt_came(struct interrupt *interrupt);

/* Closes and restores the mask; a signal that came meanwhile is not delivered again. */
void interrupt_close(struct interrupt *interrupt);

#endif
