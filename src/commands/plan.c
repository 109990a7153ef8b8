// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/list.h"
#include "commands/command.h"
#include "commands/request.h"
#include "engine/record.h"
#include "results/table.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define PLAN_WIDTH 80

enum { KEY_FORMAT = OPTION_OWN };

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "Output:", 1 },
	OPTION_FORMAT(KEY_FORMAT),
	{ 0 }
};

static const char examples[] =
	"  ringscale plan                          where the default sweep would run\n"
	"  ringscale plan --pairs 1..8x2 --reap poll --place l2\n"
	"  ringscale plan --topology \"numa:2 core:8 pu:2\" --pairs 4 --place cross-numa\n"
	"  ringscale plan --preset f0 --show       the preset as a command line\n";

static int set_option(int key, const char *value, void *input, struct error *e)
{
	return key == KEY_FORMAT ? option_set_format(value, input, e) : 0;
}

static const char *point_flags(const struct point *point, char *buffer, size_t size)
{
	snprintf(buffer, size, "%s%s%s%s", point->placement.smt ? " smt" : "",
		 point->placement.oversubscribed ? " oversubscribed" : "",
		 point->credits ? " credits" : "", point->solo ? " solo" : "");
	return *buffer ? buffer + 1 : buffer;
}

/* What is the same at all points: "axis value" pairs, which stay whole. */
static void print_constants(const struct sweep *sweep, const bool *varies)
{
	size_t column = 0;

	for (enum axis axis = 0; axis < AXIS_COUNT; axis++) {
		char buffer[64];
		const char *text = sweep_axis_text(sweep, axis, true, buffer, sizeof(buffer));
		size_t width = strlen(axis_info(axis)->name) + 1 + strlen(text);

		if (varies[axis] || !sweep_has_axis(sweep, axis))
			continue;
		if (column && column + 2 + width > PLAN_WIDTH) {
			putchar('\n');
			column = 0;
		}
		column += printf("%s%s %s", column ? "  " : "", axis_info(axis)->name, text);
	}
	if (column)
		putchar('\n');
}

static void add_columns(struct table *table, const bool *varies)
{
	for (enum axis axis = 0; axis < AXIS_COUNT; axis++)
		if (varies[axis])
			table_column(table, axis_info(axis)->name,
				     axis_info(axis)->type == AXIS_TYPE_COUNT ||
				     axis_info(axis)->type == AXIS_TYPE_USED ||
				     axis_info(axis)->type == AXIS_TYPE_AUTO ? TABLE_RIGHT
									    : TABLE_LEFT);
	table_column(table, "pair", TABLE_RIGHT);
	table_column(table, "sender", TABLE_RIGHT);
	table_column(table, "receiver", TABLE_RIGHT);
	table_column(table, "kind", TABLE_LEFT);
	table_column(table, "relation", TABLE_LEFT);
	table_column(table, "flags", TABLE_LEFT);
}

static void add_rows(struct table *table, const struct point *point, const bool *varies,
		     bool kinds)
{
	char flags[64];
	const char *flag_text = point_flags(point, flags, sizeof(flags));

	for (int i = 0; i < point->placement.count; i++) {
		const struct place_pair *pair = &point->placement.pairs[i];

		table_row(table);
		for (enum axis axis = 0; axis < AXIS_COUNT; axis++) {
			char buffer[64];

			if (varies[axis])
				table_cell(table, "%s", point_has(point, axis)
					   ? point_text(point, axis, buffer, sizeof(buffer)) : "");
		}
		table_cell(table, "%d", i);
		table_cell(table, "%d", pair->sender_pu);
		/* Inline, one thread is both. */
		table_cell(table, "%d", pair->receiver_pu < 0 ? pair->sender_pu
							      : pair->receiver_pu);
		table_cell(table, "%s", kinds ? pair->kinds : "");
		table_cell(table, "%s", pair->relation);
		table_cell(table, "%s", flag_text);
	}
}

static int print_text(const struct run_request *request, const struct topology *topology,
		      const struct sweep *sweep, struct error *e)
{
	int candidates = hwloc_bitmap_weight(topology->candidates);
	unsigned blocks = request->method.blocks;
	struct table table = { 0 };
	bool varies[AXIS_COUNT];
	int rc;

	for (enum axis axis = 0; axis < AXIS_COUNT; axis++)
		varies[axis] = sweep_axis_varies(sweep, axis, true);
	printf("%s, %d PU%s to choose from\n", topology->source, candidates,
	       candidates == 1 ? "" : "s");
	print_constants(sweep, varies);
	putchar('\n');
	add_columns(&table, varies);
	for (size_t i = 0; i < sweep->count; i++)
		add_rows(&table, &sweep->points[i], varies, topology->kind_count > 1);
	rc = table_print(&table, stdout, PLAN_WIDTH);
	table_free(&table);
	if (rc)
		return error_set(e, ERROR_FAILED, -rc, "cannot print the plan: %s", strerror(-rc));
	printf("\n%zu point%s, %zu block%s\n", sweep->count, sweep->count == 1 ? "" : "s",
	       sweep->count * blocks, sweep->count * blocks == 1 ? "" : "s");
	return 0;
}

