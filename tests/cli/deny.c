// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * deny ERROR SYSCALL... -- COMMAND [ARGUMENT...]
 *
 * Runs COMMAND with some system calls denied by a seccomp filter, as a
 * container does: with EPERM, ENOSYS, EOPNOTSUPP, ... or, for KILL, by SIGSYS.
 * Bad usage and what cannot be run end with 125.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CALLS_MAX 16
#define FAILED 125

static const struct {
	const char *name;
	unsigned value;
} actions[] = {
	{ "EPERM", SECCOMP_RET_ERRNO | EPERM },
	{ "EACCES", SECCOMP_RET_ERRNO | EACCES },
	{ "ENOSYS", SECCOMP_RET_ERRNO | ENOSYS },
	{ "EOPNOTSUPP", SECCOMP_RET_ERRNO | EOPNOTSUPP },
	{ "EINVAL", SECCOMP_RET_ERRNO | EINVAL },
	{ "ENOMEM", SECCOMP_RET_ERRNO | ENOMEM },
	{ "KILL", SECCOMP_RET_KILL_PROCESS },
}, calls[] = {
	{ "io_uring_setup", __NR_io_uring_setup },
	{ "io_uring_enter", __NR_io_uring_enter },
	{ "io_uring_register", __NR_io_uring_register },
	{ "memfd_create", __NR_memfd_create },
	{ "mmap", __NR_mmap },
	{ "perf_event_open", __NR_perf_event_open },
	{ "prlimit64", __NR_prlimit64 },
	{ "sched_getaffinity", __NR_sched_getaffinity },
	{ "sched_setaffinity", __NR_sched_setaffinity },
};

#define LOOK_UP(table, word, value) look_up(table, sizeof(table) / sizeof(table[0]), word, value)

static int look_up(const void *table, size_t count, const char *word, unsigned *value)
{
	const __typeof__(actions[0]) *rows = table;

	for (size_t i = 0; i < count; i++) {
		if (strcmp(rows[i].name, word))
			continue;
		*value = rows[i].value;
		return 0;
	}
	fprintf(stderr, "deny: '%s': unknown; add it to the table in deny.c\n", word);
	return -1;
}

/* One jump a call, to the denial behind them all. Foreign architectures are not looked at. */
static int install(unsigned action, const unsigned *numbers, size_t count)
{
	struct sock_filter filter[CALLS_MAX + 3];
	struct sock_fprog program = { .len = count + 3, .filter = filter };
	size_t n = 0;

	filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						   offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < count; i++)
		filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, numbers[i],
							   count - i, 0);
	filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
	/* Lets an ordinary user do it, and keeps the filter through execve. */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
	unsigned action, numbers[CALLS_MAX];
	size_t count = 0;
	int i;

	if (argc < 2 || LOOK_UP(actions, argv[1], &action))
		return FAILED;
	for (i = 2; i < argc && strcmp(argv[i], "--"); i++)
		if (count == CALLS_MAX || LOOK_UP(calls, argv[i], &numbers[count++]))
			return FAILED;
	if (!count || i + 1 >= argc) {
		fputs("usage: deny ERROR SYSCALL... -- COMMAND [ARGUMENT...]\n", stderr);
		return FAILED;
	}
	if (install(action, numbers, count)) {
		perror("deny: no seccomp filter");
		return FAILED;
	}
	execvp(argv[i + 1], argv + i + 1);
	perror(argv[i + 1]);
	return FAILED;
}
