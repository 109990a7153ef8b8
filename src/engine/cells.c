// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/cells.h"

#include "base/list.h"
#include "workloads/reclaim.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool used_above_slots(const struct point *point)
{
	const struct workload *workload = workloads[point->workload];

	/* Updates go round, and NOPs have no slots. */
	return point->used > point->slots && (!workload->one_ring || workload->removes);
}

static bool batch_above_ring(const struct point *point)
{
	return point->batch > point->ring;
}

static bool cq_below_ring(const struct point *point)
{
	return point->cq < point->ring;
}

/* A receiver that polls or sleeps on a CQ in which nothing arrives. */
static bool skip_without_waiting(const struct point *point)
{
	return point->cqe == CQE_SKIP && point->reap != REAP_INLINE && point->reap != REAP_AFTER;
}

/* Whoever reaps at the end cannot make room in between. */
static bool after_above_cq(const struct point *point)
{
	return point->reap == REAP_AFTER && point->cqe == CQE_POST && point->used > CQ_MAX;
}

static bool inline_workload_split(const struct point *point)
{
	return workloads[point->workload]->inline_only && point_is_split(point);
}

/* What it does not do: its SQEs are filled once for a block, and all alike. */
static bool fixed_sqes_cycle(const struct point *point)
{
	return workloads[point->workload]->fixed_sqes && point->cycle != CYCLE_FRESH;
}

static bool fixed_sqes_slot(const struct point *point)
{
	return workloads[point->workload]->fixed_sqes && point->slot == SLOT_EXPLICIT;
}

static bool fixed_sqes_files(const struct point *point)
{
	return workloads[point->workload]->fixed_sqes && point->file == FILE_PER_SLOT;
}

/* The sender names the receiver's ring by descriptor, and that one is made after the tables part. */
static bool private_split(const struct point *point)
{
	return point->fdtable == FDTABLE_PRIVATE && point_is_split(point);
}

static bool fan_without_receiver(const struct point *point)
{
	return point->pattern != PATTERN_PAIRS && workloads[point->workload]->inline_only;
}

static bool fan_inline(const struct point *point)
{
	return point->pattern != PATTERN_PAIRS && !point_is_split(point);
}

static bool fan_in_above_used(const struct point *point)
{
	return point->pattern == PATTERN_FAN_IN && (unsigned)point->pairs > point->used;
}

/* No sender knows how much of the CQ the others fill. */
static bool fan_in_credits(const struct point *point)
{
	return point->pattern == PATTERN_FAN_IN && point->credits;
}

static bool message_slot(const struct point *point)
{
	return workloads[point->workload]->message && point->slot == SLOT_EXPLICIT;
}

static bool message_file(const struct point *point)
{
	return workloads[point->workload]->message && point->file != FILE_OWN;
}

static bool message_skip(const struct point *point)
{
	return workloads[point->workload]->message && point->cqe == CQE_SKIP;
}

/* SEND_FD interrupts the owner of a deferred ring, MSG_DATA leaves word until it enters by itself. */
static bool message_deferred(const struct point *point)
{
	return workloads[point->workload]->message && point->target == TARGET_DEFER &&
	       point->reap != REAP_WAIT;
}

/* An axis typed for a workload without it. */
static bool misplaced(const struct point *point, enum axis axis)
{
	return !point_has(point, axis) &&
	       strcmp(point->value[axis].text, axis_info(axis)->unused) != 0;
}

/* What concerns installs, where there are none. */
static bool removing_cycle(const struct point *point)
{
	return point_removes(point) && point->cycle != CYCLE_FRESH;
}

static bool removing_ring_fd(const struct point *point)
{
	return point_removes(point) && point->ring_fd != RING_FD_PLAIN;
}

static bool removing_too_many(const struct point *point)
{
	return point_removes(point) && point->used > RECLAIM_FILES_MAX;
}

static bool removing_above_cq(const struct point *point)
{
	return point_removes(point) && point->cq < reclaim_completions(point->used);
}

static bool issued_without_pending(const struct point *point)
{
	return point->issued == ISSUED_HALFWAY && point->pending == PENDING_NONE;
}

static bool halfway_of_one(const struct point *point)
{
	return point->issued == ISSUED_HALFWAY && point->used < 2;
}

