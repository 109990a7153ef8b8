// SPDX-License-Identifier: GPL-2.0-or-later
#include "topology/place.h"

#include "topology_support.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

/*
 * Every shape of topologies/ against tests/expected/place/SHAPE.txt. With
 * RINGSCALE_REGENERATE=1 in the environment the texts are written anew: read
 * the difference before you keep it.
 */
static const struct {
	const char *place;
	int pairs;		/* 0: as many as the candidates would do for */
	bool split;
} asked[] = {
	{ "auto", 1, true }, { "auto", 2, true }, { "auto", 4, true }, { "auto", 0, true },
	{ "auto", 1, false }, { "auto", 4, false }, { "auto", 0, false },
	{ "spread", 1, true }, { "spread", 4, true }, { "spread", 4, false },
	{ "compact", 2, true },
	{ "smt", 1, true }, { "smt", 4, true }, { "l2", 1, true }, { "l2", 2, true },
	{ "l3", 1, true }, { "l3", 4, true }, { "numa", 1, true }, { "numa", 4, true },
	{ "cross-numa", 1, true }, { "cross-numa+spread", 4, true },
	{ "cross-package", 1, true }, { "cross-package", 4, true },
	{ "P:P", 1, true }, { "P:P+l3+spread", 2, true }, { "P:E", 2, true }, { "E:P", 2, true },
	{ "E:E+l2", 1, true }, { "E:E+l3", 2, true }, { "LPE:P", 1, true }, { "E", 4, false },
	{ "k0:k1", 2, true }, { "little:big", 1, true }, { "k1:k1", 1, true },
};

static void describe(FILE *out, const struct topology *t, const char *text, int pairs, bool split)
{
	struct placement placement;
	struct error e = ERROR_INIT;
	struct place *place;

	fprintf(out, "\n%s, %d pair%s%s\n", text, pairs, pairs == 1 ? "" : "s",
		split ? "" : ", inline");
	assert_int_equal(place_parse(text, &place, &e), 0);
	if (place_resolve(t, place, pairs, split, &placement, &e)) {
		assert_int_equal(e.kind, ERROR_USAGE);
		fprintf(out, "  refused: %s\n", e.text);
	} else {
		assert_int_equal(placement.count, pairs);
		for (int i = 0; i < pairs; i++) {
			const struct place_pair *pair = &placement.pairs[i];

			if (split)
				fprintf(out, "  %d:%d %s %s\n", pair->sender_pu, pair->receiver_pu,
					pair->kinds, pair->relation);
			else
				fprintf(out, "  %d %s\n", pair->sender_pu, pair->kinds);
		}
		if (placement.smt)
			fprintf(out, "  smt\n");
		placement_free(&placement);
	}
	place_free(place);
}

static char *describe_all(const char *file)
{
	struct topology t;
	struct error e = ERROR_INIT;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (topology_load(&t, file, NULL, &e))
		fail_msg("%s: %s", file, e.text);
	fprintf(out, "%s\n", file);
	for (int i = 0; i < t.kind_count; i++)
		fprintf(out, "kind %s: %d available, %s\n", t.kinds[i].name,
			hwloc_bitmap_weight(t.kinds[i].candidates), t.kinds[i].told_by);
	for (int i = 0; i < t.odd_count; i++)
		fprintf(out, "odd: %s\n", t.odd[i]);
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		int pus = hwloc_bitmap_weight(t.candidates);
		int all = asked[i].split && pus > 1 ? pus / 2 : pus;

		describe(out, &t, asked[i].place, asked[i].pairs ? asked[i].pairs : all,
			 asked[i].split);
	}
	topology_release(&t);
	fclose(out);
	return text;
}

/* The first line that differs. */
static void show_difference(const char *file, const char *expected, const char *found)
{
	int line = 1;

	for (; *expected && *expected == *found; expected++, found++)
		line += *expected == '\n';
	fail_msg("%s differs in line %d, from here on:\n%.200s\ninstead of\n%.200s\n"
		 "RINGSCALE_REGENERATE=1 writes it anew", file, line, found, expected);
}

static void shapes(void **state)
{
	const char *regenerate = getenv("RINGSCALE_REGENERATE");
	glob_t files;

	(void)state;
	assert_int_equal(glob("topologies/*.xml", 0, NULL, &files), 0);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		char name[256], *found, *expected;

		snprintf(name, sizeof(name), "tests/expected/place/%s",
			 strrchr(files.gl_pathv[i], '/') + 1);
		strcpy(strrchr(name, '.'), ".txt");
		found = describe_all(files.gl_pathv[i]);
		if (regenerate && strcmp(regenerate, "1") == 0) {
			FILE *out = fopen(name, "w");

			assert_non_null(out);
			fputs(found, out);
			assert_int_equal(fclose(out), 0);
		}
		expected = support_read(name);
		if (!expected)
			fail_msg("no %s; RINGSCALE_REGENERATE=1 writes it", name);
		if (strcmp(expected, found) != 0)
			show_difference(name, expected, found);
		free(expected);
		free(found);
	}
	globfree(&files);
}

/* 2048 PUs: every kind of request in a fraction of a second, in little memory. */
static void large(void **state)
{
	static const char *const machines[] = {
		"numa:16 core:64 pu:2", "pack:4 numa:4 l3:4 l2:8 core:2 pu:2",
	};
	static const char *const places[] = {
		"auto", "spread", "smt", "cross-numa", "cross-numa+spread", "l3", "numa",
	};
	struct rusage usage;

	(void)state;
	for (size_t m = 0; m < 2; m++) {
		struct topology t;

		support_load(&t, machines[m], NULL);
		for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
			for (int pairs = 512; pairs <= 1024; pairs += 512) {
				struct placement placement;
				struct error e = ERROR_INIT;
				struct place *place;
				double seconds;
				clock_t start;

				assert_int_equal(place_parse(places[i], &place, &e), 0);
				start = clock();
				if (!place_resolve(&t, place, pairs, true, &placement, &e)) {
					hwloc_bitmap_t used = hwloc_bitmap_alloc();

					for (int k = 0; k < pairs; k++) {
						hwloc_bitmap_set(used,
								 placement.pairs[k].sender_pu);
						hwloc_bitmap_set(used,
								 placement.pairs[k].receiver_pu);
					}
					assert_int_equal(hwloc_bitmap_weight(used), 2 * pairs);
					hwloc_bitmap_free(used);
					placement_free(&placement);
				} else if (i < 5) {
					fail_msg("%s: %s", machines[m], e.text);
				}
				seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
				/* Room for sanitizers and slow machines: it takes some 0.1 s. */
				if (seconds > 5)
					fail_msg("%s, %d pairs: %.1f s", places[i], pairs, seconds);
				place_free(place);
			}
		topology_release(&t);
	}
	assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	assert_true(usage.ru_maxrss < 200 * 1024);
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shapes),
		cmocka_unit_test(large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
