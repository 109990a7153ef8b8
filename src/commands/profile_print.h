/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_COMMANDS_PROFILE_PRINT_H
#define RINGSCALE_COMMANDS_PROFILE_PRINT_H

#include <jansson.h>
#include <stdio.h>

#include "base/error.h"
#include "commands/options.h"
#include "results/reader.h"

/* How a profile, or the difference of two, is shown: by report and compare alike. */
#define PROFILE_WIDTH 72
#define PROFILE_TOP 25
struct profile_look {
	enum format format;
	unsigned top;		/* functions shown one by one, 0: all; tsv shows all anyway */
};

/* Reads a file as result_read does; says what is amiss in it on standard error unless quiet. */
int profile_load(struct result *file, const char *path, bool quiet, struct error *e);

/* Prints all profiles of one file, or (b not NULL) the differences of those points that are in both,
 * b minus a. ERROR_FAILED where a file has none, or no point is in both. 0 or -errno. */
int profile_print(const struct result *a, const struct result *b, const struct profile_look *look,
		  FILE *out, struct error *e);

/* --top of both commands: its row, and what stores it. */
#define OPTION_TOP(key) { "top", key, "N", 0, \
	"functions shown one by one, the rest in one line; 0 shows all (default 25)", 1 }
int profile_set_top(const char *value, struct profile_look *look, struct error *e);

#endif
