// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "engine/flags.h"

/* A block of one split pair with one undisturbed round. */
static json_t *quiet_block(void)
{
	return json_pack("{s:[], s:[{s:b, s:[ii], s:[ii], s:[{s:i, s:f, s:{s:i, s:i},"
			 " s:{s:i, s:i}}]}], s:I, s:n, s:n, s:i}",
			 "flags", "pairs", "iowq_bound", 1,
			 "spin_before_ns", 2000000, 2000000, "spin_after_ns", 2010000, 1990000,
			 "rounds", "fill_ns", 1000000, "overlap", 0.95,
			 "sender", "off_cpu_ns", 0, "run_delay_ns", 0,
			 "receiver", "off_cpu_ns", 0, "run_delay_ns", 0,
			 "elapsed_ns", (json_int_t)10000000000, "steal_ns", "foreign_cpu_ns",
			 "teardown_wait_ns", 20000000);
}

static json_t *pair_of(json_t *block)
{
	return json_array_get(json_object_get(block, "pairs"), 0);
}

static json_t *round_of(json_t *block)
{
	return json_array_get(json_object_get(pair_of(block), "rounds"), 0);
}

/* The only flag that the block gets; "" for none. Takes the block. */
static void expect(json_t *block, const char *name)
{
	struct point point = { 0 };
	json_t *list;

	flags_set(block, &point, true);
	list = json_object_get(block, "flags");
	if (*name) {
		assert_int_equal(json_array_size(list), 1);
		assert_string_equal(json_string_value(json_array_get(list, 0)), name);
		assert_non_null(flag_find(name));
	} else {
		assert_int_equal(json_array_size(list), 0);
	}
	json_decref(block);
}

static void a_quiet_block_has_no_flag(void **state)
{
	(void)state;
	expect(quiet_block(), "");
}

static void time_off_the_cpu(void **state)
{
	json_t *block = quiet_block();

	(void)state;
	json_object_set_new(json_object_get(round_of(block), "receiver"), "off_cpu_ns",
			    json_integer(20001));
	expect(block, "off-cpu");
	block = quiet_block();
	json_object_set_new(json_object_get(round_of(block), "receiver"), "off_cpu_ns",
			    json_integer(19999));
	expect(block, "");
}

static void unknown_is_not_disturbed(void **state)
{
	json_t *block = quiet_block();

	(void)state;
	json_object_set_new(json_object_get(round_of(block), "sender"), "off_cpu_ns", json_null());
	json_object_set_new(round_of(block), "overlap", json_null());
	json_object_set_new(round_of(block), "receiver", json_null());
	expect(block, "");
}

static void run_delay(void **state)
{
	json_t *block = quiet_block();

	(void)state;
	json_object_set_new(json_object_get(round_of(block), "sender"), "run_delay_ns",
			    json_integer(30000));
	expect(block, "run-delay");
}

static void slower_and_faster_spin(void **state)
{
	json_t *block = quiet_block();

	(void)state;
	json_object_set_new(pair_of(block), "spin_after_ns", json_pack("[ii]", 2200000, 2000000));
	expect(block, "spin");
	block = quiet_block();
	json_object_set_new(pair_of(block), "spin_after_ns", json_pack("[in]", 1800000));
	expect(block, "spin");
}

static void little_overlap(void **state)
{
	json_t *block = quiet_block();

	(void)state;
	json_object_set_new(round_of(block), "overlap", json_real(0.5));
	expect(block, "overlap");
}

static void steal_and_foreign(void **state)
{
	json_t *block = quiet_block();

	(void)state;
	json_object_set_new(block, "steal_ns", json_integer(900000000000));
	expect(block, "steal");
	block = quiet_block();
	json_object_set_new(block, "foreign_cpu_ns", json_integer(900000000000));
	expect(block, "foreign");
}

static void unfinished_teardown(void **state)
{
	json_t *block = quiet_block();

	(void)state;
	json_object_set_new(block, "teardown_wait_ns", json_null());
	expect(block, "teardown");
}

static void free_workers(void **state)
{
	json_t *block = quiet_block();

	(void)state;
	json_object_set_new(pair_of(block), "iowq_bound", json_false());
	expect(block, "iowq-free");
}

static void placement_and_coordinator(void **state)
{
	struct point point = { .placement.smt = true };
	json_t *block = quiet_block();

	(void)state;
	flags_set(block, &point, false);
	assert_int_equal(json_array_size(json_object_get(block, "flags")), 2);
	json_decref(block);
}

static void refills_elsewhere(void **state)
{
	json_t *block = quiet_block();

	(void)state;
	json_object_set_new(round_of(block), "first_slot", json_integer(63));
	expect(block, "first-slot");
	block = quiet_block();
	json_object_set_new(round_of(block), "first_slot", json_integer(0));
	expect(block, "");
	block = quiet_block();
	json_object_set_new(round_of(block), "first_slot", json_null());
	expect(block, "");
}

static void a_shared_file_needs_two_pairs(void **state)
{
	struct point point = { .file = FILE_SHARED, .pairs = 1 };
	json_t *block = quiet_block();

	(void)state;
	flags_set(block, &point, true);
	assert_int_equal(json_array_size(json_object_get(block, "flags")), 1);
	assert_string_equal(json_string_value(json_array_get(json_object_get(block, "flags"), 0)),
			    "shared-alone");
	json_decref(block);
	block = quiet_block();
	point.pairs = 2;
	flags_set(block, &point, true);
	assert_int_equal(json_array_size(json_object_get(block, "flags")), 0);
	json_decref(block);
}

/* A table shows letters only. */
static void letters_and_names_are_apart(void **state)
{
	(void)state;
	for (const struct flag *flag = flags; flag->name; flag++)
		for (const struct flag *other = flags; other != flag; other++) {
			assert_int_not_equal(flag->letter, other->letter);
			assert_null(strstr(flag->name, other->name));
			assert_null(strstr(other->name, flag->name));
		}
}

static void every_flag_explains_itself(void **state)
{
	(void)state;
	for (const struct flag *flag = flags; flag->name; flag++) {
		assert_true(strlen(flag->threshold) > 10);
		assert_true(strlen(flag->explanation) > 10);
	}
	assert_null(flag_find("no-such-flag"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_quiet_block_has_no_flag),
		cmocka_unit_test(time_off_the_cpu),
		cmocka_unit_test(unknown_is_not_disturbed),
		cmocka_unit_test(run_delay),
		cmocka_unit_test(slower_and_faster_spin),
		cmocka_unit_test(little_overlap),
		cmocka_unit_test(steal_and_foreign),
		cmocka_unit_test(unfinished_teardown),
		cmocka_unit_test(free_workers),
		cmocka_unit_test(placement_and_coordinator),
		cmocka_unit_test(refills_elsewhere),
		cmocka_unit_test(a_shared_file_needs_two_pairs),
		cmocka_unit_test(letters_and_names_are_apart),
		cmocka_unit_test(every_flag_explains_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
