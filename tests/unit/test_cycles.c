// SPDX-License-Identifier: GPL-2.0-or-later
/* Rings and tables that outlast a fill, files of every slot's own, registered rings: on real rings. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "base/uring.h"
#include "rig_support.h"
#include "workloads/list.h"
#include "workloads/rig.h"

static struct shape cycle(bool reregister, bool reuse)
{
	struct shape shape = rig_plain;

	shape.reregister = reregister;
	shape.reuse = reuse;
	return shape;
}

/* The phases that happened in the last fill, a letter each in their order. */
static void happened(const struct rig *rig, const char *expected)
{
	static const char letters[PHASE_COUNT] = {
		[PHASE_CREATE] = 'c', [PHASE_REGISTER] = 'r', [PHASE_FIRST_FILL] = 'f',
		[PHASE_REMOVE] = 'm', [PHASE_RELEASE_WAIT] = 'w', [PHASE_REFILL] = 'R',
		[PHASE_UNREGISTER] = 'u', [PHASE_EXIT] = 'x',
	};
	char got[PHASE_COUNT + 1] = "";
	size_t count = 0;

	for (int i = 0; i < PHASE_COUNT; i++)
		if (rig->pair.phase_ns[i] != PHASE_NONE) {
			assert_true(rig->pair.phase_ns[i] >= 0);
			got[count++] = letters[i];
		}
	assert_string_equal(got, expected);
}

static void good_fill(struct rig *rig)
{
	if (rig_fill(rig, &send_fd_workload))
		fail_msg("%s", rig->e.text);
}

static void fresh_makes_all_anew(void **state)
{
	struct rig *rig = rig_make(&send_fd_workload, rig_plain);

	(void)state;
	for (int i = 0; i < 3; i++) {
		good_fill(rig);
		happened(rig, "crux");
		assert_false(rig->pair.target_open);
	}
	rig_drop(rig, &send_fd_workload);
}

static void reregister_keeps_the_ring(void **state)
{
	struct rig *rig = rig_make(&send_fd_workload, cycle(true, false));
	int fd;

	(void)state;
	good_fill(rig);
	happened(rig, "cru");
	fd = rig->pair.target.ring_fd;
	for (int i = 0; i < 3; i++) {
		good_fill(rig);
		happened(rig, "ru");
		assert_true(rig->pair.target_open);
		assert_int_equal(rig->pair.target.ring_fd, fd);
	}
	assert_int_equal(send_fd_workload.finish(&rig->pair, true, &rig->e), 0);
	happened(rig, "rux");
	rig_drop(rig, &send_fd_workload);
}

/* The kernel's choice of slots must not wander: a table of which a quarter is used would tell. */
static void reuse_fills_the_same_slots(void **state)
{
	struct shape shape = cycle(false, true);
	struct rig *rig;

	(void)state;
	shape.used = 70;
	rig = rig_make(&send_fd_workload, shape);
	for (int i = 0; i < 4; i++) {
		good_fill(rig);
		happened(rig, i ? "mw" : "crmw");
		for (unsigned k = 0; k < shape.used; k++)
			assert_int_equal(rig->pair.sent.cqes[k].res, k);
		/* Behind removal: what was removed, the last one first. */
		assert_int_equal(rig->pair.slot_of[0], 69);
		assert_int_equal(rig->pair.slot_of[69], 0);
		assert_int_equal(uring_ready(&rig->pair.target), 0);
	}
	rig_drop(rig, &send_fd_workload);
	assert_false(rig->pair.target_open);
}

static void reuse_of_explicit_slots_and_skipped_cqes(void **state)
{
	struct shape shape = cycle(false, true);

	(void)state;
	shape.explicit_slot = true;
	rig_fills(&send_fd_workload, shape);
	shape.skip_cqe = true;
	shape.batch = 1;
	rig_fills(&send_fd_workload, shape);
}

/* The last fill of a ring: nothing is removed, all is taken down. */
static void the_last_fill_is_not_removed(void **state)
{
	struct rig *rig = rig_make(&send_fd_workload, cycle(false, true));

	(void)state;
	good_fill(rig);
	assert_int_equal(send_fd_workload.prepare(&rig->pair, &rig->e), 0);
	send_fd_workload.send(&rig->pair);
	assert_int_equal(send_fd_workload.check(&rig->pair, &rig->e), 0);
	assert_int_equal(send_fd_workload.finish(&rig->pair, true, &rig->e), 0);
	happened(rig, "ux");
	rig_drop(rig, &send_fd_workload);
}

/* A slot that is empty already cannot be removed, and that is said. */
static void a_failed_removal_is_said(void **state)
{
	struct rig *rig = rig_make(&send_fd_workload, cycle(false, true));
	int none = -1;

	(void)state;
	assert_int_equal(send_fd_workload.prepare(&rig->pair, &rig->e), 0);
	send_fd_workload.send(&rig->pair);
	assert_int_equal(send_fd_workload.check(&rig->pair, &rig->e), 0);
	assert_int_equal(uring_update_files(&rig->pair.target, 17, &none, 1), 0);
	assert_int_not_equal(send_fd_workload.finish(&rig->pair, false, &rig->e), 0);
	assert_non_null(strstr(rig->e.text, "cannot empty the table's 256 slots: Bad file descriptor"));
	rig_drop(rig, &send_fd_workload);
}

