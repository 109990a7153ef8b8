// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/preset_marks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
char *preset_replace_marks(const char *text, const struct preset_machine *machine)
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
