// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/sweep.h"

#include "base/list.h"
#include "engine/builder.h"
#include "topology/memory.h"
#include "workloads/workload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEMO_THREADS (2 + (size_t)PATTERN_FAN_OUT)

static struct memo *find_memo(struct builder *b, const size_t *index, const struct point *point)
{
	size_t place = index[AXIS_PLACE], pairs = index[AXIS_PAIRS];
	/* Inline, and split in every pattern. */
	size_t threads = point_is_split(point) ? 1 + (size_t)point->pattern : 0;

	return &b->memos[(place * b->product.axes[AXIS_PAIRS].count + pairs) * MEMO_THREADS + threads];
}

/* What a cell asks of the method and of the machine's nodes. */
static int check_cell(struct builder *b, const struct point *point, uint32_t *axes, struct error *e)
{
	if (point->pattern != PATTERN_PAIRS && b->method->sync == SYNC_FREE) {
		*axes = AXIS_BIT(AXIS_PATTERN);
		return error_set(e, ERROR_USAGE, EINVAL,
				 "--pattern %s: pairs that share a thread cannot go on by themselves, "
				 "as --sync \"free\" lets them; use --sync fill",
				 list_quote(point->value[AXIS_PATTERN].text).text);
	}
	if (point->mem_node >= 0) {
		char what[128];

		*axes = AXIS_BIT(AXIS_MEM);
		snprintf(what, sizeof(what), "--mem %s", list_quote(point->value[AXIS_MEM].text).text);
		return memory_check_node(b->topology, point->mem_node, what, e);
	}
	return 0;
}

/* --with-control: whether a message can stand beside such an install. */
static int check_control(const struct point *point, uint32_t *axes, struct error *e)
{
	enum axis axis;
	char option[AXIS_OPTION_SIZE];
	const char *reason;

	if (strcmp(workloads[point->workload]->name, "send-fd") != 0) {
		axis = AXIS_WORKLOAD;
		reason = "only the installs of send-fd have a message for a control";
	} else if (point->target == TARGET_DEFER) {
		axis = AXIS_TARGET;
		reason = "installs into such a ring and messages to it take different paths, and their "
			 "difference means nothing";
	} else if (point->cqe == CQE_SKIP) {
		axis = AXIS_CQE;
		reason = "a message is a completion, and there is none without";
	} else {
		return 0;
	}
	*axes = AXIS_BIT(axis);
	return error_set(e, ERROR_USAGE, EINVAL, "%s %s with --with-control: %s; leave one of the two out",
			 axis_option(axis, option), list_quote(point->value[axis].text).text, reason);
}

static int build_cell(struct builder *b, const size_t *index)
{
	struct point point = { 0 };
	struct error e = ERROR_INIT;
	uint32_t axes;
	int rc = 0;

	for (enum axis axis = 0; axis < AXIS_COUNT; axis++)
		if (axis_value_copy(&point.value[axis],
				    &b->product.axes[axis].values[index[axis]])) {
			point_free(&point);
			return builder_no_memory(b);
		}
	rc = point_resolve(&point, &e);
	if (rc)
		cell_check(&point, &axes, &(struct error)ERROR_INIT);
	else
		rc = check_cell(b, &point, &axes, &e);
	if (!rc && b->method->with_control)
		rc = check_control(&point, &axes, &e);
	if (rc) {
		if (b->strict || !(axes & b->preset_axes))
			rc = error_set(b->e, e.kind, e.code, "%s", e.text);
		else
			rc = builder_refuse(b, &point, axes, e.text, "");
		point_free(&point);
		return rc;
	}
	if (strcmp(point.value[AXIS_PLACE].text, "each") == 0)
		return builder_place_each(b, &point);
	return builder_place(b, &point, find_memo(b, index, &point));
}

/* What an axis is where nobody said anything. Workloads of one product are alike: it has one. */
static const char *initial_value(const struct product *product, enum axis axis)
{
	const struct axis_list *workload = &product->axes[AXIS_WORKLOAD];

	/* The first axis: every other one finds it filled in. */
	if (axis == AXIS_WORKLOAD || axis_applies(axis, (int)workload->values[0].number))
		return axis_info(axis)->initial;
	return axis_info(axis)->unused;
}

/* An axis typed for a workload without it, with the value that stands there anyway. */
static int check_typed(const struct product *product, int workload, struct error *e)
{
	for (enum axis axis = 0; axis < AXIS_COUNT; axis++) {
		const struct axis_info *info = axis_info(axis);

		if (!product->typed[axis] || axis_applies(axis, workload) ||
		    strcmp(product->axes[axis].values[0].text, info->unused) != 0)
			continue;
		return error_set(e, ERROR_USAGE, EINVAL,
				 "--%s %s: has no meaning for --workload %s; leave it out",
				 info->name, list_quote(info->unused).text,
				 list_quote(workloads[workload]->name).text);
	}
	return 0;
}

