// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/topo_print.h"

#include "results/table.h"
#include "results/wrap.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 80
/* More sets of one cache size, or nodes of a distance table, are left to JSON. */
#define SETS_MAX 16
#define DISTANCES_MAX 12

struct printer {
	const struct topology *topology;
	bool color;
	int failed;		/* the first errno */
};

static void heading(const struct printer *printer, const char *text)
{
	printf("\n%s%s%s\n", printer->color ? "\033[1m" : "", text,
	       printer->color ? "\033[0m" : "");
}

static void finish(struct printer *printer, struct table *table)
{
	int rc = table_print(table, stdout, WIDTH);

	if (rc && !printer->failed)
		printer->failed = -rc;
	table_free(table);
}

/* A cell with a set as "0-3,8". */
static void set_cell(struct printer *printer, struct table *table, hwloc_const_bitmap_t set,
		     const char *empty)
{
	char *text = NULL;

	if (hwloc_bitmap_list_asprintf(&text, set) < 0)
		printer->failed = ENOMEM;
	table_cell(table, "%s", text && *text ? text : empty);
	free(text);
}

static void mask_row(struct printer *printer, struct table *table, const char *name,
		     hwloc_const_bitmap_t set, const char *meaning)
{
	int count = hwloc_bitmap_weight(set);

	table_row(table);
	table_cell(table, "%s", name);
	/* What the kernel allows may have no end. */
	if (count < 0)
		table_cell(table, "all");
	else
		table_cell(table, "%d", count);
	set_cell(printer, table, set, "none");
	table_cell(table, "%s", meaning);
}

static void print_masks(struct printer *printer)
{
	const struct topology *topology = printer->topology;
	struct table table = { 0 };

	table_column(&table, "mask", TABLE_LEFT);
	table_column(&table, "count", TABLE_RIGHT);
	table_column(&table, "PUs", TABLE_LEFT);
	table_column(&table, "", TABLE_LEFT);
	mask_row(printer, &table, "online", hwloc_topology_get_topology_cpuset(topology->hwloc),
		 "");
	mask_row(printer, &table, "allowed", hwloc_topology_get_allowed_cpuset(topology->hwloc),
		 "by the cgroup's cpuset");
	if (topology->inherited)
		mask_row(printer, &table, "inherited", topology->inherited,
			 "affinity at the start");
	mask_row(printer, &table, "candidates", topology->candidates, "threads may be put here");
	finish(printer, &table);
}

static void print_kinds(struct printer *printer)
{
	struct table table = { 0 };

	heading(printer, "Kinds of cores, best last");
	table_column(&table, "kind", TABLE_LEFT);
	table_column(&table, "PUs", TABLE_LEFT);
	table_column(&table, "count", TABLE_RIGHT);
	table_column(&table, "", TABLE_RIGHT);
	table_column(&table, "told by", TABLE_LEFT);
	for (int i = 0; i < printer->topology->kind_count; i++) {
		const struct kind *kind = &printer->topology->kinds[i];

		table_row(&table);
		table_cell(&table, "%s", kind->name);
		set_cell(printer, &table, kind->cpus, "none");
		table_cell(&table, "%d", hwloc_bitmap_weight(kind->cpus));
		table_cell(&table, "%d available", hwloc_bitmap_weight(kind->candidates));
		table_cell(&table, "%s", kind->told_by);
	}
	finish(printer, &table);
}

/* Writes "n, n+32" for the PUs of a core: where its siblings are, seen from the first. */
static void core_pattern(hwloc_obj_t core, char *text, size_t size)
{
	int first = hwloc_bitmap_first(core->cpuset);
	size_t used = (size_t)snprintf(text, size, "n");
	unsigned pu;

	hwloc_bitmap_foreach_begin(pu, core->cpuset)
		if ((int)pu != first && used < size)
			used += (size_t)snprintf(text + used, size - used, ", n+%d",
						 (int)pu - first);
	hwloc_bitmap_foreach_end();
}

