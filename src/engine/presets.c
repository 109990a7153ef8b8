// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/presets.h"

#include "base/list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The published configuration, spelled out so that no default can move it. */
#define F0 "--workload send-fd --pairs 1 --slots 4096 --used all --batch 64 --ring 256 --cq auto " \
	   "--slot alloc --reap inline --cycle fresh --file own --cqe post --ring-fd plain " \
	   "--fdtable shared --fills 1"
#define F0_METHOD "--blocks 1 --warmup 3 --rounds 15"

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

/* Pairs of two threads are half as many; a machine without room for one will refuse that one. */
static char *replace_marks(const char *text, int pus)
{
	return replace_mark(replace_mark(strdup(text), "PUS", pus), "HALF", pus > 1 ? pus / 2 : 1);
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

/* Lays the typed axes of `typed` over the product. */
static int overlay(struct product *product, const struct product *typed, struct error *e)
{
	for (enum axis axis = 0; axis < AXIS_COUNT; axis++) {
		if (!typed->typed[axis])
			continue;
		axis_list_free(&product->axes[axis]);
		if (axis_list_copy(&product->axes[axis], &typed->axes[axis]))
			return no_memory(e);
		product->typed[axis] = true;
	}
	return 0;
}

static int parse_product(const char *text, const struct product *typed, int pus,
			 struct product *product, struct error *e)
{
	char *words = replace_marks(text, pus);
	int rc = words ? parse_words(words, product, e) : no_memory(e);

	free(words);
	return rc ? rc : overlay(product, typed, e);
}

static bool is_known(const struct product *products, size_t count, const struct product *product)
{
	for (size_t i = 0; i < count; i++)
		if (product_equal(&products[i], product))
			return true;
	return false;
}

int preset_products(const struct preset *preset, const struct product *typed, int pus,
		    struct product **products, size_t *count, struct error *e)
{
	struct product *made;
	size_t room = 0, used = 0;
	int rc = 0;

	while (preset->products[room])
		room++;
	made = calloc(room, sizeof(*made));
	if (!made)
		return no_memory(e);
	for (size_t i = 0; i < room && !rc; i++) {
		rc = parse_product(preset->products[i], typed, pus, &made[used], e);
		if (rc || is_known(made, used, &made[used]))
			product_free(&made[used]);
		else
			used++;
	}
	if (rc) {
		while (used)
			product_free(&made[--used]);
		free(made);
		return rc;
	}
	*products = made;
	*count = used;
	return 0;
}
