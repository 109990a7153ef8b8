// SPDX-License-Identifier: GPL-2.0-or-later
/* The verdict over requests of one ring, fed what a fill could claim. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "workloads/installs.h"
#include "workloads/requests.h"

#define COUNT 8
#define PAIR 3

static struct io_uring_cqe cqes[COUNT];
static struct arrivals done = { .cqes = cqes };
static uint8_t taken[COUNT];
static struct error e;

/* A fill in which all is well; tests then spoil it. */
static struct requests good(int result)
{
	memset(&e, 0, sizeof(e));
	done.count = COUNT;
	for (unsigned i = 0; i < COUNT; i++)
		cqes[i] = (struct io_uring_cqe){ .user_data = installs_tag(PAIR, i), .res = result };
	return (struct requests){ .pair = PAIR, .count = COUNT, .result = result, .unit = "update",
				  .done = &done };
}

static void refused(const struct requests *requests, const char *text)
{
	assert_int_not_equal(requests_judge(requests, taken, &e), 0);
	assert_int_equal(e.kind, ERROR_FAILED);
	if (!strstr(e.text, text))
		fail_msg("\"%s\" has no \"%s\"", e.text, text);
}

static void all_good_in_any_order(void **state)
{
	struct requests requests = good(1);
	struct io_uring_cqe first = cqes[0];

	(void)state;
	cqes[0] = cqes[5];
	cqes[5] = first;
	assert_int_equal(requests_judge(&requests, taken, &e), 0);
}

static void a_failed_one_is_named_with_its_reason(void **state)
{
	struct requests requests = good(1);

	(void)state;
	cqes[6].res = -EBADF;
	refused(&requests, "update 6 failed: Bad file descriptor");
}

static void nothing_done_is_not_success(void **state)
{
	struct requests requests = good(1);

	(void)state;
	cqes[2].res = 0;
	refused(&requests, "update 2 returned 0, not 1");
}

static void one_twice_and_one_missing(void **state)
{
	struct requests requests = good(0);

	(void)state;
	cqes[4] = cqes[3];
	refused(&requests, "update 3 completed twice");
	requests = good(0);
	done.count = COUNT - 1;
	refused(&requests, "7 completions came");
}

static void what_nobody_asked_for(void **state)
{
	struct requests requests = good(0);

	(void)state;
	cqes[1].user_data = installs_tag(PAIR + 1, 1);
	refused(&requests, "which no update of this fill has");
	requests = good(0);
	cqes[1].user_data = installs_tag(PAIR, COUNT);
	refused(&requests, "which no update of this fill has");
	requests = good(0);
	requests.left = 1;
	refused(&requests, "1 were left in the ring");
	requests = good(0);
	cqes[7].flags = 2;
	refused(&requests, "completion flags 0x2");
}

static void overflow_and_dropped_requests(void **state)
{
	struct requests requests = good(0);

	(void)state;
	requests.overflow = true;
	refused(&requests, "overflowed");
	requests = good(0);
	requests.dropped = 2;
	refused(&requests, "dropped 2 SQEs");
}

/* Calls of 5 and 3. */
static struct requests good_calls(void)
{
	struct requests requests = good(1);

	done.count = 2;
	cqes[0] = (struct io_uring_cqe){ .user_data = installs_tag(PAIR, 0), .res = 5, .flags = 5 };
	cqes[1] = (struct io_uring_cqe){ .user_data = installs_tag(PAIR, 5), .res = 3, .flags = 3 };
	return requests;
}

static void calls_refused(const struct requests *requests, const char *text)
{
	assert_int_not_equal(requests_judge_calls(requests, &e), 0);
	if (!strstr(e.text, text))
		fail_msg("\"%s\" has no \"%s\"", e.text, text);
}

static void calls_that_do_what_they_are_asked(void **state)
{
	struct requests requests = good_calls();

	(void)state;
	assert_int_equal(requests_judge_calls(&requests, &e), 0);
}

static void calls_that_do_not(void **state)
{
	struct requests requests = good_calls();

	(void)state;
	cqes[0].res = 4;
	calls_refused(&requests, "call 0 made 4 of the 5 updates");
	requests = good_calls();
	cqes[1].res = -ENXIO;
	calls_refused(&requests, "update 5 failed: No such device or address");
	requests = good_calls();
	done.count = 1;
	calls_refused(&requests, "5 updates were made, expected 8");
	requests = good_calls();
	cqes[1].user_data++;
	calls_refused(&requests, "expected update 5");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_good_in_any_order),
		cmocka_unit_test(a_failed_one_is_named_with_its_reason),
		cmocka_unit_test(nothing_done_is_not_success),
		cmocka_unit_test(one_twice_and_one_missing),
		cmocka_unit_test(what_nobody_asked_for),
		cmocka_unit_test(overflow_and_dropped_requests),
		cmocka_unit_test(calls_that_do_what_they_are_asked),
		cmocka_unit_test(calls_that_do_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
