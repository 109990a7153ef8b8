// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/presets.h"

#include "base/list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The published configuration, spelled out so that no default can move it. */
#define F0 "--workload send-fd --pairs 1 --slots 4096 --used all --batch 64 --ring 256 --cq auto " \
	   "--slot alloc --pattern pairs --reap inline --cycle fresh --file own --cqe post " \
	   "--target plain --ring-fd plain --fdtable shared --mem local --fills 1"
#define F0_METHOD "--blocks 1 --warmup 3 --rounds 15"

/* Spelled out as well: one boot's figures are compared with another's. */
#define RECLAIM "--workload reclaim --slots 64 --used all --batch 64 --reap inline " \
		"--removal register --churn 1024"
#define HOLDS "--hold 10ms,20ms,40ms,80ms"
#define INSTALLS "--workload send-fd --slots 4096 --used 1024 --batch 64 --reap inline " \
		 "--cycle fresh,reuse --fills 4"

/* Rings as the published programs make theirs: deferred ones, whose completions need no lock. */
#define ENTER "--workload enter --slots 4096 --used all --batch 1..32x2 --ring 256 --cq auto " \
	      "--reap inline --cycle reuse --target defer --ring-fd plain,registered --fills 4"

const struct preset presets[] = {
	{
		.name = "quick",
		.summary = "inline on 1, 2, 4.. PUs, and one pair that polls or reaps afterwards",
		.products = (const char *const[]){
			"--reap inline --pairs 1..PUSx2 --slots 64,4096",
			"--reap poll,after --pairs 1 --slots 4096",
			NULL,
		},
	}, {
		.name = "f0",
		.summary = "the published configuration",
		.method = F0_METHOD,
		.products = (const char *const[]){ F0 " --gap 0", NULL },
	}, {
		.name = "f0-paced",
		.summary = "the same with 50 ms between the fills",
		.method = F0_METHOD,
		.products = (const char *const[]){ F0 " --gap 50ms", NULL },
	}, {
		.name = "lifecycle",
		.summary = "every phase of a table's life, by cycle and size of the table",
		.products = (const char *const[]){
			"--slots 64,1024,4096 --cycle fresh,reregister,reuse",
			"--slots 4096 --used 64 --cycle fresh,reregister,reuse",
			NULL,
		},
	}, {
		.name = "scale",
		.summary = "1, 2, 4.. pairs up to all PUs, each pair also alone",
		.method = "--solo",
		.products = (const char *const[]){
			"--reap inline --pairs 1..PUSx2 --slots 64,1024,4096",
			"--reap inline --pairs PUS --slots 64,1024,4096",
			"--reap after,poll --pairs 1..HALFx2 --slots 64,1024,4096",
			"--reap after,poll --pairs HALF --slots 64,1024,4096",
			NULL,
		},
	}, {
		.name = "hybrid",
		.summary = "every kind of core alone, every pair of kinds near and far",
		.products = (const char *const[]){
			"--reap inline --pairs 1 --place KIND",
			"--reap poll,after --pairs 1 "
			"--place KIND:KIND+l2,KIND:KIND+l3,KIND:KIND+numa",
			NULL,
		},
	}, {
		.name = "numa",
		.summary = "within a node and across nodes, the table on every node with memory",
		.products = (const char *const[]){
			"--reap poll --pairs 1 --place numa,cross-numa --mem sender,receiver,NODES",
			NULL,
		},
	},
	{
		.name = "reclaim",
		.summary = "release of 64 removed files with each kind of pending request, over how long "
			   "it is pending",
		.method = "--blocks 3 --warmup 1 --rounds 5",
		.products = (const char *const[]){
			RECLAIM " --pairs 1 --pending none --issued before --hold 10ms",
			RECLAIM " --pairs 1 --pending normal,fixed --issued before " HOLDS,
			RECLAIM " --pairs 1 --pending fixed --issued halfway --hold 40ms",
			NULL,
		},
	}, {
		.name = "payoff",
		.summary = "cost beside release: installs, removals, and what a pending request keeps",
		.method = "--blocks 5 --warmup 1 --rounds 8",
		.products = (const char *const[]){
			INSTALLS " --pairs 1..PUSx2",
			INSTALLS " --pairs PUS",
			RECLAIM " --pairs 1..PUSx2 --pending none --issued before --hold 10ms",
			RECLAIM " --pairs PUS --pending none --issued before --hold 10ms",
			RECLAIM " --pairs 1..PUSx2 --pending normal,fixed --issued before " HOLDS,
			RECLAIM " --pairs PUS --pending normal,fixed --issued before " HOLDS,
			NULL,
		},
	}, {
		.name = "registered-ring",
		.summary = "whether entering by registered index pays, NOPs in a process of one thread and of "
			   "as many as PUs",
		.method = "--blocks 15 --warmup 2 --rounds 10",
		.products = (const char *const[]){
			ENTER " --pairs 1 --fdtable shared",
			ENTER " --pairs PUS --fdtable shared,private",
			NULL,
		},
	}, {
		.name = "rsrc-update",
		.summary = "files of a table of 128 replaced, 32 SQEs an enter, a slot each",
		.products = (const char *const[]){
			"--workload update-files --by sqe --pairs 1 --slots 128 --used 4096 --batch 32 "
			"--ring 256 --cq auto --reap inline --cycle reuse --target defer --ring-fd registered "
			"--fdtable shared --fills 16",
			NULL,
		},
	},
	{ 0 }
};

