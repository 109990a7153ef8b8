// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

#define POLL_MS 20
#define OUTPUT_MAX (256u << 20)

/* In the child: never returns. Sends errno through `report` where it cannot go on. */
static void become(const struct process *process, pid_t parent, int report)
{
	sigset_t none;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int code;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setpgid(0, 0);
	/* The parent may have died before this took hold. */
	if (null < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
		goto out;
	if (dup2(null, 0) < 0 || dup2(process->out < 0 ? null : process->out, 1) < 0 ||
	    dup2(process->err < 0 ? null : process->err, 2) < 0)
		goto out;
	if (process->folder && chdir(process->folder) < 0)
		goto out;
	for (int i = 0; i < 4 && process->environment[i]; i++)
		putenv((char *)process->environment[i]);
	execvp(process->argv[0], (char *const *)process->argv);
out:
	code = errno;
	if (write(report, &code, sizeof(code)) < 0)
		_exit(126);
	_exit(127);
}

pid_t process_start(const struct process *process)
{
	pid_t parent = getpid(), pid;
	int report[2], code = 0;

	if (pipe2(report, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();
	if (pid < 0) {
		code = errno;
		close(report[0]);
		close(report[1]);
		return -code;
	}
	if (!pid)
		become(process, parent, report[1]);
	close(report[1]);
	if (read(report[0], &code, sizeof(code)) != sizeof(code))
		code = 0;
	close(report[0]);
	/* Done twice, so that neither side depends on the other's pace. */
	setpgid(pid, pid);
	if (code) {
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
		return -code;
	}
	return pid;
}

int process_ended(pid_t pid, int *status)
{
	pid_t ended = waitpid(pid, status, WNOHANG);

	return ended == pid || (ended < 0 && errno == ECHILD);
}

void process_kill(pid_t pid)
{
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

char *process_read_all(int fd, size_t max_bytes)
{
	struct stat stat;
	size_t size, at = 0;
	off_t from = 0;
	char *text;

	if (fstat(fd, &stat) < 0)
		return NULL;
	size = (size_t)stat.st_size;
	if (size > max_bytes) {
		from = (off_t)(size - max_bytes);
		size = max_bytes;
	}
	text = malloc(size + 1);
	while (text && at < size) {
		ssize_t got = pread(fd, text + at, size - at, from + (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		at += (size_t)got;
	}
	if (text)
		text[at] = '\0';
	return text;
}

/* The last line that says something. */
static const char *last_line(char *text)
{
	char *line = NULL, *place = NULL;

	for (char *next = strtok_r(text, "\n", &place); next; next = strtok_r(NULL, "\n", &place))
		if (*next && (!line || strncmp(next, "W: ", 3)))
			line = next;
	return line ? line : "it said nothing";
}

static int explain(const char *name, int status, int err, struct error *e)
{
	char *text;

	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	text = process_read_all(err, 8192);
	if (WIFSIGNALED(status))
		error_set(e, ERROR_FAILED, EIO, "%s was killed by signal %d: %.300s", name,
			  WTERMSIG(status), text ? last_line(text) : "");
	else
		error_set(e, ERROR_FAILED, EIO, "%s failed with status %d: %.300s", name,
			  WEXITSTATUS(status), text ? last_line(text) : "");
	free(text);
	return -EIO;
}

static int wait_for(pid_t pid, const char *name, int64_t limit_ns, int interrupt_fd, int err,
		    struct error *e)
{
	int64_t end_ns = clock_now_ns() + limit_ns;
	int status = 0;

	while (!process_ended(pid, &status)) {
		struct pollfd poll_fd = { .fd = interrupt_fd, .events = POLLIN };

		if (poll(&poll_fd, 1, POLL_MS) > 0) {
			process_kill(pid);
			return error_set(e, ERROR_INTERRUPTED, EINTR, "interrupted while %s ran",
					 name);
		}
		if (clock_now_ns() > end_ns) {
			process_kill(pid);
			return error_set(e, ERROR_FAILED, ETIME, "%s was killed after %lld s", name,
					 (long long)(limit_ns / 1000000000));
		}
	}
	return explain(name, status, err, e);
}

int process_run(const struct process *process, int64_t limit_ns, int interrupt_fd, char **output,
		struct error *e)
{
	struct process started = *process;
	int out = output ? memfd_create("out", MFD_CLOEXEC) : -1;
	int err = memfd_create("err", MFD_CLOEXEC);
	pid_t pid;
	int result;

	if (err < 0 || (output && out < 0)) {
		result = error_set(e, ERROR_FAILED, errno, "no memory to run %s", process->argv[0]);
		goto out;
	}
	started.out = out;
	started.err = err;
	pid = process_start(&started);
	if (pid == -ENOENT) {
		result = error_set(e, ERROR_UNAVAILABLE, ENOENT,
				   "'%s' is not installed; make deps check installs it",
				   process->argv[0]);
		goto out;
	}
	if (pid < 0) {
		result = error_set(e, ERROR_FAILED, (int)-pid, "cannot start %s: %s",
				   process->argv[0], strerror((int)-pid));
		goto out;
	}
	result = wait_for(pid, process->argv[0], limit_ns, interrupt_fd, err, e);
	if (!result && output) {
		*output = process_read_all(out, OUTPUT_MAX);
		if (!*output)
			result = error_set(e, ERROR_FAILED, ENOMEM, "no memory for what %s printed",
					   process->argv[0]);
	}
out:
	if (out >= 0)
		close(out);
	if (err >= 0)
		close(err);
	return result;
}
