// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/uring_probe.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/uring.h"
#include "machine/files.h"
#include "machine/limits.h"

#define PROBE_TABLE 4
#define PROBE_WAIT_NS 1000000000
#define PROBE_LIMIT_MS 5000
#define PROBE_STAMP UINT64_C(0x72696e677363616c)
#define CAP_SYS_ADMIN_BIT 21

/* What the child leaves in memory that it shares with its parent. */
struct attempt {
	enum uring_step step;
	int code;
};

/* Submits the one SQE that is filled and takes its completion: its result, or -errno. */
static int complete_one(struct io_uring *ring)
{
	struct io_uring_cqe *cqe;
	int result;

	uring_publish(ring, 1);
	result = uring_enter(ring, 1, 1, PROBE_WAIT_NS);
	if (result < 0)
		return result;
	if (!uring_ready(ring))
		return -ETIME;
	cqe = &ring->cq.cqes[*ring->cq.khead & *ring->cq.kring_mask];
	result = cqe->res;
	io_uring_cq_advance(ring, 1);
	return result;
}

static int open_and_enter(struct attempt *attempt, struct io_uring *ring)
{
	int result;

	attempt->step = URING_STEP_SETUP;
	result = uring_open(ring, 4, 8, 0, NULL);
	if (result)
		return result;
	attempt->step = URING_STEP_ENTER;
	io_uring_prep_nop(uring_sqe(ring, 0));
	return complete_one(ring);
}

static int try_setup(struct attempt *attempt)
{
	struct io_uring ring;
	int result = open_and_enter(attempt, &ring);

	if (result)
		return result;
	attempt->step = URING_STEP_REGISTER;
	result = uring_register_sparse(&ring, PROBE_TABLE);
	/* A kernel before 5.19 knows no sparse tables and has io_uring all the same. */
	return result == -EINVAL ? 0 : result;
}

