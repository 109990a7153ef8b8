// SPDX-License-Identifier: GPL-2.0-or-later
#include "topology/topology.h"

#include "topology_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

static void core_types(void **state)
{
	struct topology t;

	(void)state;
	support_load(&t, "i7-12700kf", NULL);
	assert_int_equal(t.kind_count, 2);
	support_has_kind(&t, "E", "16-19", 4);
	support_has_kind(&t, "P", "0-15", 16);
	/* Best last. */
	assert_string_equal(t.kinds[1].name, "P");
	assert_int_equal(t.kinds[0].rank, 0);
	assert_int_equal(t.kinds[1].rank, 1);
	assert_string_equal(t.kinds[0].told_by, "CoreType=IntelAtom");
	assert_string_equal(topology_kind_of(&t, 17)->name, "E");
	assert_string_equal(topology_kind_of(&t, 15)->name, "P");
	assert_int_equal(t.odd_count, 0);
	topology_release(&t);
}

/* hwloc 2.9 calls both Atom; the LP E-cores have no L3. P cores are no range. */
static void low_power_by_l3(void **state)
{
	struct topology t;

	(void)state;
	support_load(&t, "ultra7-155h", NULL);
	assert_int_equal(t.kind_count, 3);
	support_has_kind(&t, "LPE", "20-21", 2);
	support_has_kind(&t, "E", "2-9", 8);
	support_has_kind(&t, "P", "0-1,10-19", 12);
	assert_non_null(strstr(t.kinds[0].told_by, "without the L3"));
	topology_release(&t);
}

/* Without an L3 at the P-cores its absence tells nothing. */
static void no_l3_anywhere(void **state)
{
	struct topology t;

	(void)state;
	support_load_changed(&t, "ultra7-155h", "\"L3Cache\"", "\"Group\"");
	assert_int_equal(t.kind_count, 2);
	support_has_kind(&t, "E", "2-9,20-21", 10);
	topology_release(&t);
}

static void low_power_by_type(void **state)
{
	struct topology t;

	(void)state;
	support_load_changed(&t, "i7-12700kf", "IntelAtom", "IntelLowPower");
	support_has_kind(&t, "LPE", "16-19", 4);
	support_has_kind(&t, "P", "0-15", 16);
	topology_release(&t);
}

static void capacities(void **state)
{
	struct topology t;

	(void)state;
	support_load(&t, "arm64-4-3-1", NULL);
	assert_int_equal(t.kind_count, 3);
	support_has_kind(&t, "k0", "0-3", 4);
	support_has_kind(&t, "k1", "4-6", 3);
	support_has_kind(&t, "k2", "7", 1);
	topology_release(&t);
	/* Exactly 10 % of the faster is merged; then two are left, which are E and P. */
	support_load_changed(&t, "arm64-4-3-1", "\"828\"", "\"922\"");
	assert_int_equal(t.kind_count, 2);
	support_has_kind(&t, "E", "0-3", 4);
	support_has_kind(&t, "P", "4-7", 4);
	assert_true(support_is_odd(&t, "merged into P"));
	topology_release(&t);
	/* 921 is farther from 1024 than that. */
	support_load_changed(&t, "arm64-4-3-1", "\"828\"", "\"921\"");
	assert_int_equal(t.kind_count, 3);
	topology_release(&t);
	/* All merged: one kind, not P or E. */
	support_load_changed(&t, "arm64-4-3-1", "\"325\"", "\"820\"");
	support_has_kind(&t, "E", "0-6", 7);
	topology_release(&t);
}

static void is_unknown(struct topology *t, const char *reason, bool odd)
{
	assert_int_equal(t->kind_count, 1);
	assert_string_equal(t->kinds[0].name, "unknown");
	assert_int_equal(t->kinds[0].rank, -1);
	if (!strstr(t->kinds[0].told_by, reason))
		fail_msg("told by %s", t->kinds[0].told_by);
	assert_int_equal(support_is_odd(t, reason), odd);
	topology_release(t);
}

static void unknown(void **state)
{
	struct topology t;

	(void)state;
	support_load(&t, "server-2s4n", NULL);
	is_unknown(&t, "no kinds", false);
	support_load(&t, "core:2 pu:2", NULL);
	is_unknown(&t, "no kinds", false);
	/* Frequencies alone. */
	support_load_changed(&t, "arm64-4-3-1", "LinuxCapacity", "Nothing");
	is_unknown(&t, "frequency alone", true);
	support_load_changed(&t, "arm64-4-3-1", "LinuxCapacity\" value=\"828",
			     "LinuxCapacity\" value=\"nonsense");
	is_unknown(&t, "frequency alone", true);
	/* A kind that covers 16 of 20 PUs. */
	support_load_changed(&t, "i7-12700kf", "<cpukind cpuset=\"0x000f0000\"",
			     "<cpukind cpuset=\"0x00100000\"");
	is_unknown(&t, "cover 16 of 20", true);
	/* PU 15 apart from its sibling 14. */
	support_load_changed(&t, "i7-12700kf", "<cpukind cpuset=\"0x000f0000\"",
			     "<cpukind cpuset=\"0x000f8000\"");
	is_unknown(&t, "siblings 15 and 14", true);
	/* A core type of another maker. */
	support_load_changed(&t, "i7-12700kf", "IntelAtom", "SomethingElse");
	is_unknown(&t, "core types", true);
}

