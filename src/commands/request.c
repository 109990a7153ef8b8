// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/request.h"

#include "base/list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Keys of the shared options: axes first, then method, then the rest. */
enum {
	KEY_AXIS = OPTION_SHARED,
	KEY_METHOD = KEY_AXIS + AXIS_COUNT,
	KEY_PRESET = KEY_METHOD + METHOD_COUNT,
	KEY_SHOW,
	KEY_KINDS,
	KEY_TOPOLOGY,
	KEY_END
};

static int no_memory(struct error *e)
{
	return error_set(e, ERROR_FAILED, ENOMEM, "out of memory");
}

static int set_preset(struct run_request *request, const char *value, struct error *e)
{
	char known[320] = "";
	size_t length = 0;

	request->preset = preset_find(value);
	if (request->preset)
		return 0;
	for (const struct preset *preset = presets; preset->name && length < sizeof(known);
	     preset++)
		length += snprintf(known + length, sizeof(known) - length, "%s%s",
				   length ? ", " : "", preset->name);
	return error_set(e, ERROR_USAGE, EINVAL, "--preset %s: unknown; known are %s",
			 list_quote(value).text, known);
}

static int set_shared(int key, const char *value, void *input, struct error *e)
{
	struct run_request *request = input;
	int rc;

	if (key < KEY_METHOD) {
		enum axis axis = key - KEY_AXIS;

		request->typed.typed[axis] = true;
		return axis_list_parse(axis, value, &request->typed.axes[axis], e);
	}
	if (key < KEY_PRESET) {
		enum method_option which = key - KEY_METHOD;

		rc = method_set(&request->method, which, value, e);
		request->method_typed[which] = true;
		return rc;
	}
	switch (key) {
	case KEY_PRESET:
		request->preset_typed = true;
		return set_preset(request, value, e);
	case KEY_SHOW:
		request->show = true;
		return 0;
	case KEY_KINDS:
		request->kinds = value;
		return 0;
	case KEY_TOPOLOGY:
		if (request->measures)
			return error_set(e, ERROR_USAGE, EINVAL,
					 "--topology %s: run measures this machine; "
					 "\"ringscale plan\" takes other ones",
					 list_quote(value).text);
		request->topology = value;
		return 0;
	default:
		return 0;
	}
}

const char *request_typed(const struct run_request *request)
{
	for (enum axis axis = 0; axis < AXIS_COUNT; axis++)
		if (request->typed.typed[axis])
			return axis_info(axis)->name;
	for (int i = 0; i < METHOD_COUNT; i++)
		if (request->method_typed[i])
			return method_info(i)->name;
	return request->preset_typed ? "preset"
	     : request->show ? "show"
	     : request->kinds ? "kinds"
	     : request->topology ? "topology" : NULL;
}

/* "whatever --help says (default 64)", made of the axis table. NULL without memory. */
static char *describe_axis(const struct axis_info *info)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputs(info->help, out);
	if (info->type == AXIS_TYPE_NAME)
		for (size_t i = 0; info->names[i]; i++)
			fprintf(out, "%s%s", i ? ", " : ": ", info->names[i]);
	else if (info->type == AXIS_TYPE_COUNT || info->type == AXIS_TYPE_AUTO)
		fprintf(out, ", %lld to %lld", (long long)info->min, (long long)info->max);
	fprintf(out, " (default %s)", info->initial);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

static char *describe_presets(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputs("sweep that typed axes are laid over", out);
	for (const struct preset *preset = presets; preset->name; preset++)
		fprintf(out, "%s %s, %s", preset == presets ? ":" : ";", preset->name,
			preset->summary);
	fprintf(out, " (default %s)", presets[0].name);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

/* Writes the rows behind the axes; returns the one behind them. */
static struct argp_option *add_method_options(struct argp_option *row, bool measures)
{
	*row++ = (struct argp_option){ .doc = "Method:", .group = 3 };
	for (int i = 0; i < METHOD_COUNT; i++)
		*row++ = (struct argp_option){
			method_info(i)->name, KEY_METHOD + i, method_info(i)->argument, 0,
			method_info(i)->help, 3 };
	*row++ = (struct argp_option){ "show", KEY_SHOW, NULL, 0,
				       "print the sweep as command lines and stop", 3 };
	*row++ = (struct argp_option){ "kinds", KEY_KINDS, "KIND=PUS,...", 0,
				       "which PUs are of which kind, for example P=0-3,E=4-7", 3 };
	*row++ = (struct argp_option){ "topology", KEY_TOPOLOGY, "SOURCE",
				       measures ? OPTION_HIDDEN : 0,
				       "another machine: an hwloc XML file or a synthetic "
				       "description", 3 };
	return row;
}

int request_init(struct run_request *request, bool measures, struct error *e)
{
	struct argp_option *row;

	*request = (struct run_request){ .preset = &presets[0],
					 .measures = measures };
	method_init(&request->method);
	/* Headings, axes, method, the rest, the end. */
	request->options = calloc(2 + (KEY_END - KEY_AXIS) + 1, sizeof(*request->options));
	if (!request->options)
		return no_memory(e);
	row = request->options;
	*row++ = (struct argp_option){
		.doc = "Axes, each a list of values; counts also A..B, A..B+STEP or A..BxFACTOR:",
		.group = 2 };
	for (enum axis axis = 0; axis < AXIS_COUNT; axis++, row++) {
		const struct axis_info *info = axis_info(axis);

		*row = (struct argp_option){ info->name, KEY_AXIS + axis, info->argument, 0,
					     describe_axis(info), 2 };
		if (!row->doc)
			return no_memory(e);
	}
	row = add_method_options(row, measures);
	*row = (struct argp_option){ "preset", KEY_PRESET, "NAME", 0, describe_presets(), 3 };
	if (!row->doc)
		return no_memory(e);
	request->groups[0] = (struct option_group){ request->options, set_shared, request };
	return 0;
}

void request_free(struct run_request *request)
{
	/* Only these texts are not constants. */
	for (struct argp_option *row = request->options; row && (row->name || row->doc); row++)
		if ((row->key >= KEY_AXIS && row->key < KEY_METHOD) || row->key == KEY_PRESET)
			free((char *)row->doc);
	free(request->options);
	product_free(&request->typed);
	*request = (struct run_request){ 0 };
}
