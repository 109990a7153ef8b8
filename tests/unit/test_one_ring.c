// SPDX-License-Identifier: GPL-2.0-or-later
/* Workloads of one ring, on real ones, one thread; skipped where io_uring is not allowed. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "base/uring.h"
#include "rig_support.h"
#include "workloads/list.h"
#include "workloads/update.h"

/* A table that `used` goes round more than once, and a batch that divides neither. */
static struct shape odd(void)
{
	struct shape shape = rig_plain;

	shape.slots = 50;
	shape.used = 177;
	shape.batch = 13;
	return shape;
}

static void every_cycle(const struct workload *workload, struct shape shape)
{
	rig_fills(workload, shape);
	shape.reuse = true;
	rig_fills(workload, shape);
	if (workload->table == TABLE_NONE)
		return;
	shape.reuse = false;
	shape.reregister = true;
	rig_fills(workload, shape);
}

static void nops(void **state)
{
	struct shape shape = odd();

	(void)state;
	every_cycle(&enter_workload, shape);
	shape.batch = 1;
	every_cycle(&enter_workload, shape);
}

static void nops_by_registered_index(void **state)
{
	struct shape shape = odd();

	(void)state;
	shape.registered = true;
	every_cycle(&enter_workload, shape);
}

/* More rings than a task can register, one after the other: each gives its index back. */
static void indexes_are_given_back(void **state)
{
	struct shape shape = odd();

	(void)state;
	shape.registered = true;
	for (int i = 0; i < 10; i++)
		rig_fills(&enter_workload, shape);
}

static void files_by_sqe(void **state)
{
	(void)state;
	every_cycle(&update_files_workload, odd());
}

static void files_by_register_call(void **state)
{
	struct shape shape = odd();

	(void)state;
	shape.by_register = true;
	every_cycle(&update_files_workload, shape);
}

static void part_of_a_table(void **state)
{
	struct shape shape = odd();

	(void)state;
	shape.used = 20;
	every_cycle(&update_files_workload, shape);
	shape.by_register = true;
	every_cycle(&update_buffers_workload, shape);
}

static void buffers(void **state)
{
	struct shape shape = odd();

	(void)state;
	shape.by_register = true;
	every_cycle(&update_buffers_workload, shape);
}

/* Puts what stood there the time before back into `slot`, behind a good fill. */
static void spoil(struct pair *pair, unsigned slot)
{
	const struct update *update = update_of(pair);
	uint64_t last = update->next - 1;

	while (last % pair->shape->slots != slot)
		last--;
	assert_int_equal(uring_replace(&pair->target, pair->shape->table == TABLE_BUFFERS, slot,
				       update->entries[!update_which(pair, last)], 1), 1);
}

static void a_slot_with_the_old_content_is_seen(const struct workload *workload)
{
	struct shape shape = odd();
	struct rig *rig;

	shape.by_register = true;
	rig = rig_make(workload, shape);
	assert_int_equal(workload->prepare(&rig->pair, &rig->e), 0);
	workload->send(&rig->pair);
	spoil(&rig->pair, 31);
	assert_int_not_equal(workload->check(&rig->pair, &rig->e), 0);
	assert_non_null(strstr(rig->e.text, "slot 31 "));
	rig_drop(rig, workload);
}

static void old_content(void **state)
{
	(void)state;
	a_slot_with_the_old_content_is_seen(&update_files_workload);
	a_slot_with_the_old_content_is_seen(&update_buffers_workload);
}

/* What rsrc-update-bench does not notice: without a table every request fails, and fast. */
static void no_table_is_no_success(void **state)
{
	struct rig *rig = rig_make(&update_files_workload, odd());

	(void)state;
	assert_int_equal(update_files_workload.prepare(&rig->pair, &rig->e), 0);
	assert_int_equal(uring_unregister_files(&rig->pair.target), 0);
	rig->pair.table_open = false;
	update_files_workload.send(&rig->pair);
	assert_int_not_equal(update_files_workload.check(&rig->pair, &rig->e), 0);
	assert_non_null(strstr(rig->e.text, "update 0 failed"));
	rig_drop(rig, &update_files_workload);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nops),
		cmocka_unit_test(nops_by_registered_index),
		cmocka_unit_test(indexes_are_given_back),
		cmocka_unit_test(files_by_sqe),
		cmocka_unit_test(files_by_register_call),
		cmocka_unit_test(part_of_a_table),
		cmocka_unit_test(buffers),
		cmocka_unit_test(old_content),
		cmocka_unit_test(no_table_is_no_success),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
