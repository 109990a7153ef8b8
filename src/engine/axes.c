// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/axes.h"

#include "base/list.h"
#include "topology/place.h"
#include "workloads/workload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const slot_names[] = { "alloc", "explicit", NULL };
static const char *const pattern_names[] = { "pairs", "fan-in", "fan-out", NULL };
static const char *const reap_names[] = { "inline", "poll", "wait", "after", NULL };
static const char *const cycle_names[] = { "fresh", "reregister", "reuse", NULL };
static const char *const file_names[] = { "own", "shared", "per-slot", NULL };
static const char *const target_names[] = { "plain", "coop", "single", "defer", NULL };
static const char *const mem_names[] = { "local", "sender", "receiver", "interleave", NULL };
static const char *const ring_fd_names[] = { "plain", "registered", NULL };
static const char *const fdtable_names[] = { "shared", "private", NULL };
static const char *const by_names[] = { "auto", "sqe", "register", NULL };
static const char *const cqe_names[] = { "post", "skip", NULL };

static const char *const removal_names[] = { "register", "sqe", "close", "replace", NULL };
static const char *const pending_names[] = { "none", "normal", "fixed", NULL };
static const char *const issued_names[] = { "before", "halfway", NULL };

static const struct axis_info axes[AXIS_COUNT] = {
	[AXIS_WORKLOAD] = {
		.name = "workload", .type = AXIS_TYPE_NAME, .names = workload_names,
		.single = true, .initial = "send-fd", .argument = "NAME",
		.help = "what is measured, one a sweep",
	},
	[AXIS_PAIRS] = {
		.name = "pairs", .type = AXIS_TYPE_COUNT, .min = 1, .max = 65536,
		.initial = "1", .argument = "LIST",
		.help = "pairs of sender and receiver at work at the same time",
	},
	[AXIS_SLOTS] = {
		.name = "slots", .type = AXIS_TYPE_COUNT, .min = 1, .max = 1048576,
		.initial = "4096", .argument = "LIST",
		.help = "size of the target's sparse table",
	},
	[AXIS_USED] = {
		.name = "used", .type = AXIS_TYPE_USED, .min = 1, .max = 1048576,
		.initial = "all", .argument = "LIST",
		.help = "how many installs (or NOPs, updates) a fill is: N, N% of the slots, or all",
	},
	[AXIS_BATCH] = {
		.name = "batch", .type = AXIS_TYPE_COUNT, .min = 1, .max = 32768,
		.initial = "64", .argument = "LIST",
		.help = "installs (or NOPs, updates) handed over by one system call, at most the ring",
	},
	[AXIS_RING] = {
		.name = "ring", .type = AXIS_TYPE_COUNT, .min = 1, .max = 32768,
		.power_of_two = true, .initial = "256", .argument = "LIST",
		.help = "entries of each ring's submission queue, a power of two",
	},
	[AXIS_CQ] = {
		.name = "cq", .type = AXIS_TYPE_AUTO, .min = 1, .max = 65536,
		.power_of_two = true, .initial = "auto", .argument = "LIST",
		.help = "entries of the target's completion queue, a power of two, at least the "
			"ring; auto is twice the ring inline, else enough for a whole fill",
	},
	[AXIS_SLOT] = {
		.name = "slot", .type = AXIS_TYPE_NAME, .names = slot_names,
		.initial = "alloc", .argument = "LIST",
		.help = "who chooses the slot, the kernel or the sender",
	},
	[AXIS_PLACE] = {
		.name = "place", .type = AXIS_TYPE_PLACE, .initial = "auto", .argument = "LIST",
		.help = "PUs of the threads: auto, each, S:R or PU for every pair joined by +, "
			"or a kind (P:E), a relation (smt, l2, l3, numa, cross-numa, "
			"cross-package) and an order (compact, spread) joined by +",
	},
	[AXIS_PATTERN] = {
		.name = "pattern", .type = AXIS_TYPE_NAME, .names = pattern_names,
		.initial = "pairs", .argument = "LIST",
		.help = "who sends to whom, each pair for itself, all senders into one receiver's "
			"table, or one sender to all receivers",
	},
	[AXIS_REAP] = {
		.name = "reap", .type = AXIS_TYPE_NAME, .names = reap_names,
		.initial = "inline", .argument = "LIST",
		.help = "who reaps the target's completions and when (one thread does both, the "
			"receiver spins, sleeps for a batch, or reaps when the fill is over)",
	},
	[AXIS_CYCLE] = {
		.name = "cycle", .type = AXIS_TYPE_NAME, .names = cycle_names,
		.initial = "fresh", .argument = "LIST",
		.help = "what stands between two fills (a new ring and table; the same ring, its table "
			"registered again; the same table, its slots removed)",
	},
	[AXIS_FILE] = {
		.name = "file", .type = AXIS_TYPE_NAME, .names = file_names,
		.initial = "own", .argument = "LIST",
		.help = "what is sent, a file of the pair's own, one file by all pairs, or another "
			"file into every slot",
	},
	[AXIS_CQE] = {
		.name = "cqe", .type = AXIS_TYPE_NAME, .names = cqe_names,
		.initial = "post", .argument = "LIST",
		.help = "whether an install posts a completion to the target",
	},
	[AXIS_TARGET] = {
		.name = "target", .type = AXIS_TYPE_NAME, .names = target_names,
		.initial = "plain", .argument = "LIST",
		.help = "how the target ring is set up, with no flag, COOP_TASKRUN, SINGLE_ISSUER or "
			"DEFER_TASKRUN",
	},
	[AXIS_RING_FD] = {
		.name = "ring-fd", .type = AXIS_TYPE_NAME, .names = ring_fd_names,
		.initial = "plain", .argument = "LIST",
		.help = "how a thread enters its ring, by descriptor or by registered index",
	},
	[AXIS_FDTABLE] = {
		.name = "fdtable", .type = AXIS_TYPE_NAME, .names = fdtable_names,
		.initial = "shared", .argument = "LIST",
		.help = "whether a process's threads share one table of file descriptors or have one "
			"each",
	},
	[AXIS_MEM] = {
		.name = "mem", .type = AXIS_TYPE_MEM, .names = mem_names, .max = 65535,
		.initial = "local", .argument = "LIST",
		.help = "where the target's ring and table are allocated: where the receiver runs by "
			"the kernel's own choice (local), on the sender's or the receiver's node, on "
			"node:N, or on all nodes in turn (interleave)",
	},
	[AXIS_BY] = {
		.name = "by", .type = AXIS_TYPE_NAME, .names = by_names,
		.initial = "auto", .unused = "sqe", .argument = "LIST",
		.help = "how updates are made, one for each SQE, or a batch by one register call; auto "
			"is SQEs, and calls for buffers",
	},
	[AXIS_FILLS] = {
		.name = "fills", .type = AXIS_TYPE_AUTO, .min = 1, .max = 65536,
		.initial = "auto", .argument = "LIST",
		.help = "fills in a round; auto is 4096 / used, at least 1 and at most 32; "
			"where pairs share PUs it is 4096 / (used x pairs)",
	},
	[AXIS_GAP] = {
		.name = "gap", .type = AXIS_TYPE_GAP, .min = 0, .max = 60000000000,
		.initial = "0", .argument = "LIST",
		.help = "time between two fills, TIME[:spin], slept or spun away; a treatment",
	},
	[AXIS_REMOVAL] = {
		.name = "removal", .type = AXIS_TYPE_NAME, .names = removal_names,
		.initial = "register", .unused = "register", .argument = "LIST",
		.help = "reclaim, how files are removed, a batch by one register call, a FILES_UPDATE "
			"or a close-direct for each, or another file put in their place",
	},
	[AXIS_PENDING] = {
		.name = "pending", .type = AXIS_TYPE_NAME, .names = pending_names,
		.initial = "none", .unused = "none", .argument = "LIST",
		.help = "reclaim, what is in flight on the ring meanwhile, nothing, or a read by "
			"descriptor or through the table",
	},
	[AXIS_ISSUED] = {
		.name = "issued", .type = AXIS_TYPE_NAME, .names = issued_names,
		.initial = "before", .unused = "before", .argument = "LIST",
		.help = "reclaim, when that read is issued, before the removals or in their middle",
	},
	[AXIS_HOLD] = {
		.name = "hold", .type = AXIS_TYPE_TIME, .min = 0, .max = 60000000000,
		.initial = "10ms,20ms,40ms,80ms", .unused = "0", .argument = "LIST",
		.help = "reclaim, how long the read stays pending behind the removals, and once more "
			"when the table is unregistered",
	},
	[AXIS_CHURN] = {
		.name = "churn", .type = AXIS_TYPE_COUNT, .min = 0, .max = 65536,
		.initial = "1024", .unused = "0", .argument = "LIST",
		.help = "reclaim, files put into slots and replaced at once in that time, to see how "
			"many the kernel keeps",
	},
};