static void a_file_for_every_slot(void **state)
{
	struct shape shape = rig_plain;

	(void)state;
	shape.per_slot = true;
	rig_fills(&send_fd_workload, shape);
	shape.reuse = true;
	rig_fills(&send_fd_workload, shape);
	shape.used = 1;
	rig_fills(&send_fd_workload, shape);
}

/* The descriptors of all these files were closed as they came. */
static void files_need_no_descriptors(void **state)
{
	struct shape shape = rig_plain;
	struct rig *rig;

	(void)state;
	shape.per_slot = true;
	rig = rig_make(&send_fd_workload, shape);
	assert_true(rig->pair.source.ring_fd < 32);
	good_fill(rig);
	assert_true(rig->pair.stamps[255] != rig->pair.stamps[254]);
	rig_drop(rig, &send_fd_workload);
}

/* All slots full and all stamps known, but two of them in each other's place. */
static void swapped_files_are_found(void **state)
{
	struct shape shape = rig_plain;
	struct rig *rig;
	uint64_t stamp;

	(void)state;
	shape.per_slot = true;
	rig = rig_make(&send_fd_workload, shape);
	stamp = rig->pair.stamps[3];
	rig->pair.stamps[3] = rig->pair.stamps[200];
	rig->pair.stamps[200] = stamp;
	assert_int_not_equal(rig_fill(rig, &send_fd_workload), 0);
	assert_non_null(strstr(rig->e.text, "slot 3 (install 3) holds another file"));
	rig_drop(rig, &send_fd_workload);
}

static void rings_entered_by_index(void **state)
{
	struct shape shape = rig_plain;
	struct rig *rig;

	(void)state;
	shape.registered = true;
	rig_fills(&send_fd_workload, shape);
	rig_fills(&bare_workload, shape);
	rig = rig_make(&send_fd_workload, shape);
	assert_true(rig->pair.ring_fd_registered);
	assert_int_not_equal(rig->pair.source.enter_ring_fd, rig->pair.source.ring_fd);
	good_fill(rig);
	rig_leave(&rig->pair, true, true);
	assert_int_equal(rig->pair.source.enter_ring_fd, rig->pair.source.ring_fd);
	good_fill(rig);
	rig_drop(rig, &send_fd_workload);
}

/* Of receivers, the one that waits enters its own ring by index too. */
static void a_waiting_receiver_is_registered(void **state)
{
	struct shape shape = rig_plain;
	struct rig *rig;

	(void)state;
	shape.registered = shape.split = shape.wait = true;
	shape.cq = 256;
	rig = rig_make(&send_fd_workload, shape);
	assert_int_equal(send_fd_workload.prepare(&rig->pair, &rig->e), 0);
	assert_int_not_equal(rig->pair.target.enter_ring_fd, rig->pair.target.ring_fd);
	send_fd_workload.send(&rig->pair);
	send_fd_workload.receive(&rig->pair);
	if (send_fd_workload.check(&rig->pair, &rig->e))
		fail_msg("%s", rig->e.text);
	rig_drop(rig, &send_fd_workload);
}

/* The 17th of a task. */
static void a_registration_that_fails_is_no_silent_fallback(void **state)
{
	struct rig *rig = rig_make(&send_fd_workload, rig_plain);
	struct io_uring others[16];

	(void)state;
	send_fd_workload.close(&rig->pair);
	for (int i = 0; i < 16; i++) {
		assert_int_equal(uring_open(&others[i], 1, 2, 0, NULL), 0);
		assert_int_equal(io_uring_register_ring_fd(&others[i]), 1);
	}
	rig->shape.registered = true;
	assert_int_not_equal(send_fd_workload.open(&rig->pair, &rig->e), 0);
	assert_non_null(strstr(rig->e.text, "source ring's descriptor"));
	assert_non_null(strstr(rig->e.text, "--ring-fd plain"));
	assert_false(rig->pair.ring_fd_registered);
	for (int i = 0; i < 16; i++)
		uring_close(&others[i]);
	rig_drop(rig, &send_fd_workload);
}

/* A receiver on a shared PU gives up in time too. */
static void who_yields_still_times_out(void **state)
{
	struct shape shape = rig_plain;
	struct rig *rig;

	(void)state;
	shape.split = shape.poll = shape.yield = true;
	shape.timeout_ns = 50000000;
	rig = rig_make(&send_fd_workload, shape);
	assert_int_equal(send_fd_workload.prepare(&rig->pair, &rig->e), 0);
	rig->pair.receiver.start_ns = 0;
	send_fd_workload.receive(&rig->pair);
	assert_true(rig->pair.receiver.timed_out);
	rig_drop(rig, &send_fd_workload);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fresh_makes_all_anew),
		cmocka_unit_test(reregister_keeps_the_ring),
		cmocka_unit_test(reuse_fills_the_same_slots),
		cmocka_unit_test(reuse_of_explicit_slots_and_skipped_cqes),
		cmocka_unit_test(the_last_fill_is_not_removed),
		cmocka_unit_test(a_failed_removal_is_said),
		cmocka_unit_test(a_file_for_every_slot),
		cmocka_unit_test(files_need_no_descriptors),
		cmocka_unit_test(swapped_files_are_found),
		cmocka_unit_test(rings_entered_by_index),
		cmocka_unit_test(a_waiting_receiver_is_registered),
		cmocka_unit_test(a_registration_that_fails_is_no_silent_fallback),
		cmocka_unit_test(who_yields_still_times_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