/* Adds a row for the cores that look like `core`, unless an earlier core did. */
static void pattern_row(struct printer *printer, struct table *table, hwloc_obj_t core)
{
	hwloc_topology_t hwloc = printer->topology->hwloc;
	hwloc_bitmap_t firsts = hwloc_bitmap_alloc();
	char pattern[80], other[80];
	hwloc_obj_t at = NULL;
	int cores = 0;

	core_pattern(core, pattern, sizeof(pattern));
	while (firsts && (at = hwloc_get_next_obj_by_type(hwloc, HWLOC_OBJ_CORE, at))) {
		core_pattern(at, other, sizeof(other));
		if (strcmp(pattern, other) != 0)
			continue;
		if (cores == 0 && at != core)
			goto out;
		cores++;
		hwloc_bitmap_set(firsts, (unsigned)hwloc_bitmap_first(at->cpuset));
	}
	table_row(table);
	table_cell(table, "%d", cores);
	table_cell(table, "%d", hwloc_bitmap_weight(core->cpuset));
	table_cell(table, "%s", hwloc_bitmap_weight(core->cpuset) > 1 ? pattern : "none");
	if (firsts)
		set_cell(printer, table, firsts, "");
out:
	hwloc_bitmap_free(firsts);
}

static void print_cores(struct printer *printer)
{
	hwloc_topology_t hwloc = printer->topology->hwloc;
	struct table table = { 0 };
	hwloc_obj_t core = NULL;

	heading(printer, "Cores and their siblings (SMT)");
	if (hwloc_get_nbobjs_by_type(hwloc, HWLOC_OBJ_CORE) <= 0) {
		puts("no cores are reported");
		return;
	}
	table_column(&table, "cores", TABLE_RIGHT);
	table_column(&table, "PUs each", TABLE_RIGHT);
	table_column(&table, "siblings", TABLE_LEFT);
	table_column(&table, "n", TABLE_LEFT);
	while ((core = hwloc_get_next_obj_by_type(hwloc, HWLOC_OBJ_CORE, core)))
		pattern_row(printer, &table, core);
	finish(printer, &table);
}

static bool is_alike(hwloc_obj_t a, hwloc_obj_t b)
{
	return a->attr->cache.size == b->attr->cache.size &&
	       hwloc_bitmap_weight(a->cpuset) == hwloc_bitmap_weight(b->cpuset);
}

/* "0-3; 4-7": the PUs of every cache that looks like `cache`; counts them. */
static char *list_alike(hwloc_topology_t hwloc, hwloc_obj_t cache, int *count)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	*count = 0;
	if (!out)
		return NULL;
	for (hwloc_obj_t at = cache; at;
	     at = hwloc_get_next_obj_by_type(hwloc, cache->type, at)) {
		char *set = NULL;

		if (!is_alike(at, cache))
			continue;
		if (++*count > SETS_MAX)
			continue;
		hwloc_bitmap_list_asprintf(&set, at->cpuset);
		fprintf(out, "%s%s", *count > 1 ? "; " : "", set ? set : "");
		free(set);
	}
	if (*count > SETS_MAX)
		fprintf(out, "; and %d more", *count - SETS_MAX);
	return fclose(out) ? NULL : text;
}

static void cache_rows(struct printer *printer, struct table *table, hwloc_obj_type_t type,
		       const char *name)
{
	hwloc_topology_t hwloc = printer->topology->hwloc;
	hwloc_obj_t cache = NULL;

	while ((cache = hwloc_get_next_obj_by_type(hwloc, type, cache))) {
		hwloc_obj_t before = NULL;
		uint64_t size = cache->attr->cache.size;
		char *sets;
		int count;

		/* One row for all that are alike: at the first of them. */
		while ((before = hwloc_get_next_obj_by_type(hwloc, type, before)) != cache)
			if (is_alike(before, cache))
				break;
		if (before != cache)
			continue;
		sets = list_alike(hwloc, cache, &count);
		table_row(table);
		table_cell(table, "%s", name);
		table_cell(table, "%d", count);
		if (size)
			table_cell(table, "%" PRIu64 " KiB", size >> 10);
		else
			table_cell(table, "not told");
		table_cell(table, "%d", hwloc_bitmap_weight(cache->cpuset));
		table_cell(table, "%s", sets ? sets : "");
		free(sets);
	}
}