static json_t *pairs_json(const struct placement *placement)
{
	json_t *pairs = json_array();

	for (int i = 0; i < placement->count; i++) {
		const struct place_pair *pair = &placement->pairs[i];
		bool split = pair->receiver_pu >= 0;

		json_array_append_new(pairs, json_pack(
			"{s:i, s:o, s:s, s:o}", "sender_pu", pair->sender_pu,
			"receiver_pu", split ? json_integer(pair->receiver_pu) : json_null(),
			"kinds", pair->kinds,
			"relation", split ? json_string(pair->relation) : json_null()));
	}
	return pairs;
}

static json_t *point_json(const struct point *point)
{
	json_t *flags = json_array();
	char buffer[64];
	char *rest;

	point_flags(point, buffer, sizeof(buffer));
	for (char *flag = strtok_r(buffer, " ", &rest); flag; flag = strtok_r(NULL, " ", &rest))
		json_array_append_new(flags, json_string(flag));
	return json_pack("{s:s, s:o, s:b, s:o, s:o}", "id", point->id, "point",
			 record_point(point), "solo", point->solo, "flags", flags,
			 "pairs", pairs_json(&point->placement));
}

static json_t *plan_json(const struct run_request *request, const struct topology *topology,
			 const struct sweep *sweep)
{
	json_t *points = json_array(), *dropped = json_array();
	char *candidates = NULL;
	json_t *plan;

	for (size_t i = 0; i < sweep->count; i++)
		json_array_append_new(points, point_json(&sweep->points[i]));
	for (size_t i = 0; i < sweep->dropped_count; i++)
		json_array_append_new(dropped, json_string(sweep->dropped[i]));
	hwloc_bitmap_list_asprintf(&candidates, topology->candidates);
	plan = json_pack("{s:s, s:s, s:s?, s:I, s:o, s:o}", "preset", request->preset->name,
			 "topology", topology->source, "candidates", candidates,
			 "blocks", (json_int_t)(sweep->count * request->method.blocks),
			 "points", points, "dropped", dropped);
	free(candidates);
	return plan;
}

static int print_json(const struct run_request *request, const struct topology *topology,
		      const struct sweep *sweep, struct error *e)
{
	json_t *plan = plan_json(request, topology, sweep);
	/* A full disk is found by whoever closes stdout. */
	bool printed = plan && json_dumpf(plan, stdout, JSON_INDENT(2)) == 0;

	json_decref(plan);
	putchar('\n');
	return printed || ferror(stdout) ? 0
		: error_set(e, ERROR_FAILED, ENOMEM, "cannot print the plan: out of memory");
}

static int plan(struct run_request *request, const struct common_options *common,
		enum format format, struct error *e)
{
	struct topology topology = { 0 };
	struct sweep sweep = { 0 };
	int rc = topology_load(&topology, request->topology, request->kinds, e);

	if (!rc && request->show) {
		rc = request_show(request, &topology, stdout, e);
		goto out;
	}
	if (!rc)
		rc = request_sweep(request, &topology, &sweep, e);
	for (size_t i = 0; i < sweep.dropped_count && !rc && !common->quiet; i++)
		fprintf(stderr, "left out: %s\n", sweep.dropped[i]);
	if (!rc && format == FORMAT_JSON)
		rc = print_json(request, &topology, &sweep, e);
	else if (!rc)
		rc = print_text(request, &topology, &sweep, e);
out:
	sweep_free(&sweep);
	topology_release(&topology);
	return rc;
}

int command_plan(int argc, char **argv)
{
	struct option_command command = {
		.summary = "Shows which thread goes to which PU at each point; measures nothing.",
		.examples = examples, .options = options, .set = set_option,
	};
	struct common_options common = { 0 };
	enum format format = FORMAT_TEXT;
	struct run_request request;
	struct error e = ERROR_INIT;
	int status = 0;

	if (request_init(&request, false, &e)) {
		status = command_fail(argv[0], &e);
		goto out;
	}
	command.groups = request.groups;
	if (options_parse(&command, argc, argv, &common, &format, &status) &&
	    plan(&request, &common, format, &e))
		status = command_fail(argv[0], &e);
out:
	request_free(&request);
	return status;
}