const struct preset *preset_find(const char *name)
{
	for (const struct preset *preset = presets; preset->name; preset++)
		if (strcmp(preset->name, name) == 0)
			return preset;
	return NULL;
}

static int no_memory(struct error *e)
{
	return error_set(e, ERROR_FAILED, ENOMEM, "out of memory");
}

/* A fresh copy of `text` with `number` in the place of every `mark`. NULL stays NULL. */
static char *replace_mark(char *text, const char *mark, int number)
{
	size_t size;
	char *result = NULL;
	FILE *out = text ? open_memstream(&result, &size) : NULL;
	const char *from = text, *hit;

	if (!out) {
		free(text);
		return NULL;
	}
	while ((hit = strstr(from, mark))) {
		fprintf(out, "%.*s%d", (int)(hit - from), from, number);
		from = hit + strlen(mark);
	}
	fputs(from, out);
	free(text);
	if (fclose(out)) {
		free(result);
		return NULL;
	}
	return result;
}

/* Writes `item` once for every text, with the text in the place of `mark`. */
static void write_items(FILE *out, const char *item, size_t length, const char *mark,
			const char *const *texts)
{
	const char *at = memmem(item, length, mark, strlen(mark));

	if (!at) {
		fprintf(out, "%.*s", (int)length, item);
		return;
	}
	for (size_t i = 0; texts[i]; i++)
		fprintf(out, "%s%.*s%s%.*s", i ? "," : "", (int)(at - item), item, texts[i],
			(int)(item + length - at - strlen(mark)), at + strlen(mark));
}

/* Every item of a list that holds `mark` becomes as many as there are texts. NULL stays NULL. */
static char *expand_mark(char *text, const char *mark, const char *const *texts)
{
	size_t size;
	char *result = NULL;
	FILE *out = text ? open_memstream(&result, &size) : NULL;
	const char *from = text;

	if (!out) {
		free(text);
		return NULL;
	}
	while (*from) {
		size_t length = strcspn(from, " ,");

		write_items(out, from, length, mark, texts);
		from += length;
		if (*from)
			fputc(*from++, out);
	}
	free(text);
	if (fclose(out)) {
		free(result);
		return NULL;
	}
	return result;
}

/* Pairs of two threads are half as many; a machine without room for one will refuse that one. */
static char *replace_marks(const char *text, const struct preset_machine *machine)
{
	int pus = machine->pus;
	char *words = replace_mark(strdup(text), "PUS", pus);

	words = replace_mark(words, "HALF", pus > 1 ? pus / 2 : 1);
	words = expand_mark(words, "KIND:KIND", machine->kind_pairs);
	words = expand_mark(words, "KIND", machine->kinds);
	return expand_mark(words, "NODES", machine->nodes);
}

static const char **find_kinds(const struct topology *topology)
{
	const char **kinds = calloc((size_t)topology->kind_count + 2, sizeof(*kinds));
	int count = 0;

	for (int i = topology->kind_count - 1; kinds && i >= 0; i--)
		/* What is not known cannot be asked for either. */
		if (strcmp(topology->kinds[i].name, "unknown") != 0 &&
		    !hwloc_bitmap_iszero(topology->kinds[i].candidates))
			kinds[count++] = strdup(topology->kinds[i].name);
	/* A kind that is not there: the cell is dropped with the reason. */
	if (kinds && !count)
		kinds[count++] = strdup("P");
	return kinds;
}

static size_t count_texts(const char *const *texts)
{
	size_t count = 0;

	while (texts[count])
		count++;
	return count;
}

static const char **pair_up(const char *const *kinds)
{
	size_t count = count_texts(kinds), used = 0;
	const char **pairs = calloc(count * count + 1, sizeof(*pairs));

	for (size_t i = 0; pairs && i < count * count; i++) {
		char *text;

		if (asprintf(&text, "%s:%s", kinds[i / count], kinds[i % count]) >= 0)
			pairs[used++] = text;
	}
	return pairs;
}

