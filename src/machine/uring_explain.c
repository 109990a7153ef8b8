// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/uring_probe.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const char *const step_names[] = {
	[URING_STEP_SETUP] = "io_uring_setup",
	[URING_STEP_ENTER] = "io_uring_enter",
	[URING_STEP_REGISTER] = "io_uring_register",
	[URING_STEP_SEND] = "IORING_MSG_SEND_FD",
	[URING_STEP_READ_BACK] = "reading an installed file",
	[URING_STEP_DONE] = "the probe",
};

#define ALLOW_IN_SECCOMP \
	"let its profile allow io_uring_setup, io_uring_enter and io_uring_register " \
	"(docker, podman: --security-opt seccomp=PROFILE)"

static const char *errno_name(int code)
{
	const char *name = strerrorname_np(code);

	return name ? name : "an unknown error";
}

/* The release as 1000 * major + minor, 0 where it cannot be told. */
static int release_number(const char *release)
{
	int major, minor;

	return sscanf(release, "%d.%d", &major, &minor) == 2 ? 1000 * major + minor : 0;
}

static int explain_sysctl(const struct uring_refusal *r, struct error *e)
{
	char group[64];

	if (r->disabled >= 2)
		return error_set(e, ERROR_UNAVAILABLE, r->code,
				 "io_uring: forbidden to every process by "
				 "kernel.io_uring_disabled = %" PRId64
				 "; as root: sysctl kernel.io_uring_disabled=0", r->disabled);
	if (r->group < 0)
		snprintf(group, sizeof(group), "unset");
	else
		snprintf(group, sizeof(group), "%" PRId64, r->group);
	return error_set(e, ERROR_UNAVAILABLE, r->code,
			 "io_uring: forbidden to this user by kernel.io_uring_disabled = %" PRId64
			 " (kernel.io_uring_group is %s); run as root, set "
			 "kernel.io_uring_group to a group of this user, or as root: "
			 "sysctl kernel.io_uring_disabled=0",
			 r->disabled, group);
}

static int explain_denied(const struct uring_refusal *r, struct error *e)
{
	const char *call = step_names[r->step], *name = errno_name(r->code);

	if (r->step == URING_STEP_SETUP && r->code == EPERM &&
	    (r->disabled >= 2 || (r->disabled == 1 && !r->exempt)))
		return explain_sysctl(r, e);
	if (r->seccomp > 0)
		return error_set(e, ERROR_UNAVAILABLE, r->code,
				 "io_uring: a seccomp filter (a container or sandbox has set it) "
				 "answers %s with %s; " ALLOW_IN_SECCOMP, call, name);
	return error_set(e, ERROR_UNAVAILABLE, r->code,
			 "io_uring: %s is answered with %s, though no seccomp filter and no sysctl "
			 "forbid it: a security module or sandbox does; see the kernel log, or run "
			 "outside it", call, name);
}

static int explain_missing(const struct uring_refusal *r, struct error *e)
{
	const char *call = step_names[r->step];
	/* The sysctl came with 6.6: where it is, io_uring is too. */
	bool present = r->disabled >= 0 || r->step > URING_STEP_SETUP;

	if (r->seccomp > 0 && (present || release_number(r->release) < 6006))
		return error_set(e, ERROR_UNAVAILABLE, r->code,
				 "io_uring: a seccomp filter (a container or sandbox has set it) "
				 "answers %s with ENOSYS%s; " ALLOW_IN_SECCOMP, call,
				 present ? "" : ", or the kernel has no io_uring");
	if (present)
		return error_set(e, ERROR_UNAVAILABLE, r->code,
				 "io_uring: %s is answered with ENOSYS, though kernel %s has it: a "
				 "sandbox stands between; run outside it", call, r->release);
	return error_set(e, ERROR_UNAVAILABLE, r->code,
			 "io_uring: kernel %s has none (ENOSYS); boot one of 6.0 or later built "
			 "with CONFIG_IO_URING=y", r->release);
}

