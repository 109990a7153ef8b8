/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_COMMANDS_REQUEST_H
#define RINGSCALE_COMMANDS_REQUEST_H

#include <stdbool.h>
#include <stdio.h>

#include "commands/method.h"
#include "commands/options.h"
#include "engine/axes.h"
#include "engine/presets.h"
#include "engine/sweep.h"
#include "topology/topology.h"

/* What `run` and `plan` are asked for: one parser, so that a plan is a plan of that very run. */
struct run_request {
	struct product typed;			/* owned */
	struct method method;			/* defaults under preset under typed options */
	bool method_typed[METHOD_COUNT];
	const struct preset *preset;
	bool preset_typed;
	bool show;				/* --show: print the preset, measure nothing */
	bool measures;				/* `run`: --topology is refused */
	const char *kinds, *topology;		/* borrowed from argv; NULL where not given */

	/* What the parser needs: --help texts made of the axis table. */
	struct argp_option *options;		/* owned */
	struct option_group groups[2];		/* for struct option_command */
};

/* Makes a request of defaults. `measures` is true for `run`. Returns 0 or -ENOMEM;
 * request_free releases it, also after failure. `request` must not move. */
int request_init(struct run_request *request, bool measures, struct error *e);
void request_free(struct run_request *request);

/* The name of an option that was typed ("slots"), of those that say what is measured and how;
 * NULL where there is none. A constant. */
const char *request_typed(const struct run_request *request);

/*
 * Turns the request into a sweep on `topology`: products of the preset under what was
 * typed, its method options where none were typed, a random seed. Fills an empty *sweep,
 * to be released with sweep_free. Returns 0 or -errno; the method is complete afterwards.
 */
int request_sweep(struct run_request *request, const struct topology *topology,
		  struct sweep *sweep, struct error *e);

/* --show: prints the preset as command lines of `run`, one a product. 0 or -errno. */
int request_show(struct run_request *request, const struct topology *topology, FILE *out,
		 struct error *e);

#endif
