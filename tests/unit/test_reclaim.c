// SPDX-License-Identifier: GPL-2.0-or-later
/* reclaim: the verdict over doctored records, the figures of made-up ones, and real fills. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/uring.h"
#include "rig_support.h"
#include "workloads/list.h"
#include "workloads/reclaim.h"

#define FILES 4

/* A good record: four files removed by CLOSE, two a batch, a fixed read pending. */
static struct record {
	struct io_uring_cqe cqes[2 * FILES + 4];
	struct reclaim_batch batches[2];
	int64_t released_ns[FILES], delays[FILES];
	bool early[FILES];
	uint8_t seen[2 * FILES];
	struct reclaim_log log;
	struct error e;
} record;

static void add(enum reclaim_kind kind, unsigned number, int res)
{
	record.cqes[record.log.count++] = (struct io_uring_cqe){
		.user_data = reclaim_data(kind, number), .res = res };
}

static void make_good(void)
{
	memset(&record, 0, sizeof(record));
	record.log = (struct reclaim_log){
		.files = FILES, .pending = PENDING_FIXED, .completes = true, .cqes = record.cqes,
		.capacity = reclaim_completions(FILES), .batches = record.batches, .batch_count = 2,
		.released_ns = record.released_ns, .early = record.early, .start_ns = 1000,
		.removed_ns = 1200, .fed_ns = 5000, .read_right = true, .churned = true,
		.waited_ns = 2000000000,
	};
	record.batches[0] = (struct reclaim_batch){ .removed = 2, .posted = 2, .ns = 1100 };
	record.batches[1] = (struct reclaim_batch){ .removed = 4, .posted = 5, .ns = 1200 };
	add(RECLAIM_REMOVAL, 0, 0);
	add(RECLAIM_REMOVAL, 1, 0);
	add(RECLAIM_REMOVAL, 2, 0);
	add(RECLAIM_TAG, 0, 0);
	add(RECLAIM_REMOVAL, 3, 0);
	add(RECLAIM_READ, 0, 1);
	add(RECLAIM_TAG, 1, 0);
	add(RECLAIM_TAG, 3, 0);
	add(RECLAIM_TAG, 2, 0);
	add(RECLAIM_CHURN, 0, 0);
	record.released_ns[0] = 1150;
	record.released_ns[1] = 5100;
	record.released_ns[2] = 5300;
	record.released_ns[3] = 5200;
	record.log.released_pending = 1;
}

static void refused(const char *why)
{
	if (!reclaim_judge(&record.log, record.seen, &record.e))
		fail_msg("passed, expected: %s", why);
	if (!strstr(record.e.text, why))
		fail_msg("\"%s\", expected: %s", record.e.text, why);
	assert_int_equal(record.e.kind, ERROR_FAILED);
	make_good();
}

static int set_up(void **state)
{
	(void)state;
	make_good();
	return 0;
}

static void a_good_record_passes(void **state)
{
	(void)state;
	if (reclaim_judge(&record.log, record.seen, &record.e))
		fail_msg("%s", record.e.text);
	/* Replaced or unregistered by calls: no completions of removals. */
	for (unsigned i = 0; i < 4; i++)
		record.cqes[i] = record.cqes[i + 6];
	record.cqes[4] = record.cqes[5];
	record.cqes[5] = (struct io_uring_cqe){ .user_data = reclaim_data(RECLAIM_TAG, 0) };
	record.log.count = 6;
	record.log.completes = false;
	if (reclaim_judge(&record.log, record.seen, &record.e))
		fail_msg("%s", record.e.text);
}

static void every_lie_about_removals_is_found(void **state)
{
	(void)state;
	record.cqes[1].res = -EBADF;
	refused("removal 1 failed: Bad file descriptor");
	record.cqes[1].res = 1;
	refused("removal 1 returned 1, expected 0");
	record.log.updates = true;
	refused("removal 0 returned 0, expected 1");
	record.cqes[2].flags = IORING_CQE_F_MORE;
	refused("removal 2 has flags");
	record.cqes[2].user_data = reclaim_data(RECLAIM_REMOVAL, 1);
	refused("removal 1 completed twice");
	record.cqes[2].user_data = reclaim_data(RECLAIM_REMOVAL, 4);
	refused("completion 2 is of nothing that was asked for");
	record.cqes[2].user_data = 3;
	refused("completion 2 is of nothing that was asked for");
	record.batches[0].posted = 1;
	refused("removal 1 completed after the call");
	record.batches[1].posted = 4;
	refused("removal 3 completed after the call");
	record.log.completes = false;
	refused("removal 0 has a completion");
	record.cqes[4] = record.cqes[--record.log.count];
	refused("removal 3 has no completion");
	record.log.batch_count = 1;
	refused("only 2 of 4 files were removed");
}

