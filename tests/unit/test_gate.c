// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <pthread.h>
#include <sched.h>

#include "base/clock.h"
#include "engine/gate.h"

#define MOST_THREADS 4
#define PASSES 200

struct crowd {
	struct gate gate;
	unsigned threads;
	_Atomic bool stop;
	_Atomic unsigned arrived;	/* in all passes together */
	_Atomic unsigned early;		/* passed before all had come */
};

static void *pass_often(void *argument)
{
	struct crowd *crowd = argument;

	for (unsigned pass = 1; pass <= PASSES; pass++) {
		atomic_fetch_add(&crowd->arrived, 1);
		if (!gate_wait(&crowd->gate))
			break;
		if (atomic_load(&crowd->arrived) < pass * crowd->threads)
			atomic_fetch_add(&crowd->early, 1);
		if (!gate_wait(&crowd->gate))
			break;
	}
	return NULL;
}

static void nobody_is_early(bool spin, unsigned count)
{
	static struct crowd crowd;
	pthread_t threads[MOST_THREADS];

	atomic_store(&crowd.stop, false);
	atomic_store(&crowd.arrived, 0);
	atomic_store(&crowd.early, 0);
	crowd.threads = count;
	gate_init(&crowd.gate, count, spin, INT64_C(20000000000), &crowd.stop);
	for (unsigned i = 0; i < count; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, pass_often, &crowd), 0);
	for (unsigned i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(atomic_load(&crowd.arrived), count * PASSES);
	assert_int_equal(atomic_load(&crowd.early), 0);
	assert_false(atomic_load(&crowd.stop));
}

static void spinning_gate_lets_all_go_together(void **state)
{
	(void)state;
	/* Two, as a spinning gate is for threads with a CPU each. */
	nobody_is_early(true, 2);
}

static void sleeping_gate_lets_all_go_together(void **state)
{
	(void)state;
	nobody_is_early(false, MOST_THREADS);
}

static void one_thread_passes_alone(void **state)
{
	_Atomic bool stop = false;
	struct gate gate;

	(void)state;
	gate_init(&gate, 1, true, 1000000000, &stop);
	assert_true(gate_wait(&gate));
	assert_true(gate_wait(&gate));
}

static void missing_thread_ends_the_wait(bool spin)
{
	_Atomic bool stop = false;
	struct gate gate;
	int64_t start = clock_now_ns();

	gate_init(&gate, 2, spin, 50000000, &stop);
	assert_false(gate_wait(&gate));
	assert_true(atomic_load(&stop));
	assert_true(clock_now_ns() - start >= 50000000);
}

static void gate_times_out_for_a_thread_that_never_comes(void **state)
{
	(void)state;
	missing_thread_ends_the_wait(true);
	missing_thread_ends_the_wait(false);
}

static void stop_opens_the_gate(void **state)
{
	_Atomic bool stop = true;
	struct gate gate;
	int64_t start = clock_now_ns();

	(void)state;
	gate_init(&gate, 2, false, INT64_C(60000000000), &stop);
	assert_false(gate_wait(&gate));
	assert_true(clock_now_ns() - start < INT64_C(30000000000));
}

static void stop_is_seen_by_the_last_to_come(void **state)
{
	_Atomic bool stop = true;
	struct gate gate;

	(void)state;
	gate_init(&gate, 1, true, 1000000000, &stop);
	assert_false(gate_wait(&gate));
}

#define LANES 2

struct turns {
	struct gate gate;
	struct lane lanes[LANES];
	_Atomic bool stop;
	_Atomic unsigned arrived, early;
	_Atomic unsigned inside[LANES], crowded;
	_Atomic unsigned threads;
};

static void *take_turns(void *argument)
{
	struct turns *turns = argument;
	unsigned lane = atomic_fetch_add(&turns->threads, 1) % LANES, ticket;

	for (unsigned pass = 1; pass <= PASSES; pass++) {
		atomic_fetch_add(&turns->arrived, 1);
		if (!gate_wait_turn(&turns->gate, &turns->lanes[lane], &ticket))
			break;
		if (atomic_load(&turns->arrived) < pass * MOST_THREADS)
			atomic_fetch_add(&turns->early, 1);
		if (atomic_fetch_add(&turns->inside[lane], 1))
			atomic_fetch_add(&turns->crowded, 1);
		sched_yield();
		atomic_fetch_sub(&turns->inside[lane], 1);
		lane_pass(&turns->lanes[lane], ticket);
		if (!gate_wait(&turns->gate))
			break;
	}
	return NULL;
}

static void threads_of_a_lane_go_on_one_by_one(void **state)
{
	static struct turns turns;
	pthread_t threads[MOST_THREADS];

	(void)state;
	gate_init(&turns.gate, MOST_THREADS, false, INT64_C(20000000000), &turns.stop);
	for (unsigned i = 0; i < LANES; i++)
		assert_int_equal(lane_init(&turns.lanes[i], MOST_THREADS / LANES), 0);
	for (unsigned i = 0; i < MOST_THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, take_turns, &turns), 0);
	for (unsigned i = 0; i < MOST_THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(atomic_load(&turns.arrived), MOST_THREADS * PASSES);
	assert_int_equal(atomic_load(&turns.early), 0);
	assert_int_equal(atomic_load(&turns.crowded), 0);
	assert_false(atomic_load(&turns.stop));
	for (unsigned i = 0; i < LANES; i++)
		lane_free(&turns.lanes[i]);
}

static void *come_and_stay(void *argument)
{
	struct turns *turns = argument;
	unsigned ticket;

	/* Whoever is first keeps its turn; the other one must not wait for ever. */
	gate_wait_turn(&turns->gate, &turns->lanes[0], &ticket);
	return NULL;
}

static void a_turn_that_never_ends_is_not_waited_for(void **state)
{
	static struct turns turns;
	pthread_t threads[2];

	(void)state;
	gate_init(&turns.gate, 2, false, 50000000, &turns.stop);
	assert_int_equal(lane_init(&turns.lanes[0], 2), 0);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, come_and_stay, &turns), 0);
	for (unsigned i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert_true(atomic_load(&turns.stop));
	lane_free(&turns.lanes[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spinning_gate_lets_all_go_together),
		cmocka_unit_test(sleeping_gate_lets_all_go_together),
		cmocka_unit_test(one_thread_passes_alone),
		cmocka_unit_test(gate_times_out_for_a_thread_that_never_comes),
		cmocka_unit_test(stop_opens_the_gate),
		cmocka_unit_test(stop_is_seen_by_the_last_to_come),
		cmocka_unit_test(threads_of_a_lane_go_on_one_by_one),
		cmocka_unit_test(a_turn_that_never_ends_is_not_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
