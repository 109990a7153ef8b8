/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_MACHINE_URING_PROBE_H
#define RINGSCALE_MACHINE_URING_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Tries, in a child process of its own so that no state is left, whether
 * io_uring may be used at all and whether a SEND_FD really installs a file.
 * Both return 0, or -errno with an ERROR_UNAVAILABLE of one line that says
 * which of sysctl, seccomp (EPERM), missing (ENOSYS), sandbox, kernel too old it
 * is, with its value, and what to change. Neither takes longer than a few seconds.
 */
int uring_probe_setup(struct error *e);
int uring_probe_send_fd(struct error *e);

/* How far an attempt came; each step is tried after the one before has worked. */
enum uring_step {
	URING_STEP_SETUP,	/* io_uring_setup */
	URING_STEP_ENTER,	/* io_uring_enter of a NOP, its completion */
	URING_STEP_REGISTER,	/* io_uring_register of an empty table of files */
	URING_STEP_SEND,	/* MSG_RING with SEND_FD */
	URING_STEP_READ_BACK,	/* reading the installed file through the other table */
	URING_STEP_DONE,
};

/* Why a step was refused, as far as the machine tells. Unknown numbers are -1. */
struct uring_refusal {
	enum uring_step step;
	int code;		/* positive errno of the step; 0 where a signal ended it */
	int signal;		/* that ended the child, else 0 */
	int64_t disabled;	/* kernel.io_uring_disabled; -1: no such sysctl */
	int64_t group;		/* kernel.io_uring_group; -1: none */
	bool exempt;		/* CAP_SYS_ADMIN or in that group: a value of 1 does not apply */
	int seccomp;		/* Seccomp: of /proc/self/status: 0 none, 2 filter */
	int64_t locked_bytes;	/* soft RLIMIT_MEMLOCK; -1 unlimited or not charged */
	const char *release;	/* of the kernel */
};

/* Says it in one line. Always returns the negative error that it sets. Pure. */
int uring_explain(const struct uring_refusal *refusal, struct error *e);

#endif
