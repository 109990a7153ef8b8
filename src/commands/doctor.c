// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/command.h"

#include "commands/options.h"
#include "machine/advice.h"
#include "results/wrap.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 80
#define STATE_WIDTH 9
#define NAME_WIDTH 16

enum { KEY_FORMAT = OPTION_OWN };

struct doctor {
	enum format format;
};

static const struct argp_option doctor_options[] = {
	OPTION_FORMAT(KEY_FORMAT),
	{ 0 }
};

static int set_option(int key, const char *value, void *input, struct error *e)
{
	struct doctor *doctor = input;

	return key == KEY_FORMAT ? option_set_format(value, &doctor->format, e) : 0;
}

static const struct option_command doctor_command = {
	.summary = "Says whether this machine can measure, what will disturb it, and what helps. "
		   "Takes about a second. Exit status 3 where it cannot measure.",
	.examples = "  ringscale doctor\n"
		    "  ringscale doctor --format json\n",
	.options = doctor_options,
	.set = set_option,
};

static const char *color_of(enum advice_state state, bool color)
{
	static const char *const colors[] = {
		[ADVICE_OK] = "\033[32m",
		[ADVICE_NOTE] = "\033[36m",
		[ADVICE_DISTURBS] = "\033[33m",
		[ADVICE_FORBIDS] = "\033[31m",
	};

	return color ? colors[state] : "";
}

/* Prints text from column `indent` on, where the cursor stands. */
static void print_wrapped(const char *text, int indent)
{
	for (;;) {
		struct wrap_piece piece = wrap_next(&text, WIDTH - indent);

		printf("%.*s\n", (int)piece.bytes, piece.text);
		if (!*text)
			return;
		printf("%*s", indent, "");
	}
}

static void print_advice(const struct advice *advice, bool color)
{
	char line[sizeof(advice->fix) + 8];

	printf("%s%-*s%s%-*s", color_of(advice->state, color), STATE_WIDTH,
	       advice_state_name(advice->state), color ? "\033[0m" : "", NAME_WIDTH, advice->name);
	print_wrapped(advice->found, STATE_WIDTH + NAME_WIDTH);
	if (!*advice->fix)
		return;
	/* Further left than the rest, so that the paths of /sys stay whole. */
	snprintf(line, sizeof(line), "fix: %s", advice->fix);
	printf("%*s", STATE_WIDTH, "");
	print_wrapped(line, STATE_WIDTH);
}

static int count_state(const struct advice *list, enum advice_state state)
{
	int count = 0;

	for (size_t i = 0; i < advice_count(); i++)
		count += list[i].state == state;
	return count;
}

static void print_text(const struct advice *list, bool color)
{
	int disturbs = count_state(list, ADVICE_DISTURBS);

	for (size_t i = 0; i < advice_count(); i++)
		print_advice(&list[i], color);
	printf("\nthis machine %s measure; %d thing%s will disturb it, %d to note\n",
	       count_state(list, ADVICE_FORBIDS) ? "cannot" : "can", disturbs,
	       disturbs == 1 ? "" : "s", count_state(list, ADVICE_NOTE));
}

static json_t *advice_json(const struct advice *advice)
{
	return json_pack("{s:s, s:s, s:s, s:s?}", "name", advice->name, "state",
			 advice_state_name(advice->state), "found", advice->found, "fix",
			 *advice->fix ? advice->fix : NULL);
}

static int print_json(const struct advice_facts *facts, const struct advice *list,
		      struct error *e)
{
	json_t *checks = json_array(), *all = NULL;
	int rc = 0;

	for (size_t i = 0; checks && i < advice_count(); i++)
		if (json_array_append_new(checks, advice_json(&list[i])))
			rc = -ENOMEM;
	if (!rc)
		all = json_pack("{s:b, s:O, s:o, s:O}", "can_measure",
				!count_state(list, ADVICE_FORBIDS), "checks", checks, "limits",
				limits_json(&facts->limits), "machine", facts->identity);
	if (all && !json_dumpf(all, stdout, JSON_INDENT(2)))
		puts("");
	else if (!all)
		rc = error_set(e, ERROR_FAILED, ENOMEM, "out of memory; free some");
	json_decref(all);
	json_decref(checks);
	return rc;
}

/* The reason, once more and alone: for those who see standard error only. */
static int report_forbidden(const char *name, const struct advice_facts *facts)
{
	const struct error *reason = facts->setup.kind != ERROR_NONE ? &facts->setup :
				     &facts->send_fd;

	return reason->kind == ERROR_NONE ? 0 : command_fail(name, reason);
}

int command_doctor(int argc, char **argv)
{
	struct common_options common = { 0 };
	struct doctor doctor = { 0 };
	struct advice_facts facts;
	struct error e = ERROR_INIT;
	struct advice *list;
	int status;

	if (!options_parse(&doctor_command, argc, argv, &common, &doctor, &status))
		return status;
	list = calloc(advice_count(), sizeof(*list));
	if (!list)
		error_set(&e, ERROR_FAILED, ENOMEM, "out of memory; free some");
	if (!list || advice_facts_read(&facts, &e)) {
		status = command_fail(argv[0], &e);
		goto out;
	}
	advice_judge(&facts, list);
	if (doctor.format == FORMAT_TEXT)
		print_text(list, options_use_color(&common, stdout));
	else if (print_json(&facts, list, &e)) {
		status = command_fail(argv[0], &e);
		goto release;
	}
	status = report_forbidden(argv[0], &facts);
release:
	advice_facts_release(&facts);
out:
	free(list);
	return status;
}
