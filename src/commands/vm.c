// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/list.h"
#include "commands/options.h"
#include "commands/vm_print.h"
#include "commands/vm_request.h"
#include "engine/interrupt.h"
#include "vm/profile.h"
#include "vm/sysroot.h"

/* All that one `ringscale vm` holds. */
struct vm {
	struct common_options common;
	const char *name;
	struct vm_request request;
	struct vm_context context;
	struct interrupt interrupt;
	struct text_list specs;
	char **command;		/* what follows "--", with a seed where one is needed */
	char plugin[PATH_MAX];
	char default_out[80];
	struct spread spread;
};

/* The value of an option of the guest's command line, or NULL. */
static const char *guest_option(char *const *command, const char *name)
{
	size_t length = strlen(name);

	for (; *command; command++) {
		if (!strcmp(*command, name))
			return command[1] ? command[1] : "";
		if (!strncmp(*command, name, length) && (*command)[length] == '=')
			return *command + length + 1;
	}
	return NULL;
}

/* What can be refused is refused here, before anything is fetched or booted. */
static int check_path_clock(const struct vm *vm, struct error *e)
{
	const char *reap = guest_option(vm->command, "--reap");
	unsigned pus = shape_pus(&vm->request.lab.shape);

	if (!vm->request.lab.path_clock) {
		const char *name = vm->request.perturb_given ? "--perturb"
				 : vm->request.seed_given ? "--seed"
				 : vm->request.profile ? "--profile" : NULL;

		return name ? error_set(e, ERROR_USAGE, EINVAL, "%s: goes with --clock path only",
					name) : 0;
	}
	if (vm->request.profile && strcmp(vm->command[0], "run"))
		return error_set(e, ERROR_USAGE, EINVAL,
				 "--profile: needs something to measure; give run behind --, not %s",
				 list_quote(vm->command[0]).text);
	if (pus != 1)
		return error_set(e, ERROR_USAGE, EINVAL,
				 "--clock path: needs a shape of one vCPU, --shape %s has %u",
				 list_quote(vm->request.lab.shape.name).text, pus);
	if (reap && strcmp(reap, "inline"))
		return error_set(e, ERROR_USAGE, EINVAL,
				 "--reap %s: with --clock path only inline means anything; two "
				 "threads on one vCPU wait for each other", list_quote(reap).text);
	if (guest_option(vm->command, "--oversubscribe"))
		return error_set(e, ERROR_USAGE, EINVAL,
				 "--oversubscribe: not with --clock path, where only inline means "
				 "anything");
	return 0;
}

static int check_command(const struct vm *vm, struct error *e)
{
	if (!vm->command || !vm->command[0])
		return error_set(e, ERROR_USAGE, EINVAL,
				 "no command for the guest; give one behind --, as in -- run");
	if (!strcmp(vm->command[0], "vm"))
		return error_set(e, ERROR_USAGE, EINVAL,
				 "vm: a guest boots no guests; give another command behind --");
	return 0;
}

/* Random numbers of a boot that is to be like another must not come from a clock. */
static int copy_command(struct vm *vm, int argc, char **argv, struct error *e)
{
	size_t count = (size_t)argc;
	bool seed;

	vm->command = calloc(count + 3, sizeof(*vm->command));
	if (!vm->command)
		return error_set(e, ERROR_FAILED, ENOMEM, "no memory for the command line");
	if (count)
		memcpy(vm->command, argv, count * sizeof(*argv));
	seed = vm->request.lab.path_clock && count && !strcmp(vm->command[0], "run") &&
	       !guest_option(vm->command, "--seed");
	if (seed) {
		vm->command[count++] = (char *)"--seed";
		vm->command[count++] = (char *)"1";
	}
	vm->request.lab.guest.command = vm->command;
	return 0;
}

static int check_readable(const char *option, const char *path, struct error *e)
{
	struct stat stat_buffer;

	if (!path)
		return 0;
	if (access(path, R_OK) < 0)
		return error_set(e, ERROR_USAGE, errno, "%s %s: %s", option, list_quote(path).text,
				 strerror(errno));
	if (!stat(path, &stat_buffer) && !S_ISREG(stat_buffer.st_mode))
		return error_set(e, ERROR_USAGE, EINVAL, "%s %s: is not a file", option,
				 list_quote(path).text);
	return 0;
}

