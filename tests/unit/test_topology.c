// SPDX-License-Identifier: GPL-2.0-or-later
#include "topology/topology.h"

#include "topology/place.h"
#include "topology_support.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

static void refuse(const char *source, const char *reason)
{
	struct topology t;
	struct error e = ERROR_INIT;

	assert_true(topology_load(&t, source, NULL, &e) < 0);
	if (e.kind != ERROR_USAGE || !strstr(e.text, "--topology") || !strstr(e.text, reason) ||
	    strchr(e.text, '\n'))
		fail_msg("%s: %s", source, e.text);
	topology_release(&t);
}

static void refuse_text(const char *text, const char *reason)
{
	refuse(support_write(text, strlen(text)), reason);
}

static void bad_sources(void **state)
{
	char fifo[64];

	(void)state;
	refuse("", "empty");
	refuse("/tmp", "is a directory");
	refuse("/dev/null", "not a regular file");
	refuse("no-such-file.xml", "no synthetic description");
	refuse("core:2 pu:x", "no synthetic description");
	refuse("core:0", "no synthetic description");
	refuse("numa:100000 pu:100000", "more than 16384 PUs");
	refuse("pu:99999999999999999999", "more than 16384 PUs");
	refuse("core:128 pu:129", "more than 16384 PUs");
	refuse("128 129", "more than 16384 PUs");
	/* Opening it would wait for a writer. */
	snprintf(fifo, sizeof(fifo), "/tmp/ringscale-test-fifo-%d", (int)getpid());
	assert_int_equal(mkfifo(fifo, 0600), 0);
	refuse(fifo, "not a regular file");
	unlink(fifo);
}

static void bad_files(void **state)
{
	static const char zeros[4096];
	char *good, *cut;

	(void)state;
	refuse_text("", "is empty");
	refuse_text("not XML at all", "no topology");
	refuse_text("<topology version=\"2.0\">", "no topology");
	refuse_text("<topology version=\"2.0\"></topology>", "no topology");
	refuse_text("<?xml version=\"1.0\"?><html></html>", "no topology");
	refuse(support_write(zeros, sizeof(zeros)), "no topology");
	refuse_text("<?xml version=\"1.0\"?>\n<topology version=\"3.0\"><object/></topology>",
		    "written by hwloc 3, this program reads version 2");
	refuse_text("<topology\n version='3.1'></topology>", "written by hwloc 3");
	/* The number in the XML declaration is not the version of the topology. */
	refuse_text("<?xml version=\"3.0\"?><topology version=\"2.0\"></topology>", "no topology");
	/* Cut anywhere, it is refused, not believed. */
	good = support_read("topologies/server-2s4n.xml");
	assert_non_null(good);
	for (size_t length = 100; length + 20 < strlen(good); length += strlen(good) / 23) {
		cut = strndup(good, length);
		refuse_text(cut, "no topology");
		free(cut);
	}
	free(good);
	/* No PU that may be used. */
	good = support_read("topologies/no-cores-sparse.xml");
	assert_non_null(good);
	memcpy(strstr(good, "allowed_cpuset=\"0x00000100,0x00001300\""),
	       "allowed_cpuset=\"0x00000000,0x00000000\"", 38);
	refuse_text(good, "allows none of its PUs");
	free(good);
}

/* Bytes changed at random: refused or loaded, but never a crash or a hang. */
static void damaged_files(void **state)
{
	char *good = support_read("topologies/snc-memory-node.xml");
	size_t size;

	(void)state;
	assert_non_null(good);
	size = strlen(good);
	srandom(4711);
	for (int i = 0; i < 60; i++) {
		struct topology t;
		struct error e = ERROR_INIT;
		char *bad = strdup(good);

		for (int k = 0; k < 1 + i % 5; k++) {
			size_t at = (size_t)random() % size;

			bad[at] = bad[at] >= '0' && bad[at] <= '9' ? (char)('0' + random() % 10)
								   : (char)(' ' + random() % 90);
		}
		if (topology_load(&t, support_write(bad, size), NULL, &e))
			assert_int_equal(e.kind, ERROR_USAGE);
		topology_release(&t);
		free(bad);
	}
	free(good);
}

static void unreadable(void **state)
{
	const char *path = support_write("<topology/>", 11);

	(void)state;
	if (geteuid() == 0) {
		print_message("root reads everything\n");
		skip();
	}
	assert_int_equal(chmod(path, 0), 0);
	refuse(path, "permission denied");
}

/* hwloc's environment must not make another machine of this one. */
static void environment(void **state)
{
	struct topology t;
	struct error e = ERROR_INIT;
	int pus;

	(void)state;
	assert_int_equal(topology_load(&t, NULL, NULL, &e), 0);
	pus = hwloc_get_nbobjs_by_type(t.hwloc, HWLOC_OBJ_PU);
	assert_false(t.imported);
	topology_release(&t);
	setenv("HWLOC_SYNTHETIC", "core:37 pu:1", 1);
	setenv("HWLOC_THISSYSTEM", "1", 1);
	setenv("HWLOC_CPUKINDS_RANKING", "none", 1);
	assert_int_equal(topology_load(&t, NULL, NULL, &e), 0);
	assert_int_equal(hwloc_get_nbobjs_by_type(t.hwloc, HWLOC_OBJ_PU), pus);
	assert_true(support_is_odd(&t, "HWLOC_SYNTHETIC is set and ignored"));
	assert_true(support_is_odd(&t, "HWLOC_THISSYSTEM is set and ignored"));
	assert_null(getenv("HWLOC_THISSYSTEM"));
	assert_null(getenv("HWLOC_CPUKINDS_RANKING"));
	topology_release(&t);
	setenv("HWLOC_THISSYSTEM", "1", 1);
	support_load(&t, "vm-2pu", NULL);
	assert_true(t.imported);
	assert_null(t.inherited);
	assert_int_equal(topology_bind_thread(&t, 0), -EINVAL);
	assert_int_equal(topology_avoid(&t, t.candidates), -EINVAL);
	topology_release(&t);
}

