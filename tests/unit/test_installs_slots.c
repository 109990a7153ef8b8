// SPDX-License-Identifier: GPL-2.0-or-later
/* What lands in slots that the sender chose, without completions, and with a stamp to read back. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "installs_support.h"

static void make_explicit(struct fill *fill)
{
	fill->installs.explicit_slot = true;
	for (unsigned i = 0; i < USED; i++)
		fill->sent_cqes[i].res = fill->arrived_cqes[i].res = 0;
}

static void explicit_slots_come_from_the_request(void **state)
{
	struct fill *fill = fill_honest();

	(void)state;
	make_explicit(fill);
	assert_int_equal(fill_judge(fill), 0);
	assert_int_equal(fill->slot_of[5], 5);
}

static void explicit_slot_that_returns_a_slot(void **state)
{
	struct fill *fill = fill_honest();

	(void)state;
	make_explicit(fill);
	fill->sent_cqes[4].res = 4;
	fill_refused(fill, "returned 4, expected 0");
}

static void explicit_target_that_returns_a_slot(void **state)
{
	struct fill *fill = fill_honest();

	(void)state;
	make_explicit(fill);
	fill->arrived_cqes[4].res = 4;
	fill_refused(fill, "the target 4");
}

static void skipped_cqes_are_not_missed(void **state)
{
	struct fill *fill = fill_honest();

	(void)state;
	fill->installs.skip_cqe = true;
	fill->arrived.count = 0;
	assert_int_equal(fill_judge(fill), 0);
}

static void a_target_cqe_that_should_have_been_skipped(void **state)
{
	struct fill *fill = fill_honest();

	(void)state;
	fill->installs.skip_cqe = true;
	fill->arrived.count = 1;
	fill_refused(fill, "1 of 0 target CQEs");
}

static void wrong_stamp(void **state)
{
	struct fill *fill = fill_honest();

	(void)state;
	assert_int_equal(fill_judge(fill), 0);
	fill->read_back[6] = STAMP + 1;
	assert_int_not_equal(fill_judge_stamps(fill, NULL), 0);
	assert_non_null(strstr(fill->e.text, "slot 6 (install 6) holds another file"));
}

/* Each in its place, not only all of them somewhere. */
static void stamps_of_every_slot(void **state)
{
	struct fill *fill = fill_honest();
	uint64_t stamps[USED];

	(void)state;
	fill_judge(fill);
	for (unsigned i = 0; i < USED; i++)
		stamps[i] = fill->read_back[i] = STAMP + i;
	assert_int_equal(fill_judge_stamps(fill, stamps), 0);
	fill->read_back[2] = stamps[5];
	fill->read_back[5] = stamps[2];
	assert_int_not_equal(fill_judge_stamps(fill, stamps), 0);
	assert_non_null(strstr(fill->e.text, "slot 2 (install 2) holds another file"));
}

static void unreadable_slot(void **state)
{
	struct fill *fill = fill_honest();

	(void)state;
	assert_int_equal(fill_judge(fill), 0);
	fill->read_back[0] = 0;
	assert_int_not_equal(fill_judge_stamps(fill, NULL), 0);
	assert_non_null(strstr(fill->e.text, "could not be read"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(explicit_slots_come_from_the_request),
		cmocka_unit_test(explicit_slot_that_returns_a_slot),
		cmocka_unit_test(explicit_target_that_returns_a_slot),
		cmocka_unit_test(skipped_cqes_are_not_missed),
		cmocka_unit_test(a_target_cqe_that_should_have_been_skipped),
		cmocka_unit_test(wrong_stamp),
		cmocka_unit_test(stamps_of_every_slot),
		cmocka_unit_test(unreadable_slot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
