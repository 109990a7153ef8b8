// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/lab.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vm/profile.h"

/* The work that init does before the command, and how it differs from boot to boot. */
#define PRIOR_WORK_STEP 7

/* One boot while it is being made. */
struct attempt {
	char initramfs[PATH_MAX + 32], device_tree[PATH_MAX + 32];
	char console[PATH_MAX + 32], transfer[PATH_MAX + 32], counts[PATH_MAX + 32];
	uint64_t hash;
	uint32_t seed;
	struct qemu_plan plan;
};

void lab_assign_roles(struct lab_kernel *kernels, size_t count)
{
	unsigned next = 0;

	for (size_t i = 0; i < count; i++) {
		size_t same = 0;

		while (same < i && strcmp(kernels[same].spec, kernels[i].spec))
			same++;
		if (same < i)
			strcpy(kernels[i].role, kernels[same].role);
		else if (next < 26)
			snprintf(kernels[i].role, sizeof(kernels[i].role), "%c", 'A' + (int)next++);
		else
			snprintf(kernels[i].role, sizeof(kernels[i].role), "K%u", ++next);
	}
}

char *lab_command_line(const struct lab *lab)
{
	char *text = NULL;

	if (asprintf(&text, "console=%s panic=-1 oops=panic quiet rdinit=/init%s%s%s%s",
		     qemu_console_port(lab->shape.arch),
		     lab->path_clock ? " ringscale.clock=path init_on_alloc=0 audit=0 "
				       "randomize_kstack_offset=off" : "",
		     lab->path_clock && !lab->perturb ? " nokaslr norandmaps" : "",
		     lab->append ? " " : "", lab->append ? lab->append : "") < 0)
		return NULL;
	return text;
}

/* The boots of one pass have the same work behind them: they are compared. */
static unsigned prior_work(const struct lab *lab, size_t index)
{
	return lab->perturb ? (unsigned)(index / lab->kernel_count + 1) * PRIOR_WORK_STEP : 0;
}

json_t *lab_describe(const struct lab *lab, const struct lab_boot *boot, const char *command_line,
		     uint64_t initramfs_hash, uint32_t seed)
{
	char hash[40], *reasons = strdup(boot->attempt_reasons), *rest = NULL;
	const struct vm_kernel *kernel = &boot->kernel->kernel;
	json_t *retried = json_array();

	snprintf(hash, sizeof(hash), "fnv1a64:%016llx", (unsigned long long)initramfs_hash);
	for (char *line = reasons ? strtok_r(reasons, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest))
		json_array_append_new(retried, json_string(line));
	free(reasons);
	return json_pack("{s:I, s:I, s:s, s:s, s:s?, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:b, s:b, "
			 "s:I, s:I, s:o}",
			 "boot", (json_int_t)boot->index + 1, "boots", (json_int_t)boot->count,
			 "role", boot->kernel->role, "kernel", kernel->name,
			 "package", kernel->package[0] ? kernel->package : NULL,
			 "shape", lab->shape.name, "clock", lab->path_clock ? "path" : "real",
			 "qemu", lab->qemu.version, "cpu_model", qemu_cpu_model(&lab->shape),
			 "command_line", command_line, "initramfs_hash", hash,
			 "seed", lab->path_clock ? json_integer(seed) : json_null(),
			 "perturbed", lab->perturb != 0, "profiled", lab->plugin != NULL,
			 "prior_work", (json_int_t)prior_work(lab, boot->index),
			 "retries", (json_int_t)boot->attempts - 1, "retried_because", retried);
}

static int prepare(const struct lab *lab, const struct guest_files *files,
		   const struct lab_boot *boot, const char *command_line, struct attempt *attempt,
		   struct error *e)
{
	struct guest guest = lab->guest;
	int result;

