// SPDX-License-Identifier: GPL-2.0-or-later
/* Fans: who shares what, where their threads sit, and what of several senders' fill is a lie. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "topology/place.h"
#include "workloads/installs.h"
#include "workloads/rig.h"

#define SENDERS 3
#define USED 8

/* Three senders of 3, 3 and 2 installs into one table, each recorded as it should be. */
struct senders {
	struct shape shape;
	struct pair pairs[SENDERS];
	struct io_uring_cqe sent[SENDERS][USED], gathered[USED];
	uint64_t stamp_of[USED];
	struct error e;
};

static void fan_in(struct senders *fan)
{
	static const unsigned first[SENDERS + 1] = { 0, 3, 6, USED };

	memset(fan, 0, sizeof(*fan));
	fan->shape = (struct shape){ .slots = USED, .used = USED, .split = true, .fan_in = true };
	for (unsigned i = 0; i < SENDERS; i++) {
		struct pair *pair = &fan->pairs[i];

		pair->shape = &fan->shape;
		pair->index = i;
		pair_stand_alone(pair);
		pair->to = &fan->pairs[0];
		pair->first = first[i];
		pair->count = first[i + 1] - first[i];
		pair->stamp = 100 + i;
		pair->sent = (struct arrivals){ fan->sent[i], pair->count };
		for (unsigned k = 0; k < pair->count; k++)
			fan->sent[i][k] = (struct io_uring_cqe){
				.user_data = installs_tag(0, pair->first + k),
				.res = (int)(pair->first + k) };
	}
	fan->pairs[0].spokes = SENDERS;
	fan->pairs[0].gathered.cqes = fan->gathered;
	fan->pairs[0].stamp_of = fan->stamp_of;
}

static void assert_gathered(struct senders *fan)
{
	if (rig_gather_sent(&fan->pairs[0], &fan->e))
		fail_msg("%s", fan->e.text);
}

static void assert_lie(struct senders *fan, const char *reason)
{
	assert_true(rig_gather_sent(&fan->pairs[0], &fan->e) < 0);
	assert_int_equal(fan->e.kind, ERROR_FAILED);
	if (!strstr(fan->e.text, reason))
		fail_msg("%s", fan->e.text);
}

static void what_all_sent_is_gathered_with_each_sender_s_stamp(void **state)
{
	static const uint64_t stamps[USED] = { 100, 100, 100, 101, 101, 101, 102, 102 };
	struct senders fan;

	(void)state;
	fan_in(&fan);
	assert_gathered(&fan);
	assert_int_equal(fan.pairs[0].gathered.count, USED);
	for (unsigned i = 0; i < USED; i++)
		assert_int_equal(fan.gathered[i].user_data, installs_tag(0, i));
	assert_memory_equal(fan.stamp_of, stamps, sizeof(stamps));
}

static void with_a_file_for_every_slot_each_install_has_its_stamp(void **state)
{
	uint64_t stamps[SENDERS][USED] = { { 11, 12, 13 }, { 21, 22, 23 }, { 31, 32 } };
	static const uint64_t expected[USED] = { 11, 12, 13, 21, 22, 23, 31, 32 };
	struct senders fan;

	(void)state;
	fan_in(&fan);
	fan.shape.per_slot = true;
	for (unsigned i = 0; i < SENDERS; i++)
		fan.pairs[i].stamps = stamps[i];
	assert_gathered(&fan);
	assert_memory_equal(fan.stamp_of, expected, sizeof(expected));
}

static void a_completion_of_another_sender_s_install_is_a_lie(void **state)
{
	struct senders fan;

	(void)state;
	fan_in(&fan);
	fan.sent[1][2].user_data = installs_tag(0, 6);
	assert_lie(&fan, "its installs are 3 to 5");
}

static void a_completion_of_another_pair_is_a_lie(void **state)
{
	struct senders fan;

	(void)state;
	fan_in(&fan);
	fan.sent[2][0].user_data = installs_tag(2, 6);
	assert_lie(&fan, "its installs are 6 to 7");
}

static void a_sender_whose_completions_lack_is_a_lie(void **state)
{
	struct senders fan;

	(void)state;
	fan_in(&fan);
	fan.pairs[2].sent.count = 1;
	assert_lie(&fan, "1 of 2 source CQEs");
}

static void one_slot_for_two_senders_is_a_lie(void **state)
{
	uint8_t taken[USED];
	unsigned slot_of[USED];
	struct senders fan;
	struct installs installs = { .slots = USED, .used = USED, .skip_cqe = true };

	(void)state;
	fan_in(&fan);
	fan.sent[2][1].res = 0;
	assert_gathered(&fan);
	installs.sent = &fan.pairs[0].gathered;
	installs.arrived = &fan.pairs[0].arrived;
	assert_true(installs_judge(&installs, slot_of, taken, &fan.e) < 0);
	assert_non_null(strstr(fan.e.text, "slot 0 was given out twice"));
}

