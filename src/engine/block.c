// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/block.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/marker.h"
#include "engine/files.h"
#include "engine/machine_time.h"
#include "engine/record.h"
#include "engine/team.h"

/* How often the coordinator looks whether a block goes on; it sleeps in between. */
#define LOOK_MS 200
/* Teardown takes some 20 ms, on 6.1 a second; what is not over by then is reported. */
#define TEARDOWN_LIMIT_NS INT64_C(5000000000)
#define TEARDOWN_PAUSE_NS 1000000
/* After SIGKILL: short, as Ctrl-C promises to end within a second. */
#define KILL_LIMIT_NS INT64_C(500000000)
#define REAP_PAUSE_NS 200000
/* More than that between two looks, and this process itself was stopped (Ctrl-Z, SIGSTOP). */
#define LOOK_LIMIT_NS INT64_C(1000000000)

/*
 * How long the other side may still take. Time in which this process did not run does not
 * count: whoever stops both and lets both go on has not made the block hang.
 */
struct patience {
	int64_t left_ns, looked_ns;
};

/* One block as the coordinator sees it. */
struct watch {
	pid_t pid;
	int fd;				/* the block's record comes through here */
	char *text;
	size_t length, capacity;
	_Atomic uint64_t *progress;	/* shared with the block */
	int64_t patience_ns;
	bool hung;
	bool abandoned;			/* killed, and does not go away */
	int wait_status;
};

/* ---- In the block's process ---- */

static int write_record(int fd, json_t *record)
{
	int result;

	if (!record)
		return 1;
	result = json_dumpfd(record, fd, JSON_COMPACT | JSON_REAL_PRECISION(17));
	json_decref(record);
	return result ? 1 : 0;
}

/*
 * Lets go of what only the coordinator needs: its result file above all, whose lock would
 * last as long as any process that has it open, even one stuck in the exit of a ring.
 */
static void close_inherited(const struct files *files, int fd)
{
	unsigned from = STDERR_FILENO + 1;

	/* Made one after the other and none closed: in ascending order, the pipe last. */
	for (int i = 0; i <= files->count; i++) {
		unsigned kept = (unsigned)(i < files->count ? files->fds[i] : fd);

		if (kept > from)
			close_range(from, kept - 1, 0);
		from = kept + 1;
	}
	close_range(from, ~0U, 0);
}

/* glibc reserves 64 MiB of addresses for every thread that allocates. */
static void spare_addresses(void)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY)
		mallopt(M_ARENA_MAX, 1);
}

/* Never returns. The coordinator alone handles the signals that end a run, and kills. */
static void block_main(const struct point *point, unsigned block, const struct method *method,
		       const struct topology *topology, struct files *files,
		       const struct interrupt *interrupt, _Atomic uint64_t *progress,
		       pid_t coordinator, int fd)
{
	struct error e = ERROR_INIT;
	struct team team;
	int status;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != coordinator)
		_exit(1);
	/* Sent to the whole process group they would end the block before the coordinator knows. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	close_inherited(files, fd);
	spare_addresses();
	sigprocmask(SIG_SETMASK, &interrupt->before, NULL);
	memset(&team, 0, sizeof(team));
	if (files_take(files, &e) ||
	    team_init(&team, point, method, topology, files->fds, files->stamps, progress, &e)) {
		status = write_record(fd, record_block_frame(point, block, e.text));
	} else {
		team_run(&team, &e);
		status = write_record(fd, record_block(&team, block, &e));
	}
	_exit(status);
}

/* ---- In the coordinator ---- */

static struct patience have_patience(int64_t ns)
{
	return (struct patience){ .left_ns = ns, .looked_ns = clock_now_ns() };
}

static bool is_patient(struct patience *patience)
{
	int64_t now_ns = clock_now_ns(), passed_ns = now_ns - patience->looked_ns;

	patience->looked_ns = now_ns;
	patience->left_ns -= passed_ns < LOOK_LIMIT_NS ? passed_ns : 0;
	return patience->left_ns > 0;
}

static int take_text(struct watch *watch)
{
	ssize_t got;

	if (watch->capacity - watch->length < 65536) {
		size_t capacity = 2 * watch->capacity + 65536;
		char *text = realloc(watch->text, capacity);

		if (!text)
			return -ENOMEM;
		watch->text = text;
		watch->capacity = capacity;
	}
	got = read(watch->fd, watch->text + watch->length, watch->capacity - watch->length);
	if (got > 0)
		watch->length += (size_t)got;
	return got < 0 ? (errno == EINTR ? 1 : -errno) : got > 0;
}

/*
 * Until the block closes its end, a signal comes, or nothing moves for longer
 * than any wait inside it may take. 0, or -EINTR.
 */
static int watch_block(struct watch *watch, struct interrupt *interrupt)
{
	struct patience patience = have_patience(watch->patience_ns);
	uint64_t seen = 0;

	for (;;) {
		struct pollfd fds[] = {
			{ .fd = watch->fd, .events = POLLIN },
			{ .fd = interrupt->fd, .events = POLLIN },
		};
		uint64_t now;

		poll(fds, 2, LOOK_MS);
		if (interrupt_came(interrupt))
			return -EINTR;
		if (fds[0].revents) {
			if (take_text(watch) <= 0)
				return 0;
			patience = have_patience(watch->patience_ns);
			continue;
		}
		now = atomic_load_explicit(watch->progress, memory_order_relaxed);
		if (now != seen) {
			seen = now;
			patience = have_patience(watch->patience_ns);
		} else if (!is_patient(&patience)) {
			watch->hung = true;
			return 0;
		}
	}
}

