// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/axes.h"

#include "workloads/workload.h"

#include <stdio.h>
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