	guest.settle = lab->path_clock;
	guest.symbols = lab->plugin != NULL;
	guest.prior_work = prior_work(lab, boot->index);
	attempt->seed = lab->seed + (lab->perturb ? (uint32_t)boot->index : 0);
	snprintf(attempt->initramfs, sizeof(attempt->initramfs), "%s.initramfs", boot->prefix);
	snprintf(attempt->device_tree, sizeof(attempt->device_tree), "%s.dtb", boot->prefix);
	snprintf(attempt->console, sizeof(attempt->console), "%s.console", boot->prefix);
	snprintf(attempt->transfer, sizeof(attempt->transfer), "%s.transfer", boot->prefix);
	snprintf(attempt->counts, sizeof(attempt->counts), "%s.counts", boot->prefix);
	attempt->plan = (struct qemu_plan){
		.shape = &lab->shape, .qemu = &lab->qemu, .kernel = boot->kernel->kernel.path,
		.initramfs = attempt->initramfs, .command_line = command_line,
		.console = attempt->console, .transfer = attempt->transfer,
		.path_clock = lab->path_clock, .seed = attempt->seed,
		.plugin = lab->plugin, .counts = attempt->counts,
	};
	result = guest_write(&guest, files, attempt->initramfs, &attempt->hash, e);
	if (!result && lab->shape.capacity_count) {
		result = qemu_device_tree(lab->context, &attempt->plan, attempt->device_tree, e);
		attempt->plan.device_tree = attempt->device_tree;
	}
	return result;
}

/* An attempt that failed leaves its console under another name, and its reason. */
static void note_failure(struct lab_boot *boot, const struct attempt *attempt, const char *reason)
{
	char path[PATH_MAX + 64];
	size_t at = strlen(boot->attempt_reasons);

	snprintf(boot->attempt_reasons + at, sizeof(boot->attempt_reasons) - at, "%s%s",
		 at ? "\n" : "", reason);
	snprintf(path, sizeof(path), "%s.attempt%u.console", boot->prefix, boot->attempts);
	rename(attempt->console, path);
}

/* What came back into the lab's folder, with its profile where one is wanted. */
static int keep(const struct lab *lab, const struct guest_files *files, struct lab_boot *lab_boot,
		const char *command_line, const struct attempt *attempt,
		const struct transfer *transfer, struct error *e)
{
	json_t *about = lab_describe(lab, lab_boot, command_line, attempt->hash, attempt->seed);
	struct error failed = ERROR_INIT;
	json_t *profiles = NULL;
	int result;

	lab_boot->status = transfer->status;
	if (lab->plugin && profile_make(lab->context, files, transfer, attempt->counts,
					attempt->transfer, &profiles, &failed)) {
		if (failed.kind == ERROR_INTERRUPTED) {
			json_decref(about);
			return error_set(e, failed.kind, failed.code, "%s", failed.text);
		}
		snprintf(lab_boot->no_profile, sizeof(lab_boot->no_profile), "no profile: %s",
			 failed.text);
		lab_boot->status = exit_status_worse(lab_boot->status, 3);
	}
	result = about ? lab_keep(transfer, lab_boot, about, profiles, e)
		       : error_set(e, ERROR_FAILED, ENOMEM, "no memory for the results");
	json_decref(profiles);
	json_decref(about);
	return result;
}

static int try_boot(const struct lab *lab, const struct guest_files *files,
		    struct lab_boot *lab_boot, const char *command_line,
		    const struct attempt *attempt, const struct lab_listener *listener,
		    struct error *e)
{
	struct boot boot;
	int result;

	for (;;) {
		lab_boot->attempts++;
		listener->begins(listener->argument, lab_boot);
		result = boot_run(lab->context, &attempt->plan, &lab->limits, &boot, e);
		if (result || (boot.end != BOOT_OOPS && boot.end != BOOT_TORN) ||
		    lab_boot->attempts > lab->retries)
			break;
		note_failure(lab_boot, attempt, boot.reason);
		boot_free(&boot);
	}
	if (result)
		return result;
	lab_boot->end = boot.end;
	snprintf(lab_boot->reason, sizeof(lab_boot->reason), "%s", boot.reason);
	lab_boot->boot_s = (double)boot.boot_ns / 1e9;
	lab_boot->run_s = (double)boot.run_ns / 1e9;
	lab_boot->status = 1;
	if (boot.end == BOOT_INTERRUPTED) {
		result = error_set(e, ERROR_INTERRUPTED, EINTR,
				   "interrupted; what earlier boots measured is in '%s'", lab->out);
	} else if (boot.end == BOOT_WHOLE) {
		result = keep(lab, files, lab_boot, command_line, attempt, &boot.transfer, e);
	}
	boot_free(&boot);
	return result;
}