/* Fills in defaults, and counts what the product will make. */
static int begin_product(struct builder *b, const struct product *product, size_t *cells)
{
	*cells = 1;
	b->preset_axes = 0;
	for (enum axis axis = 0; axis < AXIS_COUNT; axis++) {
		struct axis_list *list = &b->product.axes[axis];
		int rc;

		if (product->axes[axis].count && !product->typed[axis])
			b->preset_axes |= AXIS_BIT(axis);
		if (product->axes[axis].count)
			rc = axis_list_copy(list, &product->axes[axis]) ? builder_no_memory(b) : 0;
		else
			rc = axis_list_parse(axis, initial_value(&b->product, axis), list, b->e);
		if (rc)
			return rc;
		/* No overflow: lists are far shorter than 2^32, and this is checked each time. */
		*cells *= list->count;
		if (*cells > SWEEP_MAX_POINTS)
			return error_set(b->e, ERROR_USAGE, EINVAL,
					 "the sweep has more than %d points; give shorter lists",
					 SWEEP_MAX_POINTS);
	}
	if (check_typed(product, (int)b->product.axes[AXIS_WORKLOAD].values[0].number, b->e))
		return -EINVAL;
	b->memo_count = MEMO_THREADS * b->product.axes[AXIS_PLACE].count * b->product.axes[AXIS_PAIRS].count;
	b->memos = calloc(b->memo_count, sizeof(*b->memos));
	return b->memos ? 0 : builder_no_memory(b);
}

static void end_product(struct builder *b)
{
	for (size_t i = 0; b->memos && i < b->memo_count; i++) {
		free(b->memos[i].refusal);
		placement_free(&b->memos[i].placement);
	}
	free(b->memos);
	b->memos = NULL;
	product_free(&b->product);
}

static int build_product(struct builder *b, const struct product *product)
{
	size_t index[AXIS_COUNT] = { 0 };
	size_t cells;
	int rc = begin_product(b, product, &cells);

	for (size_t i = 0; i < cells && !rc; i++) {
		rc = build_cell(b, index);
		for (int axis = AXIS_COUNT - 1; axis >= 0; axis--) {
			if (++index[axis] < b->product.axes[axis].count)
				break;
			index[axis] = 0;
		}
	}
	end_product(b);
	return rc;
}

/* Every pair of the point alone. */
static int add_solo_points(struct builder *b, size_t index)
{
	for (int i = 0; i < b->sweep->points[index].placement.count; i++) {
		/* Read anew: points move when one is added. */
		const struct point *point = &b->sweep->points[index];
		struct place_pair *pair = &point->placement.pairs[i];
		struct placement alone = { .pairs = pair, .count = 1 };
		struct point solo;
		char place[32];
		int rc;

		if (pair->receiver_pu < 0)
			snprintf(place, sizeof(place), "%d", pair->sender_pu);
		else
			snprintf(place, sizeof(place), "%d:%d", pair->sender_pu,
				 pair->receiver_pu);
		alone.fan = point->placement.fan;
		alone.smt = strcmp(pair->relation, "smt") == 0;
		rc = builder_copy(b, &solo, point, place);
		if (rc)
			return rc;
		solo.solo = true;
		solo.pairs = solo.value[AXIS_PAIRS].number = 1;
		strcpy(solo.value[AXIS_PAIRS].text, "1");
		if (placement_copy(&solo.placement, &alone)) {
			point_free(&solo);
			return builder_no_memory(b);
		}
		rc = builder_add(b, &solo);
		if (rc)
			return rc;
	}
	return 0;
}

/* The axes in which a point of installs and its control differ. */
static const struct {
	enum axis axis;
	const char *text;
} control_values[] = {
	{ AXIS_WORKLOAD, "msg-data" }, { AXIS_SLOT, "alloc" }, { AXIS_FILE, "own" },
};

/* Makes `point`, whose texts stay as they are, its own control. */
static int become_control(struct point *point)
{
	for (size_t i = 0; i < sizeof(control_values) / sizeof(control_values[0]); i++) {
		const char *const *names = axis_info(control_values[i].axis)->names;
		int number = 0;

		while (strcmp(names[number], control_values[i].text) != 0)
			number++;
		point->value[control_values[i].axis].number = number;
	}
	return point_resolve(point, &(struct error)ERROR_INIT);
}

static int add_control_point(struct builder *b, size_t index)
{
	const struct point *point = &b->sweep->points[index];
	struct point control;
	int rc = builder_copy(b, &control, point, point->value[AXIS_PLACE].text);

	if (rc)
		return rc;
	control.control = true;
	rc = become_control(&control) ? builder_no_memory(b) : 0;
	for (size_t i = 0; !rc && i < sizeof(control_values) / sizeof(control_values[0]); i++) {
		char **text = &control.value[control_values[i].axis].text;

		free(*text);
		*text = strdup(control_values[i].text);
		rc = *text ? 0 : builder_no_memory(b);
	}
	if (!rc && placement_copy(&control.placement, &point->placement))
		rc = builder_no_memory(b);
	point_share(&control);
	if (!rc)
		return builder_add(b, &control);
	point_free(&control);
	return rc;
}

