// SPDX-License-Identifier: GPL-2.0-or-later
#include "topology/topology.h"

#include "topology/place.h"
#include "topology_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

/*
 * Exports of real machines, which are not part of the project: ../shared/topologies, or
 * $RINGSCALE_SHARED/topologies. Skipped where they are not.
 */
static const char *shared(void)
{
	const char *folder = getenv("RINGSCALE_SHARED");

	return folder ? folder : "../shared";
}

static bool is_there(const char *format, const char *name, char *path, size_t size)
{
	snprintf(path, size, format, shared(), name);
	if (access(path, R_OK) == 0)
		return true;
	print_message("no %s; RINGSCALE_SHARED names another folder\n", path);
	return false;
}

/* The kinds in our words, slowest first, with their number of PUs. */
static const struct {
	const char *name, *kinds;
} expected[] = {
	{ "intel-rpl-13600kf-linux617", "E8 P12" },
	{ "intel-adl-sysfs-4p8e-nri", "unknown16" },
	{ "intel-adl-12900k-cpuid", "E8 P16" },
	{ "intel-arl-h-285h-cpuid", "LPE2 E8 P6" },
	{ "intel-arl-u-225u-3kinds", "LPE2 E8 P4" },
	{ "intel-lnl-288v-cpuid", "LPE4 P4" },
	{ "intel-adl-n95-eonly-cpuid", "unknown4" },
	{ "intel-lakefield-1p4e", "E4 P1" },
	{ "amd-mi300a-4apu", "k0192" },
	{ "amd-4s-cgroup2-6of32", "k032" },
	{ "arm-sd8gen2-a510-a710-a715-x3", "k03 k14 k21" },
	{ "arm-gb10-5falsekinds", "E10 P10" },
	{ "arm-kunpeng-128-clusters", "k0128" },
	{ "vm-firecracker-2pu", "k02" },
	{ "knl-snc4-flat-v2", "k0256" },
	{ "intel-spr-snc4", "k0224" },
	{ "intel-clx-pmem-asym", "k0112" },
	{ "intel-nehalemex-3nodes-4pkg", "k064" },
	{ "intel-partial-kind", "unknown8" },
	{ "fake-kinds-split-smt", "unknown4" },
};

static void check_kinds(const struct topology *t, const char *name, int told)
{
	char found[256] = "";
	size_t used = 0;
	size_t i = 0;

	for (int k = 0; k < t->kind_count; k++)
		used += (size_t)snprintf(found + used, sizeof(found) - used, "%s%s%d", k ? " " : "",
					 t->kinds[k].name, hwloc_bitmap_weight(t->kinds[k].cpus));
	while (i < sizeof(expected) / sizeof(expected[0]) && strcmp(expected[i].name, name) != 0)
		i++;
	if (i < sizeof(expected) / sizeof(expected[0]))
		assert_string_equal(found, expected[i].kinds);
	else if (told > 0 || strncmp(found, "unknown", 7) != 0 || t->kind_count != 1)
		fail_msg("%s has kinds %s and stands in no table here", name, found);
}

static void check_place(const struct topology *t, const char *text, int pairs, bool split)
{
	struct placement placement;
	struct error e = ERROR_INIT;
	struct place *place;

	assert_int_equal(place_parse(text, &place, &e), 0);
	if (!place_resolve(t, place, pairs, split, &placement, &e)) {
		hwloc_bitmap_t used = hwloc_bitmap_alloc();

		for (int i = 0; i < pairs; i++) {
			hwloc_bitmap_set(used, (unsigned)placement.pairs[i].sender_pu);
			if (split)
				hwloc_bitmap_set(used, (unsigned)placement.pairs[i].receiver_pu);
			assert_true(placement.pairs[i].relation[0] || !split);
		}
		assert_int_equal(hwloc_bitmap_weight(used), pairs * (split ? 2 : 1));
		assert_true(hwloc_bitmap_isincluded(used, t->candidates));
		hwloc_bitmap_free(used);
	} else if (e.kind != ERROR_USAGE || strcmp(text, "auto") == 0) {
		fail_msg("%s: %s", t->source, e.text);
	}
	placement_free(&placement);
	place_free(place);
}

