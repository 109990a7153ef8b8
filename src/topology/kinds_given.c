// SPDX-License-Identifier: GPL-2.0-or-later
#include "topology/kinds.h"

#include "base/list.h"
#include "topology/odd.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GIVEN_MAX 32
#define PU_NUMBER_MAX 1048575
#define FORM "give NAME=LIST, as in P=0-3,E=4-7"

struct given {
	char name[16];
	int rank;			/* place in the order of names, slowest first */
	hwloc_bitmap_t cpus;
};

struct giving {
	struct topology *topology;
	const char *text;		/* all of --kinds, for messages */
	struct error *e;
	hwloc_bitmap_t free_pus;	/* PUs that no kind has yet */
	struct given given[GIVEN_MAX];
	int count;
};

static int refuse(struct giving *g, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int refuse(struct giving *g, const char *format, ...)
{
	char reason[320];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	return error_set(g->e, ERROR_USAGE, EINVAL, "--kinds %s: %s", list_quote(g->text).text,
			 reason);
}

/* The rank of a name among all names, or -1: LPE, E, P; or k0, k1, ... */
static int name_rank(const char *name)
{
	static const char *const fixed[] = { "LPE", "E", "P" };
	char *end;
	long number;

	for (int i = 0; i < 3; i++)
		if (strcmp(name, fixed[i]) == 0)
			return i;
	if (name[0] != 'k' || name[1] < '0' || name[1] > '9' || (name[1] == '0' && name[2]))
		return -1;
	number = strtol(name + 1, &end, 10);
	return *end || number >= GIVEN_MAX ? -1 : (int)number;
}

static int begin_kind(struct giving *g, const char *name)
{
	int rank = name_rank(name);
	struct given *given = &g->given[g->count];

	if (rank < 0)
		return refuse(g, "%s is no kind; P, E, LPE, or k0 (slowest) to k%d",
			      list_quote(name).text, GIVEN_MAX - 1);
	for (int i = 0; i < g->count; i++) {
		if (strcmp(g->given[i].name, name) == 0)
			return refuse(g, "%s is given twice; write one list for it", name);
		if ((g->given[i].name[0] == 'k') != (name[0] == 'k'))
			return refuse(g,
				      "%s and %s are of two schemes; use P, E, LPE or k0, k1, ...",
				      g->given[i].name, name);
	}
	snprintf(given->name, sizeof(given->name), "%s", name);
	given->rank = rank;
	given->cpus = hwloc_bitmap_alloc();
	if (!given->cpus)
		return error_set(g->e, ERROR_FAILED, ENOMEM, "out of memory");
	g->count++;
	return 0;
}

/* Gives PUs first..last to the kind begun last. */
static int take_pus(struct giving *g, hwloc_const_bitmap_t all, int64_t first, int64_t last)
{
	struct given *given = &g->given[g->count - 1];

	for (int64_t pu = first; pu <= last; pu++) {
		if (!hwloc_bitmap_isset(all, (unsigned)pu)) {
			char *list = odd_list(all);

			refuse(g, "there is no PU %lld; PUs here: %s", (long long)pu,
			       list ? list : "");
			free(list);
			return -EINVAL;
		}
		if (!hwloc_bitmap_isset(g->free_pus, (unsigned)pu))
			return refuse(g, "PU %lld is listed twice", (long long)pu);
		hwloc_bitmap_clr(g->free_pus, (unsigned)pu);
		if (hwloc_bitmap_set(given->cpus, (unsigned)pu))
			return error_set(g->e, ERROR_FAILED, ENOMEM, "out of memory");
	}
	return 0;
}

/* "3" or "0-3" of the kind begun last. */
static int add_range(struct giving *g, char *range)
{
	char *dash = strchr(range, '-');
	struct error local = ERROR_INIT;
	hwloc_bitmap_t all;
	int64_t first, last;
	int rc;

	if (dash)
		*dash = '\0';
	if (list_parse_count("", range, 0, PU_NUMBER_MAX, &first, &local) ||
	    (dash && list_parse_count("", dash + 1, 0, PU_NUMBER_MAX, &last, &local)))
		return refuse(g, "no list of PU numbers after %s=; " FORM,
			      g->given[g->count - 1].name);
	if (!dash)
		last = first;
	if (last < first)
		return refuse(g, "%lld-%lld descends; write %lld-%lld", (long long)first,
			      (long long)last, (long long)last, (long long)first);
	all = kinds_all_pus(g->topology);
	if (!all)
		return error_set(g->e, ERROR_FAILED, ENOMEM, "out of memory");
	rc = take_pus(g, all, first, last);
	hwloc_bitmap_free(all);
	return rc;
}

static int parse(struct giving *g)
{
	struct text_list items = { 0 };
	struct error local = ERROR_INIT;
	int rc = 0;

	if (text_list_parse("--kinds", g->text, &items, &local))
		rc = refuse(g, "an item is empty; " FORM);
	for (size_t i = 0; i < items.count && !rc; i++) {
		char *range = items.items[i];
		char *equals = strchr(range, '=');

		/* "P=0-1,10-13": an item without a name goes on with the list before it. */
		if (equals) {
			*equals = '\0';
			rc = g->count == GIVEN_MAX ? refuse(g, "more than %d kinds", GIVEN_MAX)
						   : begin_kind(g, range);
			range = equals + 1;
		} else if (g->count == 0) {
			rc = refuse(g, "no name before %s; " FORM, list_quote(range).text);
		}
		if (!rc)
			rc = add_range(g, range);
	}
	text_list_free(&items);
	return rc;
}

/* Siblings are one core: they cannot be of two kinds, or one of them of none. */
static int check_cores(struct giving *g)
{
	for (int i = 0; i < g->count; i++) {
		int inside, outside;

		if (kinds_split_core(g->topology, g->given[i].cpus, &inside, &outside))
			return refuse(g,
				      "PUs %d and %d are siblings of one core, and only one of "
				      "them is in %s; list both",
				      inside, outside, g->given[i].name);
	}
	return 0;
}

static int by_rank(const void *a, const void *b)
{
	return ((const struct given *)a)->rank - ((const struct given *)b)->rank;
}

static int add_all(struct giving *g)
{
	int rc = 0;

	qsort(g->given, (size_t)g->count, sizeof(g->given[0]), by_rank);
	if (!hwloc_bitmap_iszero(g->free_pus)) {
		char *list = odd_list(g->free_pus);

		if (!list ||
		    odd_add(g->topology, "--kinds leaves out PUs %s: they are unknown", list))
			rc = error_set(g->e, ERROR_FAILED, ENOMEM, "out of memory");
		free(list);
		if (!rc)
			rc = kinds_add(g->topology, "unknown", -1, g->free_pus,
				       "left out by --kinds", g->e);
	}
	for (int i = 0; i < g->count && !rc; i++)
		rc = kinds_add(g->topology, g->given[i].name, i, g->given[i].cpus, "--kinds", g->e);
	return rc;
}

int kinds_given(struct topology *topology, const char *text, struct error *e)
{
	struct giving g = { .topology = topology, .text = text, .e = e };
	int rc;

	g.free_pus = kinds_all_pus(topology);
	rc = g.free_pus ? parse(&g) : error_set(e, ERROR_FAILED, ENOMEM, "out of memory");
	if (!rc)
		rc = check_cores(&g);
	if (!rc)
		rc = add_all(&g);
	for (int i = 0; i < g.count; i++)
		hwloc_bitmap_free(g.given[i].cpus);
	hwloc_bitmap_free(g.free_pus);
	return rc;
}