static int explain_sandbox(const struct uring_refusal *r, struct error *e)
{
	return error_set(e, ERROR_UNAVAILABLE, r->code,
			 "io_uring: a sandbox%s answers %s with EOPNOTSUPP; run outside it, or "
			 ALLOW_IN_SECCOMP,
			 r->seccomp > 0 ? " (a seccomp filter is active)" : "",
			 step_names[r->step]);
}

static int explain_short(const struct uring_refusal *r, struct error *e)
{
	if (r->code == ENOMEM && r->locked_bytes >= 0)
		return error_set(e, ERROR_UNAVAILABLE, r->code,
				 "io_uring: %s finds no memory under RLIMIT_MEMLOCK of %" PRId64
				 " bytes; raise it (ulimit -l, or LimitMEMLOCK= in systemd), or "
				 "end other programs of this user that hold rings",
				 step_names[r->step], r->locked_bytes);
	if (r->code == ENOMEM)
		return error_set(e, ERROR_UNAVAILABLE, r->code,
				 "io_uring: %s finds no memory; free some, or raise the memory "
				 "limit of the cgroup", step_names[r->step]);
	return error_set(e, ERROR_UNAVAILABLE, r->code,
			 "io_uring: %s finds no free file descriptor (%s); raise RLIMIT_NOFILE "
			 "(ulimit -n)%s", step_names[r->step], errno_name(r->code),
			 r->code == ENFILE ? " and fs.file-max" : "");
}

/* A kernel that knows the call and not what is asked of it: too old. */
static int explain_unknown(const struct uring_refusal *r, struct error *e)
{
	if (r->step == URING_STEP_REGISTER)
		return error_set(e, ERROR_UNAVAILABLE, r->code,
				 "sparse file tables: refused by kernel %s "
				 "(IORING_REGISTER_FILES2: %s); needs Linux 6.0 or later",
				 r->release, errno_name(r->code));
	if (r->step >= URING_STEP_SEND)
		return error_set(e, ERROR_UNAVAILABLE, r->code,
				 "send-fd: kernel %s refuses to install a file in another ring "
				 "(%s: %s); needs Linux 6.0 or later", r->release,
				 step_names[r->step], errno_name(r->code));
	return error_set(e, ERROR_UNAVAILABLE, r->code,
			 "io_uring: %s is answered with %s by kernel %s; needs Linux 6.0 or later",
			 step_names[r->step], errno_name(r->code), r->release);
}

static int explain_signal(const struct uring_refusal *r, struct error *e)
{
	const char *name = sigabbrev_np(r->signal);

	return error_set(e, ERROR_UNAVAILABLE, EPERM,
			 "io_uring: %s ended the process with SIG%s%s; " ALLOW_IN_SECCOMP,
			 step_names[r->step], name ? name : "?",
			 r->signal == SIGSYS ? ": a seccomp filter kills it" : "");
}

int uring_explain(const struct uring_refusal *r, struct error *e)
{
	if (r->signal)
		return explain_signal(r, e);
	switch (r->code) {
	case EPERM:
	case EACCES:
		return explain_denied(r, e);
	case ENOSYS:
		return explain_missing(r, e);
	case EOPNOTSUPP:
		return explain_sandbox(r, e);
	case ENOMEM:
	case EMFILE:
	case ENFILE:
		return explain_short(r, e);
	case EIO:
		return error_set(e, ERROR_UNAVAILABLE, r->code,
				 "send-fd: kernel %s reports success, but %s does not give what "
				 "was sent; boot another kernel, and report this one", r->release,
				 step_names[r->step]);
	case ETIME:
	case ETIMEDOUT:
		return error_set(e, ERROR_UNAVAILABLE, r->code,
				 "io_uring: %s did not come to an end in time; see the kernel log",
				 step_names[r->step]);
	}
	return explain_unknown(r, e);
}
