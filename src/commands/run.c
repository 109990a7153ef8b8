// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "commands/command.h"
#include "commands/run_parts.h"
#include "config.h"
#include "engine/admit.h"
#include "engine/flags.h"
#include "machine/uring_probe.h"
#include "workloads/workload.h"

enum { KEY_OUTPUT = 'o', KEY_LABEL = OPTION_OWN, KEY_RESUME, KEY_EXPLAIN };

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "Output:", 1 },
	{ "output", KEY_OUTPUT, "FILE", 0,
	  "result file, must not exist (default ringscale-HOST-UTC-PID.jsonl)", 1 },
	{ "label", KEY_LABEL, "TEXT", 0, "a remark for the result file's header", 1 },
	{ "resume", KEY_RESUME, "FILE", 0,
	  "go on with the run that this result file holds; all options come from its header", 1 },
	{ "explain", KEY_EXPLAIN, "FLAG", 0,
	  "say when a flag is set and what it means, and stop", 1 },
	{ 0 }
};

static const char examples[] =
	"  ringscale run                             the default sweep\n"
	"  ringscale run --preset f0 -o f0.jsonl     the published configuration\n"
	"  ringscale run --pairs 1..8x2 --slots 64,4096 --place l2 --reap poll,after\n"
	"  ringscale run --pairs 4 --solo --sync free --label \"before the patch\"\n"
	"  ringscale run --resume f0.jsonl           what was interrupted\n"
	"  ringscale run --explain off-cpu           what a letter in the table means\n";

static int set_option(int key, const char *value, void *input, struct error *e)
{
	static const struct {
		int key;
		const char *name;
		size_t offset;
	} texts[] = {
		{ KEY_OUTPUT, "output", offsetof(struct run_options, output) },
		{ KEY_LABEL, "label", offsetof(struct run_options, label) },
		{ KEY_RESUME, "resume", offsetof(struct run_options, resume) },
		{ KEY_EXPLAIN, "explain", offsetof(struct run_options, explain) },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (texts[i].key != key)
			continue;
		if (!*value)
			return error_set(e, ERROR_USAGE, EINVAL,
					 "--%s '': is empty; give it a text", texts[i].name);
		*(const char **)((char *)input + texts[i].offset) = value;
	}
	return 0;
}

int run_read(struct run *run, int argc, char **argv, struct common_options *common,
	     struct run_options *own, bool *helped, struct error *e)
{
	const struct option_command command = {
		.summary = "Measure a sweep, print its table, write every block to a result file.",
		.examples = examples,
		.options = options,
		.set = set_option,
		.groups = run->request.groups,
	};

	return options_read(&command, argc, argv, common, own, helped, e);
}

static int explain_flag(const char *name, struct error *e)
{
	const struct flag *found = flag_find(name);
	char known[400] = "";
	size_t length = 0;

	if (found) {
		printf("%s (%c in the table)\nset when: %s\n%s\n", found->name, found->letter,
		       found->threshold, found->explanation);
		return 0;
	}
	for (const struct flag *flag = flags; flag->name && length < sizeof(known); flag++)
		length += (size_t)snprintf(known + length, sizeof(known) - length, "%s%s",
					   length ? ", " : "", flag->name);
	return error_set(e, ERROR_USAGE, EINVAL, "--explain %s: no such flag; there are %s",
			 list_quote(name).text, known);
}

/* Says what a preset left out, so that nobody takes the sweep for the whole preset. */
static void print_dropped(const struct run *run)
{
	for (size_t i = 0; !run->common.quiet && i < run->sweep.dropped_count; i++)
		fprintf(stderr, "left out: %s\n", run->sweep.dropped[i]);
}

int run_make_sweep(struct run *run, struct error *e)
{
	int result = topology_load(&run->topology, NULL, run->request.kinds, e);

	if (!result)
		result = request_sweep(&run->request, &run->topology, &run->sweep, e);
	if (result)
		return result;
	run->steps = sweep_schedule(&run->sweep, &run->request.method);
	run->step_count = run->sweep.count * run->request.method.blocks;
	if (!run->steps || tally_init(&run->tally, &run->sweep))
		return error_set(e, ERROR_FAILED, ENOMEM, "no memory for %zu points",
				 run->sweep.count);
	run->record.preset = run->request.preset ? run->request.preset->name : NULL;
	return 0;
}

