// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/files.h"

#define COUNT 5

static void stamps_differ_and_stand_in_the_files(void **state)
{
	struct files files = { 0 };
	struct error e = ERROR_INIT;

	(void)state;
	assert_int_equal(files_make(&files, COUNT, &e), 0);
	for (int i = 0; i < COUNT; i++) {
		uint64_t stamp = 0;

		assert_int_equal(pread(files.fds[i], &stamp, sizeof(stamp), 0), sizeof(stamp));
		assert_true(stamp == files.stamps[i]);
		assert_true(stamp != 0);
		for (int k = 0; k < i; k++)
			assert_true(files.stamps[k] != stamp);
	}
	files_close(&files);
}

/* The block's side in a child: holds its descriptions until told to end. */
static pid_t hold(struct files *files, int *until, int *ready)
{
	int go[2], held[2];
	pid_t pid;

	assert_int_equal(pipe(go), 0);
	assert_int_equal(pipe(held), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		struct error e = ERROR_INIT;
		char byte = (char)files_take(files, &e);

		close(go[1]);
		if (write(held[1], &byte, 1) != 1 || read(go[0], &byte, 1) < 0)
			_exit(2);
		_exit(0);
	}
	close(go[0]);
	close(held[1]);
	*until = go[1];
	*ready = held[0];
	return pid;
}

static void free_only_when_the_block_has_let_go(void **state)
{
	struct files files = { 0 };
	struct error e = ERROR_INIT;
	int until, ready, status;
	char byte = 1;
	pid_t pid;

	(void)state;
	assert_int_equal(files_make(&files, COUNT, &e), 0);
	assert_true(files_are_free(&files));
	pid = hold(&files, &until, &ready);
	assert_int_equal(read(ready, &byte, 1), 1);
	assert_int_equal(byte, 0);
	assert_false(files_are_free(&files));
	close(until);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_true(files_are_free(&files));
	close(ready);
	files_close(&files);
}

static void taken_files_are_non_blocking(void **state)
{
	struct files files = { 0 };
	struct error e = ERROR_INIT;

	(void)state;
	assert_int_equal(files_make(&files, 1, &e), 0);
	assert_int_equal(files_take(&files, &e), 0);
	assert_true(fcntl(files.fds[0], F_GETFL) & O_NONBLOCK);
	files_close(&files);
}

static void too_many_files_name_the_limit(void **state)
{
	struct rlimit old, low;
	struct files files = { 0 };
	struct error e = ERROR_INIT;

	(void)state;
	getrlimit(RLIMIT_NOFILE, &old);
	low = old;
	low.rlim_cur = 16;
	setrlimit(RLIMIT_NOFILE, &low);
	assert_int_not_equal(files_make(&files, 64, &e), 0);
	setrlimit(RLIMIT_NOFILE, &old);
	assert_non_null(strstr(e.text, "ulimit -n"));
	files_close(&files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stamps_differ_and_stand_in_the_files),
		cmocka_unit_test(free_only_when_the_block_has_let_go),
		cmocka_unit_test(taken_files_are_non_blocking),
		cmocka_unit_test(too_many_files_name_the_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