static void unranked(void **state)
{
	struct topology t;

	(void)state;
	/* Capacities without a rank of hwloc's: efficiency -1 for all. */
	support_load_changed(&t, "arm64-4-3-1", "\" forced_efficiency=\"2\"", "\"");
	if (t.kind_count == 1)
		is_unknown(&t, "efficiency -1", true);
	else
		topology_release(&t);	/* this hwloc ranks by frequency instead */
}

static void one_kind(void **state)
{
	struct topology t;

	(void)state;
	support_load(&t, "vm-2pu", NULL);
	assert_int_equal(t.kind_count, 1);
	support_has_kind(&t, "k0", "0-1", 2);
	assert_int_equal(t.odd_count, 0);
	topology_release(&t);
}

/* Kinds are met with the candidates, which hwloc does not do. */
static void none_available(void **state)
{
	struct topology t;

	(void)state;
	support_load_changed(&t, "i7-12700kf", "allowed_cpuset=\"0x000fffff\"",
			     "allowed_cpuset=\"0x00000014\"");
	assert_int_equal(hwloc_bitmap_weight(t.candidates), 2);
	support_has_kind(&t, "E", "16-19", 0);
	support_has_kind(&t, "P", "0-15", 2);
	topology_release(&t);
}

static void given(void **state)
{
	struct topology t;

	(void)state;
	support_load(&t, "core:8 pu:1", "P=0-1,6,E=2-5,LPE=7");
	assert_int_equal(t.kind_count, 3);
	support_has_kind(&t, "P", "0-1,6", 3);
	support_has_kind(&t, "E", "2-5", 4);
	support_has_kind(&t, "LPE", "7", 1);
	assert_string_equal(t.kinds[2].name, "P");
	topology_release(&t);
	/* The rest is unknown, and said. Ranks follow the numbers. */
	support_load(&t, "core:4 pu:1", "k1=0,k0=2");
	assert_int_equal(t.kind_count, 3);
	support_has_kind(&t, "unknown", "1,3", 2);
	assert_string_equal(t.kinds[1].name, "k0");
	assert_true(support_is_odd(&t, "leaves out PUs 1,3"));
	topology_release(&t);
	/* It overrides what hwloc says. */
	support_load(&t, "i7-12700kf", "E=0-15,P=16-19");
	support_has_kind(&t, "E", "0-15", 16);
	topology_release(&t);
}

static void given_badly(void **state)
{
	static const struct {
		const char *text, *reason;
	} bad[] = {
		{ "", "" }, { "P", "no name" }, { "0-3", "no name" }, { "=0", "is no kind" },
		{ "p=0", "is no kind" }, { "unknown=0", "is no kind" }, { "big=0", "is no kind" },
		{ "k=0", "is no kind" }, { "k01=0", "is no kind" }, { "k32=0", "is no kind" },
		{ "k4294967296=0", "is no kind" }, { "P=", "no list" }, { "P=x", "no list" },
		{ "P=-1", "no list" }, { "P=1-", "no list" }, { "P= 0", "no list" },
		{ "P=0x1", "no list" }, { "P=4294967296", "no list" }, { "P=0-1-2", "no list" },
		{ "P=0=1", "no list" }, { "P=0-1,", "empty" }, { "P=0-1,,E=2-3", "empty" },
		{ "P=3-0", "descends" }, { "P=0-8", "no PU 8" }, { "P=0-1,P=2-3", "twice" },
		{ "P=0-1,E=0-1", "PU 0 is listed twice" }, { "P=0-1,1", "PU 1 is listed twice" },
		{ "P=0-1,k0=2-3", "two schemes" }, { "P=0,E=1", "siblings" },
		{ "P=0-2", "siblings" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct error e = ERROR_INIT;
		struct topology t;

		assert_true(topology_load(&t, "core:4 pu:2", bad[i].text, &e) < 0);
		if (e.kind != ERROR_USAGE || !strstr(e.text, "--kinds") ||
		    !strstr(e.text, bad[i].text) || !strstr(e.text, bad[i].reason))
			fail_msg("%s: %s", bad[i].text, e.text);
		topology_release(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(core_types),
		cmocka_unit_test(low_power_by_l3),
		cmocka_unit_test(no_l3_anywhere),
		cmocka_unit_test(low_power_by_type),
		cmocka_unit_test(capacities),
		cmocka_unit_test(unknown),
		cmocka_unit_test(unranked),
		cmocka_unit_test(one_kind),
		cmocka_unit_test(none_available),
		cmocka_unit_test(given),
		cmocka_unit_test(given_badly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
