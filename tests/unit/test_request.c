// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/request.h"

#define MAX_WORDS 32

/* Reads a command line of single words into an initialised request. */
static bool parse(struct run_request *request, const char *line, int *status)
{
	struct option_command command = { .summary = "A test.", .groups = request->groups };
	static char words[1024];	/* the request borrows values from it */
	char *argv[MAX_WORDS + 1] = { (char *)"ringscale test" };
	struct common_options common = { 0 };
	int argc = 1;
	char *rest;

	snprintf(words, sizeof(words), "%s", line);
	for (char *word = strtok_r(words, " ", &rest); word && argc < MAX_WORDS;
	     word = strtok_r(NULL, " ", &rest))
		argv[argc++] = word;
	return options_parse(&command, argc, argv, &common, NULL, status);
}

static void assert_text(const struct method *method, enum method_option which,
			const char *expected)
{
	char buffer[32];

	assert_string_equal(method_text(method, which, buffer, sizeof(buffer)), expected);
}

static void every_method_option_round_trips(void **state)
{
	static const char *const values[METHOD_COUNT] = {
		[METHOD_ROUNDS] = "7", [METHOD_WARMUP] = "0", [METHOD_BLOCKS] = "10000",
		[METHOD_ORDER] = "shuffle", [METHOD_SEED] = "4294967295",
		[METHOD_TIMEOUT] = "1500ms", [METHOD_SYNC] = "free", [METHOD_SOLO] = "",
		[METHOD_OVERSUBSCRIBE] = "", [METHOD_WITH_CONTROL] = "",
	};
	struct method method;
	struct error e = ERROR_INIT;

	(void)state;
	method_init(&method);
	for (int i = 0; i < METHOD_COUNT; i++) {
		const struct method_info *info = method_info(i);

		assert_int_equal(method_find(info->name), i);
		assert_int_equal(method_set(&method, i, info->argument ? values[i] : NULL, &e), 0);
		assert_text(&method, i, values[i]);
	}
	assert_true(method.solo);
	assert_true(method.oversubscribe);
	assert_true(method.with_control);
	assert_int_equal(method.order, ORDER_SHUFFLE);
	assert_int_equal(method.sync, SYNC_FREE);
	assert_int_equal(method.timeout_ns, 1500000000);
	assert_int_equal(method_find("round"), METHOD_COUNT);
}

static void defaults_are_those_of_the_help(void **state)
{
	struct method method;
	char buffer[32], expected[64];

	(void)state;
	method_init(&method);
	for (int i = 0; i < METHOD_COUNT; i++) {
		if (i == METHOD_SEED || !method_info(i)->argument)
			continue;
		snprintf(expected, sizeof(expected), "(default %s)",
			 method_text(&method, i, buffer, sizeof(buffer)));
		assert_non_null(strstr(method_info(i)->help, expected));
	}
	assert_int_equal(method.seed, 0);
	assert_false(method.solo);
}

/* The sweep of a command line on four PUs. */
static void make_sweep(struct run_request *request, const char *line, struct sweep *sweep)
{
	struct topology topology = { 0 };
	struct error e = ERROR_INIT;
	int status;

	*sweep = (struct sweep){ 0 };
	assert_int_equal(request_init(request, false, &e), 0);
	assert_true(parse(request, line, &status));
	if (topology_load(&topology, "core:4 pu:1", NULL, &e) ||
	    request_sweep(request, &topology, sweep, &e))
		fail_msg("%s: %s", line, e.text);
	topology_release(&topology);
}

static void typed_beats_preset_beats_default(void **state)
{
	struct run_request request;
	struct sweep sweep;

	(void)state;
	make_sweep(&request, "--preset f0 --rounds 7 --gap 1ms", &sweep);
	assert_int_equal(request.method.blocks, 1);
	assert_int_equal(request.method.rounds, 7);
	assert_int_equal(request.method.warmup, 3);
	assert_int_equal(sweep.count, 1);
	assert_int_equal(sweep.points[0].fills, 1);
	assert_int_equal(sweep.points[0].gap_ns, 1000000);
	sweep_free(&sweep);
	request_free(&request);

	/* The order on the command line does not matter. */
	make_sweep(&request, "--blocks 3 --preset f0", &sweep);
	assert_int_equal(request.method.blocks, 3);
	sweep_free(&sweep);
	request_free(&request);
}

static void seeds_are_random_unless_typed(void **state)
{
	struct run_request request;
	struct sweep sweep;
	uint64_t seeds[3];

	(void)state;
	for (int i = 0; i < 3; i++) {
		make_sweep(&request, "--pairs 1", &sweep);
		seeds[i] = request.method.seed;
		assert_true(seeds[i] >= 1 && seeds[i] <= UINT32_MAX);
		sweep_free(&sweep);
		request_free(&request);
	}
	assert_true(seeds[0] != seeds[1] || seeds[1] != seeds[2]);
	make_sweep(&request, "--seed 42", &sweep);
	assert_int_equal(request.method.seed, 42);
	sweep_free(&sweep);
	request_free(&request);
}

static void refusals_have_status_2(void **state)
{
	static const char *const bad[] = {
		"--rounds 0", "--frob", "extra", "--solo --solo", "--preset nothing",
		"--slots", "--topology core:1", "--pair 1", "-x",
	};
	struct error e = ERROR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct run_request request;
		int status = 0;

		assert_int_equal(request_init(&request, true, &e), 0);
		if (parse(&request, bad[i], &status))
			fail_msg("%s was taken", bad[i]);
		assert_int_equal(status, 2);
		request_free(&request);
	}
}

static void what_is_typed_is_marked(void **state)
{
	struct run_request request;
	struct error e = ERROR_INIT;
	int status;

	(void)state;
	assert_int_equal(request_init(&request, false, &e), 0);
	assert_true(parse(&request, "--slots 64,256 --solo --kinds P=0-1 --topology core:4",
			  &status));
	for (enum axis axis = 0; axis < AXIS_COUNT; axis++)
		assert_int_equal(request.typed.typed[axis], axis == AXIS_SLOTS);
	for (int i = 0; i < METHOD_COUNT; i++)
		assert_int_equal(request.method_typed[i], i == METHOD_SOLO);
	assert_int_equal(request.typed.axes[AXIS_SLOTS].count, 2);
	assert_string_equal(request.kinds, "P=0-1");
	assert_string_equal(request.topology, "core:4");
	assert_ptr_equal(request.preset, &presets[0]);
	assert_false(request.show);
	request_free(&request);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_method_option_round_trips),
		cmocka_unit_test(defaults_are_those_of_the_help),
		cmocka_unit_test(typed_beats_preset_beats_default),
		cmocka_unit_test(seeds_are_random_unless_typed),
		cmocka_unit_test(refusals_have_status_2),
		cmocka_unit_test(what_is_typed_is_marked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
