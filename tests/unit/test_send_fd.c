// SPDX-License-Identifier: GPL-2.0-or-later
/* The workloads on real rings, one thread; skipped where io_uring is not allowed. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/uring.h"
#include "rig_support.h"
#include "workloads/list.h"

static void alloc_slots(void **state)
{
	(void)state;
	rig_fills(&send_fd_workload, rig_plain);
}

static void explicit_slots(void **state)
{
	struct shape shape = rig_plain;

	(void)state;
	shape.explicit_slot = true;
	rig_fills(&send_fd_workload, shape);
}

static void skipped_cqes(void **state)
{
	struct shape shape = rig_plain;

	(void)state;
	shape.skip_cqe = true;
	rig_fills(&send_fd_workload, shape);
}

static void part_of_a_table_and_an_odd_last_batch(void **state)
{
	struct shape shape = rig_plain;

	(void)state;
	shape.used = 77;
	rig_fills(&send_fd_workload, shape);
}

static void batch_of_one(void **state)
{
	struct shape shape = rig_plain;

	(void)state;
	shape.batch = 1;
	rig_fills(&send_fd_workload, shape);
}

static void bare_fills_the_table_too(void **state)
{
	(void)state;
	rig_fills(&bare_workload, rig_plain);
}

/* More installs than slots: the kernel says ENFILE, and so does the verdict. */
static void a_full_table_is_not_counted(void **state)
{
	struct shape shape = rig_plain;
	struct rig *rig;

	(void)state;
	shape.slots = 200;
	rig = rig_make(&send_fd_workload, shape);
	assert_int_not_equal(rig_fill(rig, &send_fd_workload), 0);
	assert_non_null(strstr(rig->e.text, "Too many open files in system"));
	rig_drop(rig, &send_fd_workload);
}

static void bare_sees_a_full_table(void **state)
{
	struct shape shape = rig_plain;
	struct rig *rig;

	(void)state;
	shape.slots = 200;
	rig = rig_make(&bare_workload, shape);
	assert_int_not_equal(rig_fill(rig, &bare_workload), 0);
	rig_drop(rig, &bare_workload);
}

/* Nothing reaps the target's CQ here: it overflows, its counter stays 0, the flag tells. */
static void an_overflow_is_seen(void **state)
{
	struct shape shape = rig_plain;
	struct rig *rig;

	(void)state;
	shape.split = true;
	shape.after = true;
	rig = rig_make(&send_fd_workload, shape);
	assert_int_equal(send_fd_workload.prepare(&rig->pair, &rig->e), 0);
	send_fd_workload.send(&rig->pair);
	send_fd_workload.receive(&rig->pair);
	assert_true(uring_overflowed(&rig->pair.target));
	assert_int_not_equal(send_fd_workload.check(&rig->pair, &rig->e), 0);
	assert_non_null(strstr(rig->e.text, "IORING_SQ_CQ_OVERFLOW"));
	rig_drop(rig, &send_fd_workload);
}

/* Another file in the source slot behind the program's back. */
static void a_foreign_file_is_read_back(void **state)
{
	struct rig *rig = rig_make(&send_fd_workload, rig_plain);
	struct files foreign = { 0 };

	(void)state;
	assert_int_equal(files_make(&foreign, 1, &rig->e), 0);
	assert_int_equal(uring_update_files(&rig->pair.source, 0, foreign.fds, 1), 0);
	assert_int_not_equal(rig_fill(rig, &send_fd_workload), 0);
	assert_non_null(strstr(rig->e.text, "slot 0 (install 0)"));
	files_close(&foreign);
	rig_drop(rig, &send_fd_workload);
}

static void an_empty_source_slot_fails_every_install(void **state)
{
	struct rig *rig = rig_make(&send_fd_workload, rig_plain);
	int none = -1;

	(void)state;
	assert_int_equal(uring_update_files(&rig->pair.source, 0, &none, 1), 0);
	assert_int_not_equal(rig_fill(rig, &send_fd_workload), 0);
	rig_drop(rig, &send_fd_workload);
}

/* The poller gives up when nobody sends, within its limit. */
static void a_receiver_without_a_sender_times_out(void **state)
{
	struct shape shape = rig_plain;
	struct rig *rig;

	(void)state;
	shape.split = true;
	shape.poll = true;
	shape.timeout_ns = 50000000;
	rig = rig_make(&send_fd_workload, shape);
	assert_int_equal(send_fd_workload.prepare(&rig->pair, &rig->e), 0);
	rig->pair.receiver.start_ns = 0;
	send_fd_workload.receive(&rig->pair);
	assert_true(rig->pair.receiver.timed_out);
	assert_int_not_equal(send_fd_workload.check(&rig->pair, &rig->e), 0);
	assert_non_null(strstr(rig->e.text, "--timeout"));
	rig_drop(rig, &send_fd_workload);
}

static void *receive_thread(void *argument)
{
	struct pair *pair = argument;

	/* Late enough for the sender to have filled the CQ and to wait. */
	clock_sleep_ns(20000000);
	pair->receiver.start_ns = clock_now_ns();
	send_fd_workload.receive(pair);
	return NULL;
}

/* Four times more installs than the CQ holds: the receiver hands its room out again. */
static void a_small_cq_goes_on_credit(void **state)
{
	struct shape shape = rig_plain;
	struct rig *rig;
	pthread_t thread;

	(void)state;
	shape.split = true;
	shape.poll = true;
	shape.credits = true;
	shape.cq = 64;
	rig = rig_make(&send_fd_workload, shape);
	assert_int_equal(send_fd_workload.prepare(&rig->pair, &rig->e), 0);
	assert_int_equal(pthread_create(&thread, NULL, receive_thread, &rig->pair), 0);
	send_fd_workload.send(&rig->pair);
	pthread_join(thread, NULL);
	if (send_fd_workload.check(&rig->pair, &rig->e))
		fail_msg("%s", rig->e.text);
	assert_true(rig->pair.sender.stall_ns > 0);
	rig_drop(rig, &send_fd_workload);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alloc_slots),
		cmocka_unit_test(explicit_slots),
		cmocka_unit_test(skipped_cqes),
		cmocka_unit_test(part_of_a_table_and_an_odd_last_batch),
		cmocka_unit_test(batch_of_one),
		cmocka_unit_test(bare_fills_the_table_too),
		cmocka_unit_test(a_full_table_is_not_counted),
		cmocka_unit_test(bare_sees_a_full_table),
		cmocka_unit_test(an_overflow_is_seen),
		cmocka_unit_test(a_foreign_file_is_read_back),
		cmocka_unit_test(an_empty_source_slot_fails_every_install),
		cmocka_unit_test(a_small_cq_goes_on_credit),
		cmocka_unit_test(a_receiver_without_a_sender_times_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