static int load_shape(struct vm *vm, struct error *e)
{
	int result = 0;

	if (vm->request.shape)
		result = shape_load(&vm->request.lab.shape, vm->request.shape, e);
	else if (vm->request.lab.path_clock || vm->request.fetch)
		shape_single(&vm->request.lab.shape);
	else
		result = shape_load(&vm->request.lab.shape, "smp2", e);
	vm->request.lab.guest.arch = vm->request.lab.shape.arch;
	return result;
}

static int check_out(struct vm *vm, struct error *e)
{
	struct stat stat_buffer;
	time_t now = time(NULL);
	struct tm calendar;
	char utc[24];

	if (!vm->request.out) {
		gmtime_r(&now, &calendar);
		strftime(utc, sizeof(utc), "%Y%m%dT%H%M%SZ", &calendar);
		snprintf(vm->default_out, sizeof(vm->default_out), "ringscale-vm-%s-%d", utc,
			 (int)getpid());
		vm->request.out = vm->default_out;
	}
	vm->request.lab.out = vm->request.out;
	if (!lstat(vm->request.out, &stat_buffer))
		return error_set(e, ERROR_USAGE, EEXIST,
				 "--out %s: exists; results are never mixed, give another name",
				 list_quote(vm->request.out).text);
	return 0;
}

/* Made only when everything else is there, so that no empty folder is left by a refusal. */
static int make_out(const struct vm *vm, struct error *e)
{
	if (!mkdir(vm->request.out, 0777))
		return 0;
	return error_set(e, errno == ENOENT || errno == EEXIST ? ERROR_USAGE : ERROR_FAILED, errno,
			 "--out %s: %s", list_quote(vm->request.out).text, strerror(errno));
}

static int list_kernels(struct vm *vm, struct error *e)
{
	struct lab *lab = &vm->request.lab;
	int result = text_list_parse("--kernel", vm->request.kernels, &vm->specs, e);

	if (result)
		return result;
	if (vm->specs.count * (lab->perturb ? lab->perturb : 1) > VM_BOOTS_MAX)
		return error_set(e, ERROR_USAGE, EINVAL, "--kernel: %zu boots; at most %d",
				 vm->specs.count * (lab->perturb ? lab->perturb : 1), VM_BOOTS_MAX);
	lab->kernels = calloc(vm->specs.count, sizeof(*lab->kernels));
	if (!lab->kernels)
		return error_set(e, ERROR_FAILED, ENOMEM, "no memory for kernels");
	lab->kernel_count = vm->specs.count;
	for (size_t i = 0; i < vm->specs.count; i++)
		lab->kernels[i].spec = vm->specs.items[i];
	lab_assign_roles(lab->kernels, lab->kernel_count);
	return 0;
}

static int find_kernels(struct vm *vm, struct error *e)
{
	struct lab *lab = &vm->request.lab;
	int result = 0;

	for (size_t i = 0; i < lab->kernel_count && !result; i++)
		result = kernel_find(lab->context, lab->kernels[i].spec, lab->shape.arch,
				     &lab->kernels[i].kernel, e);
	return result;
}

static int fetch_all(struct vm *vm, struct error *e)
{
	int result = text_list_parse("--fetch", vm->request.fetch, &vm->specs, e);

	for (size_t i = 0; i < vm->specs.count && !result; i++) {
		const char *spec = vm->specs.items[i];
		struct vm_kernel kernel;

		if (!strcmp(spec, "qemu")) {
			result = qemu_fetch(&vm->context, e);
		} else if (!strcmp(spec, "sysroot")) {
			result = sysroot_fetch(&vm->context, VM_ARM64, e);
		} else {
			result = kernel_find(&vm->context, spec, vm->request.lab.shape.arch,
					     &kernel, e);
			if (!result)
				printf("%s\t%s\n", kernel.name, kernel.path);
		}
	}
	return result;
}

