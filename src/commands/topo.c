// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/command.h"
#include "commands/options.h"
#include "commands/topo_print.h"

#include <stddef.h>

enum { KEY_TOPOLOGY = OPTION_OWN, KEY_KINDS, KEY_FORMAT };

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "What is shown:", 1 },
	{ "topology", KEY_TOPOLOGY, "SOURCE", 0,
	  "another machine: an hwloc XML file or a synthetic description", 1 },
	{ "kinds", KEY_KINDS, "KIND=PUS,...", 0,
	  "which PUs are of which kind, for example P=0-3,E=4-7", 1 },
	OPTION_FORMAT(KEY_FORMAT),
	{ 0 }
};

static const char examples[] =
	"  ringscale topo                          this machine\n"
	"  taskset -c 0,2 ringscale topo           what is left of it under a mask\n"
	"  ringscale topo --topology topologies/i7-12700kf.xml\n"
	"  ringscale topo --topology \"numa:2 core:8 pu:2\" --format json\n";

struct input {
	const char *topology, *kinds;
	enum format format;
};

static int set_option(int key, const char *value, void *data, struct error *e)
{
	struct input *input = data;

	switch (key) {
	case KEY_TOPOLOGY:
		input->topology = value;
		break;
	case KEY_KINDS:
		input->kinds = value;
		break;
	case KEY_FORMAT:
		return option_set_format(value, &input->format, e);
	default:
		break;
	}
	return 0;
}

int command_topo(int argc, char **argv)
{
	static const struct option_command command = {
		.summary = "Shows the cores, caches and nodes that threads can be put on, and what "
			   "is odd about them.",
		.examples = examples, .options = options, .set = set_option,
	};
	struct common_options common = { 0 };
	struct input input = { 0 };
	struct topology topology = { 0 };
	struct error e = ERROR_INIT;
	int status = 0;
	int rc;

	if (!options_parse(&command, argc, argv, &common, &input, &status))
		return status;
	rc = topology_load(&topology, input.topology, input.kinds, &e);
	if (!rc && input.format == FORMAT_JSON)
		rc = topo_print_json(&topology, &e);
	else if (!rc)
		rc = topo_print_text(&topology, options_use_color(&common, stdout), &e);
	if (rc)
		status = command_fail(argv[0], &e);
	topology_release(&topology);
	return status;
}
