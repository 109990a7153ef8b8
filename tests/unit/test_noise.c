// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "machine/noise.h"

static int parse(const char *text, struct interrupt_counts *counts)
{
	FILE *file = fmemopen((void *)text, strlen(text), "r");
	int result;

	assert_non_null(file);
	result = interrupts_parse(file, counts);
	fclose(file);
	return result;
}

static void interrupts_are_added_by_column_heading(void **state)
{
	struct interrupt_counts counts;

	(void)state;
	/* PU 1 is offline: its neighbour's numbers must not slip into its place. */
	assert_int_equal(parse("           CPU0       CPU2       \n"
			       " 24:          1         20  IO-APIC   5-edge      ACPI:Ged\n"
			       "LOC:        300       4000   Local timer interrupts\n"
			       "IPI0:         5          6       Rescheduling interrupts\n",
			       &counts), 0);
	assert_int_equal(interrupts_of(&counts, 0), 306);
	assert_int_equal(interrupts_of(&counts, 1), NOISE_UNKNOWN);
	assert_int_equal(interrupts_of(&counts, 2), 4026);
	assert_int_equal(interrupts_of(&counts, 3), NOISE_UNKNOWN);
	assert_int_equal(interrupts_of(&counts, -1), NOISE_UNKNOWN);
	interrupts_free(&counts);
	assert_int_equal(interrupts_of(&counts, 0), NOISE_UNKNOWN);
}

static void interrupt_totals_belong_to_no_pu(void **state)
{
	struct interrupt_counts counts;

	(void)state;
	/* With one PU a total looks like a count. */
	assert_int_equal(parse("           CPU0       \n"
			       "  0:         40   IO-APIC   2-edge      timer\n"
			       "ERR:       1000\n"
			       "MIS:       2000\n", &counts), 0);
	assert_int_equal(interrupts_of(&counts, 0), 40);
	interrupts_free(&counts);
	/* arm64 spells it so; and a row of text, a row cut short, a description of digits. */
	assert_int_equal(parse("           CPU0       CPU1       \n"
			       "Err:          7\n"
			       "no numbers here\n"
			       "XXX: text and a colon\n"
			       " 11:          9\n"
			       " 12:          1          2  8042 8042 keyboard\n"
			       " 13:          4          x  nothing\n"
			       "\n", &counts), 0);
	assert_int_equal(interrupts_of(&counts, 0), 1);
	assert_int_equal(interrupts_of(&counts, 1), 2);
	interrupts_free(&counts);
}

static void interrupts_of_thousands_of_pus(void **state)
{
	struct interrupt_counts counts;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	for (int pu = 0; pu < 4096; pu++)
		fprintf(out, "       CPU%d", 2 * pu);
	fprintf(out, "\n LOC:");
	for (int pu = 0; pu < 4096; pu++)
		fprintf(out, " %10d", pu);
	fprintf(out, "   Local timer interrupts\n");
	fclose(out);
	assert_int_equal(parse(text, &counts), 0);
	assert_int_equal(interrupts_of(&counts, 8190), 4095);
	assert_int_equal(interrupts_of(&counts, 8189), NOISE_UNKNOWN);
	assert_int_equal(interrupts_of(&counts, 8191), NOISE_UNKNOWN);
	interrupts_free(&counts);
	free(text);
}

static void interrupts_that_are_none(void **state)
{
	static const char *const texts[] = {
		"\n", "nothing\n", "CPU\n", "CPU-1\n", "CPU99999999999999999999\n", "CPUx CPU0\n",
	};
	struct interrupt_counts counts;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(parse(texts[i], &counts), -EINVAL);
		assert_null(counts.by_pu);
		assert_int_equal(interrupts_of(&counts, 0), NOISE_UNKNOWN);
		interrupts_free(&counts);
	}
}

static void interrupts_of_this_machine(void **state)
{
	struct interrupt_counts counts;

	(void)state;
	if (interrupts_read(&counts)) {
		print_message("skipped: /proc/interrupts is unreadable here\n");
		skip();
	}
	assert_true(interrupts_of(&counts, sched_getcpu()) > 0);
	interrupts_free(&counts);
}

static void run_delay_is_the_second_number(void **state)
{
	(void)state;
	assert_int_equal(noise_parse_run_delay("535852 77 1\n"), 77);
	assert_int_equal(noise_parse_run_delay("535852 0 1\n"), 0);
	/* A kernel without these statistics. */
	assert_int_equal(noise_parse_run_delay("0 0 0\n"), NOISE_UNKNOWN);
	assert_int_equal(noise_parse_run_delay(""), NOISE_UNKNOWN);
	assert_int_equal(noise_parse_run_delay("1 2\n"), NOISE_UNKNOWN);
}

