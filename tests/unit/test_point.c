// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cells.h"
#include "engine/point.h"

/* A point of defaults with "slots=64 used=all ..." over them. */
static int make_point(struct point *point, const char *changes, struct error *e)
{
	char *words = strdup(changes);
	char *rest;

	*point = (struct point){ 0 };
	for (enum axis axis = 0; axis < AXIS_COUNT; axis++) {
		struct axis_list list = { 0 };
		const struct axis_info *info = axis_info(axis);
		const char *text = info->unused ? info->unused : info->initial;
		char *copy = strdup(words);

		for (char *word = strtok_r(copy, " ", &rest); word;
		     word = strtok_r(NULL, " ", &rest)) {
			size_t length = strlen(axis_info(axis)->name);

			if (strncmp(word, axis_info(axis)->name, length) == 0 &&
			    word[length] == '=')
				text = word + length + 1;
		}
		if (axis_list_parse(axis, text, &list, e))
			fail_msg("%s", e->text);
		assert_int_equal(list.count, 1);
		assert_int_equal(axis_value_copy(&point->value[axis], &list.values[0]), 0);
		axis_list_free(&list);
		free(copy);
	}
	free(words);
	return point_resolve(point, e);
}

static void assert_resolved(const char *changes, enum axis axis, const char *expected)
{
	struct point point;
	struct error e = ERROR_INIT;
	char buffer[64];

	if (make_point(&point, changes, &e))
		fail_msg("%s: %s", changes, e.text);
	assert_string_equal(point_text(&point, axis, buffer, sizeof(buffer)), expected);
	point_free(&point);
}

static void assert_impossible(const char *changes, const char *first, const char *second)
{
	struct point point;
	struct error e = ERROR_INIT;

	if (!make_point(&point, changes, &e))
		fail_msg("%s was taken", changes);
	assert_int_equal(e.kind, ERROR_USAGE);
	if (!strstr(e.text, first) || !strstr(e.text, second))
		fail_msg("no %s and %s in: %s", first, second, e.text);
	point_free(&point);
}

static void used_is_resolved(void **state)
{
	(void)state;
	assert_resolved("", AXIS_USED, "4096");
	assert_resolved("slots=64", AXIS_USED, "64");
	assert_resolved("slots=1000 used=33%", AXIS_USED, "330");
	assert_resolved("slots=999 used=50%", AXIS_USED, "499");
	assert_resolved("slots=3 used=1%", AXIS_USED, "1");
	assert_resolved("slots=1048576 used=99%", AXIS_USED, "1038090");
	assert_resolved("slots=64 used=64", AXIS_USED, "64");
}

static void cq_is_resolved(void **state)
{
	(void)state;
	assert_resolved("", AXIS_CQ, "512");
	assert_resolved("ring=32768 batch=32768", AXIS_CQ, "65536");
	assert_resolved("reap=poll", AXIS_CQ, "4096");
	assert_resolved("reap=poll slots=4097", AXIS_CQ, "8192");
	assert_resolved("reap=after slots=65536", AXIS_CQ, "65536");
	assert_resolved("reap=wait slots=1048576", AXIS_CQ, "65536");
	assert_resolved("reap=poll slots=64", AXIS_CQ, "512");
	assert_resolved("reap=poll slots=64 ring=1 batch=1", AXIS_CQ, "64");
	assert_resolved("slots=1 ring=1 batch=1", AXIS_CQ, "2");
	/* Too small for the fill on purpose: the overflow is then seen, and the round invalid. */
	assert_resolved("reap=after cq=256", AXIS_CQ, "256");
}

static bool has_credits(const char *changes)
{
	struct point point;
	struct error e = ERROR_INIT;
	bool credits;

	if (make_point(&point, changes, &e))
		fail_msg("%s", e.text);
	credits = point.credits;
	point_free(&point);
	return credits;
}

static void credits_go_with_auto(void **state)
{
	(void)state;
	assert_false(has_credits("reap=poll slots=65536"));
	assert_true(has_credits("reap=poll slots=65537"));
	assert_true(has_credits("reap=wait slots=65537"));
	assert_false(has_credits("reap=poll slots=65537 cq=65536"));
	assert_false(has_credits("reap=inline slots=65537"));
	assert_false(has_credits("reap=after slots=65537 cqe=skip"));
}

static void fills_are_resolved(void **state)
{
	(void)state;
	assert_resolved("", AXIS_FILLS, "1");
	assert_resolved("slots=4095", AXIS_FILLS, "1");
	assert_resolved("slots=2048", AXIS_FILLS, "2");
	assert_resolved("slots=128", AXIS_FILLS, "32");
	assert_resolved("slots=1", AXIS_FILLS, "32");
	assert_resolved("slots=1048576", AXIS_FILLS, "1");
	assert_resolved("slots=64 fills=7", AXIS_FILLS, "7");
	assert_resolved("slots=1048576 used=64", AXIS_FILLS, "32");
}