static void every_lie_about_releases_is_found(void **state)
{
	(void)state;
	record.cqes[6].res = -ECANCELED;
	refused("release 1 failed");
	record.cqes[6].user_data = reclaim_data(RECLAIM_TAG, 3);
	refused("release 3 completed twice");
	record.cqes[6] = record.cqes[--record.log.count];
	refused("without their tag's completion");
	record.released_ns[2] = 0;
	refused("1 of 4 files (0 without their tag) had not been released 2 s after");
	record.early[3] = true;
	refused("file 3 was released before it was removed");
	record.log.early_completions = 2;
	refused("2 completions had come before anything was removed");
	record.log.left = 1;
	refused("1 completions too many");
	record.log.overflow = true;
	refused("the CQ overflowed");
	record.log.dropped = 1;
	refused("dropped 1 SQEs");
}

static void every_lie_about_the_rest_is_found(void **state)
{
	(void)state;
	record.cqes[5].res = 0;
	refused("read 0 returned 0, expected 1");
	record.cqes[5].user_data = reclaim_data(RECLAIM_READ, 1);
	refused("of nothing that was asked for");
	record.log.read_right = false;
	refused("did not read what was fed");
	record.log.pending = PENDING_NONE;
	refused("the pending read completed 1 times, expected 0");
	record.cqes[5] = record.cqes[--record.log.count];
	refused("the pending read completed 0 times, expected 1");
	record.log.count--;
	refused("what was replaced (--churn) had not been released");
}

static void figures_are_right(void **state)
{
	double measures[MEASURE_MAX];

	(void)state;
	reclaim_measure(&record.log, record.delays, measures);
	assert_true(measures[RECLAIM_RELEASED_PENDING] == 1);
	assert_true(measures[RECLAIM_PENDING_NS] == 5000 - 1200);
	assert_true(measures[RECLAIM_SETTLED_NS] == 5300 - 1000);
	/* 50, 4000, 4100 and 4000 behind their batches. */
	assert_true(measures[RECLAIM_DELAY_MEAN] == (50 + 4000 + 4100 + 4000) / 4.0);
	assert_true(measures[RECLAIM_DELAY_P50] == 4000);
	assert_true(measures[RECLAIM_DELAY_P90] == 4100);
	assert_true(measures[RECLAIM_DELAY_MAX] == 4100);
	/* Seen before the end of its batch was noted: none, not less. */
	record.released_ns[0] = 1090;
	reclaim_measure(&record.log, record.delays, measures);
	assert_true(record.delays[0] == 0);
}

static struct shape removing(enum removal removal, enum pending pending)
{
	struct shape shape = rig_plain;

	shape.slots = shape.used = 70;
	shape.cq = 256;
	shape.spare_slots = 1;
	shape.removal = removal;
	shape.pending = pending;
	shape.hold_ns = 2000000;
	return shape;
}

static bool lets_go_at_once(void)
{
	static int known = -1;
	struct rig *rig;

	if (known >= 0)
		return known;
	/* A kernel that keeps removed files for a pending request shows it here. */
	rig = rig_make(&reclaim_workload, removing(REMOVAL_REGISTER, PENDING_FIXED));
	if (rig_fill(rig, &reclaim_workload))
		fail_msg("%s", rig->e.text);
	known = rig->pair.measures[RECLAIM_RELEASED_PENDING] == 70;
	rig_drop(rig, &reclaim_workload);
	return known;
}

static void real_fills_pass(void **state)
{
	bool at_once = lets_go_at_once();

	(void)state;
	for (int removal = REMOVAL_REGISTER; removal <= REMOVAL_REPLACE; removal++)
		for (int pending = PENDING_NONE; pending <= PENDING_FIXED; pending++)
			for (int half = 0; half <= (pending != PENDING_NONE); half++) {
				struct shape shape = removing(removal, pending);
				struct rig *rig;

				shape.halfway = half;
				rig = rig_make(&reclaim_workload, shape);
				for (int i = 0; i < 2; i++)
					if (rig_fill(rig, &reclaim_workload))
						fail_msg("removal %d, pending %d, half %d: %s", removal,
							 pending, half, rig->e.text);
				if (at_once)
					assert_true(rig->pair.measures[RECLAIM_RELEASED_PENDING] == 70);
				assert_true(rig->pair.measures[RECLAIM_PENDING_NS] >= 2000000);
				assert_true(rig->pair.phase_ns[PHASE_UNREGISTER] >= 0);
				assert_true(isnan(rig->pair.measures[RECLAIM_LIVE_FILES]));
				rig_drop(rig, &reclaim_workload);
				assert_null(rig->pair.own);
			}
}

