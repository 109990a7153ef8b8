// SPDX-License-Identifier: GPL-2.0-or-later
/* Every way in which a fill can lie, fed to the verdict as doctored arrays. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "workloads/installs.h"

#define USED 8
#define SLOTS 16
#define PAIR 3
#define STAMP UINT64_C(0x1122334455667788)

/* An honest fill: install i lands in slot i, CQEs in order. */
struct fill {
	struct io_uring_cqe sent_cqes[USED + 1], arrived_cqes[USED + 1];
	struct arrivals sent, arrived;
	struct installs installs;
	unsigned slot_of[USED];
	uint8_t taken[SLOTS];
	uint64_t read_back[USED];
	struct error e;
};

static struct fill *honest(void)
{
	static struct fill fill;

	memset(&fill, 0, sizeof(fill));
	for (unsigned i = 0; i < USED; i++) {
		fill.sent_cqes[i].user_data = installs_tag(PAIR, i);
		fill.sent_cqes[i].res = (int)i;
		fill.arrived_cqes[i] = fill.sent_cqes[i];
		fill.read_back[i] = STAMP;
	}
	fill.sent = (struct arrivals){ fill.sent_cqes, USED };
	fill.arrived = (struct arrivals){ fill.arrived_cqes, USED };
	fill.installs = (struct installs){
		.pair = PAIR, .slots = SLOTS, .used = USED,
		.sent = &fill.sent, .arrived = &fill.arrived,
	};
	return &fill;
}

static int judge(struct fill *fill)
{
	return installs_judge(&fill->installs, fill->slot_of, fill->taken, &fill->e);
}

static int judge_stamps(struct fill *fill, const uint64_t *stamps)
{
	return installs_judge_stamps(fill->read_back, fill->slot_of, USED,
				     stamps ? stamps : &(uint64_t){ STAMP }, stamps, &fill->e);
}

static void refused(struct fill *fill, const char *why)
{
	assert_int_not_equal(judge(fill), 0);
	assert_int_equal(fill->e.kind, ERROR_FAILED);
	if (!strstr(fill->e.text, why))
		fail_msg("'%s' does not say '%s'", fill->e.text, why);
}

static void accepts_an_honest_fill(void **state)
{
	struct fill *fill = honest();

	(void)state;
	assert_int_equal(judge(fill), 0);
	for (unsigned i = 0; i < USED; i++)
		assert_int_equal(fill->slot_of[i], i);
	assert_int_equal(judge_stamps(fill, NULL), 0);
}

static void accepts_any_order_and_any_slots(void **state)
{
	struct fill *fill = honest();

	(void)state;
	for (unsigned i = 0; i < USED; i++) {
		unsigned install = USED - 1 - i;

		fill->sent_cqes[i].user_data = installs_tag(PAIR, install);
		fill->sent_cqes[i].res = (int)(SLOTS - 1 - install);
		fill->arrived_cqes[install] = fill->sent_cqes[i];
	}
	assert_int_equal(judge(fill), 0);
	assert_int_equal(fill->slot_of[0], SLOTS - 1);
}

static void missing_source_cqe(void **state)
{
	struct fill *fill = honest();

	(void)state;
	fill->sent.count--;
	refused(fill, "7 of 8 source CQEs");
}

static void missing_target_cqe(void **state)
{
	struct fill *fill = honest();

	(void)state;
	fill->arrived.count--;
	refused(fill, "7 of 8 target CQEs");
}

static void extra_source_cqe(void **state)
{
	struct fill *fill = honest();

	(void)state;
	fill->sent_cqes[USED] = fill->sent_cqes[0];
	fill->sent.count++;
	refused(fill, "9 of 8 source CQEs");
}

static void cqes_left_in_the_source(void **state)
{
	struct fill *fill = honest();

	(void)state;
	fill->installs.sent_left = 1;
	refused(fill, "1 source and 0 target CQEs too many");
}

static void cqes_left_in_the_target(void **state)
{
	struct fill *fill = honest();

	(void)state;
	fill->installs.arrived_left = 2;
	refused(fill, "0 source and 2 target CQEs too many");
}

static void duplicate_source_completion(void **state)
{
	struct fill *fill = honest();

	(void)state;
	fill->sent_cqes[5] = fill->sent_cqes[4];
	refused(fill, "install 4 completed twice at the source");
}

static void duplicate_target_completion(void **state)
{
	struct fill *fill = honest();

	(void)state;
	fill->arrived_cqes[5] = fill->arrived_cqes[4];
	refused(fill, "install 4 completed twice at the target");
}

static void duplicate_slot(void **state)
{
	struct fill *fill = honest();

	(void)state;
	fill->sent_cqes[6].res = 2;
	fill->arrived_cqes[6].res = 2;
	refused(fill, "slot 2 was given out twice");
}

static void ends_disagree(void **state)
{
	struct fill *fill = honest();

	(void)state;
	fill->arrived_cqes[1].res = 9;
	refused(fill, "the source was told slot 1, the target 9");
}

