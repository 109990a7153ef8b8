// SPDX-License-Identifier: GPL-2.0-or-later
/* The writer where its world ends: full disks, limits, a kill. Each in a process of its own. */
#include "results/writer.h"

#include "results/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "writer_folder.h"

#define CHILD_SKIP 77

/* Ends the child of a test with the line that failed. */
#define child_check(condition)                                                          \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			_exit(1);                                                       \
		}                                                                       \
	} while (0)

static int in_child(void (*run)(void))
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		run();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

/* Fills `path` until it is full: all lines before are whole. It goes on after `relieve`. */
static void fill_up(const char *path, int code, const char *reason, void (*relieve)(void))
{
	struct error e = ERROR_INIT;
	struct writer writer;
	struct stat st;
	char kept[64];
	int n = 0;

	child_check(!writer_create(&writer, path, &e));
	while (n < 100000 && !append_numbered(&writer, n, &e))
		n++;
	child_check(n > 1 && n < 100000);
	child_check(e.kind == ERROR_FAILED && e.code == code);
	child_check(strstr(e.text, reason));
	snprintf(kept, sizeof(kept), "its first %d lines are whole and kept; ", n);
	child_check(strstr(e.text, kept));
	child_check(!stat(path, &st) && st.st_size == writer.good_bytes);
	child_check((int)writer.lines == n && !writer.torn);
	relieve();
	error_clear(&e);
	child_check(!append_numbered(&writer, n, &e));
	child_check((int)writer.lines == n + 1);
	child_check(writer_close(&writer, &e) == -code);
	child_check(strstr(e.text, reason));
}

static void lift_size_limit(void)
{
	struct rlimit limit;

	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_FSIZE, &limit);
}

static void reach_size_limit(void)
{
	struct rlimit limit;

	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = 1000;
	child_check(!setrlimit(RLIMIT_FSIZE, &limit));
	signal(SIGXFSZ, SIG_DFL);
	fill_up("out.jsonl", EFBIG, "the limit on file sizes is reached", lift_size_limit);
}

static void a_limit_on_file_sizes(void **state)
{
	(void)state;
	assert_int_equal(in_child(reach_size_limit), 0);
}

static void free_ballast(void)
{
	unlink("small/ballast");
}

static bool put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return done;
}

/* The right to mount, which an ordinary user has only in a user namespace that keeps the ids. */
static bool may_mount(void)
{
	char users[64], groups[64];

	if (!unshare(CLONE_NEWNS))
		return true;
	snprintf(users, sizeof(users), "%u %u 1", geteuid(), geteuid());
	snprintf(groups, sizeof(groups), "%u %u 1", getegid(), getegid());
	return !unshare(CLONE_NEWUSER | CLONE_NEWNS) && put("/proc/self/setgroups", "deny") &&
	       put("/proc/self/uid_map", users) && put("/proc/self/gid_map", groups);
}

static void fill_small_disk(void)
{
	static char ballast[65536];
	struct error e = ERROR_INIT;
	struct writer writer;
	int fd;

	if (mkdir("small", 0700) || !may_mount() ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "small", "tmpfs", 0, "size=131072"))
		_exit(CHILD_SKIP);
	fd = open("small/ballast", O_WRONLY | O_CREAT, 0600);
	child_check(write(fd, ballast, sizeof(ballast)) == sizeof(ballast));
	close(fd);
	fill_up("small/out.jsonl", ENOSPC, "the disk is full", free_ballast);
	child_check(!mount(NULL, "small", NULL, MS_REMOUNT | MS_RDONLY, NULL));
	child_check(writer_create(&writer, "small/other.jsonl", &e) == -EROFS);
	child_check(e.kind == ERROR_FAILED && strstr(e.text, "read-only file system; name a"));
}

static void a_full_and_a_read_only_disk(void **state)
{
	int status = in_child(fill_small_disk);

	(void)state;
	if (WIFEXITED(status) && WEXITSTATUS(status) == CHILD_SKIP) {
		print_message("no right to mount a small file system\n");
		skip();
	}
	assert_int_equal(status, 0);
}

static void write_and_die(void)
{
	struct error e = ERROR_INIT;
	struct writer writer;
	json_t *header = json_pack("{s:s, s:i}", "record", "header", "schema", RESULT_SCHEMA);

	child_check(!writer_create(&writer, "out.jsonl", &e));
	child_check(!writer_append(&writer, header, &e));
	for (int i = 0; i < 3; i++) {
		json_t *block = json_pack("{s:s, s:s, s:{}, s:i, s:b, s:[]}", "record", "block",
					  "id", "a", "point", "block", i, "valid", 1, "pairs");

		child_check(block && !writer_append(&writer, block, &e));
		json_decref(block);
	}
	raise(SIGKILL);
}

static void lines_survive_a_kill(void **state)
{
	struct error e = ERROR_INIT;
	struct result result;
	int status = in_child(write_and_die);

	(void)state;
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	assert_int_equal(result_read(&result, "out.jsonl", &e), 0);
	assert_int_equal(result.block_count, 3);
	assert_int_equal(result.note_count, 0);
	assert_null(result.end);
	result_release(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_limit_on_file_sizes),
		TEST(a_full_and_a_read_only_disk),
		TEST(lines_survive_a_kill),
	};

	if (!getcwd(home, sizeof(home)))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