static int check_order(const struct method *method, struct error *e)
{
	if (!method->with_control || method->order == ORDER_INTERLEAVE)
		return 0;
	return error_set(e, ERROR_USAGE, EINVAL, "--order \"%s\" with --with-control: installs and messages "
			 "are compared block by block, side by side; use --order interleave",
			 sweep_order_names[method->order]);
}

static int check_size(struct builder *b)
{
	struct sweep *sweep = b->sweep;

	if (!sweep->count)
		return error_set(b->e, ERROR_USAGE, EINVAL, "nothing is left to measure: %s%s",
				 sweep->dropped_count ? sweep->dropped[0] : "the sweep is empty",
				 b->way_out);
	if (sweep->count * b->method->blocks > SWEEP_MAX_BLOCKS)
		return error_set(b->e, ERROR_USAGE, EINVAL,
				 "%zu points of --blocks \"%u\" are more than %d blocks; give "
				 "fewer", sweep->count, b->method->blocks, SWEEP_MAX_BLOCKS);
	return 0;
}

int sweep_build(struct sweep *sweep, const struct product *products, size_t count,
		const struct topology *topology, const struct method *method, bool strict,
		struct error *e)
{
	struct builder b = { .sweep = sweep, .topology = topology, .method = method,
			     .strict = strict, .e = e, .way_out = "" };
	size_t regular;
	int rc = check_order(method, e);

	b.candidates = hwloc_bitmap_weight(topology->candidates);
	for (size_t i = 0; i < count && !rc; i++)
		rc = build_product(&b, &products[i]);
	regular = sweep->count;
	for (size_t i = 0; i < regular && method->solo && !rc; i++)
		if (sweep->points[i].pairs > 1)
			rc = add_solo_points(&b, i);
	for (size_t i = 0; i < regular && method->with_control && !rc; i++)
		rc = add_control_point(&b, i);
	if (!rc)
		rc = check_size(&b);
	builder_release(&b);
	return rc;
}

/* Whether a point counts, and whether it is another than the first. */
static bool is_other(const struct sweep *sweep, size_t index, bool solo)
{
	const struct point *point = &sweep->points[index];

	return index > 0 && (solo || (!point->solo && !point->control));
}

bool sweep_axis_varies(const struct sweep *sweep, enum axis axis, bool solo)
{
	const char *first = sweep->points[0].value[axis].text;

	for (size_t i = 0; i < sweep->count; i++)
		if (is_other(sweep, i, solo) && strcmp(first, sweep->points[i].value[axis].text))
			return true;
	return false;
}

bool sweep_has_axis(const struct sweep *sweep, enum axis axis)
{
	for (size_t i = 0; i < sweep->count; i++)
		if (point_has(&sweep->points[i], axis))
			return true;
	return false;
}

const char *sweep_axis_text(const struct sweep *sweep, enum axis axis, bool solo, char *buffer,
			    size_t size)
{
	const char *first = point_text(&sweep->points[0], axis, buffer, size);
	char other[64];

	for (size_t i = 0; i < sweep->count; i++)
		if (is_other(sweep, i, solo) &&
		    strcmp(first, point_text(&sweep->points[i], axis, other, sizeof(other))))
			return sweep->points[0].value[axis].text;
	return first;
}

int sweep_find_solo(const struct sweep *sweep, const struct point *point, int pair)
{
	struct point probe = *point;

	probe.pairs = probe.value[AXIS_PAIRS].number = 1;
	probe.placement.pairs = &point->placement.pairs[pair];
	probe.placement.count = 1;
	point_identify(&probe);
	for (size_t i = 0; i < sweep->count; i++)
		if (strcmp(sweep->points[i].id, probe.id) == 0)
			return i;
	return -1;
}

int sweep_find_control(const struct sweep *sweep, const struct point *point)
{
	struct point probe = *point;

	if (become_control(&probe))
		return -1;
	point_share(&probe);
	point_identify(&probe);
	for (size_t i = 0; i < sweep->count; i++)
		if (sweep->points[i].control && strcmp(sweep->points[i].id, probe.id) == 0)
			return (int)i;
	return -1;
}

void sweep_free(struct sweep *sweep)
{
	for (size_t i = 0; i < sweep->count; i++)
		point_free(&sweep->points[i]);
	free(sweep->points);
	for (size_t i = 0; i < sweep->dropped_count; i++)
		free(sweep->dropped[i]);
	free(sweep->dropped);
	*sweep = (struct sweep){ 0 };
}