/* A plugin that cannot be had costs the profile, not the measurement. */
static int find_plugin(struct vm *vm, int *missing, struct error *e)
{
	struct error why = ERROR_INIT;
	int result;

	*missing = 0;
	if (!vm->request.profile)
		return 0;
	result = profile_find_plugin(&vm->context, &vm->request.lab.qemu, vm->request.plugin,
				     vm->plugin, sizeof(vm->plugin), &why);
	if (result && why.kind == ERROR_INTERRUPTED)
		return error_set(e, why.kind, why.code, "%s", why.text);
	if (result)
		*missing = command_fail(vm->name, &why);
	else
		vm->request.lab.plugin = vm->plugin;
	return 0;
}

static int run_lab(struct vm *vm, int *status, struct error *e)
{
	struct lab *lab = &vm->request.lab;
	struct vm_print print = { .common = &vm->common, .lab = lab, .spread = &vm->spread };
	struct lab_listener listener = {
		.begins = vm_print_begins, .ended = vm_print_ended, .argument = &print,
	};
	int missing = 0, result = list_kernels(vm, e);

	if (!result)
		result = check_readable("--setup", vm->request.lab.guest.setup, e);
	if (!result)
		result = check_readable("--program", vm->request.lab.guest.program, e);
	if (!result)
		result = check_out(vm, e);
	if (!result)
		result = qemu_find(&vm->context, lab->shape.arch, &lab->qemu, e);
	if (!result)
		result = find_plugin(vm, &missing, e);
	if (!result)
		result = find_kernels(vm, e);
	if (!result)
		result = make_out(vm, e);
	if (result)
		return result;
	result = lab_run(&vm->request.lab, &listener, status, e);
	*status = exit_status_worse(*status, missing);
	vm_print_summary(&print);
	/* A folder in which nothing came to be is not left behind. */
	rmdir(vm->request.out);
	return result;
}

static int work(struct vm *vm, int guest_argc, char **guest_argv, int *status, struct error *e)
{
	int result = load_shape(vm, e);

	if (!result)
		result = vm_context_init(&vm->context, e);
	if (result || vm->request.fetch)
		return result ? result : fetch_all(vm, e);
	result = copy_command(vm, guest_argc, guest_argv, e);
	if (!result && !vm->request.kernels)
		result = error_set(e, ERROR_USAGE, EINVAL,
				   "no kernel given; --kernel 6.12, for example, or a file");
	if (!result)
		result = check_command(vm, e);
	if (!result)
		result = check_path_clock(vm, e);
	return result ? result : run_lab(vm, status, e);
}

static void vm_release(struct vm *vm)
{
	text_list_free(&vm->specs);
	free(vm->request.lab.kernels);
	free(vm->command);
	spread_free(&vm->spread);
}

static void say(void *argument, const char *text)
{
	const struct vm *vm = argument;

	if (!vm->common.quiet)
		fprintf(stderr, "%s\n", text);
}

int command_vm(int argc, char **argv)
{
	static const struct option_command command = {
		.summary = "Boot kernels in fresh emulated machines, run a ringscale command "
			   "line in each (behind --) and bring the results back.",
		.examples = vm_examples, .options = vm_options, .set = vm_set_option,
	};
	struct vm vm = {
		.name = argv[0],
		.interrupt.fd = -1,
		.request.lab = { .retries = 2, .seed = 1,
				 .limits = { .boot_ns = 60000000000, .run_ns = 600000000000 } },
	};
	struct error e = ERROR_INIT;
	int own = 1, status = 0, result;

	while (own < argc && strcmp(argv[own], "--"))
		own++;
	if (!options_parse(&command, own, argv, &vm.common, &vm.request, &status))
		return status;
	if (interrupt_open(&vm.interrupt))
		return command_fail(vm.name, &(struct error){ .kind = ERROR_FAILED,
				    .text = "cannot receive signals" });
	vm.request.lab.context = &vm.context;
	vm.context.interrupt_fd = vm.interrupt.fd;
	vm.context.say = say;
	vm.context.argument = &vm;
	result = work(&vm, own < argc ? argc - own - 1 : 0, argv + (own < argc ? own + 1 : own),
		      &status, &e);
	if (result)
		status = exit_status_worse(status, command_fail(vm.name, &e));
	interrupt_close(&vm.interrupt);
	vm_release(&vm);
	return status;
}
