// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vm/context.h"
#include "vm/cpio.h"
#include "vm/spread.h"

#define HEADER "{\"record\":\"header\",\"schema\":1}\n"

/* A result file of one point whose two rounds take `a` and `b` ns for 10 installs; as a new file. */
static void add_boot(struct spread *spread, const char *role, const char *id, int a, int b,
		     bool valid)
{
	char path[] = "/tmp/ringscale-spread-XXXXXX", text[1024];
	struct error e = ERROR_INIT;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	snprintf(text, sizeof(text), HEADER
		 "{\"record\":\"block\",\"id\":\"%s\",\"point\":{\"workload\":\"send-fd\",\"slots\":64},"
		 "\"block\":0,\"valid\":%s,\"reason\":null,\"flags\":[],\"pairs\":[{\"sender_pu\":0,"
		 "\"receiver_pu\":null,\"rounds\":["
		 "{\"round\":0,\"valid\":true,\"fill_ns\":%d,\"installs\":10},"
		 "{\"round\":1,\"valid\":true,\"fill_ns\":%d,\"installs\":10}]}]}\n",
		 id, valid ? "true" : "false", a, b);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	assert_int_equal(spread_add(spread, role, "6.12", path, &e), 0);
	unlink(path);
}

static void boots_of_a_role_lie_apart(void **state)
{
	struct spread spread = { 0 };

	(void)state;
	add_boot(&spread, "A", "one", 1000, 1000, true);
	add_boot(&spread, "B", "one", 1200, 1200, true);
	add_boot(&spread, "A", "one", 1000, 1020, true);
	assert_int_equal(spread.count, 2);
	assert_string_equal(spread.list[0].role, "A");
	assert_int_equal(spread.list[0].count, 2);
	assert_true(fabs(spread.list[0].mean - 100.5) < 1e-9);
	assert_true(fabs(spread_percent(&spread.list[0]) - 100.0 / 100.5) < 1e-9);
	/* One boot has no spread. */
	assert_true(isnan(spread_percent(&spread.list[1])));
	assert_ptr_equal(spread_reference(&spread, &spread.list[1]), &spread.list[0]);
	assert_null(spread_reference(&spread, &spread.list[0]));
	assert_int_equal(json_integer_value(json_object_get(spread.list[0].point, "slots")), 64);
	spread_free(&spread);
}

static void points_are_not_mixed_and_invalid_ones_left_out(void **state)
{
	struct spread spread = { 0 };

	(void)state;
	add_boot(&spread, "A", "one", 1000, 1000, true);
	add_boot(&spread, "A", "two", 5000, 5000, true);
	add_boot(&spread, "A", "one", 9000, 9000, false);
	assert_int_equal(spread.count, 2);
	assert_int_equal(spread.list[0].count, 1);
	assert_true(fabs(spread.list[0].mean - 100) < 1e-9);
	add_boot(&spread, "B", "three", 1, 1, true);
	assert_null(spread_reference(&spread, &spread.list[2]));
	spread_free(&spread);
}

static void a_file_that_is_none_is_an_error(void **state)
{
	struct spread spread = { 0 };
	struct error e = ERROR_INIT;

	(void)state;
	assert_true(spread_add(&spread, "A", "6.12", "/nonexistent", &e) < 0);
	assert_int_equal(e.kind, ERROR_FAILED);
	spread_free(&spread);
}

/* The same content is the same bytes, and the hash says so. */
static void archives_are_reproducible(void **state)
{
	char path[] = "/tmp/ringscale-cpio-XXXXXX";
	struct error e = ERROR_INIT;
	uint64_t hash[2];
	char *text = NULL;

	(void)state;
	close(mkstemp(path));
	for (int i = 0; i < 2; i++) {
		struct cpio cpio;

		assert_int_equal(cpio_open(&cpio, path, &e), 0);
		cpio_folder(&cpio, "/lab");
		cpio_data(&cpio, "/lab/x", 0755, "12345", 5);
		cpio_device(&cpio, "/dev/console", 5, 1);
		assert_int_equal(cpio_close(&cpio, &e), 0);
		hash[i] = cpio.hash;
	}
	assert_true(hash[0] == hash[1]);
	text = vm_read_file(path);
	assert_memory_equal(text, "070701", 6);
	assert_int_equal(access(path, F_OK), 0);
	free(text);
	unlink(path);
}

static void a_file_that_cannot_be_read_leaves_no_archive(void **state)
{
	char path[] = "/tmp/ringscale-cpio-XXXXXX";
	struct error e = ERROR_INIT;
	struct cpio cpio;

	(void)state;
	close(mkstemp(path));
	assert_int_equal(cpio_open(&cpio, path, &e), 0);
	cpio_copy(&cpio, "/x", 0644, "/nonexistent");
	assert_true(cpio_close(&cpio, &e) < 0);
	assert_non_null(strstr(e.text, "/nonexistent"));
	assert_int_not_equal(access(path, F_OK), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(boots_of_a_role_lie_apart),
		cmocka_unit_test(points_are_not_mixed_and_invalid_ones_left_out),
		cmocka_unit_test(a_file_that_is_none_is_an_error),
		cmocka_unit_test(archives_are_reproducible),
		cmocka_unit_test(a_file_that_cannot_be_read_leaves_no_archive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
