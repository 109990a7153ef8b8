// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/run_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/resume.h"
#include "results/quote.h"

/* All comes from the header: what is typed beside --resume would only seem to do something. */
static int refuse_typed(const struct run *run, struct error *e)
{
	const char *typed = run->options.output ? "output"
			  : run->options.label ? "label" : request_typed(&run->request);

	if (!typed)
		return 0;
	return error_set(e, ERROR_USAGE, EINVAL,
			 "--%s: --resume takes everything from the header of its file; leave "
			 "--%s out", typed, typed);
}

/* A path may hold control bytes. */
static int refuse_file(const struct run *run, struct error *e, const char *what)
{
	char name[QUOTE_SIZE];

	return error_set(e, ERROR_FAILED, EINVAL, "--resume '%s': %s",
			 quote_text(run->options.resume, name), what);
}

/* The file as it is; says what is amiss in it. */
static int read_old(struct run *run, struct error *e)
{
	int result = result_read(&run->old, run->options.resume, e);
	char name[QUOTE_SIZE];

	quote_text(run->options.resume, name);
	for (size_t i = 0; !result && !run->common.quiet && i < run->old.note_count; i++)
		fprintf(stderr, "%s: %s\n", name, run->old.notes[i]);
	if (!result && run->old.next)
		result = refuse_file(run, e, "holds several runs, and it cannot be told which to go "
				     "on with; split it at its header records");
	return result;
}

/* The one that was drawn or typed. */
static int take_seed(struct run *run, struct error *e)
{
	char text[32];

	snprintf(text, sizeof(text), "%" JSON_INTEGER_FORMAT,
		 json_integer_value(json_object_get(run->old.header, "seed")));
	if (method_set(&run->request.method, METHOD_SEED, text, &(struct error)ERROR_INIT))
		return refuse_file(run, e, "the seed in its header is none that a run draws; the "
				   "header was changed");
	return 0;
}

/* Reads the command line in the header into a fresh request, with the seed that it drew. */
static int read_header(struct run *run, struct error *e)
{
	const json_t *list = json_object_get(run->old.header, "argv");
	size_t count = json_array_size(list);
	char **argv = calloc(count + 1, sizeof(*argv));
	struct common_options common = { 0 };
	struct run_options own = { 0 };
	struct error why = ERROR_INIT;
	bool helped = false;
	int result = argv ? 0 : error_set(e, ERROR_FAILED, ENOMEM, "out of memory");

	for (size_t i = 0; i < count && !result; i++) {
		/* Lives as long as the header; argp moves the pointers, not the texts. */
		argv[i] = (char *)json_string_value(json_array_get(list, i));
		if (!argv[i])
			result = refuse_file(run, e, "the argv of its header is no list of texts");
	}
	if (!result && !count)
		result = refuse_file(run, e, "its header has no argv");
	request_free(&run->request);
	if (!result)
		result = request_init(&run->request, true, e);
	if (!result && run_read(run, (int)count, argv, &common, &own, &helped, &why))
		result = error_set(e, ERROR_FAILED, EINVAL,
				   "--resume: the command line in the header cannot be read: %s",
				   why.text);
	if (!result && (helped || own.resume || own.explain || run->request.show))
		result = refuse_file(run, e, "the command line in its header is none that measures");
	if (!result)
		result = take_seed(run, e);
	free(argv);
	return result;
}

/* Is this the same sweep in the same place? */
static int compare(struct run *run, struct error *e)
{
	json_t *now = record_header(&run->record, &run->sweep, &run->request.method,
				    &run->topology);
	int result = now ? resume_compare(run->options.resume, run->old.header, now, e)
			 : error_set(e, ERROR_FAILED, ENOMEM, "no memory for the header");

	json_decref(now);
	return result;
}

/* Takes what is there into the table, and out of the steps. */
static int take_old(struct run *run, struct error *e)
{
	unsigned *points = calloc(run->old.block_count + 1, sizeof(*points));
	int result = points ? resume_skip(&run->sweep, &run->request.method, &run->old, run->steps,
					  &run->step_count, points, e)
			    : error_set(e, ERROR_FAILED, ENOMEM, "out of memory");

	for (size_t i = 0; i < run->old.block_count && !result; i++) {
		const json_t *block = run->old.blocks[i];

		run->blocks++;
		run->valid_blocks += json_is_true(json_object_get(block, "valid"));
		if (tally_add(&run->tally, points[i], block))
			result = error_set(e, ERROR_FAILED, ENOMEM,
					   "no memory to add a block up");
	}
	free(points);
	return result;
}

static bool is_complete(const struct run *run)
{
	const char *status = json_string_value(json_object_get(run->old.end, "status"));

	return !run->step_count && !run->writer.torn && status && !strcmp(status, "complete");
}

/* The first change to the file: mends its end and says that the run goes on. */
static int mark(struct run *run, struct error *e)
{
	enum writer_mended mended;
	char name[QUOTE_SIZE];
	json_t *record;
	int result = run_catch_signals(run, e);

	if (!result)
		result = writer_mend(&run->writer, &mended, e);
	if (result)
		return result;
	quote_text(run->options.resume, name);
	if (mended == WRITER_CUT_LINE && !run->common.quiet)
		fprintf(stderr, "%s: the torn last line was cut off\n", name);
	record = resume_record(&run->record, mended == WRITER_CUT_LINE, run->blocks);
	result = record ? writer_append(&run->writer, record, e)
			: error_set(e, ERROR_FAILED, ENOMEM, "no memory for a record");
	json_decref(record);
	if (!result && !run->common.quiet)
		fprintf(stderr, "going on: %zu blocks are there, %zu are missing\n", run->blocks,
			run->step_count);
	return result;
}

int run_reopen(struct run *run, bool *complete, struct error *e)
{
	int result = refuse_typed(run, e);

	if (!result)
		result = writer_reopen(&run->writer, run->options.resume, e);
	if (!result)
		result = read_old(run, e);
	if (!result)
		result = read_header(run, e);
	if (!result)
		result = run_make_sweep(run, e);
	if (!result)
		result = compare(run, e);
	if (!result)
		result = take_old(run, e);
	*complete = !result && is_complete(run);
	if (result || *complete)
		return result;
	if (run->step_count)
		result = run_check_machine(run, e);
	else
		limits_read(&run->record.before), run->record.after = run->record.before;
	return result ? result : mark(run, e);
}