static void swapped_target_slots(void **state)
{
	struct fill *fill = honest();

	(void)state;
	fill->arrived_cqes[1].res = 2;
	fill->arrived_cqes[2].res = 1;
	refused(fill, "the source was told slot 1, the target 2");
}

static void slot_out_of_range(void **state)
{
	struct fill *fill = honest();

	(void)state;
	fill->sent_cqes[7].res = SLOTS;
	refused(fill, "names slot 16, the table has 16");
}

static void failed_install_at_the_source(void **state)
{
	struct fill *fill = honest();

	(void)state;
	fill->sent_cqes[3].res = -ENFILE;
	refused(fill, "install 3 failed at the source");
}

static void failed_install_at_the_target(void **state)
{
	struct fill *fill = honest();

	(void)state;
	fill->arrived_cqes[3].res = -EBADF;
	refused(fill, "install 3 failed at the target");
}

static void flags_at_the_source(void **state)
{
	struct fill *fill = honest();

	(void)state;
	fill->sent_cqes[2].flags = 1;
	refused(fill, "CQE flags 0x1 at the source");
}

static void flags_at_the_target(void **state)
{
	struct fill *fill = honest();

	(void)state;
	fill->arrived_cqes[2].flags = 4;
	refused(fill, "CQE flags 0x4 at the target");
}

static void another_pairs_completion(void **state)
{
	struct fill *fill = honest();

	(void)state;
	fill->arrived_cqes[0].user_data = installs_tag(PAIR + 1, 0);
	refused(fill, "belongs to no install of pair 3");
}

static void an_install_that_was_never_asked_for(void **state)
{
	struct fill *fill = honest();

	(void)state;
	fill->sent_cqes[0].user_data = installs_tag(PAIR, USED);
	refused(fill, "belongs to no install of pair 3");
}

static void overflow_is_named_first(void **state)
{
	struct fill *fill = honest();

	(void)state;
	fill->installs.overflow = true;
	fill->arrived.count = 3;
	refused(fill, "IORING_SQ_CQ_OVERFLOW; 3 of 8");
}

static void dropped_sqes(void **state)
{
	struct fill *fill = honest();

	(void)state;
	fill->installs.dropped = 2;
	refused(fill, "dropped 2 SQEs");
}

static void make_explicit(struct fill *fill)
{
	fill->installs.explicit_slot = true;
	for (unsigned i = 0; i < USED; i++)
		fill->sent_cqes[i].res = fill->arrived_cqes[i].res = 0;
}

static void explicit_slots_come_from_the_request(void **state)
{
	struct fill *fill = honest();

	(void)state;
	make_explicit(fill);
	assert_int_equal(judge(fill), 0);
	assert_int_equal(fill->slot_of[5], 5);
}

static void explicit_slot_that_returns_a_slot(void **state)
{
	struct fill *fill = honest();

	(void)state;
	make_explicit(fill);
	fill->sent_cqes[4].res = 4;
	refused(fill, "returned 4, expected 0");
}

static void explicit_target_that_returns_a_slot(void **state)
{
	struct fill *fill = honest();

	(void)state;
	make_explicit(fill);
	fill->arrived_cqes[4].res = 4;
	refused(fill, "the target 4");
}

static void skipped_cqes_are_not_missed(void **state)
{
	struct fill *fill = honest();

	(void)state;
	fill->installs.skip_cqe = true;
	fill->arrived.count = 0;
	assert_int_equal(judge(fill), 0);
}

static void a_target_cqe_that_should_have_been_skipped(void **state)
{
	struct fill *fill = honest();

	(void)state;
	fill->installs.skip_cqe = true;
	fill->arrived.count = 1;
	refused(fill, "1 of 0 target CQEs");
}

static void wrong_stamp(void **state)
{
	struct fill *fill = honest();

	(void)state;
	assert_int_equal(judge(fill), 0);
	fill->read_back[6] = STAMP + 1;
	assert_int_not_equal(judge_stamps(fill, NULL), 0);
	assert_non_null(strstr(fill->e.text, "slot 6 (install 6) holds another file"));
}

/* Each in its place, not only all of them somewhere. */
static void stamps_of_every_slot(void **state)
{
	struct fill *fill = honest();
	uint64_t stamps[USED];

	(void)state;
	judge(fill);
	for (unsigned i = 0; i < USED; i++)
		stamps[i] = fill->read_back[i] = STAMP + i;
	assert_int_equal(judge_stamps(fill, stamps), 0);
	fill->read_back[2] = stamps[5];
	fill->read_back[5] = stamps[2];
	assert_int_not_equal(judge_stamps(fill, stamps), 0);
	assert_non_null(strstr(fill->e.text, "slot 2 (install 2) holds another file"));
}

static void unreadable_slot(void **state)
{
	struct fill *fill = honest();

	(void)state;
	assert_int_equal(judge(fill), 0);
	fill->read_back[0] = 0;
	assert_int_not_equal(judge_stamps(fill, NULL), 0);
	assert_non_null(strstr(fill->e.text, "could not be read"));
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
