/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_VM_PROCESS_H
#define RINGSCALE_VM_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

/*
 * Programs that the lab starts. Each leads a process group of its own, so that
 * all of it can be killed, and dies with this process, whatever ends it. Its
 * standard input is empty. Used by one thread.
 */
struct process {
	const char *const *argv;	/* NULL-terminated; argv[0] is looked for in PATH */
	const char *folder;		/* to start in; NULL: the current one */
	const char *environment[4];	/* "NAME=VALUE" more; NULL ends them */
	int out, err;			/* where stdout and stderr go; -1: nowhere */
};

/* Starts it. Returns its pid, or -errno: -ENOENT where there is no such program. */
pid_t process_start(const struct process *process);

/* Whether it has ended; then *status is as of waitpid. Does not wait. */
int process_ended(pid_t pid, int *status);

/* Kills the whole group and waits for its leader. */
void process_kill(pid_t pid);

/*
 * Runs a program to its end, at most `limit_ns`. `interrupt_fd` becomes readable when
 * the user wants out (-1: never). *output, where asked for, is all of its stdout, ended by
 * a NUL and to be freed; what it wrote to stderr goes into the error, last line first.
 * Returns 0 if it exited with 0. Else: -ENOENT there is no such program (ERROR_UNAVAILABLE),
 * -EINTR (ERROR_INTERRUPTED), -ETIME, or -EIO it failed (ERROR_FAILED).
 */
int process_run(const struct process *process, int64_t limit_ns, int interrupt_fd, char **output,
		struct error *e);

/* Copies what stands in an open file from its start, at most `max_bytes` of its end; free() it. */
char *process_read_all(int fd, size_t max_bytes);

#endif