static int make_stamped_file(void)
{
	uint64_t stamp = PROBE_STAMP;
	int fd = memfd_create("ringscale-probe", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	return pwrite(fd, &stamp, sizeof(stamp), 0) == sizeof(stamp) ? fd : -EIO;
}

static int try_send_fd(struct attempt *attempt)
{
	struct io_uring source, target;
	uint64_t stamp = 0;
	int fd, slot, result;

	result = open_and_enter(attempt, &source);
	if (!result)
		result = open_and_enter(attempt, &target);
	if (result)
		return result;
	attempt->step = URING_STEP_REGISTER;
	fd = make_stamped_file();
	result = fd < 0 ? fd : uring_register_sparse(&source, PROBE_TABLE);
	if (!result)
		result = uring_update_files(&source, 0, &fd, 1);
	if (!result)
		result = uring_register_sparse(&target, PROBE_TABLE);
	if (result)
		return result;
	attempt->step = URING_STEP_SEND;
	uring_prep_send_fd(uring_sqe(&source, 0), target.ring_fd, 0, IORING_FILE_INDEX_ALLOC, 1, 2,
			   0);
	slot = complete_one(&source);
	if (slot < 0)
		return slot;
	/* The target has its own completion of the message: taken before the read's. */
	if (!uring_ready(&target))
		return -EIO;
	io_uring_cq_advance(&target, 1);
	attempt->step = URING_STEP_READ_BACK;
	io_uring_prep_read(uring_sqe(&target, 0), slot, &stamp, sizeof(stamp), 0);
	uring_sqe(&target, 0)->flags |= IOSQE_FIXED_FILE;
	result = complete_one(&target);
	if (result < 0)
		return result;
	return result == sizeof(stamp) && stamp == PROBE_STAMP ? 0 : -EIO;
}

/* Waits for the end of the child: its wait status, or -ETIMEDOUT after killing it. */
static int wait_for(pid_t child, int pipe_fd, int *status)
{
	struct pollfd end = { .fd = pipe_fd, .events = POLLIN };
	int result;

	/* The child holds the other end until it is gone, however it goes. */
	do
		result = poll(&end, 1, PROBE_LIMIT_MS);
	while (result < 0 && errno == EINTR);
	if (result == 0)
		kill(child, SIGKILL);
	*status = 0;
	/* ECHILD, where SIGCHLD is ignored: then the shared memory alone must tell. */
	while (waitpid(child, status, 0) < 0 && errno == EINTR)
		;
	return result == 0 ? -ETIMEDOUT : 0;
}

/* 0 if every step of `try` worked in a child process; else what stopped it is in *refusal. */
static int attempt_in_child(int (*try)(struct attempt *), struct uring_refusal *refusal)
{
	struct attempt *attempt;
	int ends[2], status, result;
	pid_t child;

	attempt = mmap(NULL, sizeof(*attempt), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	if (attempt == MAP_FAILED)
		return -errno;
	if (pipe2(ends, O_CLOEXEC)) {
		result = -errno;
		goto out;
	}
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		attempt->code = -try(attempt);
		if (!attempt->code)
			attempt->step = URING_STEP_DONE;
		_exit(0);
	}
	result = child < 0 ? -errno : 0;
	close(ends[1]);
	if (!result)
		result = wait_for(child, ends[0], &status);
	close(ends[0]);
	if (result && result != -ETIMEDOUT)
		goto out;
	refusal->step = attempt->step;
	refusal->code = result ? ETIMEDOUT : attempt->code;
	if (!result && WIFSIGNALED(status))
		refusal->signal = WTERMSIG(status);
	if (refusal->code || refusal->signal)
		result = 1;
	else if (refusal->step != URING_STEP_DONE)
		result = -EIO;
out:
	munmap(attempt, sizeof(*attempt));
	return result;
}

static bool in_group(int64_t group)
{
	gid_t *groups;
	int count = getgroups(0, NULL);
	bool found = group >= 0 && (gid_t)group == getegid();

	if (found || group < 0 || count <= 0)
		return found;
	groups = calloc(count, sizeof(*groups));
	count = groups ? getgroups(count, groups) : 0;
	for (int i = 0; i < count && !found; i++)
		found = groups[i] == (gid_t)group;
	free(groups);
	return found;
}

/* What the machine says about it, for the words. */
static void read_circumstances(struct uring_refusal *refusal)
{
	struct limits limits;
	uint64_t capabilities = 0;
	int64_t seccomp;

	if (machine_read_number("", "/proc/sys/kernel/io_uring_disabled", &refusal->disabled))
		refusal->disabled = -1;
	if (machine_read_number("", "/proc/sys/kernel/io_uring_group", &refusal->group))
		refusal->group = -1;
	refusal->seccomp = machine_status_number("Seccomp:", &seccomp) ? -1 : seccomp;
	machine_status_hex("CapEff:", &capabilities);
	refusal->exempt = (capabilities >> CAP_SYS_ADMIN_BIT & 1) || in_group(refusal->group);
	limits_read(&limits);
	refusal->locked_bytes = -1;
	if (!limits_memlock_free() && limits.locked_memory.rlim_cur != RLIM_INFINITY)
		refusal->locked_bytes = limits.locked_memory.rlim_cur;
}

static int probe(int (*try)(struct attempt *), struct error *e)
{
	struct uring_refusal refusal = { 0 };
	struct utsname name;
	int result = attempt_in_child(try, &refusal);

	if (!result)
		return 0;
	if (result < 0)
		return error_set(e, ERROR_FAILED, -result,
				 "io_uring: cannot be tried in a child process: %s; free memory or "
				 "raise the limit of processes (ulimit -u)", strerror(-result));
	read_circumstances(&refusal);
	refusal.release = uname(&name) ? "of unknown release" : name.release;
	return uring_explain(&refusal, e);
}

int uring_probe_setup(struct error *e)
{
	return probe(try_setup, e);
}

int uring_probe_send_fd(struct error *e)
{
	return probe(try_send_fd, e);
}