const struct axis_info *axis_info(enum axis axis)
{
	return &axes[axis];
}

bool axis_applies(enum axis axis, int workload)
{
	if (!axes[axis].unused)
		return true;
	return axis == AXIS_BY ? workloads[workload]->replaces : workloads[workload]->removes;
}

enum axis axis_find(const char *name)
{
	enum axis axis = 0;

	while (axis < AXIS_COUNT && strcmp(axes[axis].name, name) != 0)
		axis++;
	return axis;
}

const char *axis_option(enum axis axis, char *buffer)
{
	snprintf(buffer, AXIS_OPTION_SIZE, "--%s", axes[axis].name);
	return buffer;
}

static int no_memory(struct error *e)
{
	return error_set(e, ERROR_FAILED, ENOMEM, "out of memory");
}

/* Takes `text`, which may be NULL where its allocation failed. */
static int append(struct axis_list *list, int64_t number, enum axis_mode mode, char *text,
		  struct error *e)
{
	/* Room doubles: it is used up when the count is a power of two. */
	if (text && (list->count & (list->count - 1)) == 0) {
		size_t room = list->count ? 2 * list->count : 1;
		struct axis_value *values = reallocarray(list->values, room, sizeof(*values));

		if (values)
			list->values = values;
		else {
			free(text);
			text = NULL;
		}
	}
	if (!text)
		return no_memory(e);
	list->values[list->count++] = (struct axis_value){ number, mode, text };
	return 0;
}

