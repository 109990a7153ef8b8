// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "machine/machine_use.h"
#include "machine/noise.h"

static char root[64];

static void put(const char *path, const char *text)
{
	char full[160];
	FILE *file;

	snprintf(full, sizeof(full), "%s%s", root, path);
	file = fopen(full, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int set_up(void **state)
{
	static const char *const folders[] = { "/proc", "/proc/sys", "/proc/sys/fs" };
	char path[160];

	(void)state;
	strcpy(root, "/tmp/ringscale-use-XXXXXX");
	assert_non_null(mkdtemp(root));
	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s%s", root, folders[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	return 0;
}

static int tear_down(void **state)
{
	char command[160];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	return system(command);
}

static void files_and_slab_are_read(void **state)
{
	struct machine_use use;

	(void)state;
	put("/proc/sys/fs/file-nr", "485\t0\t9223372036854775807\n");
	put("/proc/meminfo", "MemTotal:  100 kB\nSReclaimable: 3 kB\nSlab:           165008 kB\nX: 1 kB\n");
	machine_use_read_under(root, &use);
	assert_int_equal(use.files, 485);
	assert_true(use.file_limit == INT64_MAX);
	assert_int_equal(use.slab_bytes, 165008 * 1024);
}

static void what_is_denied_or_garbled_is_unknown(void **state)
{
	struct machine_use use;

	(void)state;
	machine_use_read_under(root, &use);
	assert_true(use.files == NOISE_UNKNOWN && use.file_limit == NOISE_UNKNOWN &&
		    use.slab_bytes == NOISE_UNKNOWN);
	put("/proc/sys/fs/file-nr", "485\n");
	put("/proc/meminfo", "MemTotal:  100 kB\nSlab: many\n");
	machine_use_read_under(root, &use);
	assert_true(use.files == NOISE_UNKNOWN && use.slab_bytes == NOISE_UNKNOWN);
}

static void this_machine_has_open_files(void **state)
{
	struct machine_use use;

	(void)state;
	machine_use_read(&use);
	if (use.files == NOISE_UNKNOWN)
		skip();
	assert_true(use.files > 0 && use.file_limit > 0);
}

static void half_of_what_is_left_is_the_most(void **state)
{
	struct machine_use use = { .files = 1000, .file_limit = 3000 };
	struct error e = ERROR_INIT;

	(void)state;
	assert_int_equal(machine_use_admit(&use, 1000, "--used 500", &e), 0);
	assert_int_not_equal(machine_use_admit(&use, 1001, "--used 500", &e), 0);
	assert_int_equal(e.kind, ERROR_USAGE);
	assert_non_null(strstr(e.text, "--used 500: may hold 1001 files"));
	assert_non_null(strstr(e.text, "fs.file-max"));
	error_clear(&e);
	use.files = 4000;
	assert_int_not_equal(machine_use_admit(&use, 1, "--used 1", &e), 0);
	error_clear(&e);
	use.files = NOISE_UNKNOWN;
	assert_int_equal(machine_use_admit(&use, 1, "--used 1", &e), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(files_and_slab_are_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_denied_or_garbled_is_unknown, set_up, tear_down),
		cmocka_unit_test(this_machine_has_open_files),
		cmocka_unit_test(half_of_what_is_left_is_the_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
