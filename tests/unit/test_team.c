// SPDX-License-Identifier: GPL-2.0-or-later
/* A team on this machine, and a clock source that is not what it was. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "engine/files.h"
#include "engine/record.h"
#include "engine/team.h"
#include "machine/uring_probe.h"

static const struct method method = {
	.rounds = 2, .warmup = 1, .blocks = 1, .seed = 1, .timeout_ns = 5000000000,
};

/* The record of a block of default axes; `clock_source` (NULL: the right one) is what the
 * team believes to have started with. */
static json_t *run_block(const char *clock_source)
{
	_Atomic uint64_t progress = 0;
	struct product product = { 0 };
	struct topology topology = { 0 };
	struct sweep sweep = { 0 };
	struct files files = { 0 };
	struct error e = ERROR_INIT;
	struct team team;
	json_t *record;

	if (uring_probe_send_fd(&e)) {
		print_message("%s\n", e.text);
		skip();
	}
	if (topology_load(&topology, NULL, NULL, &e) ||
	    sweep_build(&sweep, &product, 1, &topology, &method, true, &e) ||
	    files_make(&files, 1, &e) || files_take(&files, &e) ||
	    team_init(&team, &sweep.points[0], &method, &topology, files.fds, files.stamps,
		      &progress, &e))
		fail_msg("%s", e.text);
	if (clock_source)
		snprintf(team.clock_source, sizeof(team.clock_source), "%s", clock_source);
	team_run(&team, &e);
	record = record_block(&team, 0, &e);
	team_free(&team);
	files_close(&files);
	sweep_free(&sweep);
	topology_release(&topology);
	return record;
}

static void a_clock_source_that_stays_is_valid(void **state)
{
	json_t *record = run_block(NULL);

	(void)state;
	if (!json_is_true(json_object_get(record, "valid")))
		fail_msg("%s", json_string_value(json_object_get(record, "reason")));
	json_decref(record);
}

static void a_changed_clock_source_makes_the_block_invalid(void **state)
{
	json_t *record = run_block("sundial");
	const char *reason = json_string_value(json_object_get(record, "reason"));

	(void)state;
	assert_true(json_is_false(json_object_get(record, "valid")));
	assert_non_null(reason);
	assert_non_null(strstr(reason, "the clock source changed from sundial to"));
	json_decref(record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clock_source_that_stays_is_valid),
		cmocka_unit_test(a_changed_clock_source_makes_the_block_invalid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
