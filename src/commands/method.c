// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/method.h"

#include "base/list.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* mt19937 of GSL takes 32 bits, and 0 for its own default: other seeds would not be
 * the ones that are printed. */
#define SEED_MIN 1
#define SEED_MAX UINT32_MAX
#define TIMEOUT_MIN_NS 1000000
#define TIMEOUT_MAX_NS 3600000000000

static const struct method_info methods[METHOD_COUNT] = {
	[METHOD_ROUNDS] = { "rounds", "N", "measured rounds in a block (default 15)", 1, 100000 },
	[METHOD_WARMUP] = { "warmup", "N", "rounds before them that do not count (default 3)",
			    0, 100000 },
	[METHOD_BLOCKS] = { "blocks", "N", "blocks of every point, a process each (default 5)",
			    1, 10000 },
	[METHOD_ORDER] = { "order", "ORDER", "order of the blocks: interleave (every pass visits "
			   "all points in a new permutation), shuffle or sequential (default "
			   "interleave)", 0, 0 },
	[METHOD_SEED] = { "seed", "N", "seed of the order (default random, and printed)",
			  SEED_MIN, SEED_MAX },
	[METHOD_TIMEOUT] = { "timeout", "TIME", "longest wait in a block (default 5s)", 0, 0 },
	[METHOD_SYNC] = { "sync", "MODE", "fill: pairs start every fill together; free: pairs "
			  "start once and what they do in the common window counts (default fill)",
			  0, 0 },
	[METHOD_SOLO] = { "solo", NULL, "measure every pair of several also alone, for the "
			  "efficiency", 0, 0 },
	[METHOD_OVERSUBSCRIBE] = { "oversubscribe", NULL, "let threads share PUs where there are "
				   "too few: gates sleep, and there is no efficiency", 0, 0 },
	[METHOD_WITH_CONTROL] = { "with-control", NULL, "measure messages without a file beside the "
				  "installs, interleaved, and report install minus message", 0, 0 },
};

/* The defaults that the help texts above name. */
static const struct method default_method = {
	.rounds = 15, .warmup = 3, .blocks = 5, .order = ORDER_INTERLEAVE, .sync = SYNC_FILL,
	.timeout_ns = 5000000000,
};

const struct method_info *method_info(enum method_option which)
{
	return &methods[which];
}

enum method_option method_find(const char *name)
{
	enum method_option which = 0;

	while (which < METHOD_COUNT && strcmp(methods[which].name, name) != 0)
		which++;
	return which;
}

void method_init(struct method *method)
{
	*method = default_method;
}

static int set_timeout(const char *option, const char *value, struct method *method,
		       struct error *e)
{
	int64_t ns;
	int rc = list_parse_time(option, value, TIMEOUT_MAX_NS, &ns, e);

	if (rc)
		return rc;
	if (ns < TIMEOUT_MIN_NS)
		return error_set(e, ERROR_USAGE, EINVAL, "%s %s: out of range; give 1ms to 3600s",
				 option, list_quote(value).text);
	method->timeout_ns = ns;
	return 0;
}

int method_set(struct method *method, enum method_option which, const char *value,
	       struct error *e)
{
	char option[32];
	size_t index = 0;
	int64_t number = 0;
	int rc = 0;

	snprintf(option, sizeof(option), "--%s", methods[which].name);
	if (which == METHOD_ORDER)
		rc = list_parse_name(option, value, sweep_order_names, &index, e);
	else if (which == METHOD_SYNC)
		rc = list_parse_name(option, value, sweep_sync_names, &index, e);
	else if (methods[which].max)
		rc = list_parse_count(option, value, methods[which].min, methods[which].max,
				      &number, e);
	if (rc)
		return rc;
	switch (which) {
	case METHOD_ROUNDS:
		method->rounds = number;
		break;
	case METHOD_WARMUP:
		method->warmup = number;
		break;
	case METHOD_BLOCKS:
		method->blocks = number;
		break;
	case METHOD_ORDER:
		method->order = index;
		break;
	case METHOD_SEED:
		method->seed = number;
		break;
	case METHOD_TIMEOUT:
		return set_timeout(option, value, method, e);
	case METHOD_SYNC:
		method->sync = index;
		break;
	case METHOD_SOLO:
		method->solo = true;
		break;
	case METHOD_OVERSUBSCRIBE:
		method->oversubscribe = true;
		return 0;
	case METHOD_WITH_CONTROL:
		method->with_control = true;
		break;
	case METHOD_COUNT:
		break;
	}
	return 0;
}

const char *method_text(const struct method *method, enum method_option which, char *buffer,
			size_t size)
{
	unsigned long long number = 0;

	switch (which) {
	case METHOD_ORDER:
		return sweep_order_names[method->order];
	case METHOD_SYNC:
		return sweep_sync_names[method->sync];
	case METHOD_TIMEOUT:
		return list_format_time(method->timeout_ns, buffer, size);
	case METHOD_ROUNDS:
		number = method->rounds;
		break;
	case METHOD_WARMUP:
		number = method->warmup;
		break;
	case METHOD_BLOCKS:
		number = method->blocks;
		break;
	case METHOD_SEED:
		number = method->seed;
		break;
	case METHOD_SOLO:
	case METHOD_OVERSUBSCRIBE:
	case METHOD_WITH_CONTROL:
	case METHOD_COUNT:
		return "";
	}
	snprintf(buffer, size, "%llu", number);
	return buffer;
}
