// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/run_parts.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "commands/point_table.h"

static void block_begins(void *context, const struct step *step, size_t index, size_t count)
{
	struct run *run = context;
	const struct point *point = &run->sweep.points[step->point];
	char what[160] = "";
	size_t at = 0;

	for (enum axis axis = 0; axis < AXIS_COUNT; axis++) {
		char buffer[64];

		if (axis != AXIS_PAIRS && axis != AXIS_SLOTS && axis != AXIS_REAP)
			continue;
		at += (size_t)snprintf(what + at, sizeof(what) - at, "%s %s  ",
				       axis_info(axis)->name,
				       point_text(point, axis, buffer, sizeof(buffer)));
	}
	progress_show(&run->progress, index, count, what);
}

static int block_done(void *context, const struct step *step, json_t *record, struct error *e)
{
	struct run *run = context;
	int result = writer_append(&run->writer, record, e);

	if (result)
		return result;
	run->blocks++;
	run->valid_blocks += json_is_true(json_object_get(record, "valid"));
	if (tally_add(&run->tally, step->point, record))
		return error_set(e, ERROR_FAILED, ENOMEM, "no memory to add a block up");
	return 0;
}

static int measure(struct run *run, struct error *e)
{
	const struct coordinator_listener listener = {
		.begins = block_begins, .done = block_done, .context = run,
	};
	int result;

	progress_start(&run->progress, run->common.quiet);
	result = coordinator_run(&run->sweep, &run->request.method, &run->topology, run->steps,
				 run->step_count, &run->interrupt, &listener, e);
	progress_clear(&run->progress);
	return result;
}

static const char *end_status(const struct error *e)
{
	switch (e->kind) {
	case ERROR_NONE:
		return "complete";
	case ERROR_INTERRUPTED:
		return "interrupted";
	default:
		return "failed";
	}
}

/* --with-control: install minus message, as far as both were measured. */
static json_t *controls_json(const struct tally *tally)
{
	json_t *controls = json_array();

	for (unsigned i = 0; i < tally->sweep->count; i++) {
		const struct point *point = &tally->sweep->points[i];
		struct tally_difference control;

		for (size_t g = 0; !point->control && g < tally->points[i].group_count; g++) {
			if (!tally_control(tally, i, g, &control))
				continue;
			json_array_append_new(controls, json_pack(
				"{s:s, s:s, s:s, s:I, s:f, s:f, s:f, s:o}", "id", point->id, "control_id",
				tally->sweep->points[sweep_find_control(tally->sweep, point)].id,
				"kinds", tally->points[i].groups[g].kinds,
				"blocks", (json_int_t)control.blocks, "install_ns", control.first_ns,
				"message_ns", control.second_ns, "difference_ns",
				control.ns, "half_interval_ns",
				isfinite(control.half_interval)
					? json_real(control.half_interval) : json_null()));
		}
	}
	return controls;
}

/* The end record is written also after a failure, if the file still takes it. */
static int write_end(struct run *run, const struct error *ended, int status, struct error *e)
{
	json_t *end = record_end(end_status(ended), status, run->blocks, run->valid_blocks,
				 clock_now_ns() - run->start_ns);
	int result;

	if (run->request.method.with_control)
		json_object_set_new(end, "controls", controls_json(&run->tally));
	result = writer_append(&run->writer, end, e);
	json_decref(end);
	return result;
}

void run_print(const struct run *run)
{
	const struct method *method = &run->request.method;

	printf("preset %s  order %s  sync %s  seed %llu\nblocks %u  rounds %u  warm-up %u\n",
	       run->record.preset ? run->record.preset : "none", sweep_order_names[method->order],
	       sweep_sync_names[method->sync], (unsigned long long)method->seed, method->blocks,
	       method->rounds, method->warmup);
	point_table_print(&run->tally, run->topology.kind_count > 1, stdout);
	printf("\nresult file: %s\n", run->writer.path);
}

int run_measure(struct run *run)
{
	struct error ended = ERROR_INIT, writing = ERROR_INIT;
	int status;

	run->start_ns = clock_now_ns();
	measure(run, &ended);
	status = error_exit_status(ended.kind);
	if (run->valid_blocks < run->blocks)
		status = exit_status_worse(status, 1);
	if (ended.kind == ERROR_NONE || ended.kind == ERROR_INTERRUPTED)
		write_end(run, &ended, status, &writing);
	if (run->blocks)
		run_print(run);
	if (ended.kind != ERROR_NONE)
		command_fail(run->name, &ended);
	writer_close(&run->writer, &writing);
	if (writing.kind != ERROR_NONE && ended.kind != ERROR_FAILED)
		status = exit_status_worse(status, command_fail(run->name, &writing));
	return status;
}
