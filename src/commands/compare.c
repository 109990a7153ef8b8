// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/command.h"

#include <errno.h>

#include "base/list.h"
#include "commands/profile_print.h"
#include "results/reader.h"

enum { KEY_PROFILE = OPTION_OWN, KEY_FORMAT, KEY_TOP };

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "How:", 1 },
	{ "profile", KEY_PROFILE, NULL, 0, "compare two profiles function by function", 1 },
	OPTION_TABLE_FORMAT(KEY_FORMAT),
	OPTION_TOP(KEY_TOP),
	{ 0 }
};

static const char examples[] =
	"  ringscale compare --profile lab/01-A-6.12.95.jsonl lab/02-B-7.2.13.jsonl\n"
	"  ringscale compare --profile --format markdown A.jsonl B.jsonl\n";

struct input {
	const char *paths[2];
	bool profile;
	struct profile_look look;
};

static int set_option(int key, const char *value, void *data, struct error *e)
{
	struct input *input = data;

	switch (key) {
	case KEY_PROFILE:
		input->profile = true;
		return 0;
	case KEY_FORMAT:
		return option_set_table_format(value, &input->look.format, e);
	case KEY_TOP:
		return profile_set_top(value, &input->look, e);
	default:
		if (input->paths[1])
			return error_set(e, ERROR_USAGE, EINVAL, "%s: two files only, A and B",
					 list_quote(value).text);
		input->paths[input->paths[0] != NULL] = value;
		return 0;
	}
}

static int check(const struct input *input, struct error *e)
{
	if (!input->paths[1])
		return error_set(e, ERROR_USAGE, EINVAL,
				 "%s; name two result files, A and B",
				 input->paths[0] ? "one file only" : "no files given");
	if (!input->profile)
		return error_set(e, ERROR_USAGE, EINVAL,
				 "--profile is missing: profiles are what can be compared");
	return 0;
}

int command_compare(int argc, char **argv)
{
	static const struct option_command command = {
		.summary = "Shows the difference of two profiles: which functions take the "
			   "instructions that an install needs more on B than on A.",
		.argument = "A B", .examples = examples, .options = options, .set = set_option,
	};
	struct common_options common = { 0 };
	struct input input = { .look = { .top = PROFILE_TOP } };
	struct result files[2] = { { 0 }, { 0 } };
	struct error e = ERROR_INIT;
	int status = 0, result;

	if (!options_parse(&command, argc, argv, &common, &input, &status))
		return status;
	result = check(&input, &e);
	for (int i = 0; i < 2 && !result; i++)
		result = profile_load(&files[i], input.paths[i], common.quiet, &e);
	if (!result)
		result = profile_print(&files[0], &files[1], &input.look, stdout, &e);
	if (result)
		status = command_fail(argv[0], &e);
	result_release(&files[0]);
	result_release(&files[1]);
	return status;
}
