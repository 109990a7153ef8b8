// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/vm_request.h"

#include <errno.h>

#include "base/list.h"
#include "commands/options.h"

#define LIMIT_MAX_NS 86400000000000

enum {
	KEY_KERNEL = OPTION_OWN, KEY_SHAPE, KEY_CLOCK, KEY_PERTURB, KEY_OUT, KEY_BOOT_LIMIT,
	KEY_RUN_LIMIT, KEY_RETRIES, KEY_FETCH, KEY_SETUP, KEY_APPEND, KEY_PROGRAM, KEY_SYSROOT,
	KEY_SEED, KEY_PROFILE, KEY_PLUGIN,
};

const struct argp_option vm_options[] = {
	{ NULL, 0, NULL, 0, "What is booted:", 1 },
	{ "kernel", KEY_KERNEL, "A[,B,A]", 0,
	  "kernels, a fresh boot each in this order: 6.12, sid, a package's name, or a file", 1 },
	{ "shape", KEY_SHAPE, "NAME|FILE", 0,
	  "the guest's machine (default smp2, one vCPU with --clock path)", 1 },
	{ "append", KEY_APPEND, "TEXT", 0, "more kernel parameters", 1 },
	{ "setup", KEY_SETUP, "FILE", 0,
	  "shell script that the guest reads before the command", 1 },
	{ "program", KEY_PROGRAM, "FILE", 0, "the program for the guest (default this one)", 1 },
	{ "sysroot", KEY_SYSROOT, "DIR", 0, "where that program's libraries are", 1 },
	{ NULL, 0, NULL, 0, "How:", 2 },
	{ "clock", KEY_CLOCK, "CLOCK", 0,
	  "real (emulated time), or path: instructions, inline only (default real)", 2 },
	{ "perturb", KEY_PERTURB, "N", 0,
	  "with --clock path: boot everything N times, laid out differently", 2 },
	{ "seed", KEY_SEED, "N", 0, "with --clock path: seed of the guest's random numbers "
	  "(default 1)", 2 },
	{ "profile", KEY_PROFILE, NULL, 0,
	  "with --clock path: count instructions and calls by function; see report, compare", 2 },
	{ "plugin", KEY_PLUGIN, "FILE", 0,
	  "what QEMU loads for --profile (default the one built with this program)", 2 },
	{ "boot-limit", KEY_BOOT_LIMIT, "TIME", 0, "longest way to init (default 60s)", 2 },
	{ "run-limit", KEY_RUN_LIMIT, "TIME", 0, "longest run from there on (default 600s)", 2 },
	{ "retries", KEY_RETRIES, "N", 0,
	  "further attempts when a guest's kernel is lost (default 2)", 2 },
	{ "out", KEY_OUT, "DIR", 0,
	  "folder for the results, must not exist (default ringscale-vm-UTC-PID)", 2 },
	{ NULL, 0, NULL, 0, "Instead:", 3 },
	{ "fetch", KEY_FETCH, "SPEC,...", 0,
	  "only bring these into the cache: kernels as above, qemu (a newer one), sysroot (of "
	  "arm64)", 3 },
	{ 0 }
};

const char vm_examples[] =
	"  ringscale vm --fetch 6.12,sid,qemu\n"
	"  ringscale vm --kernel 6.12 --shape numa2 -- topo\n"
	"  ringscale vm --kernel 6.12,sid,6.12 -- run --preset f0\n"
	"  ringscale vm --kernel 6.12,sid --clock path -- run --preset f0-paced\n"
	"  ringscale vm --kernel 6.12,sid --clock path --profile -- run --preset f0\n";

static int set_path(const char *option, const char *value, const char **where, struct error *e)
{
	if (!*value)
		return error_set(e, ERROR_USAGE, EINVAL, "%s \"\": is empty", option);
	*where = value;
	return 0;
}

static int set_number(struct vm_request *request, int key, const char *value, struct error *e)
{
	int64_t number;
	int result;

	if (key == KEY_PERTURB) {
		result = list_parse_count("--perturb", value, 1, VM_BOOTS_MAX, &number, e);
		request->perturb_given = true;
		if (!result)
			request->lab.perturb = (unsigned)number;
	} else if (key == KEY_SEED) {
		result = list_parse_count("--seed", value, 1, 4000000000, &number, e);
		request->seed_given = true;
		if (!result)
			request->lab.seed = (uint32_t)number;
	} else {
		result = list_parse_count("--retries", value, 0, 10, &number, e);
		if (!result)
			request->lab.retries = (unsigned)number;
	}
	return result;
}

static int set_limit(const char *option, const char *value, int64_t *limit_ns, struct error *e)
{
	int result = list_parse_time(option, value, LIMIT_MAX_NS, limit_ns, e);

	if (!result && !*limit_ns)
		result = error_set(e, ERROR_USAGE, EINVAL, "%s %s: must be above 0", option,
				   list_quote(value).text);
	return result;
}

int vm_set_option(int key, const char *value, void *input, struct error *e)
{
	static const char *const clocks[] = { "real", "path", NULL };
	struct vm_request *request = input;
	size_t index;
	int result;

	switch (key) {
	case KEY_KERNEL:
		return set_path("--kernel", value, &request->kernels, e);
	case KEY_SHAPE:
		return set_path("--shape", value, &request->shape, e);
	case KEY_OUT:
		return set_path("--out", value, &request->out, e);
	case KEY_FETCH:
		return set_path("--fetch", value, &request->fetch, e);
	case KEY_SETUP:
		return set_path("--setup", value, &request->lab.guest.setup, e);
	case KEY_PROGRAM:
		return set_path("--program", value, &request->lab.guest.program, e);
	case KEY_SYSROOT:
		return set_path("--sysroot", value, &request->lab.guest.sysroot, e);
	case KEY_PLUGIN:
		return set_path("--plugin", value, &request->plugin, e);
	case KEY_PROFILE:
		request->profile = true;
		return 0;
	case KEY_APPEND:
		return set_path("--append", value, &request->lab.append, e);
	case KEY_BOOT_LIMIT:
		return set_limit("--boot-limit", value, &request->lab.limits.boot_ns, e);
	case KEY_RUN_LIMIT:
		return set_limit("--run-limit", value, &request->lab.limits.run_ns, e);
	case KEY_CLOCK:
		result = list_parse_name("--clock", value, clocks, &index, e);
		request->lab.path_clock = !result && index == 1;
		return result;
	default:
		return set_number(request, key, value, e);
	}
}