static char *count_text(int64_t number, const char *suffix)
{
	char *text;

	return asprintf(&text, "%lld%s", (long long)number, suffix) < 0 ? NULL : text;
}

static int parse_counts(const struct axis_info *info, const char *option, const char *text,
			struct axis_list *list, struct error *e)
{
	struct count_list counts = { 0 };
	int rc = count_list_parse(option, text, info->min, info->max, &counts, e);

	for (size_t i = 0; i < counts.count && !rc; i++) {
		int64_t number = counts.values[i];
		int64_t next = 1;

		while (info->power_of_two && next < number)
			next *= 2;
		if (info->power_of_two && next != number)
			rc = error_set(e, ERROR_USAGE, EINVAL,
				       "%s \"%lld\": not a power of two, and the kernel would "
				       "make it %lld; give %lld", option, (long long)number,
				       (long long)next, (long long)next);
		else
			rc = append(list, number, MODE_COUNT, count_text(number, ""), e);
	}
	count_list_free(&counts);
	return rc;
}

/* "N%": 100% is all, so that the two are one value. */
static int parse_percent(const char *option, const char *item, struct axis_list *list,
			 struct error *e)
{
	char digits[8] = "";
	struct error scratch = ERROR_INIT;
	int64_t percent;

	if (strlen(item) <= sizeof(digits))
		memcpy(digits, item, strlen(item) - 1);
	if (list_parse_count(option, digits, 1, 100, &percent, &scratch))
		return error_set(e, ERROR_USAGE, EINVAL,
				 "%s %s: not a share; give 1%% to 100%%, a count, or all",
				 option, list_quote(item).text);
	if (percent == 100)
		return append(list, 0, MODE_ALL, strdup("all"), e);
	return append(list, percent, MODE_PERCENT, count_text(percent, "%"), e);
}

static int parse_gap(const struct axis_info *info, const char *option, const char *item,
		     struct axis_list *list, struct error *e)
{
	static const char suffix[] = ":spin";
	const char *colon = strchrnul(item, ':');
	bool spin = *colon;
	char *time, *text;
	char buffer[32];
	int64_t ns;
	int rc;

	if (spin && strcmp(colon, suffix) != 0)
		return error_set(e, ERROR_USAGE, EINVAL,
				 "%s %s: unknown %s; write TIME or TIME:spin", option,
				 list_quote(item).text, list_quote(colon).text);
	time = strndup(item, colon - item);
	if (!time)
		return no_memory(e);
	rc = list_parse_time(option, time, info->max, &ns, e);
	free(time);
	if (rc)
		return rc;
	/* Nothing spun away is nothing slept away. */
	spin = spin && ns;
	list_format_time(ns, buffer, sizeof(buffer));
	if (asprintf(&text, "%s%s", buffer, spin ? suffix : "") < 0)
		text = NULL;
	return append(list, ns, spin ? MODE_SPIN : MODE_COUNT, text, e);
}

static int parse_time(const struct axis_info *info, const char *option, const char *item,
		      struct axis_list *list, struct error *e)
{
	char buffer[32];
	int64_t ns;
	int rc = list_parse_time(option, item, info->max, &ns, e);

	if (rc)
		return rc;
	return append(list, ns, MODE_COUNT, strdup(list_format_time(ns, buffer, sizeof(buffer))), e);
}

static int parse_name(const struct axis_info *info, const char *option, const char *item,
		      struct axis_list *list, struct error *e)
{
	size_t index;
	int rc = list_parse_name(option, item, info->names, &index, e);