/* Nothing is sent, and no table filled: what concerns installs has no meaning. */
static bool alone(const struct point *point)
{
	return workloads[point->workload]->one_ring;
}

static bool alone_slot(const struct point *point)
{
	return alone(point) && point->slot == SLOT_EXPLICIT;
}

static bool alone_file(const struct point *point)
{
	return alone(point) && point->file != FILE_OWN;
}

static bool alone_cqe(const struct point *point)
{
	return alone(point) && point->cqe == CQE_SKIP;
}

static bool no_table_cycle(const struct point *point)
{
	return workloads[point->workload]->table == TABLE_NONE && point->cycle == CYCLE_REREGISTER;
}

/* The updates of a batch are of different slots, so that none replaces what is not there yet. */
static bool batch_above_slots(const struct point *point)
{
	return workloads[point->workload]->replaces && point->batch > point->slots;
}

static bool too_many_slots(const struct point *point)
{
	unsigned most = workloads[point->workload]->most_slots;

	return most && point->slots > most;
}

static bool no_sqe_for_buffers(const struct point *point)
{
	return point->by == BY_SQE && workloads[point->workload]->table == TABLE_BUFFERS;
}

static bool each_with_pairs(const struct point *point)
{
	return point->pairs > 1 && strcmp(point->value[AXIS_PLACE].text, "each") == 0;
}

#define FOR_RECLAIM "it goes with --workload reclaim"

