// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/point.h"

#include "base/list.h"
#include "engine/cells.h"
#include "workloads/reclaim.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A share is rounded down, and is at least one slot. */
static unsigned resolve_used(const struct axis_value *used, unsigned slots)
{
	uint64_t share;

	switch (used->mode) {
	case MODE_ALL:
		return slots;
	case MODE_PERCENT:
		share = (uint64_t)slots * used->number / 100;
		return share ? share : 1;
	default:
		return used->number;
	}
}

static unsigned resolve_cq(const struct point *point)
{
	const struct axis_value *cq = &point->value[AXIS_CQ];
	unsigned entries = 2 * point->ring;

	if (cq->mode != MODE_AUTO)
		return cq->number;
	if (point_removes(point))
		while (entries < reclaim_completions(point->used) && entries < CQ_MAX)
			entries *= 2;
	if (point_is_split(point))
		while (entries < point->used && entries < CQ_MAX)
			entries *= 2;
	return entries;
}

/* `sharing`: pairs that take turns on the same PUs. */
static unsigned resolve_fills(const struct point *point, unsigned sharing)
{
	const struct axis_value *fills = &point->value[AXIS_FILLS];
	uint64_t count = 4096 / ((uint64_t)point->used * sharing);

	if (fills->mode != MODE_AUTO)
		return fills->number;
	/* Each holds its request for a while. */
	if (point_removes(point))
		return 1;
	return count < 1 ? 1 : count > 32 ? 32 : count;
}

int64_t point_threads(const struct point *point)
{
	if (!point_is_split(point))
		return point->pairs;
	return point->pattern == PATTERN_PAIRS ? 2 * (int64_t)point->pairs
					       : 1 + (int64_t)point->pairs;
}

static enum update_by resolve_by(const struct point *point)
{
	enum update_by by = point->value[AXIS_BY].number;

	if (by != BY_AUTO)
		return by;
	return workloads[point->workload]->table == TABLE_BUFFERS ? BY_REGISTER : BY_SQE;
}

int point_resolve(struct point *point, struct error *e)
{
	const struct axis_value *value = point->value;

	point->workload = value[AXIS_WORKLOAD].number;
	point->pairs = value[AXIS_PAIRS].number;
	point->slots = value[AXIS_SLOTS].number;
	point->used = resolve_used(&value[AXIS_USED], point->slots);
	point->batch = value[AXIS_BATCH].number;
	point->ring = value[AXIS_RING].number;
	point->slot = value[AXIS_SLOT].number;
	point->pattern = value[AXIS_PATTERN].number;
	point->reap = value[AXIS_REAP].number;
	point->cycle = value[AXIS_CYCLE].number;
	point->file = value[AXIS_FILE].number;
	point->target = value[AXIS_TARGET].number;
	point->ring_fd = value[AXIS_RING_FD].number;
	point->fdtable = value[AXIS_FDTABLE].number;
	point->mem = value[AXIS_MEM].mode == MODE_NODE ? MEM_LOCAL : value[AXIS_MEM].number;
	point->mem_node = value[AXIS_MEM].mode == MODE_NODE ? value[AXIS_MEM].number : -1;
	point->by = resolve_by(point);
	point->cqe = value[AXIS_CQE].number;
	point->cq = resolve_cq(point);
	point->credits = point_is_split(point) && point->cqe == CQE_POST &&
			 value[AXIS_CQ].mode == MODE_AUTO && point->used > CQ_MAX;
	point->fills = resolve_fills(point, 1);
	point->gap_ns = value[AXIS_GAP].number;
	point->gap_spin = value[AXIS_GAP].mode == MODE_SPIN;
	point->removal = value[AXIS_REMOVAL].number;
	point->pending = value[AXIS_PENDING].number;
	point->issued = value[AXIS_ISSUED].number;
	point->hold_ns = value[AXIS_HOLD].number;
	point->churn = value[AXIS_CHURN].number;
	return cell_check(point, NULL, e);
}

void point_share(struct point *point)
{
	if (point->placement.oversubscribed)
		point->fills = resolve_fills(point, (unsigned)point->pairs);
}

const char *point_text(const struct point *point, enum axis axis, char *buffer, size_t size)
{
	const struct axis_info *info = axis_info(axis);
	int64_t number = point->value[axis].number;

	switch (info->type) {
	case AXIS_TYPE_NAME:
		return info->names[axis == AXIS_BY ? (int64_t)point->by : number];
	case AXIS_TYPE_GAP:
	case AXIS_TYPE_MEM:
	case AXIS_TYPE_TIME:
	case AXIS_TYPE_PLACE:
		return point->value[axis].text;
	default:
		break;
	}
	/* Three axes differ from what was typed. */
	if (axis == AXIS_USED)
		number = point->used;
	else if (axis == AXIS_CQ)
		number = point->cq;
	else if (axis == AXIS_FILLS)
		number = point->fills;
	snprintf(buffer, size, "%" PRId64, number);
	return buffer;
}

/* FNV-1a, 64 bit: https://datatracker.ietf.org/doc/html/draft-eastlake-fnv */
static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return hash;
}

uint64_t point_key(const struct point *point, enum axis without)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	char buffer[64];

	for (enum axis axis = 0; axis < AXIS_COUNT; axis++) {
		if (axis == AXIS_PLACE || axis == without || !point_has(point, axis))
			continue;
		hash = hash_text(hash, axis_info(axis)->name);
		hash = hash_text(hash, "=");
		hash = hash_text(hash, point_text(point, axis, buffer, sizeof(buffer)));
		hash = hash_text(hash, " ");
	}
	for (int i = 0; i < point->placement.count; i++) {
		const struct place_pair *pair = &point->placement.pairs[i];

		if (pair->receiver_pu < 0)
			snprintf(buffer, sizeof(buffer), "+%d", pair->sender_pu);
		else
			snprintf(buffer, sizeof(buffer), "+%d:%d", pair->sender_pu,
				 pair->receiver_pu);
		hash = hash_text(hash, buffer);
	}
	return hash;
}

void point_identify(struct point *point)
{
	snprintf(point->id, sizeof(point->id), "%016" PRIx64, point_key(point, AXIS_COUNT));
}

int point_mem_node(const struct point *point, const struct topology *topology, int pair)
{
	const struct place_pair *place = &point->placement.pairs[pair];
	int receiver_pu = place->receiver_pu < 0 ? place->sender_pu : place->receiver_pu;

	if (point->mem_node >= 0)
		return point->mem_node;
	switch (point->mem) {
	case MEM_SENDER:
		return memory_home(topology, place->sender_pu);
	case MEM_RECEIVER:
		return memory_home(topology, receiver_pu);
	case MEM_INTERLEAVE:
		return POINT_MEM_INTERLEAVE;
	case MEM_LOCAL:
		break;
	}
	return POINT_MEM_LOCAL;
}

void point_free(struct point *point)
{
	for (enum axis axis = 0; axis < AXIS_COUNT; axis++)
		axis_value_free(&point->value[axis]);
	placement_free(&point->placement);
	*point = (struct point){ 0 };
}
