// SPDX-License-Identifier: GPL-2.0-or-later
/* Hardware counters: what this machine has or denies, and what a descriptor may hand back. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>
#include <unistd.h>

#include "machine/counters.h"
#include "machine/noise.h"

static void all_unknown(const int64_t *values)
{
	for (int i = 0; i < COUNTER_COUNT; i++)
		assert_true(values[i] == NOISE_UNKNOWN);
}

/* Counts, or null: never a 0 that stands for nothing. */
static void counted_or_denied(void **state)
{
	struct counters counters;
	int64_t before[COUNTER_COUNT], after[COUNTER_COUNT];

	(void)state;
	counters_open(&counters, 0);
	assert_int_equal(counters.open, counters_files(0));
	counters_read(&counters, before);
	for (unsigned i = 0; i < 1000000; i++)
		__asm__ volatile("" ::: "memory");
	counters_read(&counters, after);
	for (int i = 0; i < COUNTER_COUNT; i++) {
		assert_true((counters.fds[i] >= 0) || after[i] == NOISE_UNKNOWN);
		if (before[i] != NOISE_UNKNOWN && after[i] != NOISE_UNKNOWN)
			assert_true(after[i] >= before[i]);
	}
	if (before[COUNTER_INSTRUCTIONS_USER] != NOISE_UNKNOWN)
		assert_true(after[COUNTER_INSTRUCTIONS_USER] -
			    before[COUNTER_INSTRUCTIONS_USER] >= 1000000);
	else
		print_message("this machine denies its counters\n");
	counters_close(&counters);
	counters_read(&counters, after);
	all_unknown(after);
}

/* Counters whose first one reads `value` from a pipe. */
static void reads(uint64_t count, uint64_t enabled, uint64_t running, size_t size, int64_t expected)
{
	const uint64_t answer[] = { count, enabled, running };
	struct counters counters = { .open = 1 };
	int64_t values[COUNTER_COUNT];
	int ends[2];

	memset(counters.fds, -1, sizeof(counters.fds));
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], answer, size), size);
	close(ends[1]);
	counters.fds[0] = ends[0];
	counters_read(&counters, values);
	assert_true(values[0] == expected);
	values[0] = NOISE_UNKNOWN;
	all_unknown(values);
	counters_close(&counters);
	assert_int_equal(read(ends[0], values, 1), -1);
}

static void a_shared_counter_is_only_an_estimate(void **state)
{
	(void)state;
	reads(12345, 1000, 1000, 24, 12345);
	reads(12345, 1000, 999, 24, NOISE_UNKNOWN);
	reads(12345, 1000, 1000, 16, NOISE_UNKNOWN);
	reads(0, 0, 0, 24, 0);
}

static void names_are_apart(void **state)
{
	(void)state;
	for (int i = 0; i < COUNTER_COUNT; i++)
		for (int k = 0; k < i; k++)
			assert_string_not_equal(counter_names[i], counter_names[k]);
	assert_string_equal(counter_names[COUNTER_LLC_MISSES_KERNEL], "llc_misses_kernel");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counted_or_denied),
		cmocka_unit_test(a_shared_counter_is_only_an_estimate),
		cmocka_unit_test(names_are_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
