// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/options.h"

#include "base/list.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEY_QUIET = OPTION_OWN_LAST + 1, KEY_COLOR, KEY_HELP };

/* Group -1 is what argp prints last. */
static const struct argp_option common_options[] = {
	{ NULL, 0, NULL, 0, "Common options:", -1 },
	{ "quiet", KEY_QUIET, NULL, 0, "no progress and no notes on standard error", -1 },
	{ "color", KEY_COLOR, "WHEN", 0,
	  "color the output: auto, always or never (default auto: on a terminal, unless NO_COLOR "
	  "is set)",
	  -1 },
	{ "help", KEY_HELP, NULL, 0, "print this text", -1 },
	{ 0 }
};

/* Longest list of groups: the command's own, three shared ones, the common one. */
#define MAX_GROUPS 5

struct parser {
	const struct option_command *command;
	const char *name;			/* argv[0] */
	struct common_options *common;
	struct option_group groups[MAX_GROUPS];
	size_t group_count;
	struct argp_option *all;		/* options of all groups, ended by { 0 } */
	bool *given;				/* one for each of all[] */
	size_t count;
	bool help;				/* --help was met */
	struct error error;
};

int option_set_format(const char *value, enum format *format, struct error *e)
{
	static const char *const names[] = { "text", "json", NULL };
	size_t index;
	int rc = list_parse_name("--format", value, names, &index, e);

	if (!rc)
		*format = index;
	return rc;
}

int option_set_table_format(const char *value, enum format *format, struct error *e)
{
	static const char *const names[] = { "text", "markdown", "tsv", NULL };
	static const enum format formats[] = { FORMAT_TEXT, FORMAT_MARKDOWN, FORMAT_TSV };
	size_t index;
	int rc = list_parse_name("--format", value, names, &index, e);

	if (!rc)
		*format = formats[index];
	return rc;
}

static int set_common(int key, const char *value, void *input, struct error *e)
{
	static const char *const names[] = { "auto", "always", "never", NULL };
	struct common_options *common = input;
	size_t index;
	int rc;

	switch (key) {
	case KEY_QUIET:
		common->quiet = true;
		return 0;
	case KEY_COLOR:
		rc = list_parse_name("--color", value, names, &index, e);
		if (!rc)
			common->color = index;
		return rc;
	default:
		return 0;
	}
}

static bool is_end(const struct argp_option *option)
{
	return !option->name && !option->key && !option->doc && !option->group;
}

static bool is_short(const struct argp_option *option, char letter)
{
	return option->key == letter && isgraph(option->key);
}

/* Lays the options of all groups side by side, as argp wants them. */
static int collect(struct parser *parser)
{
	size_t room = 1;

	for (size_t i = 0; i < parser->group_count; i++)
		for (const struct argp_option *o = parser->groups[i].options; !is_end(o); o++)
			room++;
	parser->all = calloc(room, sizeof(*parser->all));
	parser->given = calloc(room, sizeof(*parser->given));
	if (!parser->all || !parser->given)
		return error_set(&parser->error, ERROR_FAILED, ENOMEM, "out of memory");
	for (size_t i = 0; i < parser->group_count; i++)
		for (const struct argp_option *o = parser->groups[i].options; !is_end(o); o++)
			parser->all[parser->count++] = *o;
	return 0;
}

static int refuse_unknown(struct parser *parser, const char *word, size_t length)
{
	char meant[256] = "";
	size_t used = 0;
	char *typed = strndup(word, length);

	if (!typed)
		return error_set(&parser->error, ERROR_FAILED, ENOMEM, "out of memory");
	/* What getopt would have taken for an abbreviation. */
	for (size_t i = 0; i < parser->count && length > 2 && word[1] == '-'; i++) {
		const struct argp_option *option = &parser->all[i];

		if (option->name && !(option->flags & OPTION_HIDDEN) && used < sizeof(meant) &&
		    strncmp(option->name, typed + 2, length - 2) == 0)
			used += snprintf(meant + used, sizeof(meant) - used, "%s--%s",
					 used ? " or " : "; spelled in full it is ", option->name);
	}
	error_set(&parser->error, ERROR_USAGE, EINVAL,
		  "unknown option %s%s; \"%s --help\" lists all", list_quote(typed).text, meant,
		  parser->name);
	free(typed);
	return -EINVAL;
}

static int note_given(struct parser *parser, size_t index)
{
	const struct argp_option *option = &parser->all[index];

	if (parser->given[index])
		return error_set(&parser->error, ERROR_USAGE, EINVAL,
				 "--%s: given twice; give it once", option->name);
	parser->given[index] = true;
	if (option->key == KEY_HELP)
		parser->help = true;
	return 0;
}

static int refuse_missing(struct parser *parser, const struct argp_option *option)
{
	return error_set(&parser->error, ERROR_USAGE, EINVAL,
			 "--%s: its value is missing; write --%s %s", option->name, option->name,
			 option->arg);
}

/* Checks "--NAME", "--NAME=VALUE" or "--NAME" "VALUE"; *at moves over a value of its own. */
static int check_long(struct parser *parser, int argc, char **argv, int *at)
{
	const char *word = argv[*at];
	size_t length = strcspn(word, "=");
	const char *value = word[length] ? word + length + 1 : NULL;

	for (size_t i = 0; i < parser->count; i++) {
		const struct argp_option *option = &parser->all[i];

		if (!option->name || strlen(option->name) != length - 2 ||
		    strncmp(option->name, word + 2, length - 2) != 0)
			continue;
		if (!option->arg && value)
			return error_set(&parser->error, ERROR_USAGE, EINVAL,
					 "--%s %s: takes no value; write --%s alone", option->name,
					 list_quote(value).text, option->name);
		if (option->arg && !value && ++*at == argc)
			return refuse_missing(parser, option);
		return note_given(parser, i);
	}
	return refuse_unknown(parser, word, length);
}

