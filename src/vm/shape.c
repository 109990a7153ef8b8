// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/shape.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/list.h"

static const char *const arch_names[] = { "x86_64", "arm64", NULL };

/* Where a line stands, for messages. */
struct place {
	const char *name;
	unsigned line;
};

const char *vm_arch_name(enum vm_arch arch)
{
	return arch == VM_X86_64 ? "x86_64" : "aarch64";
}

const char *vm_arch_package(enum vm_arch arch)
{
	return arch == VM_X86_64 ? "amd64" : "arm64";
}

int vm_arch_here(void)
{
	struct utsname name;

	if (uname(&name) < 0)
		return -1;
	if (!strcmp(name.machine, "x86_64"))
		return VM_X86_64;
	return strcmp(name.machine, "aarch64") ? -1 : VM_ARM64;
}

void shape_single(struct vm_shape *shape)
{
	int arch = vm_arch_here();

	memset(shape, 0, sizeof(*shape));
	strcpy(shape->name, "one vCPU");
	shape->arch = arch < 0 ? VM_X86_64 : (enum vm_arch)arch;
	shape->sockets = shape->dies = shape->cores = shape->threads = 1;
	shape->memory_mib = 1024;
}

unsigned shape_pus(const struct vm_shape *shape)
{
	return shape->sockets * shape->dies * shape->cores * shape->threads;
}

static int refuse(const struct place *place, struct error *e, const char *what, const char *word)
{
	return error_set(e, ERROR_USAGE, EINVAL, "shape '%s', line %u: %s %s", place->name,
			 place->line, what, list_quote(word).text);
}

static int read_number(const struct place *place, const char *key, const char *text, unsigned max,
		       unsigned *value, struct error *e)
{
	struct error inner = ERROR_INIT;
	int64_t number;

	if (!text)
		return error_set(e, ERROR_USAGE, EINVAL, "shape '%s', line %u: %s needs a number",
				 place->name, place->line, key);
	if (list_parse_count(key, text, 1, max, &number, &inner))
		return error_set(e, ERROR_USAGE, EINVAL, "shape '%s', line %u: %.300s",
				 place->name, place->line, inner.text);
	*value = (unsigned)number;
	return 0;
}

/* "0-7,9" or "none". */
static int read_pus(const struct place *place, const char *text, bool *pus, struct error *e)
{
	if (!strcmp(text, "none"))
		return 0;
	while (*text) {
		char *end;
		unsigned long from = strtoul(text, &end, 10), to = from;

		if (end == text || *text == '-' || *text == '+' || *text == ' ')
			return refuse(place, e, "is no list of PUs:", text);
		if (*end == '-') {
			const char *second = end + 1;

			to = strtoul(second, &end, 10);
			if (end == second || *second == '-' || *second == '+' || to < from)
				return refuse(place, e, "is no list of PUs:", text);
		}
		if (to >= VM_PUS_MAX || (*end && *end != ',') || (*end && !end[1]))
			return refuse(place, e, "is no list of PUs:", text);
		for (unsigned long pu = from; pu <= to; pu++)
			pus[pu] = true;
		text = *end ? end + 1 : end;
	}
	return 0;
}

static int read_node(struct vm_shape *shape, const struct place *place, char **rest,
		     struct error *e)
{
	struct vm_node *node = &shape->nodes[shape->node_count];
	bool have_pus = false;
	char *key;

	if (shape->node_count == VM_NODES_MAX)
		return error_set(e, ERROR_USAGE, EINVAL, "shape '%s', line %u: more than %d nodes",
				 place->name, place->line, VM_NODES_MAX);
	shape->node_count++;
	while ((key = strtok_r(NULL, " \t", rest)) != NULL) {
		char *value = strtok_r(NULL, " \t", rest);
		int result;

		if (!strcmp(key, "pus") && value && !have_pus) {
			have_pus = true;
			result = read_pus(place, value, node->pus, e);
		} else if (!strcmp(key, "memory") && !node->memory_mib) {
			result = read_number(place, key, value, 65536, &node->memory_mib, e);
		} else {
			result = refuse(place, e, "node: does not expect", key);
		}
		if (result)
			return result;
	}
	if (!have_pus || !node->memory_mib)
		return error_set(e, ERROR_USAGE, EINVAL,
				 "shape '%s', line %u: node needs both pus and memory", place->name,
				 place->line);
	return 0;
}

