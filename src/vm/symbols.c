// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/symbols.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The last function of a kernel or module has no successor. */
#define LAST_SIZE 4096

/* Labels that end a section: what lies behind them is no function's. */
static const char *const ends[] = { "_etext", "_einittext", "__entry_text_end",
				    "__irqentry_text_end", "__softirqentry_text_end",
				    "__noinstr_text_end", "__sched_text_end",
				    "__lock_text_end", "__kprobes_text_end",
				    "__cpuidle_text_end", NULL };

static bool is_end(const char *name)
{
	for (int i = 0; ends[i]; i++)
		if (!strcmp(name, ends[i]))
			return true;
	return false;
}

/* Cuts off what compilers append; whether that says it is no place where a function is called. */
static bool strip(char *name)
{
	static const char *const tails[] = { ".isra.", ".constprop.", ".part.", ".llvm.", ".cold",
					     NULL };
	char *module = strstr(name, " [");
	bool called = true;

	for (int i = 0; tails[i]; i++) {
		char *tail = strstr(name, tails[i]);

		if (!tail || tail == name)
			continue;
		if (!strcmp(tails[i], ".cold"))
			called = false;
		/* A module's name stays. */
		if (module && module > tail)
			memmove(tail, module, strlen(module) + 1);
		else
			*tail = '\0';
		module = strstr(name, " [");
	}
	return called;
}

void symbols_add(struct symbols *symbols, uint64_t start, uint64_t size, const char *name,
		 unsigned rank)
{
	struct symbol *symbol;

	if (symbols->count == symbols->capacity) {
		size_t capacity = symbols->capacity ? 2 * symbols->capacity : 1024;
		struct symbol *list = realloc(symbols->list, capacity * sizeof(*list));

		if (!list) {
			symbols->failed = true;
			return;
		}
		symbols->list = list;
		symbols->capacity = capacity;
	}
	symbol = &symbols->list[symbols->count];
	*symbol = (struct symbol){ .start = start, .end = size ? start + size : 0, .rank = rank,
				   .name = strdup(name) };
	if (!symbol->name) {
		symbols->failed = true;
		return;
	}
	symbol->entry = strip(symbol->name);
	symbols->count++;
}

/* "ffffffff81000000 T name" and, of a module, "\t[module]". False where it is none. */
static bool parse_line(const char *line, uint64_t *address, char *type, char *name, size_t size)
{
	char *end, module[64] = "";
	int at = 0;

	*address = strtoull(line, &end, 16);
	if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ')
		return false;
	*type = end[1];
	at = (int)strcspn(end + 3, " \t\n");
	if (!at || at >= (int)size - 70)
		return false;
	if (sscanf(end + 3 + at, " [%60[^]\n]", module) == 1)
		snprintf(name, size, "%.*s [%s]", at, end + 3, module);
	else
		snprintf(name, size, "%.*s", at, end + 3);
	return true;
}

int symbols_add_kernel(struct symbols *symbols, const char *kallsyms, struct error *e)
{
	uint64_t address, some = 0;
	size_t lines = 0;
	char type, name[512];

	for (const char *line = kallsyms; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (!parse_line(line, &address, &type, name, sizeof(name)))
			continue;
		lines++;
		some |= address;
		/* Padding before a function: never executed. */
		if (!address || !strchr("tTwW", type) || !strncmp(name, "__pfx_", 6))
			continue;
		symbols_add(symbols, address, 0, name, isupper((unsigned char)type) ? 0 : 1);
	}
	if (!lines)
		return error_set(e, ERROR_UNAVAILABLE, ENODATA,
				 "the guest's kernel has no /proc/kallsyms (CONFIG_KALLSYMS)");
	if (!some)
		return error_set(e, ERROR_UNAVAILABLE, EPERM,
				 "the guest's /proc/kallsyms hides its addresses; set "
				 "kernel.kptr_restrict to 0 or 1 there");
	return 0;
}

static unsigned underscores(const char *name)
{
	return (unsigned)strspn(name, "_");
}

/* By address; of one address the name that is kept comes first. */
static int compare(const void *a, const void *b)
{
	const struct symbol *one = a, *other = b;

	if (one->start != other->start)
		return one->start < other->start ? -1 : 1;
	if (is_end(one->name) != is_end(other->name))
		return is_end(one->name) ? 1 : -1;
	if (one->rank != other->rank)
		return one->rank < other->rank ? -1 : 1;
	if (underscores(one->name) != underscores(other->name))
		return underscores(one->name) < underscores(other->name) ? -1 : 1;
	if (strlen(one->name) != strlen(other->name))
		return strlen(one->name) < strlen(other->name) ? -1 : 1;
	return strcmp(one->name, other->name);
}

int symbols_finish(struct symbols *symbols)
{
	size_t kept = 0;

	if (symbols->failed)
		return -ENOMEM;
	qsort(symbols->list, symbols->count, sizeof(*symbols->list), compare);
	for (size_t i = 0; i < symbols->count; i++) {
		if (kept && symbols->list[kept - 1].start == symbols->list[i].start)
			free(symbols->list[i].name);
		else
			symbols->list[kept++] = symbols->list[i];
	}
	symbols->count = kept;
	for (size_t i = 0; i < kept; i++) {
		struct symbol *symbol = &symbols->list[i];
		bool last = i + 1 == kept;
		uint64_t next = last ? symbol->start + LAST_SIZE : symbol[1].start;

		if (!symbol->end || (symbol->end > next && !last))
			symbol->end = next;
		if (is_end(symbol->name))
			symbol->end = symbol->start;
	}
	return 0;
}

const struct symbol *symbols_find(const struct symbols *symbols, uint64_t address)
{
	size_t low = 0, high = symbols->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->list[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || address >= symbols->list[low - 1].end)
		return NULL;
	return &symbols->list[low - 1];
}

void symbols_free(struct symbols *symbols)
{
	for (size_t i = 0; i < symbols->count; i++)
		free(symbols->list[i].name);
	free(symbols->list);
	memset(symbols, 0, sizeof(*symbols));
}