static const char **find_nodes(const struct topology *topology)
{
	int room = hwloc_get_nbobjs_by_type(topology->hwloc, HWLOC_OBJ_NUMANODE);
	const char **nodes = calloc((size_t)room + 2, sizeof(*nodes));
	size_t count = 0;

	for (int i = 0; nodes && i < room; i++) {
		hwloc_obj_t node = hwloc_get_obj_by_type(topology->hwloc, HWLOC_OBJ_NUMANODE,
							 (unsigned)i);

		char *text;

		if (node->attr->numanode.local_memory &&
		    asprintf(&text, "node:%u", node->os_index) >= 0)
			nodes[count++] = text;
	}
	if (nodes && !count)
		nodes[count] = strdup("node:0");
	return nodes;
}

int preset_machine_init(struct preset_machine *machine, const struct topology *topology)
{
	*machine = (struct preset_machine){
		.pus = hwloc_bitmap_weight(topology->candidates),
		.kinds = find_kinds(topology),
		.nodes = find_nodes(topology),
	};
	if (machine->kinds)
		machine->kind_pairs = pair_up(machine->kinds);
	return machine->kinds && machine->kind_pairs && machine->nodes ? 0 : -ENOMEM;
}

static void free_texts(const char **texts)
{
	for (size_t i = 0; texts && texts[i]; i++)
		free((char *)texts[i]);
	free(texts);
}

void preset_machine_free(struct preset_machine *machine)
{
	free_texts(machine->kinds);
	free_texts(machine->kind_pairs);
	free_texts(machine->nodes);
	*machine = (struct preset_machine){ 0 };
}

/* Cuts "--NAME VALUE --NAME VALUE" in place and parses each list. */
static int parse_words(char *words, struct product *product, struct error *e)
{
	char *rest;

	for (char *name = strtok_r(words, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
		char *value = strtok_r(NULL, " ", &rest);
		enum axis axis = axis_find(name + 2);
		int rc;

		if (axis == AXIS_COUNT || !value)
			return error_set(e, ERROR_FAILED, EINVAL, "preset is broken at \"%s\"",
					 name);
		rc = axis_list_parse(axis, value, &product->axes[axis], e);
		if (rc)
			return rc;
	}
	return 0;
}

/* Whether the axis means something to the product. */
static bool has_axis(const struct product *product, enum axis axis)
{
	const struct axis_list *workload = &product->axes[AXIS_WORKLOAD];

	return axis_applies(axis, workload->count ? (int)workload->values[0].number : 0);
}

/* Where a preset has several workloads, an axis of one of them is laid over its products alone. */
static bool passes_by(const struct product *products, size_t count, size_t index, enum axis axis)
{
	bool somewhere = false;

	for (size_t i = 0; i < count; i++)
		somewhere |= has_axis(&products[i], axis);
	return somewhere && !has_axis(&products[index], axis);
}

/* Lays the typed axes of `typed` over products[index]; the workload, the first axis, before the others. */
static int overlay(struct product *products, size_t count, size_t index,
		   const struct product *typed, struct error *e)
{
	struct product *product = &products[index];

	for (enum axis axis = 0; axis < AXIS_COUNT; axis++) {
		if (!typed->typed[axis] || passes_by(products, count, index, axis))
			continue;
		axis_list_free(&product->axes[axis]);
		if (axis_list_copy(&product->axes[axis], &typed->axes[axis]))
			return no_memory(e);
		product->typed[axis] = true;
	}
	return 0;
}

static int parse_product(const char *text, const struct preset_machine *machine,
			 struct product *product, struct error *e)
{
	char *words = replace_marks(text, machine);
	int rc = words ? parse_words(words, product, e) : no_memory(e);

	free(words);
	return rc;
}

static bool is_known(const struct product *products, size_t count, const struct product *product)
{
	for (size_t i = 0; i < count; i++)
		if (product_equal(&products[i], product))
			return true;
	return false;
}

/* Leaves one of those that are equal. Returns how many are left. */
static size_t merge(struct product *products, size_t count)
{
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		struct product product = products[i];

		products[i] = (struct product){ 0 };
		if (is_known(products, used, &product))
			product_free(&product);
		else
			products[used++] = product;
	}
	return used;
}

int preset_products(const struct preset *preset, const struct product *typed,
		    const struct preset_machine *machine, struct product **products, size_t *count,
		    struct error *e)
{
	struct product *made;
	size_t room = 0;
	int rc = 0;

	while (preset->products[room])
		room++;
	made = calloc(room, sizeof(*made));
	if (!made)
		return no_memory(e);
	for (size_t i = 0; i < room && !rc; i++)
		rc = parse_product(preset->products[i], machine, &made[i], e);
	for (size_t i = 0; i < room && !rc; i++)
		rc = overlay(made, room, i, typed, e);
	if (rc) {
		while (room)
			product_free(&made[--room]);
		free(made);
		return rc;
	}
	*products = made;
	*count = merge(made, room);
	return 0;
}
