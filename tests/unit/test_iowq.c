// SPDX-License-Identifier: GPL-2.0-or-later
/* Workers of io-wq: in a made-up folder, and one that is provoked. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/uring.h"
#include "machine/iowq.h"
#include "machine/noise.h"
#include "machine/uring_probe.h"

static char folder[] = "/tmp/ringscale-iowq-XXXXXX";

static void write_file(const char *tid, const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, tid);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/%s", folder, tid, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	return !mkdtemp(folder);
}

static int remove_folder(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

static void expect(int64_t workers, int64_t cpu_ns)
{
	struct iowq_use use;

	iowq_read_under(folder, &use);
	assert_true(use.tasks >= use.workers);
	assert_true(use.workers == workers);
	assert_true(use.cpu_ns == cpu_ns);
}

static void workers_are_told_by_their_names(void **state)
{
	(void)state;
	expect(0, 0);
	write_file("100", "comm", "ringscale\n");
	write_file("100", "schedstat", "5000 0 1\n");
	write_file("101", "comm", "iou-sqp-100\n");
	expect(0, 0);
	write_file("102", "comm", "iou-wrk-100\n");
	write_file("102", "schedstat", "700 20 3\n");
	expect(1, 700);
	write_file("103", "comm", "iou-wrk-101\n");
	write_file("103", "schedstat", "30 0 1\n");
	expect(2, 730);
}

/* A worker without statistics is there, but the sum is not known. */
static void unknown_time_is_not_zero(void **state)
{
	(void)state;
	write_file("102", "comm", "iou-wrk-100\n");
	write_file("102", "schedstat", "0 0 0\n");
	expect(1, NOISE_UNKNOWN);
	write_file("103", "comm", "iou-wrk-100\n");
	write_file("103", "schedstat", "30 0 1\n");
	expect(2, NOISE_UNKNOWN);
	write_file("102", "schedstat", "no numbers\n");
	expect(2, NOISE_UNKNOWN);
}

static void no_folder_is_unknown(void **state)
{
	struct iowq_use use;

	(void)state;
	iowq_read_under("/nonexistent", &use);
	assert_true(use.workers == NOISE_UNKNOWN && use.cpu_ns == NOISE_UNKNOWN);
}

/* A request that must not run inline makes a worker, which stays for a while. */
static void a_real_worker_is_seen(void **state)
{
	struct io_uring ring;
	struct io_uring_sqe *sqe;
	struct io_uring_cqe *cqe;
	struct error e = ERROR_INIT;
	struct iowq_use use;

	(void)state;
	if (uring_probe_setup(&e)) {
		print_message("%s\n", e.text);
		skip();
	}
	assert_int_equal(uring_open(&ring, 4, 8, 0, NULL), 0);
	iowq_read(&use);
	assert_true(use.tasks == 1 && use.workers == 0 && use.cpu_ns == 0);
	sqe = io_uring_get_sqe(&ring);
	io_uring_prep_nop(sqe);
	io_uring_sqe_set_flags(sqe, IOSQE_ASYNC);
	assert_int_equal(io_uring_submit(&ring), 1);
	assert_int_equal(io_uring_wait_cqe(&ring, &cqe), 0);
	iowq_read(&use);
	assert_true(use.workers >= 1);
	assert_true(use.cpu_ns > 0 || use.cpu_ns == NOISE_UNKNOWN);
	uring_close(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(workers_are_told_by_their_names, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(unknown_time_is_not_zero, make_folder,
						remove_folder),
		cmocka_unit_test(no_folder_is_unknown),
		cmocka_unit_test(a_real_worker_is_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
