// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "machine/uring_probe.h"

/* What is left out is a machine without anything that forbids io_uring: see complete(). */
struct explained {
	struct uring_refusal refusal;
	const char *has[4];	/* what the line must say */
	const char *lacks;
};

static const struct explained cases[] = {
	/* sysctl */
	{ { .code = EPERM, .disabled = 2 },
	  { "kernel.io_uring_disabled = 2", "every process", "sysctl kernel.io_uring_disabled=0" },
	  "seccomp" },
	{ { .code = EPERM, .disabled = 2, .exempt = true },
	  { "kernel.io_uring_disabled = 2" }, "seccomp" },
	{ { .code = EPERM, .disabled = 1 },
	  { "kernel.io_uring_disabled = 1", "kernel.io_uring_group is unset", "this user" },
	  "seccomp" },
	{ { .code = EPERM, .disabled = 1, .group = 990 },
	  { "kernel.io_uring_disabled = 1", "kernel.io_uring_group is 990" }, "seccomp" },
	/* A value of 1 does not apply to root: then something else said no. */
	{ { .code = EPERM, .disabled = 1, .exempt = true, .seccomp = 2 },
	  { "seccomp filter", "io_uring_setup with EPERM" }, "io_uring_disabled" },
	/* The sysctl forbids io_uring_setup alone. */
	{ { .code = EPERM, .disabled = 2, .step = URING_STEP_ENTER, .seccomp = 2 },
	  { "seccomp filter", "io_uring_enter with EPERM" }, "io_uring_disabled" },
	/* seccomp */
	{ { .code = EPERM, .seccomp = 2 },
	  { "seccomp filter", "EPERM", "--security-opt" }, "io_uring_disabled" },
	{ { .code = EPERM, .seccomp = 2, .disabled = -1, .release = "5.15.0" },
	  { "seccomp filter", "EPERM" }, "io_uring_disabled" },
	{ { .code = ENOSYS, .seccomp = 2 },
	  { "seccomp filter", "ENOSYS" }, "kernel has no io_uring" },
	{ { .code = ENOSYS, .seccomp = 2, .step = URING_STEP_REGISTER, .disabled = -1 },
	  { "seccomp filter", "io_uring_register" }, "kernel has no io_uring" },
	{ { .signal = SIGSYS, .seccomp = 2 },
	  { "SIGSYS", "seccomp filter kills", "io_uring_setup" }, NULL },
	{ { .signal = 63, .seccomp = 0 }, { "SIG?" }, "kills" },
	/* Nothing that can be seen: a security module. */
	{ { .code = EPERM }, { "security module", "EPERM" }, "answers" },
	{ { .code = EACCES }, { "security module", "EACCES" }, NULL },
	/* missing */
	{ { .code = ENOSYS, .disabled = -1 },
	  { "kernel 6.12.1 has none", "CONFIG_IO_URING=y" }, "seccomp" },
	/* From 6.6 on its absence is proof, filter or not; before, it is none. */
	{ { .code = ENOSYS, .disabled = -1, .seccomp = 2, .release = "6.6.0" },
	  { "kernel 6.6.0 has none" }, "seccomp" },
	{ { .code = ENOSYS, .disabled = -1, .seccomp = 2, .release = "6.1.0-9-amd64" },
	  { "seccomp filter", "or the kernel has no io_uring" }, NULL },
	{ { .code = ENOSYS }, { "sandbox", "kernel 6.12.1 has it" }, "seccomp filter" },
	/* sandbox */
	{ { .code = EOPNOTSUPP }, { "sandbox", "EOPNOTSUPP" }, "filter is active" },
	{ { .code = EOPNOTSUPP, .seccomp = 2 }, { "sandbox", "filter is active" }, NULL },
	/* limits */
	{ { .code = ENOMEM, .locked_bytes = 65536 },
	  { "RLIMIT_MEMLOCK of 65536 bytes", "ulimit -l" }, NULL },
	{ { .code = ENOMEM }, { "memory", "cgroup" }, "RLIMIT_MEMLOCK" },
	{ { .code = EMFILE }, { "RLIMIT_NOFILE", "EMFILE" }, "file-max" },
	{ { .code = ENFILE }, { "fs.file-max" }, NULL },
	/* too old */
	{ { .code = EINVAL, .step = URING_STEP_SEND, .release = "5.19.0" },
	  { "send-fd", "kernel 5.19.0", "IORING_MSG_SEND_FD", "6.0" }, "io_uring_setup" },
	{ { .code = EINVAL, .step = URING_STEP_REGISTER, .release = "5.18.0" },
	  { "tables", "5.18.0", "EINVAL", "6.0" }, NULL },
	{ { .code = EIO, .step = URING_STEP_READ_BACK },
	  { "send-fd", "does not give what was sent" }, "6.0 or later" },
	{ { .code = ETIMEDOUT, .step = URING_STEP_SEND }, { "in time" }, NULL },
	{ { .code = 4095 }, { "an unknown error" }, NULL },
};

static struct uring_refusal complete(struct uring_refusal refusal)
{
	refusal.group = refusal.group ? refusal.group : -1;
	refusal.locked_bytes = refusal.locked_bytes ? refusal.locked_bytes : -1;
	refusal.release = refusal.release ? refusal.release : "6.12.1";
	return refusal;
}

static void every_refusal_is_explained_in_one_line(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct explained *c = &cases[i];
		struct uring_refusal refusal = complete(c->refusal);
		struct error e = ERROR_INIT;
		bool right = uring_explain(&refusal, &e) < 0 && e.kind == ERROR_UNAVAILABLE;

		for (int word = 0; word < 4 && c->has[word]; word++)
			right = right && strstr(e.text, c->has[word]);
		right = right && !(c->lacks && strstr(e.text, c->lacks));
		/* One line, with a way out, and not cut off. */
		right = right && !strchr(e.text, '\n') && strstr(e.text, "; ") &&
			strlen(e.text) < sizeof(e.text) - 1;
		if (!right)
			fail_msg("case %zu: %s", i, e.text);
	}
}

static void probes_agree_with_each_other(void **state)
{
	struct error setup = ERROR_INIT, send = ERROR_INIT;

	(void)state;
	if (uring_probe_setup(&setup)) {
		assert_int_equal(setup.kind, ERROR_UNAVAILABLE);
		assert_true(uring_probe_send_fd(&send) < 0);
		assert_string_equal(setup.text, send.text);
		return;
	}
	assert_int_equal(setup.kind, ERROR_NONE);
	if (uring_probe_send_fd(&send))
		assert_int_equal(send.kind, ERROR_UNAVAILABLE);
	else
		assert_int_equal(send.kind, ERROR_NONE);
}

static void a_probe_works_where_ended_children_are_not_kept(void **state)
{
	struct error e = ERROR_INIT, again = ERROR_INIT;
	int result = uring_probe_send_fd(&e);
	__sighandler_t old = signal(SIGCHLD, SIG_IGN);

	(void)state;
	assert_int_equal(uring_probe_send_fd(&again), result);
	signal(SIGCHLD, old);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_refusal_is_explained_in_one_line),
		cmocka_unit_test(probes_agree_with_each_other),
		cmocka_unit_test(a_probe_works_where_ended_children_are_not_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