static hwloc_bitmap_t affinity(void)
{
	hwloc_bitmap_t mask = hwloc_bitmap_alloc();
	cpu_set_t set;

	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	for (unsigned i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &set))
			hwloc_bitmap_set(mask, i);
	return mask;
}

static void set_affinity(hwloc_const_bitmap_t mask)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (unsigned i = 0; i < CPU_SETSIZE; i++)
		if (hwloc_bitmap_isset(mask, i))
			CPU_SET(i, &set);
	assert_int_equal(sched_setaffinity(0, sizeof(set), &set), 0);
}

/* Under a mask (taskset) of the last PU alone nothing else is ever a candidate. */
static void inherited_mask(void **state)
{
	hwloc_bitmap_t before = affinity(), last = hwloc_bitmap_alloc();
	int pu = hwloc_bitmap_last(before), other = hwloc_bitmap_first(before);
	struct topology t;
	struct error e = ERROR_INIT;

	(void)state;
	hwloc_bitmap_only(last, (unsigned)pu);
	set_affinity(last);
	assert_int_equal(topology_load(&t, NULL, NULL, &e), 0);
	assert_true(hwloc_bitmap_isequal(t.candidates, last));
	assert_true(hwloc_bitmap_isequal(t.inherited, last));
	/* The others are still shown. */
	assert_true(hwloc_get_nbobjs_by_type(t.hwloc, HWLOC_OBJ_PU) >= hwloc_bitmap_weight(before));
	if (other != pu) {
		assert_non_null(topology_pu(&t, other));
		assert_int_equal(topology_bind_thread(&t, other), -EINVAL);
	}
	assert_int_equal(topology_bind_thread(&t, pu), 0);
	/* No room beside it. */
	assert_int_equal(topology_avoid(&t, last), 0);
	topology_release(&t);
	set_affinity(before);
	hwloc_bitmap_free(before);
	hwloc_bitmap_free(last);
}

static void binds(void **state)
{
	hwloc_bitmap_t before = affinity();
	struct topology t;
	struct error e = ERROR_INIT;
	unsigned pu;

	(void)state;
	assert_int_equal(topology_load(&t, NULL, NULL, &e), 0);
	hwloc_bitmap_foreach_begin(pu, t.candidates) {
		hwloc_bitmap_t now;

		assert_int_equal(topology_bind_thread(&t, (int)pu), 0);
		now = affinity();
		assert_int_equal(hwloc_bitmap_weight(now), 1);
		assert_true(hwloc_bitmap_isset(now, pu));
		assert_int_equal(sched_getcpu(), pu);
		hwloc_bitmap_free(now);
	}
	hwloc_bitmap_foreach_end();
	assert_int_equal(topology_bind_thread(&t, -1), -EINVAL);
	assert_int_equal(topology_bind_thread(&t, 1 << 19), -EINVAL);
	assert_null(topology_pu(&t, -1));
	topology_release(&t);
	set_affinity(before);
	hwloc_bitmap_free(before);
}

static void steps_aside(void **state)
{
	hwloc_bitmap_t before = affinity(), one = hwloc_bitmap_alloc(), now;
	struct topology t;
	struct error e = ERROR_INIT;
	hwloc_obj_t core;
	int result, first;

	(void)state;
	assert_int_equal(topology_load(&t, NULL, NULL, &e), 0);
	first = hwloc_bitmap_first(t.candidates);
	hwloc_bitmap_only(one, (unsigned)first);
	result = topology_avoid(&t, one);
	assert_true(result >= 0);
	now = affinity();
	core = hwloc_get_ancestor_obj_by_type(t.hwloc, HWLOC_OBJ_CORE, topology_pu(&t, first));
	if (result) {
		assert_false(hwloc_bitmap_isset(now, (unsigned)first));
		assert_false(core && hwloc_bitmap_intersects(now, core->cpuset));
	} else {
		assert_true(hwloc_bitmap_isequal(now, before));
	}
	hwloc_bitmap_free(now);
	/* All PUs in use: nothing changes. */
	set_affinity(before);
	assert_int_equal(topology_avoid(&t, t.candidates), 0);
	now = affinity();
	assert_true(hwloc_bitmap_isequal(now, before));
	topology_release(&t);
	hwloc_bitmap_free(now);
	hwloc_bitmap_free(one);
	hwloc_bitmap_free(before);
}

/* The XML of the result file's header reads back as the same machine. */
static void xml(void **state)
{
	struct topology t, again;
	struct error e = ERROR_INIT;
	char *text;

	(void)state;
	support_load(&t, "i7-12700kf", NULL);
	text = topology_xml(&t);
	assert_non_null(text);
	if (topology_load(&again, support_write(text, strlen(text)), NULL, &e))
		fail_msg("%s", e.text);
	assert_int_equal(again.kind_count, 2);
	support_has_kind(&again, "E", "16-19", 4);
	topology_release(&again);
	topology_release(&t);
	free(text);
	/* Released twice, and released after failure, is nothing. */
	topology_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_sources),
		cmocka_unit_test(bad_files),
		cmocka_unit_test(damaged_files),
		cmocka_unit_test(unreadable),
		cmocka_unit_test(environment),
		cmocka_unit_test(inherited_mask),
		cmocka_unit_test(binds),
		cmocka_unit_test(steps_aside),
		cmocka_unit_test(xml),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