static int read_distance(struct vm_shape *shape, const struct place *place, char **rest,
			 struct error *e)
{
	unsigned value[3];

	for (int i = 0; i < 3; i++) {
		char *text = strtok_r(NULL, " \t", rest);

		/* Nodes count from 0. */
		if (i < 2 && text && !strcmp(text, "0"))
			value[i] = 0;
		else if (read_number(place, "distance", text, i < 2 ? VM_NODES_MAX - 1 : 254,
				     &value[i], e))
			return -EINVAL;
	}
	if (value[0] == value[1] || value[2] <= 10)
		return error_set(e, ERROR_USAGE, EINVAL,
				 "shape '%s', line %u: a distance is between two nodes, above 10",
				 place->name, place->line);
	if (shape->distance[value[0]][value[1]])
		return error_set(e, ERROR_USAGE, EINVAL,
				 "shape '%s', line %u: this distance was given already",
				 place->name, place->line);
	shape->distance[value[0]][value[1]] = value[2];
	shape->distance[value[1]][value[0]] = value[2];
	return 0;
}

static int read_capacity(struct vm_shape *shape, const struct place *place, char **rest,
			 struct error *e)
{
	char *text;

	while ((text = strtok_r(NULL, " \t", rest)) != NULL) {
		if (shape->capacity_count == VM_PUS_MAX)
			return refuse(place, e, "too many capacities, from", text);
		if (read_number(place, "capacity", text, 65536,
				&shape->capacity[shape->capacity_count], e))
			return -EINVAL;
		shape->capacity_count++;
	}
	return 0;
}

static int read_arch(struct vm_shape *shape, const struct place *place, const char *text,
		     struct error *e)
{
	for (int i = 0; text && arch_names[i]; i++) {
		if (!strcmp(text, arch_names[i])) {
			shape->arch = (enum vm_arch)i;
			return 0;
		}
	}
	return refuse(place, e, "arch must be x86_64 or arm64, not", text ? text : "");
}

/* Keys that take one number. */
static const struct {
	const char *key;
	size_t offset;
	unsigned max;
} numbers[] = {
	{ "sockets", offsetof(struct vm_shape, sockets), 64 },
	{ "dies", offsetof(struct vm_shape, dies), 64 },
	{ "cores", offsetof(struct vm_shape, cores), VM_PUS_MAX },
	{ "threads", offsetof(struct vm_shape, threads), 8 },
	{ "memory", offsetof(struct vm_shape, memory_mib), 65536 },
};
#define NUMBER_COUNT (sizeof(numbers) / sizeof(numbers[0]))

static int read_line(struct vm_shape *shape, const struct place *place, char *line, bool *given,
		     struct error *e)
{
	char *rest = NULL, *key = strtok_r(line, " \t", &rest);
	int result;

	if (!key)
		return 0;
	for (size_t i = 0; i < NUMBER_COUNT; i++) {
		if (strcmp(key, numbers[i].key))
			continue;
		if (given[i])
			return refuse(place, e, "given twice:", key);
		given[i] = true;
		result = read_number(place, key, strtok_r(NULL, " \t", &rest), numbers[i].max,
				     (unsigned *)((char *)shape + numbers[i].offset), e);
		goto out;
	}
	if (!strcmp(key, "arch"))
		result = read_arch(shape, place, strtok_r(NULL, " \t", &rest), e);
	else if (!strcmp(key, "node"))
		result = read_node(shape, place, &rest, e);
	else if (!strcmp(key, "distance"))
		result = read_distance(shape, place, &rest, e);
	else if (!strcmp(key, "capacity"))
		result = read_capacity(shape, place, &rest, e);
	else
		result = refuse(place, e, "unknown key", key);
out:
	key = result ? NULL : strtok_r(NULL, " \t", &rest);
	return key ? refuse(place, e, "does not expect", key) : result;
}