static void a_message_that_brings_another_number_is_a_lie(void **state)
{
	struct io_uring_cqe sent[2] = { { .user_data = 0 }, { .user_data = 1 } };
	struct io_uring_cqe arrived[2] = { { .user_data = 0, .res = 0 }, { .user_data = 1, .res = 1 } };
	const struct arrivals s = { sent, 2 }, a = { arrived, 2 };
	struct installs messages = { .slots = 2, .used = 2, .message = true, .sent = &s, .arrived = &a };
	struct error e = ERROR_INIT;
	unsigned slot_of[2];
	uint8_t taken[2];

	(void)state;
	assert_int_equal(installs_judge(&messages, slot_of, taken, &e), 0);
	arrived[1].res = 0;
	assert_true(installs_judge(&messages, slot_of, taken, &e) < 0);
	assert_non_null(strstr(e.text, "message 1 brought the number 0"));
	error_clear(&e);
	arrived[1].res = 1;
	sent[0].res = 1;
	assert_true(installs_judge(&messages, slot_of, taken, &e) < 0);
	assert_non_null(strstr(e.text, "message 0 returned 1, expected 0"));
}

/* "S:R S:R" of a fan on a synthetic machine, or why there is none. */
static char *seat(const char *machine, const char *text, enum fan fan, int pairs, bool share)
{
	static char result[1024];
	struct topology topology = { 0 };
	struct placement placement;
	struct place *place = NULL;
	struct error e = ERROR_INIT;
	size_t length = 0;

	if (topology_load(&topology, machine, NULL, &e))
		fail_msg("%s", e.text);
	if (place_parse(text, &place, &e) ||
	    place_fan(&topology, place, fan, pairs, share, &placement, &e)) {
		snprintf(result, sizeof(result), "%s", e.text);
	} else {
		for (int i = 0; i < placement.count; i++)
			length += (size_t)snprintf(result + length, sizeof(result) - length, "%s%d:%d",
						   i ? " " : "", placement.pairs[i].sender_pu,
						   placement.pairs[i].receiver_pu);
		if (placement.oversubscribed)
			snprintf(result + length, sizeof(result) - length, " shared");
		placement_free(&placement);
	}
	place_free(place);
	topology_release(&topology);
	return result;
}

static void one_thread_is_common_to_all_pairs(void **state)
{
	(void)state;
	assert_string_equal(seat("core:4 pu:1", "auto", FAN_IN, 3, false), "1:0 2:0 3:0");
	assert_string_equal(seat("core:4 pu:1", "auto", FAN_OUT, 3, false), "0:1 0:2 0:3");
	assert_string_equal(seat("core:4 pu:1", "3:2+0:2", FAN_IN, 2, false), "3:2 0:2");
	assert_string_equal(seat("core:4 pu:1", "3:2", FAN_OUT, 1, false), "3:2");
}

static void cores_come_before_siblings(void **state)
{
	(void)state;
	assert_string_equal(seat("core:2 pu:2", "auto", FAN_IN, 2, false), "2:0 1:0");
}

static void a_relation_holds_between_the_hub_and_every_spoke(void **state)
{
	(void)state;
	assert_string_equal(seat("numa:2 core:2 pu:1", "cross-numa", FAN_IN, 2, false), "2:0 3:0");
	assert_string_equal(seat("core:2 pu:2", "smt", FAN_OUT, 1, false), "0:1");
	assert_non_null(strstr(seat("core:2 pu:2", "smt", FAN_OUT, 2, false),
			       "1 sender and 2 receivers asked for, at most 1 receivers"));
}

static void too_few_pus_are_refused_or_shared(void **state)
{
	(void)state;
	assert_non_null(strstr(seat("core:2 pu:1", "auto", FAN_IN, 2, false), "2 PUs available"));
	assert_string_equal(seat("core:2 pu:1", "auto", FAN_IN, 3, true), "1:0 0:0 1:0 shared");
	assert_string_equal(seat("core:1 pu:1", "auto", FAN_OUT, 2, true), "0:0 0:0 shared");
	assert_string_equal(seat("core:3 pu:1", "1:0+2:0", FAN_IN, 3, true), "1:0 2:0 1:0 shared");
}

static void lists_that_name_no_common_pu_are_refused(void **state)
{
	(void)state;
	assert_non_null(strstr(seat("core:4 pu:1", "0:1+2:3", FAN_IN, 2, false),
			       "all pairs have one receiver"));
	assert_non_null(strstr(seat("core:4 pu:1", "0:2+1:2", FAN_OUT, 2, false),
			       "all pairs have one sender"));
	assert_non_null(strstr(seat("core:4 pu:1", "0:2+1:2", FAN_IN, 3, false),
			       "names the PUs of 2 pairs"));
	assert_non_null(strstr(seat("core:4 pu:1", "0+1", FAN_IN, 2, false), "two threads"));
	assert_non_null(strstr(seat("core:4 pu:1", "0:2+1:2+0:2", FAN_IN, 3, false), "PU 0 twice"));
	assert_non_null(strstr(seat("core:4 pu:1", "0:9+1:9", FAN_IN, 2, false), "9"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_all_sent_is_gathered_with_each_sender_s_stamp),
		cmocka_unit_test(with_a_file_for_every_slot_each_install_has_its_stamp),
		cmocka_unit_test(a_completion_of_another_sender_s_install_is_a_lie),
		cmocka_unit_test(a_completion_of_another_pair_is_a_lie),
		cmocka_unit_test(a_sender_whose_completions_lack_is_a_lie),
		cmocka_unit_test(one_slot_for_two_senders_is_a_lie),
		cmocka_unit_test(a_message_that_brings_another_number_is_a_lie),
		cmocka_unit_test(one_thread_is_common_to_all_pairs),
		cmocka_unit_test(cores_come_before_siblings),
		cmocka_unit_test(a_relation_holds_between_the_hub_and_every_spoke),
		cmocka_unit_test(too_few_pus_are_refused_or_shared),
		cmocka_unit_test(lists_that_name_no_common_pu_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
