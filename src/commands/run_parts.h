/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_COMMANDS_RUN_PARTS_H
#define RINGSCALE_COMMANDS_RUN_PARTS_H

#include "commands/progress.h"
#include "commands/request.h"
#include "engine/coordinator.h"
#include "engine/record.h"
#include "engine/tally.h"
#include "results/reader.h"
#include "results/writer.h"

/* `ringscale run` in parts: run.c reads what is asked for and checks what can be checked,
 * run_resume.c does so from a file's header, run_measure.c measures and reports. */

/* Options of run alone; borrowed from the command line, NULL where not given. */
struct run_options {
	const char *output, *label, *resume, *explain;
};

/* All that one `ringscale run` holds. */
struct run {
	const char *name;		/* "ringscale run" */
	int argc;			/* as typed */
	char **argv;
	struct common_options common;
	struct run_options options;
	struct run_request request;

	struct topology topology;
	struct sweep sweep;
	struct step *steps;		/* what is to be measured, in order */
	size_t step_count;
	struct tally tally;
	struct record_run record;

	struct result old;		/* --resume: what the file holds */
	bool cut_line;

	struct writer writer;
	struct interrupt interrupt;
	struct progress progress;
	size_t blocks, valid_blocks;	/* in the file */
	int64_t start_ns;
};

/* Reads a command line of run into options and run->request, which is fresh. As options_read. */
int run_read(struct run *run, int argc, char **argv, struct common_options *common,
	     struct run_options *options, bool *helped, struct error *e);

/* Makes topology, sweep, steps and tally of the request. 0 or -errno. */
int run_make_sweep(struct run *run, struct error *e);

/* Whether this machine and its limits let the sweep be measured. 0 or -errno. */
int run_check_machine(struct run *run, struct error *e);

/* From here on signals wait for the end of a line, and end the run. Before the file is changed. 0 or -errno. */
int run_catch_signals(struct run *run, struct error *e);

/* --resume, up to the `resume` record. *complete: nothing is missing, and nothing was changed. 0 or -errno. */
int run_reopen(struct run *run, bool *complete, struct error *e);

/* Measures run->steps into the open file, closes it and prints the table. Returns the exit status. */
int run_measure(struct run *run);

/* The table of all blocks there are. */
void run_print(const struct run *run);

#endif
