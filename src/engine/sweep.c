// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/sweep.h"

#include "engine/builder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct memo *find_memo(struct builder *b, const size_t *index, const struct point *point)
{
	size_t place = index[AXIS_PLACE], pairs = index[AXIS_PAIRS];

	return &b->memos[(place * b->product.axes[AXIS_PAIRS].count + pairs) * 2 +
			 point_is_split(point)];
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
	if (point_resolve(&point, &e)) {
		cell_check(&point, &axes, &(struct error)ERROR_INIT);
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
			rc = axis_list_parse(axis, axis_info(axis)->initial, list, b->e);
		if (rc)
			return rc;
		/* No overflow: lists are far shorter than 2^32, and this is checked each time. */
		*cells *= list->count;
		if (*cells > SWEEP_MAX_POINTS)
			return error_set(b->e, ERROR_USAGE, EINVAL,
					 "the sweep has more than %d points; give shorter lists",
					 SWEEP_MAX_POINTS);
	}
	b->memo_count = 2 * b->product.axes[AXIS_PLACE].count * b->product.axes[AXIS_PAIRS].count;
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
	int rc = 0;

	b.candidates = hwloc_bitmap_weight(topology->candidates);
	for (size_t i = 0; i < count && !rc; i++)
		rc = build_product(&b, &products[i]);
	regular = sweep->count;
	for (size_t i = 0; i < regular && method->solo && !rc; i++)
		if (sweep->points[i].pairs > 1)
			rc = add_solo_points(&b, i);
	if (!rc)
		rc = check_size(&b);
	builder_release(&b);
	return rc;
}

/* Whether a point counts, and whether it is another than the first. */
static bool is_other(const struct sweep *sweep, size_t index, bool solo)
{
	return index > 0 && (solo || !sweep->points[index].solo);
}

bool sweep_axis_varies(const struct sweep *sweep, enum axis axis, bool solo)
{
	const char *first = sweep->points[0].value[axis].text;

	for (size_t i = 0; i < sweep->count; i++)
		if (is_other(sweep, i, solo) && strcmp(first, sweep->points[i].value[axis].text))
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
