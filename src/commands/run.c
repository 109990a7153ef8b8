// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "commands/command.h"
#include "commands/point_table.h"
#include "commands/progress.h"
#include "commands/request.h"
#include "config.h"
#include "engine/admit.h"
#include "engine/coordinator.h"
#include "engine/record.h"
#include "engine/tally.h"
#include "machine/uring_probe.h"
#include "results/writer.h"

enum { KEY_OUTPUT = 'o', KEY_LABEL = OPTION_OWN };

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "Output:", 1 },
	{ "output", KEY_OUTPUT, "FILE", 0,
	  "result file, must not exist (default ringscale-HOST-UTC-PID.jsonl)", 1 },
	{ "label", KEY_LABEL, "TEXT", 0, "a remark for the result file's header", 1 },
	{ 0 }
};

static const char examples[] =
	"  ringscale run                             the default sweep\n"
	"  ringscale run --preset f0 -o f0.jsonl     the published configuration\n"
	"  ringscale run --pairs 1..8x2 --slots 64,4096 --place l2 --reap poll,after\n"
	"  ringscale run --pairs 4 --solo --sync free --label \"before the patch\"\n";

/* All that one `ringscale run` holds. */
struct run {
	struct common_options common;
	struct run_request request;
	struct topology topology;
	struct sweep sweep;
	struct step *steps;
	struct writer writer;
	struct interrupt interrupt;
	struct tally tally;
	struct progress progress;
	struct record_run record;
	const char *name, *output, *label;
	size_t blocks, valid_blocks;
	int64_t start_ns;
};

static int set_option(int key, const char *value, void *input, struct error *e)
{
	struct run *run = input;

	if (!*value)
		return error_set(e, ERROR_USAGE, EINVAL, "--%s '': is empty; give it a text",
				 key == KEY_OUTPUT ? "output" : "label");
	if (key == KEY_OUTPUT)
		run->output = value;
	else if (key == KEY_LABEL)
		run->label = value;
	return 0;
}

/* Says what a preset left out, in a block so that nobody takes the sweep for the whole preset. */
static void print_dropped(const struct run *run)
{
	for (size_t i = 0; !run->common.quiet && i < run->sweep.dropped_count; i++)
		fprintf(stderr, "left out: %s\n", run->sweep.dropped[i]);
}

/* Everything that can be refused is refused here, before anything is measured or written. */
static int prepare(struct run *run, int argc, char **argv, struct error *e)
{
	int result = topology_load(&run->topology, NULL, run->request.kinds, e);

	if (!result)
		result = request_sweep(&run->request, &run->topology, &run->sweep, e);
	if (result)
		return result;
	limits_read(&run->record.before);
	result = uring_probe_setup(e);
	if (!result)
		result = uring_probe_send_fd(e);
	if (!result)
		result = admit_sweep(&run->sweep, e);
	if (result)
		return result;
	limits_read(&run->record.after);
	run->steps = sweep_schedule(&run->sweep, &run->request.method);
	if (!run->steps || tally_init(&run->tally, &run->sweep))
		return error_set(e, ERROR_FAILED, ENOMEM, "no memory for %zu points",
				 run->sweep.count);
	run->record.argc = argc;
	run->record.argv = argv;
	run->record.label = run->label;
	run->record.preset = run->request.preset ? run->request.preset->name : NULL;
	run->record.version = RINGSCALE_VERSION;
	return 0;
}

static int write_header(struct run *run, struct error *e)
{
	json_t *header = record_header(&run->record, &run->sweep, &run->request.method,
				       &run->topology);
	int result = header ? writer_append(&run->writer, header, e)
			    : error_set(e, ERROR_FAILED, ENOMEM, "no memory for the header");

	json_decref(header);
	return result;
}

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
				 run->sweep.count * run->request.method.blocks, &run->interrupt,
				 &listener, e);
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

/* The end record is written also after a failure, if the file still takes it. */
static int write_end(struct run *run, const struct error *ended, int status, struct error *e)
{
	json_t *end = record_end(end_status(ended), status, run->blocks, run->valid_blocks,
				 clock_now_ns() - run->start_ns);
	int result = writer_append(&run->writer, end, e);

	json_decref(end);
	return result;
}

static void print_results(const struct run *run)
{
	const struct method *method = &run->request.method;

	printf("preset %s  order %s  sync %s  seed %llu\nblocks %u  rounds %u  warm-up %u\n",
	       run->record.preset ? run->record.preset : "none", sweep_order_names[method->order],
	       sweep_sync_names[method->sync], (unsigned long long)method->seed, method->blocks,
	       method->rounds, method->warmup);
	point_table_print(&run->tally, run->topology.kind_count > 1, stdout);
	printf("\nresult file: %s\n", run->writer.path);
}

/* Measures into an open file. Returns the exit status. */
static int measure_and_report(struct run *run)
{
	struct error ended = ERROR_INIT, writing = ERROR_INIT;
	int status;

	run->start_ns = clock_now_ns();
	if (!write_header(run, &ended))
		measure(run, &ended);
	status = error_exit_status(ended.kind);
	if (run->valid_blocks < run->blocks)
		status = exit_status_worse(status, 1);
	if (ended.kind == ERROR_NONE || ended.kind == ERROR_INTERRUPTED) {
		write_end(run, &ended, status, &writing);
	}
	if (run->blocks)
		print_results(run);
	if (ended.kind != ERROR_NONE)
		command_fail(run->name, &ended);
	writer_close(&run->writer, &writing);
	if (writing.kind != ERROR_NONE && ended.kind != ERROR_FAILED)
		status = exit_status_worse(status, command_fail(run->name, &writing));
	return status;
}

static void run_release(struct run *run)
{
	tally_free(&run->tally);
	free(run->steps);
	sweep_free(&run->sweep);
	topology_release(&run->topology);
	request_free(&run->request);
}

static int run_prepared(struct run *run)
{
	struct error e = ERROR_INIT;
	int status;

	print_dropped(run);
	if (interrupt_open(&run->interrupt))
		return command_fail(run->name, &(struct error){ .kind = ERROR_FAILED,
				    .text = "cannot receive signals" });
	if (writer_create(&run->writer, run->output, &e))
		status = command_fail(run->name, &e);
	else
		status = measure_and_report(run);
	interrupt_close(&run->interrupt);
	return status;
}

int command_run(int argc, char **argv)
{
	struct run run = { .name = argv[0], .interrupt.fd = -1 };
	struct error e = ERROR_INIT;
	int status = 0;

	if (request_init(&run.request, true, &e)) {
		status = command_fail(run.name, &e);
		goto out;
	}
	const struct option_command command = {
		.summary = "Measure a sweep, print its table, write every block to a result file.",
		.examples = examples,
		.options = options,
		.set = set_option,
		.groups = run.request.groups,
	};

	if (!options_parse(&command, argc, argv, &run.common, &run, &status))
		goto out;
	if (run.request.show) {
		if (topology_load(&run.topology, NULL, run.request.kinds, &e) ||
		    request_show(&run.request, &run.topology, stdout, &e))
			status = command_fail(run.name, &e);
		goto out;
	}
	status = prepare(&run, argc, argv, &e) ? command_fail(run.name, &e) : run_prepared(&run);
out:
	run_release(&run);
	return status;
}