static void migrations_are_found_by_name(void **state)
{
	(void)state;
	assert_int_equal(noise_parse_migrations("cat (5181, #threads: 1)\n"
		"-------------\n"
		"se.sum_exec_runtime    :    0.0\n"
		"se.nr_migrations                             :                   12\n"
		"nr_switches            :    3\n"), 12);
	assert_int_equal(noise_parse_migrations("nr_switches : 3\n"), NOISE_UNKNOWN);
	assert_int_equal(noise_parse_migrations("se.nr_migrations"), NOISE_UNKNOWN);
	assert_int_equal(noise_parse_migrations(""), NOISE_UNKNOWN);
}

static void unknown_stays_unknown(void **state)
{
	struct noise before = { 10, NOISE_UNKNOWN, 5 }, after = { 25, 3, NOISE_UNKNOWN };
	struct noise since = noise_since(&before, &after);

	(void)state;
	assert_int_equal(since.run_delay_ns, 15);
	assert_int_equal(since.involuntary_switches, NOISE_UNKNOWN);
	assert_int_equal(since.migrations, NOISE_UNKNOWN);
}

static void files_that_are_not_there_leave_their_counters_unknown(void **state)
{
	struct noise_source none = { -1, -1 };
	struct noise now;

	(void)state;
	noise_read(&none, &now);
	assert_int_equal(now.run_delay_ns, NOISE_UNKNOWN);
	assert_int_equal(now.migrations, NOISE_UNKNOWN);
	assert_true(now.involuntary_switches >= 0);
	noise_close(&none);
}

/* Two threads of one PU that spin: at least one has to wait for the other. */
static void *spin(void *delay)
{
	struct noise_source source;
	struct noise before, after;

	noise_open(&source);
	noise_read(&source, &before);
	clock_spin_ns(60000000);
	noise_read(&source, &after);
	noise_close(&source);
	*(int64_t *)delay = noise_since(&before, &after).run_delay_ns;
	return NULL;
}

static void a_thread_that_waits_for_its_pu_shows_run_delay(void **state)
{
	int64_t delays[2];
	pthread_t threads[2];
	cpu_set_t *old = CPU_ALLOC(8192), *one = CPU_ALLOC(8192);
	size_t size = CPU_ALLOC_SIZE(8192);

	(void)state;
	assert_int_equal(sched_getaffinity(0, size, old), 0);
	CPU_ZERO_S(size, one);
	CPU_SET_S(sched_getcpu(), size, one);
	assert_int_equal(sched_setaffinity(0, size, one), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, spin, &delays[i]), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	sched_setaffinity(0, size, old);
	CPU_FREE(old);
	CPU_FREE(one);
	if (delays[0] == NOISE_UNKNOWN) {
		print_message("skipped: this kernel keeps no run delay\n");
		skip();
	}
	assert_true(delays[0] + delays[1] > 10000000);
}

static void the_spin_probe_takes_some_ms(void **state)
{
	int64_t least = INT64_MAX;

	(void)state;
	for (int i = 0; i < 5; i++) {
		int64_t ns = noise_spin_probe();

		least = ns < least ? ns : least;
	}
	/* Folded by a compiler it would take nothing. */
	assert_in_range(least, 200000, 100000000);
}

static void cpu_time_leaves_out_idle_and_stolen_time(void **state)
{
	struct cpu_time now;

	(void)state;
	noise_parse_cpu_time("cpu  2820 1 2153 175621 456 3 171 840 50 0", 100, &now);
	assert_int_equal(now.steal_ns, INT64_C(8400000000));
	assert_int_equal(now.busy_ns, INT64_C(10000000) * (2820 + 1 + 2153 + 3 + 171));
	noise_parse_cpu_time("cpu  2820 1", 100, &now);
	assert_int_equal(now.steal_ns, NOISE_UNKNOWN);
	assert_int_equal(now.busy_ns, NOISE_UNKNOWN);
	noise_parse_cpu_time("", 100, &now);
	assert_int_equal(now.busy_ns, NOISE_UNKNOWN);
	noise_parse_cpu_time("cpu  1 1 1 1 1 1 1 1 1 1", 0, &now);
	assert_int_equal(now.busy_ns, NOISE_UNKNOWN);
	noise_cpu_time(&now);
	assert_true(now.busy_ns > 0 || now.busy_ns == NOISE_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(interrupts_are_added_by_column_heading),
		cmocka_unit_test(interrupt_totals_belong_to_no_pu),
		cmocka_unit_test(interrupts_of_thousands_of_pus),
		cmocka_unit_test(interrupts_that_are_none),
		cmocka_unit_test(interrupts_of_this_machine),
		cmocka_unit_test(run_delay_is_the_second_number),
		cmocka_unit_test(migrations_are_found_by_name),
		cmocka_unit_test(unknown_stays_unknown),
		cmocka_unit_test(files_that_are_not_there_leave_their_counters_unknown),
		cmocka_unit_test(a_thread_that_waits_for_its_pu_shows_run_delay),
		cmocka_unit_test(the_spin_probe_takes_some_ms),
		cmocka_unit_test(cpu_time_leaves_out_idle_and_stolen_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