int run_check_machine(struct run *run, struct error *e)
{
	int result;

	limits_read(&run->record.before);
	result = uring_probe_setup(e);
	for (size_t i = 0; !result && i < run->sweep.count; i++)
		if (!workloads[run->sweep.points[i].workload]->one_ring) {
			result = uring_probe_send_fd(e);
			break;
		}
	for (size_t i = 0; !result && i < run->sweep.count; i++)
		if (point_mem_node(&run->sweep.points[i], &run->topology, 0) != POINT_MEM_LOCAL) {
			result = memory_probe(e);
			break;
		}
	if (!result)
		result = admit_sweep(&run->sweep, &run->request.method, e);
	limits_read(&run->record.after);
	return result;
}

int run_catch_signals(struct run *run, struct error *e)
{
	int result = interrupt_open(&run->interrupt);

	return result ? error_set(e, ERROR_FAILED, -result, "cannot receive signals: %s",
				  strerror(-result)) : 0;
}

/* A new file with its header. */
static int create(struct run *run, struct error *e)
{
	json_t *header;
	int result = run_catch_signals(run, e);

	if (result)
		return result;
	run->record.label = run->options.label;
	result = writer_create(&run->writer, run->options.output, e);
	if (result)
		return result;
	header = record_header(&run->record, &run->sweep, &run->request.method, &run->topology);
	result = header ? writer_append(&run->writer, header, e)
			: error_set(e, ERROR_FAILED, ENOMEM, "no memory for the header");
	json_decref(header);
	if (result)
		writer_close(&run->writer, &(struct error)ERROR_INIT);
	return result;
}

/* Everything that can be refused is refused here, before anything is measured or written. */
static int begin(struct run *run, bool *complete, struct error *e)
{
	int result;

	if (run->options.resume)
		return run_reopen(run, complete, e);
	result = run_make_sweep(run, e);
	if (!result)
		result = run_check_machine(run, e);
	if (result)
		return result;
	print_dropped(run);
	return create(run, e);
}

static int start(struct run *run)
{
	struct error e = ERROR_INIT;
	bool complete = false;
	int status;

	/* A reader of the table that goes away (head) must not take the result file along. */
	signal(SIGPIPE, SIG_IGN);
	if (begin(run, &complete, &e)) {
		status = command_fail(run->name, &e);
	} else if (complete) {
		printf("nothing is missing: all %zu blocks are there\n\n", run->blocks);
		run_print(run);
		status = run->valid_blocks < run->blocks;
	} else {
		status = run_measure(run);
	}
	writer_close(&run->writer, &e);
	interrupt_close(&run->interrupt);
	return status;
}

static void run_release(struct run *run)
{
	tally_free(&run->tally);
	free(run->steps);
	sweep_free(&run->sweep);
	topology_release(&run->topology);
	request_free(&run->request);
	result_release(&run->old);
}

int command_run(int argc, char **argv)
{
	struct run run = { .name = argv[0], .argc = argc, .argv = argv, .interrupt.fd = -1,
			   .writer.fd = -1,
			   .record = { .argc = argc, .argv = argv, .version = RINGSCALE_VERSION } };
	struct error e = ERROR_INIT;
	bool helped = false;
	int status = 0, rc;

	rc = request_init(&run.request, true, &e);
	if (!rc)
		rc = run_read(&run, argc, argv, &run.common, &run.options, &helped, &e);
	if (rc || helped)
		goto out;
	if (run.options.explain) {
		rc = explain_flag(run.options.explain, &e);
	} else if (run.request.show && !run.options.resume) {
		rc = topology_load(&run.topology, NULL, run.request.kinds, &e);
		if (!rc)
			rc = request_show(&run.request, &run.topology, stdout, &e);
	} else {
		status = start(&run);
	}
out:
	if (rc)
		status = command_fail(run.name, &e);
	run_release(&run);
	return status;
}