/* The record as the block wrote it, or one that says why there is none. */
static json_t *judge_block(const struct watch *watch, const struct point *point, unsigned block)
{
	json_t *record = NULL;
	char reason[240];

	if (!watch->hung && WIFEXITED(watch->wait_status) && !WEXITSTATUS(watch->wait_status))
		record = json_loadb(watch->text, watch->length, 0, NULL);
	if (record)
		return record;
	if (watch->abandoned)
		snprintf(reason, sizeof(reason), "the block made no progress for %.0f s; its process %d "
			 "is stuck in the kernel, was killed and does not end: it is left behind",
			 watch->patience_ns / 1e9, (int)watch->pid);
	else if (watch->hung)
		snprintf(reason, sizeof(reason), "the block made no progress for %.0f s and was killed",
			 watch->patience_ns / 1e9);
	else if (WIFSIGNALED(watch->wait_status))
		snprintf(reason, sizeof(reason), "the block's process was ended by signal %d (%s)",
			 WTERMSIG(watch->wait_status), strsignal(WTERMSIG(watch->wait_status)));
	else
		snprintf(reason, sizeof(reason), "the block's process left no record (status %d)",
			 WEXITSTATUS(watch->wait_status));
	return record_block_frame(point, block, reason);
}

/* Waits for the kernel to let go of the block's files. Its ns, or NOISE_UNKNOWN after the limit. */
static int64_t await_teardown(const struct files *files, struct interrupt *interrupt)
{
	int64_t start = clock_now_ns();

	while (!files_are_free(files)) {
		if (clock_now_ns() - start > TEARDOWN_LIMIT_NS || interrupt_came(interrupt))
			return NOISE_UNKNOWN;
		clock_sleep_ns(TEARDOWN_PAUSE_NS);
	}
	return clock_now_ns() - start;
}

static int start_block(struct watch *watch, const struct point *point, unsigned block,
		       const struct method *method, const struct topology *topology,
		       struct files *files, const struct interrupt *interrupt, struct error *e)
{
	pid_t coordinator = getpid();
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return error_set(e, ERROR_FAILED, errno, "cannot make a pipe to a block: %s",
				 strerror(errno));
	watch->pid = fork();
	if (watch->pid < 0) {
		int code = errno;

		close(ends[0]);
		close(ends[1]);
		return error_set(e, ERROR_FAILED, code, "cannot fork a block: %s; raise the limit "
				 "of processes (ulimit -u)", strerror(code));
	}
	if (!watch->pid) {
		close(ends[0]);
		block_main(point, block, method, topology, files, interrupt, watch->progress,
			   coordinator, ends[1]);
	}
	close(ends[1]);
	watch->fd = ends[0];
	return 0;
}

/*
 * Waits for the process, which `ending` says ends by itself, else killing it first. One that does
 * not go away within the limit (an old kernel can keep it in the exit of a ring for ever) is left
 * behind. 0, or -EINTR where a signal came and the process had not ended.
 */
static int reap_block(struct watch *watch, bool ending, struct interrupt *interrupt)
{
	struct patience patience = have_patience(ending ? watch->patience_ns : KILL_LIMIT_NS);
	bool interrupted = false;

	if (!ending)
		kill(watch->pid, SIGKILL);
	while (waitpid(watch->pid, &watch->wait_status, WNOHANG) == 0) {
		interrupted = ending && interrupt_came(interrupt);
		if (interrupted || !is_patient(&patience)) {
			watch->hung = true;
			if (!ending) {
				watch->abandoned = true;
				break;
			}
			ending = false;
			patience = have_patience(KILL_LIMIT_NS);
			kill(watch->pid, SIGKILL);
		}
		clock_sleep_ns(REAP_PAUSE_NS);
	}
	close(watch->fd);
	return interrupted ? -EINTR : 0;
}

int block_measure(const struct point *point, unsigned block, const struct method *method,
		  const struct topology *topology, struct interrupt *interrupt, json_t **record,
		  struct error *e)
{
	struct watch watch = { .fd = -1 };
	struct files files = { 0 };
	struct machine_time time;
	int result;

	*record = NULL;
	watch.patience_ns = team_patience_ns(method, point) + INT64_C(3000000000);
	watch.progress = mmap(NULL, sizeof(*watch.progress), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (watch.progress == MAP_FAILED)
		return error_set(e, ERROR_FAILED, ENOMEM, "no memory to watch a block");
	result = files_make(&files, files_needed(point), e);
	if (result)
		goto out;
	machine_time_start(&time);
	marker(MARKER_BLOCK);
	result = start_block(&watch, point, block, method, topology, &files, interrupt, e);
	if (result)
		goto out;
	result = watch_block(&watch, interrupt);
	/* A block that closed its end exits by itself. */
	if (reap_block(&watch, !result && !watch.hung, interrupt))
		result = -EINTR;
	if (result) {
		error_set(e, ERROR_INTERRUPTED, EINTR, "ended by signal %d (%s)",
			  interrupt->signal, strsignal(interrupt->signal));
		goto out;
	}
	*record = judge_block(&watch, point, block);
	if (!*record) {
		result = error_set(e, ERROR_FAILED, ENOMEM, "no memory for a record");
		goto out;
	}
	machine_time_record(&time, *record);
	json_object_set_new(*record, "teardown_wait_ns",
			    record_number(await_teardown(&files, interrupt)));
out:
	free(watch.text);
	files_close(&files);
	munmap(watch.progress, sizeof(*watch.progress));
	return result;
}