static const struct rule {
	/* NULL: `first` is an axis that the workload does not have. */
	bool (*broken)(const struct point *point);
	enum axis first, second;	/* in the order of the sentence */
	const char *reason;		/* stands between the two */
	const char *way_out;
} rules[] = {
	{ used_above_slots, AXIS_USED, AXIS_SLOTS, "more than", "fill at most the whole table" },
	{ batch_above_ring, AXIS_BATCH, AXIS_RING, "more than",
	  "give a larger ring or a smaller batch" },
	{ cq_below_ring, AXIS_CQ, AXIS_RING, "less than",
	  "the kernel refuses it; give at least the ring, or auto" },
	{ skip_without_waiting, AXIS_CQE, AXIS_REAP, "nothing would arrive with",
	  "skip goes with inline and after" },
	{ after_above_cq, AXIS_REAP, AXIS_USED, "cannot hold the completions of",
	  "a completion queue has at most 65536 entries; use at most as many slots, "
	  "or reap with poll or wait" },
	{ inline_workload_split, AXIS_WORKLOAD, AXIS_REAP, "has no receiver thread for",
	  "it goes with inline only" },
	{ fixed_sqes_cycle, AXIS_WORKLOAD, AXIS_CYCLE, "makes a new ring for every fill, not",
	  "it goes with fresh only" },
	{ fixed_sqes_slot, AXIS_WORKLOAD, AXIS_SLOT, "has one request for all installs, not",
	  "it goes with alloc only" },
	{ fixed_sqes_files, AXIS_WORKLOAD, AXIS_FILE, "has one request for all installs, not",
	  "it goes with own and shared" },
	{ private_split, AXIS_FDTABLE, AXIS_REAP,
	  "leaves the sender without a descriptor of the ring that the receiver makes with",
	  "private goes with inline only" },
	{ fan_without_receiver, AXIS_WORKLOAD, AXIS_PATTERN, "has no receiver thread for",
	  "it goes with pairs only" },
	{ fan_inline, AXIS_PATTERN, AXIS_REAP, "needs threads of its own at both ends, not",
	  "use --reap poll, wait or after" },
	{ fan_in_above_used, AXIS_PAIRS, AXIS_USED, "are more senders than installs, with",
	  "use more --slots or fewer --pairs" },
	{ fan_in_credits, AXIS_PATTERN, AXIS_USED, "cannot hold the completions of",
	  "a completion queue has at most 65536 entries; use at most as many slots" },
	{ message_slot, AXIS_WORKLOAD, AXIS_SLOT, "fills no slots, so there is no choice for",
	  "leave it out" },
	{ message_file, AXIS_WORKLOAD, AXIS_FILE, "sends no file, so there is no choice for",
	  "leave it out" },
	{ message_skip, AXIS_WORKLOAD, AXIS_CQE, "is a completion and nothing else, not",
	  "it goes with post only" },
	{ message_deferred, AXIS_TARGET, AXIS_REAP,
	  "gets messages (--workload msg-data) only when its owner enters, and nobody does with",
	  "use --reap wait, or --workload send-fd" },
	{ NULL, AXIS_PENDING, AXIS_WORKLOAD, "has no removals to wait for it in",
	  FOR_RECLAIM },
	{ NULL, AXIS_REMOVAL, AXIS_WORKLOAD, "has no meaning for", FOR_RECLAIM },
	{ NULL, AXIS_ISSUED, AXIS_WORKLOAD, "has no meaning for", FOR_RECLAIM },
	{ NULL, AXIS_HOLD, AXIS_WORKLOAD, "has no meaning for", FOR_RECLAIM },
	{ NULL, AXIS_CHURN, AXIS_WORKLOAD, "has no meaning for", FOR_RECLAIM },
	{ removing_cycle, AXIS_WORKLOAD, AXIS_CYCLE, "makes a new ring for every fill, not",
	  "it goes with fresh only" },
	{ removing_ring_fd, AXIS_WORKLOAD, AXIS_RING_FD, "enters its ring by descriptor, not",
	  "it goes with plain only" },
	{ removing_too_many, AXIS_USED, AXIS_WORKLOAD,
	  "is more than the 32766 files that can be watched in",
	  "give fewer" },
	{ removing_above_cq, AXIS_CQ, AXIS_USED,
	  "cannot hold two completions a file and 4 more for",
	  "give auto, or fewer --used" },
	{ issued_without_pending, AXIS_ISSUED, AXIS_PENDING, "issues nothing with",
	  "give --pending normal or fixed" },
	{ halfway_of_one, AXIS_ISSUED, AXIS_USED, "has no middle in", "give at least 2" },
	{ alone_slot, AXIS_WORKLOAD, AXIS_SLOT, "installs nothing for", "it goes with alloc only" },
	{ alone_file, AXIS_WORKLOAD, AXIS_FILE, "installs nothing for", "it goes with own only" },
	{ alone_cqe, AXIS_WORKLOAD, AXIS_CQE, "needs every completion, not",
	  "it goes with post only" },
	{ no_table_cycle, AXIS_WORKLOAD, AXIS_CYCLE, "has no table for",
	  "it goes with fresh and reuse" },
	{ batch_above_slots, AXIS_SLOTS, AXIS_BATCH, "a table smaller than the queue depth of",
	  "updates of one batch are of different slots; give more slots or a smaller batch" },
	{ too_many_slots, AXIS_SLOTS, AXIS_WORKLOAD, "more than the kernel takes of buffers, with",
	  "give at most 16384" },
	{ NULL, AXIS_BY, AXIS_WORKLOAD, "there is nothing to update in",
	  "it goes with update-files and update-buffers" },
	{ no_sqe_for_buffers, AXIS_BY, AXIS_WORKLOAD, "no request exists for",
	  "give register, or auto" },
	{ each_with_pairs, AXIS_PLACE, AXIS_PAIRS, "takes one pair at a time, not",
	  "give --pairs 1" },
};

/* "--used 128", or "--used all (4096)" where typed and resolved differ. */
static const char *name_value(const struct point *point, enum axis axis, char *buffer, size_t size)
{
	const char *asked = point->value[axis].text;
	char option[AXIS_OPTION_SIZE], text[64];
	const char *resolved = point_text(point, axis, text, sizeof(text));

	axis_option(axis, option);
	if (strcmp(asked, resolved) == 0)
		snprintf(buffer, size, "%s %s", option, list_quote(asked).text);
	else
		snprintf(buffer, size, "%s %s (%s)", option, list_quote(asked).text, resolved);
	return buffer;
}

int cell_check(const struct point *point, uint32_t *axes, struct error *e)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		const struct rule *rule = &rules[i];
		char first[192], second[192];

		if (!(rule->broken ? rule->broken(point) : misplaced(point, rule->first)))
			continue;
		if (axes)
			*axes = AXIS_BIT(rule->first) | AXIS_BIT(rule->second);
		return error_set(e, ERROR_USAGE, EINVAL, "%s: %s %s; %s",
				 name_value(point, rule->first, first, sizeof(first)),
				 rule->reason,
				 name_value(point, rule->second, second, sizeof(second)),
				 rule->way_out);
	}
	return 0;
}