static void print_caches(struct printer *printer)
{
	hwloc_topology_t hwloc = printer->topology->hwloc;
	struct table table = { 0 };

	heading(printer, "Caches");
	if (hwloc_get_nbobjs_by_type(hwloc, HWLOC_OBJ_L2CACHE) <= 0 &&
	    hwloc_get_nbobjs_by_type(hwloc, HWLOC_OBJ_L3CACHE) <= 0) {
		puts("no L2 or L3 is reported");
		return;
	}
	table_column(&table, "cache", TABLE_LEFT);
	table_column(&table, "count", TABLE_RIGHT);
	table_column(&table, "size", TABLE_RIGHT);
	table_column(&table, "PUs each", TABLE_RIGHT);
	table_column(&table, "shared by PUs", TABLE_LEFT);
	cache_rows(printer, &table, HWLOC_OBJ_L2CACHE, "L2");
	cache_rows(printer, &table, HWLOC_OBJ_L3CACHE, "L3");
	finish(printer, &table);
}

static void print_nodes(struct printer *printer)
{
	const struct topology *topology = printer->topology;
	struct table table = { 0 };
	hwloc_obj_t at = NULL;

	heading(printer, "Packages and nodes");
	table_column(&table, "object", TABLE_LEFT);
	table_column(&table, "memory", TABLE_RIGHT);
	table_column(&table, "PUs", TABLE_LEFT);
	while ((at = hwloc_get_next_obj_by_type(topology->hwloc, HWLOC_OBJ_PACKAGE, at))) {
		table_row(&table);
		table_cell(&table, "package %u", at->logical_index);
		table_cell(&table, "%s", "");
		set_cell(printer, &table, at->cpuset, "no PUs");
	}
	while ((at = hwloc_get_next_obj_by_type(topology->hwloc, HWLOC_OBJ_NUMANODE, at))) {
		uint64_t bytes;

		table_row(&table);
		table_cell(&table, "node %u", at->os_index);
		if (!topo_node_bytes(topology, at, &bytes))
			table_cell(&table, "not told");
		else if (bytes == 0)
			table_cell(&table, "no memory");
		else
			table_cell(&table, "%" PRIu64 " MiB", bytes >> 20);
		set_cell(printer, &table, at->cpuset, "no PUs");
	}
	finish(printer, &table);
}

static void print_distances(struct printer *printer)
{
	struct hwloc_distances_s *distances = topo_distances(printer->topology);
	struct table table = { 0 };

	if (!distances)
		return;
	heading(printer, "Distances between nodes");
	if (distances->nbobjs > DISTANCES_MAX) {
		printf("of %u nodes: --format json lists them\n", distances->nbobjs);
		hwloc_distances_release(printer->topology->hwloc, distances);
		return;
	}
	table_column(&table, "node", TABLE_RIGHT);
	for (unsigned i = 0; i < distances->nbobjs; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%u", distances->objs[i]->os_index);
		table_column(&table, name, TABLE_RIGHT);
	}
	for (unsigned i = 0; i < distances->nbobjs; i++) {
		table_row(&table);
		table_cell(&table, "%u", distances->objs[i]->os_index);
		for (unsigned k = 0; k < distances->nbobjs; k++)
			table_cell(&table, "%" PRIu64,
				   (uint64_t)distances->values[i * distances->nbobjs + k]);
	}
	finish(printer, &table);
	hwloc_distances_release(printer->topology->hwloc, distances);
}

static void print_odd(const struct printer *printer)
{
	const struct topology *topology = printer->topology;

	heading(printer, "Odd");
	if (topology->odd_count == 0)
		puts("nothing");
	for (int i = 0; i < topology->odd_count; i++) {
		const char *rest = topology->odd[i];
		const char *before = "- ";

		for (;;) {
			struct wrap_piece piece = wrap_next(&rest, WIDTH - 2);

			if (!piece.bytes)
				break;
			printf("%s%.*s\n", before, (int)piece.bytes, piece.text);
			before = "  ";
		}
	}
}

int topo_print_text(const struct topology *topology, bool color, struct error *e)
{
	struct printer printer = { .topology = topology, .color = color };

	printf("%s\n\n", topology->source);
	print_masks(&printer);
	print_kinds(&printer);
	print_cores(&printer);
	print_caches(&printer);
	print_nodes(&printer);
	print_distances(&printer);
	print_odd(&printer);
	if (printer.failed)
		return error_set(e, ERROR_FAILED, printer.failed, "cannot print the topology: %s",
				 strerror(printer.failed));
	return 0;
}
