// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/command.h"

#include <errno.h>

#include "base/list.h"
#include "commands/profile_print.h"
#include "results/reader.h"

enum { KEY_FORMAT = OPTION_OWN, KEY_TOP };

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "How:", 1 },
	OPTION_TABLE_FORMAT(KEY_FORMAT),
	OPTION_TOP(KEY_TOP),
	{ 0 }
};

static const char examples[] =
	"  ringscale report lab/02-B-7.2.13.jsonl\n"
	"  ringscale report --format tsv --top 0 lab/02-B-7.2.13.jsonl\n";

struct input {
	const char *path;
	struct profile_look look;
};

static int set_option(int key, const char *value, void *data, struct error *e)
{
	struct input *input = data;

	switch (key) {
	case KEY_FORMAT:
		return option_set_table_format(value, &input->look.format, e);
	case KEY_TOP:
		return profile_set_top(value, &input->look, e);
	default:
		if (input->path)
			return error_set(e, ERROR_USAGE, EINVAL, "%s: one file only; compare takes "
					 "two", list_quote(value).text);
		input->path = value;
		return 0;
	}
}

int command_report(int argc, char **argv)
{
	static const struct option_command command = {
		.summary = "Shows the profile of a result file: where the instructions of an "
			   "install go, by function.",
		.argument = "FILE", .examples = examples, .options = options, .set = set_option,
	};
	struct common_options common = { 0 };
	struct input input = { .look = { .top = PROFILE_TOP } };
	struct result file = { 0 };
	struct error e = ERROR_INIT;
	int status = 0, result;

	if (!options_parse(&command, argc, argv, &common, &input, &status))
		return status;
	if (!input.path)
		return command_fail(argv[0], &(struct error){ .kind = ERROR_USAGE, .text =
				    "no file given; name a result file with a profile" });
	result = profile_load(&file, input.path, common.quiet, &e);
	if (!result)
		result = profile_print(&file, NULL, &input.look, stdout, &e);
	if (result)
		status = command_fail(argv[0], &e);
	result_release(&file);
	return status;
}