static void the_rest_stays_as_typed(void **state)
{
	(void)state;
	assert_resolved("gap=50000us:spin", AXIS_GAP, "50ms:spin");
	assert_resolved("", AXIS_GAP, "0");
	assert_resolved("reap=wait", AXIS_REAP, "wait");
	assert_resolved("", AXIS_WORKLOAD, "send-fd");
	assert_resolved("place=0", AXIS_PLACE, "0");
	assert_resolved("pairs=3", AXIS_PAIRS, "3");
}

static void impossible_cells_name_both(void **state)
{
	uint32_t axes = 0;
	struct point point;
	struct error e = ERROR_INIT;

	(void)state;
	assert_impossible("slots=64 used=65", "--used \"65\"", "--slots \"64\"");
	assert_impossible("batch=512", "--batch \"512\"", "--ring \"256\"");
	assert_impossible("ring=32", "--batch \"64\"", "--ring \"32\"");
	assert_impossible("cq=128", "--cq \"128\"", "--ring \"256\"");
	assert_impossible("reap=poll cqe=skip", "--cqe \"skip\"", "--reap \"poll\"");
	assert_impossible("reap=wait cqe=skip", "--cqe \"skip\"", "--reap \"wait\"");
	assert_impossible("reap=after slots=65537", "--reap \"after\"", "--used \"all\" (65537)");
	assert_impossible("reap=after slots=65537 cq=65536", "--reap \"after\"", "65536");
	assert_impossible("workload=bare reap=poll", "--workload \"bare\"", "--reap \"poll\"");
	assert_impossible("workload=bare cycle=reuse", "--workload \"bare\"", "--cycle \"reuse\"");
	assert_impossible("workload=bare slot=explicit", "--workload \"bare\"",
			  "--slot \"explicit\"");
	assert_impossible("workload=bare file=per-slot", "--workload \"bare\"",
			  "--file \"per-slot\"");
	assert_impossible("place=each pairs=2", "--place \"each\"", "--pairs \"2\"");
	assert_true(make_point(&point, "slots=64 used=65", &e) < 0);
	error_clear(&e);
	assert_true(cell_check(&point, &axes, &e) < 0);
	assert_int_equal(axes, AXIS_BIT(AXIS_USED) | AXIS_BIT(AXIS_SLOTS));
	point_free(&point);
}

static void removals_and_installs_are_told_apart(void **state)
{
	static const char *const others[] = { "reap=poll", "cycle=reuse", "slot=explicit", "file=shared",
					      "cqe=skip", "ring-fd=registered" };
	static const char *const own[] = { "pending=fixed", "removal=sqe", "issued=halfway", "hold=1ms",
					   "churn=1" };
	char text[64], option[32];

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		snprintf(text, sizeof(text), "workload=reclaim %s", others[i]);
		snprintf(option, sizeof(option), "--%.*s ", (int)strcspn(others[i], "="), others[i]);
		assert_impossible(text, "--workload \"reclaim\"", option);
	}
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		snprintf(option, sizeof(option), "--%.*s ", (int)strcspn(own[i], "="), own[i]);
		assert_impossible(own[i], "--workload \"send-fd\"", option);
		snprintf(text, sizeof(text), "workload=bare %s", own[i]);
		assert_impossible(text, "--workload \"bare\"", option);
	}
	assert_impossible("workload=reclaim issued=halfway", "--issued \"halfway\"",
			  "--pending \"none\"");
	assert_impossible("workload=reclaim issued=halfway pending=fixed used=1", "--issued \"halfway\"",
			  "--used \"1\"");
	assert_impossible("workload=reclaim slots=32767", "--used \"all\" (32767)",
			  "--workload \"reclaim\"");
	assert_impossible("workload=reclaim cq=4096", "--cq \"4096\"", "--used \"all\" (4096)");
	assert_resolved("workload=reclaim", AXIS_CQ, "16384");
	assert_resolved("workload=reclaim slots=126", AXIS_CQ, "512");
	assert_resolved("workload=reclaim slots=32766", AXIS_CQ, "65536");
	assert_resolved("workload=reclaim slots=64", AXIS_FILLS, "1");
	assert_resolved("workload=reclaim pending=fixed issued=halfway hold=1500us", AXIS_HOLD, "1500us");
}

/* Points of other workloads are what they were before there was anything to remove. */
static void what_an_axis_does_not_mean_is_no_identity(void **state)
{
	struct point point;
	struct error e = ERROR_INIT;
	char id[POINT_ID_LENGTH + 1];

	(void)state;
	assert_int_equal(make_point(&point, "", &e), 0);
	assert_false(point_has(&point, AXIS_PENDING));
	point_free(&point);
	assert_int_equal(make_point(&point, "workload=reclaim", &e), 0);
	assert_true(point_has(&point, AXIS_PENDING));
	point_identify(&point);
	strcpy(id, point.id);
	point_free(&point);
	assert_int_equal(make_point(&point, "workload=reclaim pending=normal", &e), 0);
	point_identify(&point);
	assert_string_not_equal(id, point.id);
	point_free(&point);
}