	return rc ? rc : append(list, index, MODE_COUNT, strdup(item), e);
}

/* Syntax only: which nodes there are is the machine's. */
static int parse_mem(const struct axis_info *info, const char *option, const char *item,
		     struct axis_list *list, struct error *e)
{
	static const char prefix[] = "node:";
	struct error scratch = ERROR_INIT;
	int64_t node;

	if (strncmp(item, prefix, strlen(prefix)) != 0) {
		size_t index;

		if (!list_parse_name(option, item, info->names, &index, &scratch))
			return append(list, index, MODE_COUNT, strdup(item), e);
		return error_set(e, ERROR_USAGE, EINVAL,
				 "%s %s: unknown; give local, sender, receiver, interleave, or node:N",
				 option, list_quote(item).text);
	}
	if (list_parse_count(option, item + strlen(prefix), 0, info->max, &node, &scratch))
		return error_set(e, ERROR_USAGE, EINVAL,
				 "%s %s: no number of a node; give node:0 to node:%lld", option,
				 list_quote(item).text, (long long)info->max);
	return append(list, node, MODE_NODE, strdup(item), e);
}

/* Syntax only: what the machine has is place_resolve's. */
static int parse_place(const char *item, struct axis_list *list, struct error *e)
{
	struct place *place = NULL;
	int rc = place_parse(item, &place, e);

	place_free(place);
	return rc ? rc : append(list, 0, MODE_COUNT, strdup(item), e);
}

static int parse_item(const struct axis_info *info, const char *option, const char *item,
		      struct axis_list *list, struct error *e)
{
	switch (info->type) {
	case AXIS_TYPE_COUNT:
		break;
	case AXIS_TYPE_USED:
		if (strcmp(item, "all") == 0)
			return append(list, 0, MODE_ALL, strdup(item), e);
		if (item[strlen(item) - 1] == '%')
			return parse_percent(option, item, list, e);
		break;
	case AXIS_TYPE_AUTO:
		if (strcmp(item, "auto") == 0)
			return append(list, 0, MODE_AUTO, strdup(item), e);
		break;
	case AXIS_TYPE_NAME:
		return parse_name(info, option, item, list, e);
	case AXIS_TYPE_MEM:
		return parse_mem(info, option, item, list, e);
	case AXIS_TYPE_GAP:
		return parse_gap(info, option, item, list, e);
	case AXIS_TYPE_TIME:
		return parse_time(info, option, item, list, e);
	case AXIS_TYPE_PLACE:
		return parse_place(item, list, e);
	}
	return parse_counts(info, option, item, list, e);
}

static int compare_texts(const void *a, const void *b)
{
	const struct axis_value *const *x = a, *const *y = b;

	return strcmp((*x)->text, (*y)->text);
}

/* One canonical text a value: equal texts are equal values. */
static int refuse_duplicates(const char *option, const char *text, const struct axis_list *list,
			     struct error *e)
{
	const struct axis_value **sorted = malloc(list->count * sizeof(*sorted));
	int rc = 0;

	if (!sorted)
		return no_memory(e);
	for (size_t i = 0; i < list->count; i++)
		sorted[i] = &list->values[i];
	qsort(sorted, list->count, sizeof(*sorted), compare_texts);
	for (size_t i = 1; i < list->count && !rc; i++)
		if (compare_texts(&sorted[i - 1], &sorted[i]) == 0)
			rc = error_set(e, ERROR_USAGE, EINVAL,
				       "%s %s: %s stands twice; once is enough", option,
				       list_quote(text).text, list_quote(sorted[i]->text).text);
	free(sorted);
	return rc;
}

int axis_list_parse(enum axis axis, const char *text, struct axis_list *list, struct error *e)
{
	const struct axis_info *info = &axes[axis];
	char option[AXIS_OPTION_SIZE];
	struct text_list items = { 0 };
	int rc;

	axis_option(axis, option);
	rc = text_list_parse(option, text, &items, e);
	if (!rc && info->single && items.count > 1)
		rc = error_set(e, ERROR_USAGE, EINVAL,
			       "%s %s: takes one value; run the others one by one", option,
			       list_quote(text).text);
	for (size_t i = 0; i < items.count && !rc; i++) {
		rc = parse_item(info, option, items.items[i], list, e);
		if (!rc && list->count > LIST_MAX_VALUES)
			rc = error_set(e, ERROR_USAGE, EINVAL,
				       "%s %s: more than %d values; give fewer", option,
				       list_quote(text).text, LIST_MAX_VALUES);
	}
	if (!rc)
		rc = refuse_duplicates(option, text, list, e);
	text_list_free(&items);
	return rc;
}