static void check_places(const struct topology *t)
{
	static const char *const places[] = {
		"spread", "smt", "l2", "l3", "numa", "cross-numa", "cross-package+spread", "P:P",
		"P:E+l3", "LPE:P", "little:big", "k0:k0+spread",
	};
	int pus = hwloc_bitmap_weight(t->candidates);

	check_place(t, "auto", 1, true);
	check_place(t, "auto", pus / 2, true);
	check_place(t, "auto", pus, false);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		check_place(t, places[i], 1, true);
		check_place(t, places[i], pus > 4 ? pus / 4 : 1, true);
	}
}

static int column(char *line, const char *headings, const char *name, char *value, size_t size)
{
	const char *at = headings;
	char *copy = strdup(line), *rest = copy, *field = copy;
	size_t length = strlen(name);

	while ((field = strsep(&rest, "\t\n"))) {
		if (strncmp(at, name, length) == 0 && strchr("\t\n", at[length])) {
			snprintf(value, size, "%s", field);
			free(copy);
			return 0;
		}
		at = strchr(at, '\t');
		if (!at)
			break;
		at++;
	}
	free(copy);
	return -1;
}

static int number(char *line, const char *headings, const char *name)
{
	char value[512];

	assert_int_equal(column(line, headings, name, value, sizeof(value)), 0);
	return atoi(value);
}

static void check_machine(char *line, const char *headings)
{
	char name[128], path[512];
	struct topology t;
	struct error e = ERROR_INIT;

	assert_int_equal(column(line, headings, "name", name, sizeof(name)), 0);
	if (!is_there("%s/topologies/real/%s.xml", name, path, sizeof(path)))
		return;
	if (topology_load(&t, path, NULL, &e))
		fail_msg("%s: %s", name, e.text);
	if (hwloc_bitmap_weight(t.candidates) != number(line, headings, "allowed_pus"))
		fail_msg("%s: %d candidates", name, hwloc_bitmap_weight(t.candidates));
	assert_true(hwloc_get_nbobjs_by_type(t.hwloc, HWLOC_OBJ_PU) >=
		    number(line, headings, "pus"));
	assert_true(t.imported);
	check_kinds(&t, name, number(line, headings, "kinds"));
	check_places(&t);
	topology_release(&t);
}

static void real_machines(void **state)
{
	char path[512], *headings = NULL, *line = NULL;
	size_t room = 0, other = 0;
	int machines = 0;
	FILE *file;

	(void)state;
	if (!is_there("%s/topologies/%s", "SOURCES.tsv", path, sizeof(path)))
		skip();
	file = fopen(path, "r");
	assert_non_null(file);
	assert_true(getline(&headings, &room, file) > 0);
	while (getline(&line, &other, file) > 0) {
		check_machine(line, headings);
		machines++;
	}
	assert_true(machines > 0);
	print_message("%d machines\n", machines);
	free(headings);
	free(line);
	fclose(file);
}

/* What is odd about each is said, where a program can see it. */
static void oddities(void **state)
{
	static const struct {
		const char *name, *remark;
	} odd[] = {
		{ "amd-tr2990wx-memoryless-dies", "no local memory" },
		{ "intel-spr-snc4", "L3 spans several nodes" },
		{ "loongarch-kvm-32pkg", "L3 spans several packages" },
		{ "power9-cpuless-gpunodes-v1", "no PUs" },
		{ "s390-no-cores", "no cores are reported" },
		{ "intel-asymcaches-8c", "no L2, others have one" },
		{ "intel-offline-v2-xml", "offline" },
		{ "fake-kinds-split-smt", "siblings" },
		{ "intel-partial-kind", "cover 5 of 8" },
		{ "intel-adl-sysfs-4p8e-nri", "frequency alone" },
		{ "arm-gb10-5falsekinds", "merged" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		struct topology t;
		struct error e = ERROR_INIT;
		char path[512];

		if (!is_there("%s/topologies/real/%s.xml", odd[i].name, path, sizeof(path)))
			skip();
		assert_int_equal(topology_load(&t, path, NULL, &e), 0);
		if (!support_is_odd(&t, odd[i].remark))
			fail_msg("%s: nothing about %s", odd[i].name, odd[i].remark);
		topology_release(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(real_machines),
		cmocka_unit_test(oddities),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