static json_t *describe_end(const struct lab *lab, const struct lab_boot *boot,
			    const char *command_line, const struct attempt *attempt)
{
	json_t *object = lab_describe(lab, boot, command_line, attempt->hash, attempt->seed);
	json_t *results = json_array();

	for (size_t i = 0; i < boot->result_count; i++)
		json_array_append_new(results, json_string(strrchr(boot->results[i], '/') + 1));
	json_object_set_new(object, "whole", json_boolean(boot->end == BOOT_WHOLE));
	json_object_set_new(object, "reason", boot->reason[0] ? json_string(boot->reason)
							      : json_null());
	json_object_set_new(object, "exit_status", boot->end == BOOT_WHOLE
			    ? json_integer(boot->status) : json_null());
	if (lab->plugin)
		json_object_set_new(object, "no_profile", boot->no_profile[0]
				    ? json_string(boot->no_profile) : json_null());
	json_object_set_new(object, "boot_s", json_real(boot->boot_s));
	json_object_set_new(object, "run_s", json_real(boot->run_s));
	json_object_set_new(object, "results", results);
	return object;
}

static int make_boot(const struct lab *lab, const struct guest_files *files,
		     const struct lab_listener *listener, struct lab_boot *boot, json_t *boots,
		     struct error *e)
{
	struct attempt *attempt = calloc(1, sizeof(*attempt));
	char *command_line = lab_command_line(lab);
	int result;

	boot->status = 1;
	snprintf(boot->prefix, sizeof(boot->prefix), "%s/%02zu-%s-%s", lab->out, boot->index + 1,
		 boot->kernel->role, boot->kernel->kernel.name);
	if (!attempt || !command_line) {
		result = error_set(e, ERROR_FAILED, ENOMEM, "no memory for a boot");
		goto out;
	}
	result = prepare(lab, files, boot, command_line, attempt, e);
	if (!result)
		result = try_boot(lab, files, boot, command_line, attempt, listener, e);
	remove(attempt->initramfs);
	remove(attempt->counts);
	remove(attempt->device_tree);
	json_array_append_new(boots, describe_end(lab, boot, command_line, attempt));
	if (!result)
		listener->ended(listener->argument, boot);
out:
	free(command_line);
	free(attempt);
	return result;
}

static int write_summary(const struct lab *lab, json_t *boots, struct error *e)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/lab.json", lab->out);
	if (json_dump_file(boots, path, JSON_INDENT(1)) < 0)
		return error_set(e, ERROR_FAILED, EIO, "cannot write '%s'", path);
	return 0;
}

int lab_run(const struct lab *lab, const struct lab_listener *listener, int *status,
	    struct error *e)
{
	size_t count = lab->kernel_count * (lab->perturb ? lab->perturb : 1);
	struct guest_files *files = NULL;
	struct error writing = ERROR_INIT;
	json_t *boots = json_array();
	int result = guest_files_find(lab->context, &lab->guest, &files, e);

	*status = 0;
	if (result) {
		json_decref(boots);
		guest_files_free(files);
		return result;
	}
	for (size_t i = 0; i < count && !result; i++) {
		struct lab_boot boot = {
			.index = i, .count = count, .kernel = &lab->kernels[i % lab->kernel_count],
		};

		result = make_boot(lab, files, listener, &boot, boots, e);
		*status = exit_status_worse(*status, boot.status);
		free(boot.output);
		free(boot.errors);
		free(boot.results);
	}
	if (write_summary(lab, boots, &writing) && !result)
		result = error_set(e, writing.kind, writing.code, "%s", writing.text);
	json_decref(boots);
	guest_files_free(files);
	return result;
}