static int64_t files_now;

static void count_files(struct holdings *holdings)
{
	*holdings = (struct holdings){ .files = files_now, .slab_bytes = HOLDINGS_UNKNOWN };
	files_now += 50;
}

static void churn_is_counted_by_the_replacement(void **state)
{
	struct shape shape = removing(REMOVAL_CLOSE, PENDING_FIXED);
	struct rig *rig;

	(void)state;
	shape.churn = 100;
	shape.hold_ns = 500000000;
	rig = rig_make(&reclaim_workload, shape);
	rig->pair.read_holdings = count_files;
	if (rig_fill(rig, &reclaim_workload))
		fail_msg("%s", rig->e.text);
	assert_true(rig->pair.measures[RECLAIM_REPLACED] == 100);
	assert_true(rig->pair.measures[RECLAIM_LIVE_FILES] == 0.5);
	assert_true(isnan(rig->pair.measures[RECLAIM_SLAB_BYTES]));
	rig_drop(rig, &reclaim_workload);
}

/* A file that somebody else keeps open is never released: the wait ends, and says so. */
static void a_kept_file_ends_the_wait(void **state)
{
	struct shape shape = removing(REMOVAL_REGISTER, PENDING_NONE);
	struct reclaim *own;
	struct rig *rig;
	char path[64];
	FILE *kept;

	(void)state;
	shape.timeout_ns = 50000000;
	rig = rig_make(&reclaim_workload, shape);
	assert_int_equal(reclaim_workload.prepare(&rig->pair, &rig->e), 0);
	own = rig->pair.own;
	/* Another writer of the pipe of file 13. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", own->readers[13]);
	kept = fopen(path, "w");
	assert_non_null(kept);
	reclaim_workload.send(&rig->pair);
	reclaim_workload.watch(&rig->pair);
	assert_int_not_equal(reclaim_workload.check(&rig->pair, &rig->e), 0);
	assert_non_null(strstr(rig->e.text, "1 of 70 files (0 without their tag) had not been released"));
	fclose(kept);
	rig_drop(rig, &reclaim_workload);
}

/* A slot that somebody else emptied: CLOSE fails, and its file was released too early. */
static void a_failed_removal_is_said(void **state)
{
	struct rig *rig = rig_make(&reclaim_workload, removing(REMOVAL_CLOSE, PENDING_NONE));
	int none = -1;

	(void)state;
	assert_int_equal(reclaim_workload.prepare(&rig->pair, &rig->e), 0);
	assert_int_equal(uring_update_files(&rig->pair.target, 17, &none, 1), 0);
	rig->pair.sender.start_ns = 1;
	reclaim_workload.send(&rig->pair);
	reclaim_workload.watch(&rig->pair);
	assert_int_not_equal(reclaim_workload.check(&rig->pair, &rig->e), 0);
	assert_non_null(strstr(rig->e.text, "removal 17 failed: Bad file descriptor"));
	rig_drop(rig, &reclaim_workload);
}

static void a_full_cq_is_found(void **state)
{
	struct shape shape = removing(REMOVAL_CLOSE, PENDING_NONE);
	struct rig *rig;

	(void)state;
	shape.cq = 64;
	rig = rig_make(&reclaim_workload, shape);
	assert_int_equal(reclaim_workload.prepare(&rig->pair, &rig->e), 0);
	reclaim_workload.send(&rig->pair);
	assert_int_not_equal(reclaim_workload.check(&rig->pair, &rig->e), 0);
	assert_non_null(strstr(rig->e.text, "the CQ overflowed"));
	rig_drop(rig, &reclaim_workload);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_good_record_passes, set_up),
		cmocka_unit_test_setup(every_lie_about_removals_is_found, set_up),
		cmocka_unit_test_setup(every_lie_about_releases_is_found, set_up),
		cmocka_unit_test_setup(every_lie_about_the_rest_is_found, set_up),
		cmocka_unit_test_setup(figures_are_right, set_up),
		cmocka_unit_test(real_fills_pass),
		cmocka_unit_test(churn_is_counted_by_the_replacement),
		cmocka_unit_test(a_kept_file_ends_the_wait),
		cmocka_unit_test(a_failed_removal_is_said),
		cmocka_unit_test(a_full_cq_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
