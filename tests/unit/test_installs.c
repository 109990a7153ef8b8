// SPDX-License-Identifier: GPL-2.0-or-later
/* Every way in which a fill can lie, fed to the verdict as doctored arrays. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "installs_support.h"

static void accepts_an_honest_fill(void **state)
{
	struct fill *fill = fill_honest();

	(void)state;
	assert_int_equal(fill_judge(fill), 0);
	for (unsigned i = 0; i < USED; i++)
		assert_int_equal(fill->slot_of[i], i);
	assert_int_equal(fill_judge_stamps(fill, NULL), 0);
}

static void accepts_any_order_and_any_slots(void **state)
{
	struct fill *fill = fill_honest();

	(void)state;
	for (unsigned i = 0; i < USED; i++) {
		unsigned install = USED - 1 - i;

		fill->sent_cqes[i].user_data = installs_tag(PAIR, install);
		fill->sent_cqes[i].res = (int)(SLOTS - 1 - install);
		fill->arrived_cqes[install] = fill->sent_cqes[i];
	}
	assert_int_equal(fill_judge(fill), 0);
	assert_int_equal(fill->slot_of[0], SLOTS - 1);
}

static void missing_source_cqe(void **state)
{
	struct fill *fill = fill_honest();

	(void)state;
	fill->sent.count--;
	fill_refused(fill, "7 of 8 source CQEs");
}

static void missing_target_cqe(void **state)
{
	struct fill *fill = fill_honest();

	(void)state;
	fill->arrived.count--;
	fill_refused(fill, "7 of 8 target CQEs");
}

static void extra_source_cqe(void **state)
{
	struct fill *fill = fill_honest();

	(void)state;
	fill->sent_cqes[USED] = fill->sent_cqes[0];
	fill->sent.count++;
	fill_refused(fill, "9 of 8 source CQEs");
}

static void cqes_left_in_the_source(void **state)
{
	struct fill *fill = fill_honest();

	(void)state;
	fill->installs.sent_left = 1;
	fill_refused(fill, "1 source and 0 target CQEs too many");
}

static void cqes_left_in_the_target(void **state)
{
	struct fill *fill = fill_honest();

	(void)state;
	fill->installs.arrived_left = 2;
	fill_refused(fill, "0 source and 2 target CQEs too many");
}

static void duplicate_source_completion(void **state)
{
	struct fill *fill = fill_honest();

	(void)state;
	fill->sent_cqes[5] = fill->sent_cqes[4];
	fill_refused(fill, "install 4 completed twice at the source");
}

static void duplicate_target_completion(void **state)
{
	struct fill *fill = fill_honest();

	(void)state;
	fill->arrived_cqes[5] = fill->arrived_cqes[4];
	fill_refused(fill, "install 4 completed twice at the target");
}

static void duplicate_slot(void **state)
{
	struct fill *fill = fill_honest();

	(void)state;
	fill->sent_cqes[6].res = 2;
	fill->arrived_cqes[6].res = 2;
	fill_refused(fill, "slot 2 was given out twice");
}

static void ends_disagree(void **state)
{
	struct fill *fill = fill_honest();

	(void)state;
	fill->arrived_cqes[1].res = 9;
	fill_refused(fill, "the source was told slot 1, the target 9");
}

static void swapped_target_slots(void **state)
{
	struct fill *fill = fill_honest();

	(void)state;
	fill->arrived_cqes[1].res = 2;
	fill->arrived_cqes[2].res = 1;
	fill_refused(fill, "the source was told slot 1, the target 2");
}

static void slot_out_of_range(void **state)
{
	struct fill *fill = fill_honest();

	(void)state;
	fill->sent_cqes[7].res = SLOTS;
	fill_refused(fill, "names slot 16, the table has 16");
}

static void failed_install_at_the_source(void **state)
{
	struct fill *fill = fill_honest();

	(void)state;
	fill->sent_cqes[3].res = -ENFILE;
	fill_refused(fill, "install 3 failed at the source");
}

static void failed_install_at_the_target(void **state)
{
	struct fill *fill = fill_honest();

	(void)state;
	fill->arrived_cqes[3].res = -EBADF;
	fill_refused(fill, "install 3 failed at the target");
}

static void flags_at_the_source(void **state)
{
	struct fill *fill = fill_honest();

	(void)state;
	fill->sent_cqes[2].flags = 1;
	fill_refused(fill, "CQE flags 0x1 at the source");
}

static void flags_at_the_target(void **state)
{
	struct fill *fill = fill_honest();

	(void)state;
	fill->arrived_cqes[2].flags = 4;
	fill_refused(fill, "CQE flags 0x4 at the target");
}

static void another_pairs_completion(void **state)
{
	struct fill *fill = fill_honest();

	(void)state;
	fill->arrived_cqes[0].user_data = installs_tag(PAIR + 1, 0);
	fill_refused(fill, "belongs to no install of pair 3");
}

static void an_install_that_was_never_asked_for(void **state)
{
	struct fill *fill = fill_honest();

	(void)state;
	fill->sent_cqes[0].user_data = installs_tag(PAIR, USED);
	fill_refused(fill, "belongs to no install of pair 3");
}

static void overflow_is_named_first(void **state)
{
	struct fill *fill = fill_honest();

	(void)state;
	fill->installs.overflow = true;
	fill->arrived.count = 3;
	fill_refused(fill, "IORING_SQ_CQ_OVERFLOW; 3 of 8");
}

static void dropped_sqes(void **state)
{
	struct fill *fill = fill_honest();

	(void)state;
	fill->installs.dropped = 2;
	fill_refused(fill, "dropped 2 SQEs");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accepts_an_honest_fill),
		cmocka_unit_test(accepts_any_order_and_any_slots),
		cmocka_unit_test(missing_source_cqe),
		cmocka_unit_test(missing_target_cqe),
		cmocka_unit_test(extra_source_cqe),
		cmocka_unit_test(cqes_left_in_the_source),
		cmocka_unit_test(cqes_left_in_the_target),
		cmocka_unit_test(duplicate_source_completion),
		cmocka_unit_test(duplicate_target_completion),
		cmocka_unit_test(duplicate_slot),
		cmocka_unit_test(ends_disagree),
		cmocka_unit_test(swapped_target_slots),
		cmocka_unit_test(slot_out_of_range),
		cmocka_unit_test(failed_install_at_the_source),
		cmocka_unit_test(failed_install_at_the_target),
		cmocka_unit_test(flags_at_the_source),
		cmocka_unit_test(flags_at_the_target),
		cmocka_unit_test(another_pairs_completion),
		cmocka_unit_test(an_install_that_was_never_asked_for),
		cmocka_unit_test(overflow_is_named_first),
		cmocka_unit_test(dropped_sqes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
