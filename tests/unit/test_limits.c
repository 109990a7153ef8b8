// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/limits.h"

static int set_up(void **state)
{
	static struct rlimit saved;

	*state = &saved;
	return getrlimit(RLIMIT_NOFILE, &saved);
}

static int tear_down(void **state)
{
	return setrlimit(RLIMIT_NOFILE, *state);
}

static void the_soft_limit_is_raised_as_far_as_needed(void **state)
{
	struct rlimit *saved = *state, lowered = { 64, saved->rlim_max }, now;
	struct error e = ERROR_INIT;

	assert_int_equal(setrlimit(RLIMIT_NOFILE, &lowered), 0);
	assert_int_equal(limits_need_files(200, "--slots 200", &e), 0);
	getrlimit(RLIMIT_NOFILE, &now);
	assert_int_equal(now.rlim_cur, 200);
	assert_int_equal(now.rlim_max, saved->rlim_max);
	assert_int_equal(e.kind, ERROR_NONE);
}

static void a_soft_limit_that_suffices_is_left_alone(void **state)
{
	struct rlimit *saved = *state, lowered = { 64, saved->rlim_max }, now;
	struct error e = ERROR_INIT;

	setrlimit(RLIMIT_NOFILE, &lowered);
	assert_int_equal(limits_need_files(64, "--slots 64", &e), 0);
	getrlimit(RLIMIT_NOFILE, &now);
	assert_int_equal(now.rlim_cur, 64);
}

static void above_the_hard_limit_all_is_named_and_nothing_changed(void **state)
{
	struct rlimit before, after;
	struct error e = ERROR_INIT;
	uint64_t beyond;

	(void)state;
	getrlimit(RLIMIT_NOFILE, &before);
	if (before.rlim_max == RLIM_INFINITY) {
		print_message("skipped: open files are unlimited here\n");
		skip();
	}
	beyond = before.rlim_max + 1;
	assert_int_equal(limits_need_files(beyond, "--slots 1048576", &e), -EMFILE);
	assert_int_equal(e.kind, ERROR_USAGE);
	assert_non_null(strstr(e.text, "--slots 1048576"));
	assert_non_null(strstr(e.text, "RLIMIT_NOFILE"));
	assert_non_null(strstr(e.text, "; "));
	getrlimit(RLIMIT_NOFILE, &after);
	assert_memory_equal(&before, &after, sizeof(before));
}

