// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "machine/identity.h"
#include "machine/lab_clock.h"
#include "results/writer.h"

json_t *record_number(int64_t value)
{
	return value == NOISE_UNKNOWN ? json_null() : json_integer(value);
}

json_t *record_text(const char *text)
{
	json_t *json = text ? json_string(text) : json_null();
	char *plain;

	if (json)
		return json;
	plain = strdup(text);
	for (char *c = plain; c && *c; c++)
		if ((unsigned char)*c > 0x7f)
			*c = '?';
	json = plain ? json_string(plain) : json_null();
	free(plain);
	return json;
}

json_t *record_argv(int argc, char **argv)
{
	json_t *json = json_array();

	for (int i = 0; i < argc; i++)
		json_array_append_new(json, record_text(argv[i]));
	return json;
}

json_t *record_utc(void)
{
	char utc[32];
	time_t now = time(NULL);
	struct tm calendar;

	gmtime_r(&now, &calendar);
	strftime(utc, sizeof(utc), "%Y-%m-%dT%H:%M:%SZ", &calendar);
	return json_string(utc);
}

json_t *record_point(const struct point *point)
{
	json_t *object = json_object();
	char buffer[64];

	for (enum axis axis = 0; axis < AXIS_COUNT; axis++) {
		const char *text = point_text(point, axis, buffer, sizeof(buffer));
		enum axis_type type = axis_info(axis)->type;
		bool number = type == AXIS_TYPE_COUNT || type == AXIS_TYPE_USED ||
			      type == AXIS_TYPE_AUTO;

		if (!point_has(point, axis))
			continue;
		json_object_set_new(object, axis_info(axis)->name,
				    number ? json_integer(strtoll(text, NULL, 10))
					   : json_string(text));
	}
	return object;
}

static json_t *pu_or_null(int pu)
{
	return pu < 0 ? json_null() : json_integer(pu);
}

static json_t *points_json(const struct sweep *sweep)
{
	json_t *points = json_array();

	for (size_t i = 0; i < sweep->count; i++) {
		const struct point *point = &sweep->points[i];
		json_t *pairs = json_array();

		for (int k = 0; k < point->placement.count; k++) {
			const struct place_pair *pair = &point->placement.pairs[k];

			json_array_append_new(pairs, json_pack("[oo]", pu_or_null(pair->sender_pu),
							       pu_or_null(pair->receiver_pu)));
		}
		json_array_append_new(points, json_pack("{s:s, s:o, s:b, s:b, s:o}", "id", point->id,
							"point", record_point(point), "solo",
							point->solo, "control", point->control,
							"pairs", pairs));
	}
	return points;
}

static json_t *method_json(const struct method *method)
{
	return json_pack("{s:I, s:I, s:I, s:s, s:s, s:I, s:b, s:b, s:b}",
			 "rounds", (json_int_t)method->rounds,
			 "warmup", (json_int_t)method->warmup,
			 "blocks", (json_int_t)method->blocks,
			 "order", sweep_order_names[method->order],
			 "sync", sweep_sync_names[method->sync],
			 "timeout_ns", (json_int_t)method->timeout_ns,
			 "solo", method->solo, "oversubscribe", method->oversubscribe,
			 "with_control", method->with_control);
}

static json_t *mask_json(hwloc_const_bitmap_t mask)
{
	char *text = NULL;
	json_t *json = NULL;

	if (mask && hwloc_bitmap_list_asprintf(&text, mask) >= 0)
		json = json_string(text);
	free(text);
	return json ? json : json_null();
}

json_t *record_header(const struct record_run *run, const struct sweep *sweep,
		      const struct method *method, const struct topology *topology)
{
	json_t *header = json_object(), *dropped = json_array();
	char *xml = topology_xml(topology);

	for (size_t i = 0; i < sweep->dropped_count; i++)
		json_array_append_new(dropped, json_string(sweep->dropped[i]));
	json_object_set_new(header, "record", json_string("header"));
	json_object_set_new(header, "schema", json_integer(RESULT_SCHEMA));
	json_object_set_new(header, "version", json_string(run->version));
	json_object_set_new(header, "created_utc", record_utc());
	json_object_set_new(header, "argv", record_argv(run->argc, run->argv));
	json_object_set_new(header, "label", record_text(run->label));
	json_object_set_new(header, "clock", json_string(lab_clock_counts() ? "path" : "real"));
	json_object_set_new(header, "preset", record_text(run->preset));
	json_object_set_new(header, "seed", json_integer((json_int_t)method->seed));
	json_object_set_new(header, "method", method_json(method));
	json_object_set_new(header, "points", points_json(sweep));
	json_object_set_new(header, "dropped", dropped);
	json_object_set_new(header, "limits_before", limits_json(&run->before));
	json_object_set_new(header, "limits_after", limits_json(&run->after));
	json_object_set_new(header, "candidates", mask_json(topology->candidates));
	json_object_set_new(header, "inherited", mask_json(topology->inherited));
	json_object_set_new(header, "machine", identity_describe());
	json_object_set_new(header, "topology", record_text(xml));
	free(xml);
	return header;
}