/* Checks "-oVALUE", "-o" "VALUE" and letters without values in a row. */
static int check_short(struct parser *parser, int argc, char **argv, int *at)
{
	for (const char *letter = argv[*at] + 1; *letter; letter++) {
		size_t i = 0;
		int rc;

		while (i < parser->count && !is_short(&parser->all[i], *letter))
			i++;
		if (i == parser->count)
			return refuse_unknown(parser, argv[*at], strlen(argv[*at]));
		rc = note_given(parser, i);
		if (rc)
			return rc;
		if (!parser->all[i].arg)
			continue;
		if (!letter[1] && ++*at == argc)
			return refuse_missing(parser, &parser->all[i]);
		return 0;
	}
	return 0;
}

/*
 * What argp leaves to getopt, which takes abbreviations and repetitions, and
 * answers in words of its own. Stops at --help.
 */
static int check_strict(struct parser *parser, int argc, char **argv)
{
	int rc = 0;

	for (int at = 1; at < argc && !rc && !parser->help; at++) {
		if (strcmp(argv[at], "--") == 0)
			break;
		if (argv[at][0] != '-' || !argv[at][1])
			continue;
		if (argv[at][1] == '-')
			rc = check_long(parser, argc, argv, &at);
		else
			rc = check_short(parser, argc, argv, &at);
	}
	return rc;
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct parser *parser = state->input;
	const struct option_command *command = parser->command;
	struct error *e = &parser->error;

	if (key == ARGP_KEY_ARG && !command->argument)
		return -error_set(e, ERROR_USAGE, EINVAL,
				  "%s: takes no arguments; \"%s --help\" lists the options",
				  list_quote(value).text, parser->name);
	if (key == ARGP_KEY_ARG)
		return -command->set(key, value, parser->groups[0].input, e);
	if (key == KEY_HELP) {
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		return 0;
	}
	for (size_t i = 0; i < parser->group_count; i++) {
		const struct option_group *group = &parser->groups[i];

		for (const struct argp_option *o = group->options; !is_end(o); o++)
			if (o->key && o->key == key)
				return -group->set(key, value, group->input, e);
	}
	return ARGP_ERR_UNKNOWN;
}

/* Short options take what the long ones take: no need for argp's sentence on that. */
static char *filter_help(int key, const char *text, void *input)
{
	(void)input;
	return key == ARGP_KEY_HELP_DUP_ARGS_NOTE ? NULL : (char *)text;
}

/* By way of argp_parse: argp_help itself asks no help_filter. */
static void print_help(struct parser *parser, const struct argp *argp)
{
	char *words[] = { (char *)parser->name, (char *)"--help", NULL };

	argp_parse(argp, 2, words, ARGP_NO_EXIT | ARGP_NO_HELP, NULL, parser);
	if (parser->command->examples)
		printf("\nExamples:\n%s", parser->command->examples);
}

static int parse(struct parser *parser, int argc, char **argv)
{
	struct argp argp = { .parser = parse_option, .args_doc = parser->command->argument,
			     .doc = parser->command->summary, .help_filter = filter_help };
	int rc = collect(parser);

	argp.options = parser->all;
	if (!rc)
		rc = check_strict(parser, argc, argv);
	if (rc)
		return rc;
	if (parser->help) {
		print_help(parser, &argp);
		return 0;
	}
	rc = argp_parse(&argp, argc, argv, ARGP_NO_ERRS | ARGP_NO_EXIT | ARGP_NO_HELP, NULL,
			parser);
	if (rc)
		return error_set(&parser->error, ERROR_USAGE, rc,
				 "cannot read the options: %s; see \"%s --help\"", strerror(rc),
				 parser->name);
	return 0;
}

int options_read(const struct option_command *command, int argc, char **argv,
		 struct common_options *common, void *input, bool *helped, struct error *e)
{
	static const struct argp_option none[] = { { 0 } };
	struct parser parser = { .command = command, .name = argv[0], .common = common };
	const struct option_group *shared = command->groups;
	int rc;

	parser.groups[parser.group_count++] = (struct option_group){
		command->options ? command->options : none, command->set, input };
	for (; shared && shared->options && parser.group_count < MAX_GROUPS - 1; shared++)
		parser.groups[parser.group_count++] = *shared;
	parser.groups[parser.group_count++] = (struct option_group){
		common_options, set_common, common };

	rc = parse(&parser, argc, argv);
	if (rc)
		error_set(e, parser.error.kind, parser.error.code, "%s", parser.error.text);
	*helped = parser.help;
	free(parser.all);
	free(parser.given);
	return rc;
}

bool options_parse(const struct option_command *command, int argc, char **argv,
		   struct common_options *common, void *input, int *status)
{
	struct error e = ERROR_INIT;
	bool helped;
	int rc = options_read(command, argc, argv, common, input, &helped, &e);

	*status = rc ? command_fail(argv[0], &e) : 0;
	return !rc && !helped;
}

int command_fail(const char *command, const struct error *e)
{
	fprintf(stderr, "%s: %s\n", command, e->text);
	return error_exit_status(e->kind);
}

bool options_use_color(const struct common_options *common, FILE *stream)
{
	const char *no_color = getenv("NO_COLOR");
	const char *terminal = getenv("TERM");

	if (common->color != COLOR_AUTO)
		return common->color == COLOR_ALWAYS;
	/* https://no-color.org: set and not empty. */
	if (no_color && *no_color)
		return false;
	return isatty(fileno(stream)) && terminal && strcmp(terminal, "dumb") != 0;
}