static void possible_cells_are_taken(void **state)
{
	(void)state;
	assert_resolved("cqe=skip", AXIS_CQE, "skip");
	assert_resolved("cqe=skip reap=after", AXIS_CQE, "skip");
	assert_resolved("cqe=skip reap=after slots=65537", AXIS_CQE, "skip");
	assert_resolved("workload=bare", AXIS_WORKLOAD, "bare");
	assert_resolved("workload=bare file=shared ring-fd=registered", AXIS_FILE, "shared");
	assert_resolved("cycle=reuse reap=wait slot=explicit", AXIS_CYCLE, "reuse");
	assert_resolved("cycle=reregister file=per-slot", AXIS_FILE, "per-slot");
	assert_resolved("batch=256", AXIS_BATCH, "256");
	assert_resolved("cq=256", AXIS_CQ, "256");
	assert_resolved("place=each reap=poll", AXIS_PLACE, "each");
	assert_resolved("slots=1 batch=64", AXIS_SLOTS, "1");
}

/* The identity of a point on these PUs (receiver -1: inline). */
static void identify(const char *changes, int sender, int receiver, char *id)
{
	struct place_pair pair = { .sender_pu = sender, .receiver_pu = receiver };
	struct placement placement = { .pairs = &pair, .count = 1 };
	struct point point;
	struct error e = ERROR_INIT;

	if (make_point(&point, changes, &e))
		fail_msg("%s", e.text);
	assert_int_equal(placement_copy(&point.placement, &placement), 0);
	point_identify(&point);
	strcpy(id, point.id);
	point_free(&point);
}

static void identity_is_what_is_measured(void **state)
{
	static const char *const others[] = {
		"slots=64", "used=64", "batch=32", "ring=512", "cq=1024", "slot=explicit",
		"cqe=skip", "fills=2", "gap=1ms", "gap=1ms:spin", "workload=bare",
		"cycle=reregister", "cycle=reuse", "file=shared", "file=per-slot",
		"ring-fd=registered", "fdtable=private",
		"target=coop", "target=single", "target=defer", "mem=sender", "mem=receiver",
		"mem=interleave", "mem=node:0", "mem=node:1", "workload=msg-data",
	};
	char ids[sizeof(others) / sizeof(others[0]) + 1][POINT_ID_LENGTH + 1];
	char id[POINT_ID_LENGTH + 1];

	(void)state;
	identify("", 0, -1, ids[0]);
	assert_int_equal(strlen(ids[0]), POINT_ID_LENGTH);
	assert_int_equal(strspn(ids[0], "0123456789abcdef"), POINT_ID_LENGTH);
	/* However it was asked for. */
	identify("used=4096 cq=512 fills=1 place=0", 0, -1, id);
	assert_string_equal(id, ids[0]);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		identify(others[i], 0, -1, ids[i + 1]);
		for (size_t j = 0; j <= i; j++)
			assert_string_not_equal(ids[j], ids[i + 1]);
	}
	identify("", 1, -1, id);
	assert_string_not_equal(id, ids[0]);
	identify("reap=poll", 0, 1, ids[0]);
	identify("reap=poll", 1, 0, id);
	assert_string_not_equal(id, ids[0]);
}

static void identity_is_the_published_hash(void **state)
{
	static const char text[] =
		"workload=send-fd pairs=1 slots=4096 used=4096 batch=64 ring=256 cq=512 slot=alloc "
		"pattern=pairs reap=inline cycle=fresh file=own cqe=post target=plain ring-fd=plain "
		"fdtable=shared mem=local fills=1 gap=0 +3";
	uint64_t hash = UINT64_C(14695981039346656037);
	char expected[POINT_ID_LENGTH + 1], id[POINT_ID_LENGTH + 1];

	(void)state;
	for (const char *at = text; *at; at++) {
		hash ^= (unsigned char)*at;
		hash *= UINT64_C(1099511628211);
	}
	snprintf(expected, sizeof(expected), "%016llx", (unsigned long long)hash);
	identify("", 3, -1, id);
	assert_string_equal(id, expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(used_is_resolved),
		cmocka_unit_test(cq_is_resolved),
		cmocka_unit_test(credits_go_with_auto),
		cmocka_unit_test(fills_are_resolved),
		cmocka_unit_test(the_rest_stays_as_typed),
		cmocka_unit_test(impossible_cells_name_both),
		cmocka_unit_test(removals_and_installs_are_told_apart),
		cmocka_unit_test(what_an_axis_does_not_mean_is_no_identity),
		cmocka_unit_test(possible_cells_are_taken),
		cmocka_unit_test(identity_is_what_is_measured),
		cmocka_unit_test(identity_is_the_published_hash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