json_t *record_block_frame(const struct point *point, unsigned block, const char *reason)
{
	return json_pack("{s:s, s:s, s:o, s:I, s:b, s:s?, s:[], s:[], s:n, s:n, s:n, s:n, s:s}",
			 "record", "block", "id", point->id, "point", record_point(point),
			 "block", (json_int_t)block, "valid", 0, "reason", reason, "flags",
			 "pairs", "granted", "tasks", "iowq_workers", "iowq_cpu_ns",
			 "unit", workloads[point->workload]->unit);
}

static json_t *counters_json(const struct side_round *side)
{
	json_t *counters = json_object();

	for (int i = 0; i < COUNTER_COUNT; i++)
		json_object_set_new(counters, counter_names[i], record_number(side->counters[i]));
	return counters;
}

static json_t *side_json(const struct team *team, const struct member *member, unsigned round)
{
	const struct side_round *side = &member->sides[round];
	int64_t interrupts = team->interrupts
		? team->interrupts[round * team->member_count + (unsigned)(member - team->members)]
		: NOISE_UNKNOWN;

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}",
			 "off_cpu_ns", record_number(side->off_cpu_ns),
			 "run_delay_ns", record_number(side->noise.run_delay_ns),
			 "involuntary_switches", record_number(side->noise.involuntary_switches),
			 "migrations", record_number(side->noise.migrations),
			 "interrupts", record_number(interrupts),
			 "counters", counters_json(side));
}

/* The first reason that a round of a pair has, of the fill or of either thread. */
static const char *round_reason(const struct pair_round *round, const struct member *sender,
				const struct member *keeper, unsigned index)
{
	if (round->reason)
		return round->reason;
	if (index < sender->rounds && sender->sides[index].reason)
		return sender->sides[index].reason;
	return keeper->sides[index].reason;
}

/* Of one: the mean over the round. */
static void set_phases(json_t *json, const struct pair_round *round)
{
	for (int i = 0; i < PHASE_COUNT; i++)
		json_object_set_new(json, phase_names[i], round->phase_count[i]
				    ? json_integer(round->phase_ns[i] / round->phase_count[i])
				    : json_null());
	json_object_set_new(json, "first_slot", round->refilled ? json_integer(round->first_slot)
								: json_null());
}

/* The mean over the fills of the round; the frame where a workload has none of its own. */
static void set_measures(json_t *json, const struct workload *workload,
			 const struct pair_round *round)
{
	json_t *measures = workload->measures ? json_object() : NULL;

	for (int i = 0; measures && workload->measures[i].name; i++)
		json_object_set_new(measures, workload->measures[i].name, json_pack("{s:o, s:s}",
				    "value", round->measure_counts[i]
				    ? json_real(round->measure_sums[i] / round->measure_counts[i])
				    : json_null(), "unit", workload->measures[i].unit));
	if (measures)
		json_object_set_new(json, "measures", measures);
}

