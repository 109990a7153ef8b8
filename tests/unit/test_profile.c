// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "results/profile.h"

#define FUNCTION(name, mode, instructions, calls) \
	"{\"function\":\"" name "\",\"mode\":\"" mode "\",\"instructions\":" #instructions \
	",\"calls\":" #calls "}"
#define RECORD(functions) \
	"{\"record\":\"profile\",\"id\":\"x\",\"point\":{},\"functions\":[" functions "]}"

static json_t *load(const char *text)
{
	json_t *record = json_loads(text, 0, NULL);

	assert_non_null(record);
	return record;
}

static const char *group_of(const char *function, enum profile_mode mode)
{
	const struct profile_row row = { .function = function, .mode = mode };

	return profile_group_names[profile_group(&row)];
}

static void groups_by_prefix(void **state)
{
	(void)state;
	assert_string_equal(group_of("io_msg_ring", PROFILE_KERNEL), "io_uring");
	assert_string_equal(group_of("__io_submit_flush_completions", PROFILE_KERNEL), "io_uring");
	assert_string_equal(group_of("__kmalloc_noprof", PROFILE_KERNEL), "slab");
	assert_string_equal(group_of("build_slab_freelist", PROFILE_KERNEL), "slab");
	assert_string_equal(group_of("fget", PROFILE_KERNEL), "file");
	assert_string_equal(group_of("mutex_trylock", PROFILE_KERNEL), "lock");
	assert_string_equal(group_of("do_syscall_64", PROFILE_KERNEL), "entry");
	assert_string_equal(group_of("memset", PROFILE_KERNEL), "memory");
	assert_string_equal(group_of("strlen", PROFILE_KERNEL), "other");
	/* The longest prefix wins, wherever it stands in the table. */
	assert_string_equal(group_of("io_schedule_timeout", PROFILE_KERNEL), "other");
	assert_string_equal(group_of("mem_cgroup_charge", PROFILE_KERNEL), "memory");
	assert_string_equal(group_of("io_msg_ring", PROFILE_INTERRUPT), "interrupt");
	assert_string_equal(group_of("io_msg_ring", PROFILE_USER), "user");
}

static void one_profile_is_sorted_by_size(void **state)
{
	json_t *a = load(RECORD(FUNCTION("small", "kernel", 1, 1) "," FUNCTION("b", "user", 5, 1) ","
				FUNCTION("a", "user", 5, 0) "," FUNCTION("large", "kernel", 9, 2)));
	struct profile profile;

	(void)state;
	assert_int_equal(profile_read(&profile, a, NULL), 0);
	assert_int_equal(profile.count, 4);
	assert_string_equal(profile.rows[0].function, "large");
	assert_string_equal(profile.rows[1].function, "a");
	assert_string_equal(profile.rows[2].function, "b");
	assert_string_equal(profile.rows[3].function, "small");
	assert_float_equal(profile.total[PROFILE_USER][0], 10, 1e-9);
	assert_float_equal(profile.total[PROFILE_KERNEL][0], 10, 1e-9);
	assert_float_equal(profile.total[PROFILE_INTERRUPT][0], 0, 1e-9);
	assert_float_equal(profile_calls(&profile, 0, "large"), 2, 1e-9);
	/* In kernel mode only. */
	assert_float_equal(profile_calls(&profile, 0, "b"), 0, 1e-9);
	profile_release(&profile);
	json_decref(a);
}

static void a_difference_is_sorted_by_its_absolute_size(void **state)
{
	json_t *a = load(RECORD(FUNCTION("gone", "kernel", 7, 1) "," FUNCTION("same", "kernel", 90, 1) ","
				FUNCTION("less", "kernel", 20, 1) "," FUNCTION("both", "kernel", 3, 1)));
	json_t *b = load(RECORD(FUNCTION("same", "kernel", 90, 1) "," FUNCTION("less", "kernel", 5, 1) ","
				FUNCTION("new", "kernel", 9, 1) "," FUNCTION("both", "interrupt", 3, 1)));
	struct profile profile;
	double sum = 0;

	(void)state;
	assert_int_equal(profile_read(&profile, a, b), 0);
	/* `both` is one row in each mode. */
	assert_int_equal(profile.count, 6);
	assert_string_equal(profile.rows[0].function, "less");
	assert_string_equal(profile.rows[1].function, "new");
	assert_float_equal(profile.rows[1].instructions[0], 0, 1e-9);
	assert_string_equal(profile.rows[2].function, "gone");
	assert_string_equal(profile.rows[5].function, "same");
	for (size_t i = 0; i < profile.count; i++)
		sum += profile.rows[i].instructions[1] - profile.rows[i].instructions[0];
	assert_float_equal(sum, profile.total[PROFILE_KERNEL][1] + profile.total[PROFILE_INTERRUPT][1]
			   - profile.total[PROFILE_KERNEL][0], 1e-9);
	assert_float_equal(profile_instructions(&profile, 1, "less"), 5, 1e-9);
	profile_release(&profile);
	json_decref(a);
	json_decref(b);
}

static void the_allocator_is_counted_where_it_is_called(void **state)
{
	json_t *a = load(RECORD(FUNCTION("__kmalloc_noprof", "kernel", 100, 1) ","
				FUNCTION("kmem_cache_alloc_bulk_noprof", "kernel", 9, 0.25) ","
				FUNCTION("kmem_cache_free", "kernel", 9, 1) ","
				FUNCTION("__kmalloc_noprof", "interrupt", 9, 1) ","
				FUNCTION("refill_objects", "kernel", 9, 1)));
	struct profile profile;

	(void)state;
	assert_int_equal(profile_read(&profile, a, NULL), 0);
	assert_float_equal(profile_allocator_calls(&profile, 0), 1.25, 1e-9);
	profile_release(&profile);
	json_decref(a);
}

static void records_with_something_amiss(void **state)
{
	static const char *const bad[] = {
		"{}", "{\"id\":\"x\"}", "{\"id\":\"x\",\"point\":{}}",
		RECORD("{}"), RECORD("7"), RECORD(FUNCTION("f", "cold", 1, 1)),
		RECORD(FUNCTION("f", "user", -1, 1)), RECORD(FUNCTION("f", "user", 1, null)),
		RECORD("{\"function\":\"f\",\"mode\":\"user\",\"instructions\":\"1\",\"calls\":1}"),
		"{\"id\":\"x\",\"point\":{},\"functions\":[],\"first_fill\":{}}",
	};
	char why[200];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		json_t *record = load(bad[i]);

		if (profile_check(record, why, sizeof(why)) || !why[0])
			fail_msg("taken for good: %s", bad[i]);
		json_decref(record);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_by_prefix),
		cmocka_unit_test(one_profile_is_sorted_by_size),
		cmocka_unit_test(a_difference_is_sorted_by_its_absolute_size),
		cmocka_unit_test(the_allocator_is_counted_where_it_is_called),
		cmocka_unit_test(records_with_something_amiss),
	};

	return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