static int check_nodes(struct vm_shape *shape, bool memory_given, struct error *e)
{
	unsigned pus = shape_pus(shape), memory = 0;

	for (unsigned pu = 0; pu < VM_PUS_MAX; pu++) {
		unsigned holders = 0;

		for (unsigned n = 0; n < shape->node_count; n++)
			holders += shape->nodes[n].pus[pu];
		if (pu >= pus && holders)
			return error_set(e, ERROR_USAGE, EINVAL,
					 "shape '%s': PU %u is in a node, but there are only %u "
					 "PUs", shape->name, pu, pus);
		if (pu < pus && holders != 1)
			return error_set(e, ERROR_USAGE, EINVAL,
					 "shape '%s': PU %u is in %u nodes; it must be in one",
					 shape->name, pu, holders);
	}
	for (unsigned n = 0; n < shape->node_count; n++)
		memory += shape->nodes[n].memory_mib;
	if (memory_given && memory != shape->memory_mib)
		return error_set(e, ERROR_USAGE, EINVAL,
				 "shape '%s': memory is %u, but the nodes add up to %u MiB",
				 shape->name, shape->memory_mib, memory);
	shape->memory_mib = memory;
	return 0;
}

static int check_distances(const struct vm_shape *shape, struct error *e)
{
	unsigned given = 0, n = shape->node_count;

	for (unsigned a = 0; a < VM_NODES_MAX; a++) {
		for (unsigned b = 0; b < a; b++) {
			if (!shape->distance[a][b])
				continue;
			if (a >= n)
				return error_set(e, ERROR_USAGE, EINVAL,
						 "shape '%s': distance to node %u, but there are "
						 "%u nodes", shape->name, a, n);
			given++;
		}
	}
	if (given && given != n * (n - 1) / 2)
		return error_set(e, ERROR_USAGE, EINVAL,
				 "shape '%s': %u of %u distances between its nodes; give all or "
				 "none", shape->name, given, n * (n - 1) / 2);
	return 0;
}

static int check(struct vm_shape *shape, bool memory_given, struct error *e)
{
	unsigned pus = shape_pus(shape);

	if (pus > VM_PUS_MAX)
		return error_set(e, ERROR_USAGE, EINVAL,
				 "shape '%s': %u PUs; at most %d can be had", shape->name, pus,
				 VM_PUS_MAX);
	if (shape->arch == VM_ARM64 && shape->dies > 1)
		return error_set(e, ERROR_USAGE, EINVAL,
				 "shape '%s': dies are of x86_64 alone, arch is arm64",
				 shape->name);
	if (shape->arch != VM_ARM64 && shape->capacity_count)
		return error_set(e, ERROR_USAGE, EINVAL,
				 "shape '%s': capacity is of arm64 alone, arch is %s", shape->name,
				 vm_arch_name(shape->arch));
	if (shape->capacity_count && shape->capacity_count != pus)
		return error_set(e, ERROR_USAGE, EINVAL,
				 "shape '%s': %u capacities for %u PUs", shape->name,
				 shape->capacity_count, pus);
	if (shape->node_count && check_nodes(shape, memory_given, e))
		return -EINVAL;
	if (shape->memory_mib < 128)
		return error_set(e, ERROR_USAGE, EINVAL,
				 "shape '%s': %u MiB of memory; a guest needs 128", shape->name,
				 shape->memory_mib);
	return check_distances(shape, e);
}

int shape_parse(struct vm_shape *shape, const char *name, const char *text, struct error *e)
{
	struct place place = { .name = name };
	bool given[NUMBER_COUNT] = { false };
	int result = 0;

	shape_single(shape);
	shape->arch = VM_X86_64;
	snprintf(shape->name, sizeof(shape->name), "%s", name);
	while (*text && !result) {
		size_t length = strcspn(text, "\n"), kept = strcspn(text, "\n#\r");
		char *line = strndup(text, kept);

		place.line++;
		result = line ? read_line(shape, &place, line, given, e)
			      : error_set(e, ERROR_FAILED, ENOMEM, "no memory for a shape");
		free(line);
		text += length + (text[length] == '\n');
	}
	return result ? result : check(shape, given[NUMBER_COUNT - 1], e);
}