static json_t *round_json(const struct team *team, unsigned pair, unsigned index)
{
	bool split = team->shape.split;
	const struct member *sender = team_sender(team, pair);
	const struct member *keeper = team_keeper(team, pair);
	const struct pair_round *round = &team->logs[pair].rounds[index];
	const char *reason = round_reason(round, sender, keeper, index);
	bool has_overlap = team->overlap && !isnan(team->overlap[index]);
	json_t *json = json_object();
	const struct {
		const char *name;
		int64_t value;
	} numbers[] = {
		{ "round", (int64_t)index - team->method->warmup },
		{ "fill_ns", round->fill_ns },
		{ "installs", (int64_t)round->installs },
		{ "sender_ns", round->sender_ns },
		{ "receiver_ns", round->receiver_ns },
		{ "tail_ns", round->receiver_ns - round->sender_ns },
		{ "stall_ns", round->stall_ns },
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		json_object_set_new(json, numbers[i].name, json_integer(numbers[i].value));
	set_phases(json, round);
	set_measures(json, team->workload, round);
	json_object_set_new(json, "overlap",
			    has_overlap ? json_real(team->overlap[index]) : json_null());
	json_object_set_new(json, "valid", json_boolean(!reason));
	json_object_set_new(json, "reason", record_text(reason));
	json_object_set_new(json, "sender", side_json(team, sender, index));
	json_object_set_new(json, "receiver", split ? side_json(team, keeper, index) : json_null());
	return json;
}

/* Free sync: the time during which all pairs had measured rounds under way. */
struct window {
	int64_t from_ns, to_ns;
};

static struct window common_window(const struct team *team)
{
	struct window window = { INT64_MIN, INT64_MAX };

	for (unsigned i = 0; team->method->sync == SYNC_FREE && i < team->pair_count; i++) {
		const struct member *keeper = team_keeper(team, i);
		const struct pair_round *rounds = team->logs[i].rounds;

		if (keeper->rounds <= team->method->warmup)
			return (struct window){ INT64_MAX, INT64_MIN };
		if (rounds[team->method->warmup].begin_ns > window.from_ns)
			window.from_ns = rounds[team->method->warmup].begin_ns;
		if (rounds[keeper->rounds - 1].end_ns < window.to_ns)
			window.to_ns = rounds[keeper->rounds - 1].end_ns;
	}
	return window;
}

/* Pages of the target rings by node, in all looks together; null where none was seen. */
static json_t *ring_pages_json(const struct memory_pages *pages)
{
	json_t *json = pages->nodes ? json_object() : json_null();

	for (int node = 0; node < pages->nodes; node++) {
		char name[16];

		snprintf(name, sizeof(name), "%d", node);
		if (pages->on_node[node])
			json_object_set_new(json, name, json_integer(pages->on_node[node]));
	}
	return json;
}

/* Adds a pair's rounds inside the window; *reason receives the first one's that is not valid. */
static json_t *pair_json(const struct team *team, unsigned pair, struct window window,
			 char *reason, size_t size)
{
	bool split = team->shape.split;
	const struct member *sender = team_sender(team, pair);
	const struct member *keeper = team_keeper(team, pair);
	const struct place_pair *place = &team->point->placement.pairs[pair];
	json_t *rounds = json_array();

	for (unsigned i = 0; i < keeper->rounds; i++) {
		const struct pair_round *round = &team->logs[pair].rounds[i];
		const char *why = round_reason(round, sender, keeper, i);

		if (why && !reason[0])
			snprintf(reason, size, "pair %u, %s %u: %s", pair,
				 i < team->method->warmup ? "warm-up round" : "round",
				 i < team->method->warmup ? i : i - team->method->warmup, why);
		if (i < team->method->warmup)
			continue;
		if (round->begin_ns >= window.from_ns && round->end_ns <= window.to_ns)
			json_array_append_new(rounds, round_json(team, pair, i));
	}
	return json_pack("{s:i, s:o, s:o, s:s, s:s?, s:b, s:o, s:o, s:[oo], s:[oo], s:o}",
			 "pair", (int)pair, "sender_pu", pu_or_null(place->sender_pu),
			 "receiver_pu", pu_or_null(split ? place->receiver_pu : -1),
			 "kinds", place->kinds, "relation", split ? place->relation : NULL,
			 "iowq_bound", team->pairs[pair].from->iowq_bound,
			 "mem_node", pu_or_null(point_mem_node(team->point, team->topology, (int)pair)),
			 "ring_pages", ring_pages_json(
				 &team->logs[team->pairs[pair].to->index].ring_pages),
			 "spin_before_ns", record_number(sender->spin_before_ns),
			 split ? record_number(keeper->spin_before_ns) : json_null(),
			 "spin_after_ns", record_number(sender->spin_after_ns),
			 split ? record_number(keeper->spin_after_ns) : json_null(),
			 "rounds", rounds);
}

json_t *record_block(const struct team *team, unsigned block, const struct error *failed)
{
	json_t *record = record_block_frame(team->point, block, NULL);
	json_t *pairs = json_object_get(record, "pairs");
	struct window window = common_window(team);
	char reason[768] = "";

	for (unsigned i = 0; i < team->pair_count; i++)
		json_array_append_new(pairs, pair_json(team, i, window, reason, sizeof(reason)));
	for (unsigned i = 0; !reason[0] && i < team->pair_count; i++)
		if (!json_array_size(json_object_get(json_array_get(pairs, i), "rounds")))
			snprintf(reason, sizeof(reason), "%s", failed->kind == ERROR_NONE
				 ? "a pair has no round inside the common window; use more --rounds"
				 : failed->text);
	if (!reason[0] && failed->kind != ERROR_NONE)
		snprintf(reason, sizeof(reason), "%s", failed->text);
	json_object_set_new(record, "valid", json_boolean(!reason[0]));
	json_object_set_new(record, "reason", record_text(reason[0] ? reason : NULL));
	json_object_set_new(record, "granted", json_pack("{s:o, s:I, s:b}",
			    "source_flags", team->shape.one_ring
				? json_null() : json_integer((json_int_t)team->pairs[0].source_flags),
			    "target_flags", (json_int_t)team->pairs[0].target_flags,
			    "ring_fd_registered", team->pairs[0].ring_fd_registered));
	json_object_set_new(record, "tasks", record_number(team->iowq.tasks));
	json_object_set_new(record, "iowq_workers", record_number(team->iowq.workers));
	json_object_set_new(record, "iowq_cpu_ns", record_number(team->iowq.cpu_ns));
	return record;
}

json_t *record_end(const char *status, int exit_status, size_t blocks, size_t valid_blocks,
		   int64_t elapsed_ns)
{
	return json_pack("{s:s, s:s, s:i, s:I, s:I, s:I}", "record", "end", "status", status,
			 "exit_status", exit_status, "blocks", (json_int_t)blocks, "valid_blocks",
			 (json_int_t)valid_blocks, "elapsed_ns", (json_int_t)elapsed_ns);
}
