// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/builder.h"

#include "base/list.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int builder_no_memory(struct builder *b)
{
	return error_set(b->e, ERROR_FAILED, ENOMEM, "out of memory");
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* 1 if the text was not in the tree, 0 if it was, -ENOMEM. */
static int remember(struct builder *b, void **tree, const char *text)
{
	char *copy = strdup(text);
	char **node = copy ? tsearch(copy, tree, compare_texts) : NULL;

	if (node && *node == copy)
		return 1;
	free(copy);
	return node ? 0 : builder_no_memory(b);
}

int builder_add(struct builder *b, struct point *point)
{
	struct sweep *sweep = b->sweep;
	int rc;

	point_identify(point);
	rc = remember(b, &b->ids, point->id);
	if (rc <= 0)
		goto out;
	b->pairs += point->placement.count;
	if (sweep->count == SWEEP_MAX_POINTS || b->pairs > SWEEP_MAX_PAIRS) {
		rc = error_set(b->e, ERROR_USAGE, EINVAL,
			       "the sweep has more than %d points or %d pairs in all; give "
			       "shorter lists", SWEEP_MAX_POINTS, SWEEP_MAX_PAIRS);
		goto out;
	}
	if (sweep->count == b->room) {
		size_t room = b->room ? 2 * b->room : 8;
		struct point *points = reallocarray(sweep->points, room, sizeof(*points));

		if (!points) {
			rc = builder_no_memory(b);
			goto out;
		}
		sweep->points = points;
		b->room = room;
	}
	sweep->points[sweep->count++] = *point;
	return 0;
out:
	point_free(point);
	return rc;
}

/* "pairs=4 reap=poll", or "--pairs "4" --reap "poll"" where it was typed. */
static void name_cell(const struct point *point, uint32_t axes, bool typed, char *buffer,
		      size_t size)
{
	size_t length = 0;

	buffer[0] = '\0';
	for (enum axis axis = 0; axis < AXIS_COUNT && length < size; axis++) {
		const char *name = axis_info(axis)->name, *text = point->value[axis].text;
		const char *blank = length ? " " : "";

		if (!(axes & AXIS_BIT(axis)))
			continue;
		if (typed)
			length += snprintf(buffer + length, size - length, "%s--%s %s", blank,
					   name, list_quote(text).text);
		else
			length += snprintf(buffer + length, size - length, "%s%s=%.60s", blank,
					   name, text);
	}
}

int builder_refuse(struct builder *b, const struct point *point, uint32_t axes,
		   const char *reason, const char *way_out)
{
	struct sweep *sweep = b->sweep;
	bool refuse = b->strict || !(axes & b->preset_axes);
	char cell[320];
	char line[1000];
	char **dropped;
	int rc;

	/* A reason of --place itself quotes it. */
	if (refuse && strncmp(reason, "--place ", 8) == 0)
		axes &= ~AXIS_BIT(AXIS_PLACE);
	name_cell(point, axes, refuse, cell, sizeof(cell));
	if (refuse)
		return error_set(b->e, ERROR_USAGE, EINVAL, "%s: %s%s", cell, reason, way_out);
	snprintf(line, sizeof(line), "%s: %s", cell, reason);
	rc = remember(b, &b->lines, line);
	if (rc <= 0)
		return rc;
	if (!sweep->dropped_count)
		b->way_out = way_out;
	dropped = reallocarray(sweep->dropped, sweep->dropped_count + 1, sizeof(*dropped));
	if (!dropped)
		return builder_no_memory(b);
	sweep->dropped = dropped;
	dropped[sweep->dropped_count] = strdup(line);
	if (!dropped[sweep->dropped_count])
		return builder_no_memory(b);
	sweep->dropped_count++;
	return 0;
}

#define FEWER_PUS "; give fewer --pairs; --reap inline needs one PU a pair, --oversubscribe lets " \
		  "threads share PUs"

static int find_place(struct builder *b, const struct point *point, const struct place *place,
		      struct placement *placement, struct error *e)
{
	bool share = b->method->oversubscribe;

	if (point->pattern != PATTERN_PAIRS)
		return place_fan(b->topology, place,
				 point->pattern == PATTERN_FAN_IN ? FAN_IN : FAN_OUT, point->pairs,
				 share, placement, e);
	return (share ? place_share : place_resolve)(b->topology, place, point->pairs,
						     point_is_split(point), placement, e);
}

/* Finds the PUs of a point, or the reason why there are none (*refusal, to be freed). */
static int find_pus(struct builder *b, const struct point *point, struct placement *placement,
		    char **refusal)
{
	struct error e = ERROR_INIT;
	struct place *place = NULL;
	int rc;

	/* Too few PUs is said in one way, whatever --place asks for. */
	if (!b->method->oversubscribe && point_threads(point) > b->candidates) {
		if (asprintf(refusal, "needs %lld PUs, %d available",
			     (long long)point_threads(point), b->candidates) < 0)
			return builder_no_memory(b);
		return 0;
	}
	rc = place_parse(point->value[AXIS_PLACE].text, &place, &e);
	if (!rc)
		rc = find_place(b, point, place, placement, &e);
	place_free(place);
	if (!rc)
		return 0;
	if (e.kind != ERROR_USAGE)
		return error_set(b->e, e.kind, e.code, "%s", e.text);
	*refusal = strdup(e.text);
	return *refusal ? 0 : builder_no_memory(b);
}

/* Which axes keep a point from being placed. */
static uint32_t placing_axes(const struct builder *b, const struct point *point)
{
	uint32_t axes = AXIS_BIT(AXIS_PAIRS);

	/* Not even one thread a pair would fit. */
	if (point->pairs > b->candidates)
		return axes;
	axes |= AXIS_BIT(AXIS_REAP);
	if (point->pattern != PATTERN_PAIRS)
		axes |= AXIS_BIT(AXIS_PATTERN);
	if (strcmp(point->value[AXIS_PLACE].text, axis_info(AXIS_PLACE)->initial) != 0)
		axes |= AXIS_BIT(AXIS_PLACE);
	return axes;
}

/* Whether every pair's memory can be where --mem says: a node, and of one target one node. NULL:
 * yes. */
static const char *refuse_memory(const struct builder *b, const struct point *point, char *reason,
				 size_t size)
{
	int first = point_mem_node(point, b->topology, 0);

	for (int i = 0; i < point->pairs; i++) {
		const struct place_pair *pair = &point->placement.pairs[i];
		int node = point_mem_node(point, b->topology, i);

		if (node == POINT_MEM_NONE) {
			snprintf(reason, size, "pair %d's PU %d has no memory of its own", i,
				 point->mem == MEM_SENDER || pair->receiver_pu < 0
				 ? pair->sender_pu : pair->receiver_pu);
			return reason;
		}
		if (point->pattern == PATTERN_FAN_IN && node != first) {
			snprintf(reason, size, "the senders are on nodes %d and %d, their target can be on "
				 "one", first, node);
			return reason;
		}
	}
	return NULL;
}

#define OTHER_NODE "; give --mem node:N, or other PUs with --place"

int builder_place(struct builder *b, struct point *point, struct memo *memo)
{
	char reason[160];
	struct memo own = { 0 };
	int rc = 0;

	if (!memo)
		memo = &own;
	if (!memo->tried) {
		rc = find_pus(b, point, &memo->placement, &memo->refusal);
		memo->tried = true;
	}
	if (!rc && memo->refusal)
		rc = builder_refuse(b, point, placing_axes(b, point), memo->refusal,
				    point_threads(point) > b->candidates ? FEWER_PUS : "");
	else if (!rc && placement_copy(&point->placement, &memo->placement))
		rc = builder_no_memory(b);
	else if (!rc && refuse_memory(b, point, reason, sizeof(reason)))
		rc = builder_refuse(b, point, AXIS_BIT(AXIS_MEM) | AXIS_BIT(AXIS_PLACE), reason,
				    OTHER_NODE);
	else if (!rc) {
		point_share(point);
		rc = builder_add(b, point);
		point = NULL;
	}
	if (point)
		point_free(point);
	free(own.refusal);
	placement_free(&own.placement);
	return rc;
}

int builder_copy(struct builder *b, struct point *to, const struct point *from,
		 const char *place)
{
	*to = *from;
	memset(to->value, 0, sizeof(to->value));
	to->placement = (struct placement){ 0 };
	for (enum axis axis = 0; axis < AXIS_COUNT; axis++) {
		struct axis_value other = from->value[axis];

		if (axis == AXIS_PLACE)
			other.text = (char *)place;
		if (axis_value_copy(&to->value[axis], &other)) {
			point_free(to);
			return builder_no_memory(b);
		}
	}
	return 0;
}

int builder_place_each(struct builder *b, struct point *point)
{
	bool split = point_is_split(point);
	long long count = split ? (long long)b->candidates * (b->candidates - 1) : b->candidates;
	char **texts = NULL;
	size_t text_count = 0;
	int rc = 0;

	/* Before the list is made: it grows with the square of the machine. */
	if (count > SWEEP_MAX_POINTS)
		rc = error_set(b->e, ERROR_USAGE, EINVAL,
			       "--place \"each\": %d PUs make %lld points, more than %d; name "
			       "fewer (taskset) or give a relation", b->candidates, count,
			       SWEEP_MAX_POINTS);
	else if (count == 0)
		rc = builder_refuse(b, point, placing_axes(b, point), "needs 2 PUs, 1 available",
				    FEWER_PUS);
	else
		rc = place_each(b->topology, split, &texts, &text_count, b->e);
	for (size_t i = 0; i < text_count; i++) {
		struct point one;

		if (!rc)
			rc = builder_copy(b, &one, point, texts[i]);
		if (!rc)
			rc = builder_place(b, &one, NULL);
		free(texts[i]);
	}
	free(texts);
	point_free(point);
	return rc;
}

void builder_release(struct builder *b)
{
	tdestroy(b->ids, free);
	tdestroy(b->lines, free);
	b->ids = b->lines = NULL;
}
