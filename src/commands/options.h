/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_COMMANDS_OPTIONS_H
#define RINGSCALE_COMMANDS_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

/*
 * How every command reads its command line: argp, made strict. Long options are
 * spelled in full, given once, and what is wrong is said in one line that begins
 * with the command; nothing here calls exit().
 *
 *	int status;
 *	if (!options_parse(&topo_options, argc, argv, &common, &input, &status))
 *		return status;
 */
enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* --format of the commands that answer in text or JSON: its row in an option table, and what stores it. */
enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_MARKDOWN, FORMAT_TSV };
#define OPTION_FORMAT(key) { "format", key, "FORMAT", 0, "text or json (default text)", 1 }
int option_set_format(const char *value, enum format *format, struct error *e);

/* The same of those that answer in tables. */
#define OPTION_TABLE_FORMAT(key) { "format", key, "FORMAT", 0, \
	"text, markdown or tsv (default text)", 1 }
int option_set_table_format(const char *value, enum format *format, struct error *e);

/* Options that every command has: --quiet, --color WHEN, --help. */
struct common_options {
	bool quiet;		/* no progress and no notes on stderr */
	enum color color;
};

/* Keys of a command's own options: letters, where there is a short one, or from
 * here up to OPTION_OWN_LAST. */
#define OPTION_OWN 0x100
#define OPTION_OWN_LAST 0x1ff

/* Keys of shared options begin here. */
#define OPTION_SHARED 0x300

/* Options that several commands share, for example those of request.h. Keys must not overlap. */
struct option_group {
	const struct argp_option *options;	/* ended by { 0 }; headings as in argp */
	/* Stores one option (`value` NULL without argument); -errno and *e refuse it. */
	int (*set)(int key, const char *value, void *input, struct error *e);
	void *input;
};

struct option_command {
	const char *summary;	/* sentence under the usage line of --help */
	const char *examples;	/* lines that begin with two blanks and end with a newline */
	const char *argument;	/* "FILE..." if the command takes arguments, else NULL */
	const struct argp_option *options;	/* its own, ended by { 0 }, or NULL */
	/* Stores one of its own options, as in option_group. Key ARGP_KEY_ARG: an argument. */
	int (*set)(int key, const char *value, void *input, struct error *e);
	/* Shared ones, ended by one without options, or NULL. */
	const struct option_group *groups;
};

/*
 * Reads argv[1..argc) (argv[0] is "ringscale NAME") into *common and `input`,
 * which is handed to `set`. Returns true to go on. False: --help was printed or an error was, and
 * *status is the exit status. Values are borrowed from argv.
 */
bool options_parse(const struct option_command *command, int argc, char **argv,
		   struct common_options *common, void *input, int *status);

/* The same without a word on stderr, for a command line that a file holds: 0 or -errno with *e
 * filled. *helped: --help was there, and printed. */
int options_read(const struct option_command *command, int argc, char **argv,
		 struct common_options *common, void *input, bool *helped, struct error *e);

/* Prints "ringscale NAME: text" on stderr and returns the exit status of e->kind.
 * `command` is argv[0] of the command. */
int command_fail(const char *command, const struct error *e);

/* Whether `stream` gets colors: --color, then NO_COLOR, then whether it is a terminal. */
bool options_use_color(const struct common_options *common, FILE *stream);

#endif