/* Of both kinds of needs: raised up to the hard limit, refused beyond, with what to do. */
static void processes_and_addresses_go_by_the_same_rule(void **state)
{
	static const struct {
		int resource, code;
		int (*need)(uint64_t needed, const char *option, struct error *e);
		uint64_t unit;
		const char *name, *shown;
	} kinds[] = {
		{ RLIMIT_NPROC, EAGAIN, limits_need_processes, 1, "RLIMIT_NPROC", "--nproc=90000" },
		{ RLIMIT_AS, ENOMEM, limits_need_addresses, 1 << 20, "RLIMIT_AS",
		  "--as=94371840000" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		pid_t pid = fork();
		int status;

		/* A hard limit cannot be raised again. */
		if (!pid) {
			struct rlimit limit = { 30000 * kinds[i].unit, 60000 * kinds[i].unit };
			struct error e = ERROR_INIT;

			if (setrlimit(kinds[i].resource, &limit))
				_exit(1);
			if (kinds[i].need(40000 * kinds[i].unit, "--pairs 7", &e))
				_exit(2);
			getrlimit(kinds[i].resource, &limit);
			if (limit.rlim_cur != 40000 * kinds[i].unit)
				_exit(3);
			if (kinds[i].need(90000 * kinds[i].unit, "--pairs 7", &e) != -kinds[i].code)
				_exit(4);
			_exit(e.kind == ERROR_USAGE && strstr(e.text, "--pairs 7") &&
			      strstr(e.text, kinds[i].name) && strstr(e.text, kinds[i].shown)
			      ? 0 : 5);
		}
		assert_true(pid > 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
}

static void own_threads_are_counted(void **state)
{
	pid_t pid;
	uint64_t before = limits_user_threads();

	(void)state;
	assert_true(before >= 1);
	pid = fork();
	if (!pid) {
		pause();
		_exit(0);
	}
	/* Others of this user may come and go. */
	assert_true(limits_user_threads() + 20 > before);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void json_says_unlimited_in_a_word(void **state)
{
	struct limits limits = {
		.open_files = { 1024, 4096 },
		.locked_memory = { RLIM_INFINITY, RLIM_INFINITY },
		.processes = { 0, 7 },
		.address_space = { 1, RLIM_INFINITY },
	};
	json_t *got = limits_json(&limits), *expected;

	(void)state;
	expected = json_loads("{\"open_files\": {\"soft\": 1024, \"hard\": 4096},"
		" \"locked_memory\": {\"soft\": \"unlimited\", \"hard\": \"unlimited\"},"
		" \"processes\": {\"soft\": 0, \"hard\": 7},"
		" \"address_space\": {\"soft\": 1, \"hard\": \"unlimited\"}}", 0, NULL);
	assert_non_null(expected);
	assert_true(json_equal(got, expected));
	json_decref(got);
	json_decref(expected);
}

static void the_estimate_is_what_was_observed(void **state)
{
	struct limits limits = { .locked_memory = { 8 << 20, 8 << 20 } };

	(void)state;
	if (sysconf(_SC_PAGESIZE) != 4096) {
		print_message("skipped: observed with pages of 4096 bytes\n");
		skip();
	}
	/* KERNEL-FACTS: rings of 256 SQEs that an ordinary user could make with 8 MiB. */
	assert_int_equal(limits_rings(&limits, 256, 512), 292);
	assert_int_equal(limits_rings(&limits, 256, 4096), 97);
	assert_int_equal(limits_rings(&limits, 256, 65536), 7);
	/* The kernel rounds up to a power of two. */
	assert_int_equal(limits_ring_bytes(200, 300), limits_ring_bytes(256, 512));
	limits.locked_memory.rlim_cur = RLIM_INFINITY;
	assert_true(limits_rings(&limits, 256, 512) == UINT64_MAX);
	limits.locked_memory.rlim_cur = 0;
	assert_int_equal(limits_rings(&limits, 1, 1), 0);
}

static void the_largest_table_is_bounded_twice(void **state)
{
	struct limits limits = { .open_files = { 1024, 4096 } };

	(void)state;
	assert_int_equal(limits_largest_table(&limits), 4096);
	limits.open_files.rlim_max = 2000000;
	assert_int_equal(limits_largest_table(&limits), 1048576);
	limits.open_files.rlim_max = RLIM_INFINITY;
	assert_int_equal(limits_largest_table(&limits), 1048576);
}

static void all_limits_are_read(void **state)
{
	struct limits limits;
	struct rlimit locked;

	(void)state;
	limits_read(&limits);
	getrlimit(RLIMIT_MEMLOCK, &locked);
	assert_memory_equal(&limits.locked_memory, &locked, sizeof(locked));
	assert_true(limits.open_files.rlim_max > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_soft_limit_is_raised_as_far_as_needed, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_soft_limit_that_suffices_is_left_alone, set_up,
						tear_down),
		cmocka_unit_test(above_the_hard_limit_all_is_named_and_nothing_changed),
		cmocka_unit_test(processes_and_addresses_go_by_the_same_rule),
		cmocka_unit_test(own_threads_are_counted),
		cmocka_unit_test(json_says_unlimited_in_a_word),
		cmocka_unit_test(the_estimate_is_what_was_observed),
		cmocka_unit_test(the_largest_table_is_bounded_twice),
		cmocka_unit_test(all_limits_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
