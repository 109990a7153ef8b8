// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/boot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "vm/process.h"

#define POLL_MS 30
#define CONSOLE_MAX (1u << 20)
#define TRANSFER_MAX (256u << 20)
/* An oops reboots the guest, which ends QEMU: until then the rest of its text comes. */
#define OOPS_GRACE_NS 3000000000

/* What is known of a guest while it runs. */
struct watch {
	const struct qemu_plan *plan;
	const struct boot_limits *limits;
	struct boot *boot;
	int64_t start_ns, hello_ns, oops_ns;	/* 0: not yet */
	off_t console_size;			/* looked at so far */
};

static off_t file_size(const char *path)
{
	struct stat stat_buffer;

	return stat(path, &stat_buffer) < 0 ? 0 : stat_buffer.st_size;
}

static char *read_tail(const char *path, size_t max, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat stat_buffer;
	char *text;

	if (fd < 0)
		return NULL;
	text = fstat(fd, &stat_buffer) < 0 ? NULL : process_read_all(fd, max);
	*size = (size_t)stat_buffer.st_size < max ? (size_t)stat_buffer.st_size : max;
	close(fd);
	return text;
}

/* Zero bytes come from guests that lose their mind; they must not hide what follows. */
static void look_at_console(struct watch *watch)
{
	off_t size = file_size(watch->plan->console);
	char *text, line[300];
	size_t length;

	if (size == watch->console_size || watch->oops_ns)
		return;
	watch->console_size = size;
	text = read_tail(watch->plan->console, CONSOLE_MAX, &length);
	for (size_t i = 0; text && i < length; i++)
		if (!text[i])
			text[i] = ' ';
	if (text && console_find_oops(text, line, sizeof(line))) {
		watch->oops_ns = clock_now_ns();
		snprintf(watch->boot->reason, sizeof(watch->boot->reason), "the guest's kernel is "
			 "lost: %s", line);
	}
	free(text);
}

/* True when there is nothing to wait for any more. */
static bool is_over(struct watch *watch)
{
	struct boot *boot = watch->boot;
	int64_t now_ns = clock_now_ns();

	look_at_console(watch);
	if (!watch->hello_ns && file_size(watch->plan->transfer))
		watch->hello_ns = now_ns;
	if (watch->oops_ns) {
		boot->end = BOOT_OOPS;
		return now_ns - watch->oops_ns > OOPS_GRACE_NS;
	}
	if (!watch->hello_ns && now_ns - watch->start_ns > watch->limits->boot_ns) {
		boot->end = BOOT_NO_INIT;
		snprintf(boot->reason, sizeof(boot->reason),
			 "the guest did not reach its init within %.3g s (--boot-limit)",
			 (double)watch->limits->boot_ns / 1e9);
		return true;
	}
	if (watch->hello_ns && now_ns - watch->hello_ns > watch->limits->run_ns) {
		boot->end = BOOT_HANG;
		snprintf(boot->reason, sizeof(boot->reason),
			 "the guest did not finish within %.3g s (--run-limit)",
			 (double)watch->limits->run_ns / 1e9);
		return true;
	}
	return false;
}

static const char *last_line(char *text)
{
	char *line = NULL, *rest = NULL;

	for (char *next = strtok_r(text, "\n", &rest); next; next = strtok_r(NULL, "\n", &rest))
		line = next;
	return line ? line : "it said nothing";
}

/* QEMU has ended by itself: what does it leave? */
static void judge(struct watch *watch, int status, int err)
{
	struct boot *boot = watch->boot;
	size_t size = 0;
	char *text;

	look_at_console(watch);
	if (watch->oops_ns) {
		boot->end = BOOT_OOPS;
		return;
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		text = process_read_all(err, 4096);
		boot->end = BOOT_NO_QEMU;
		snprintf(boot->reason, sizeof(boot->reason), "QEMU %s %d: %.300s",
			 WIFEXITED(status) ? "failed with status" : "was killed by signal",
			 WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status),
			 text ? last_line(text) : "");
		free(text);
		return;
	}
	text = read_tail(watch->plan->transfer, TRANSFER_MAX, &size);
	if (text)
		transfer_parse(&boot->transfer, text, size);
	if (text && boot->transfer.complete) {
		boot->end = BOOT_WHOLE;
		return;
	}
	boot->end = BOOT_TORN;
	snprintf(boot->reason, sizeof(boot->reason),
		 "the guest ended, but what it sent is not whole: %s",
		 text ? boot->transfer.wrong : "no file");
}

static void watch_guest(const struct vm_context *context, struct watch *watch, pid_t pid, int err)
{
	struct boot *boot = watch->boot;
	int status = 0;

	while (!process_ended(pid, &status)) {
		struct pollfd poll_fd = { .fd = context->interrupt_fd, .events = POLLIN };

		if (poll(&poll_fd, 1, POLL_MS) > 0) {
			boot->end = BOOT_INTERRUPTED;
			snprintf(boot->reason, sizeof(boot->reason), "interrupted");
		} else if (!is_over(watch)) {
			continue;
		}
		process_kill(pid);
		return;
	}
	judge(watch, status, err);
}

int boot_run(const struct vm_context *context, const struct qemu_plan *plan,
	     const struct boot_limits *limits, struct boot *boot, struct error *e)
{
	struct qemu_arguments arguments = { 0 };
	struct watch watch = { .plan = plan, .limits = limits, .boot = boot };
	struct process process = {
		.environment = { plan->qemu->libraries[0] ? plan->qemu->libraries : NULL },
		.out = -1,
	};
	int err = memfd_create("qemu", MFD_CLOEXEC), result = 0;
	int64_t end_ns;
	pid_t pid;

	memset(boot, 0, sizeof(*boot));
	if (err < 0 || qemu_build(plan, &arguments)) {
		result = error_set(e, ERROR_FAILED, ENOMEM, "no memory to start QEMU");
		goto out;
	}
	process.argv = (const char *const *)arguments.argv;
	process.err = err;
	watch.start_ns = clock_now_ns();
	pid = process_start(&process);
	if (pid < 0) {
		result = error_set(e, ERROR_FAILED, (int)-pid, "cannot start %s: %s",
				   plan->qemu->program, strerror((int)-pid));
		goto out;
	}
	watch_guest(context, &watch, pid, err);
	end_ns = clock_now_ns();
	boot->boot_ns = (watch.hello_ns ? watch.hello_ns : end_ns) - watch.start_ns;
	boot->run_ns = watch.hello_ns ? end_ns - watch.hello_ns : 0;
	remove(plan->transfer);
out:
	qemu_arguments_free(&arguments);
	if (err >= 0)
		close(err);
	return result;
}

void boot_free(struct boot *boot)
{
	transfer_free(&boot->transfer);
}
