// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/qemu.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *qemu_cpu_model(const struct vm_shape *shape)
{
	if (shape->arch == VM_ARM64)
		return "cortex-a72";
	/* AMD's way of describing caches is not emulated: siblings would not share an L2. */
	return shape_pus(shape) > 1 ? "max,-cx16,vendor=GenuineIntel" : "max,-cx16";
}

/* arm64 has one port of its own; another comes on the PCI bus. */
const char *qemu_transfer_port(enum vm_arch arch)
{
	return arch == VM_X86_64 ? "ttyS1" : "ttyS0";
}

const char *qemu_console_port(enum vm_arch arch)
{
	return arch == VM_X86_64 ? "ttyS0" : "ttyAMA0";
}

static void add(struct qemu_arguments *arguments, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void add(struct qemu_arguments *arguments, const char *format, ...)
{
	char **argv = realloc(arguments->argv, (arguments->count + 2) * sizeof(*argv));
	char *text = NULL;
	va_list list;

	va_start(list, format);
	if (vasprintf(&text, format, list) < 0)
		text = NULL;
	va_end(list);
	if (argv)
		arguments->argv = argv;
	if (!argv || !text) {
		free(text);
		arguments->failed = true;
		return;
	}
	argv[arguments->count++] = text;
	argv[arguments->count] = NULL;
}

char *qemu_value(const char *text)
{
	char *value = malloc(2 * strlen(text) + 1), *to = value;

	for (; value && *text; text++) {
		*to++ = *text;
		if (*text == ',')
			*to++ = ',';
	}
	if (value)
		*to = '\0';
	return value;
}

static void add_file(struct qemu_arguments *arguments, const char *id, const char *path)
{
	char *value = qemu_value(path);

	add(arguments, "-chardev");
	add(arguments, "file,id=%s,path=%s", id, value ? value : "");
	arguments->failed = arguments->failed || !value;
	free(value);
}

static void add_plugin(struct qemu_arguments *arguments, const struct qemu_plan *plan)
{
	char *plugin = qemu_value(plan->plugin), *counts = qemu_value(plan->counts);

	add(arguments, "-plugin");
	add(arguments, "file=%s,out=%s", plugin ? plugin : "", counts ? counts : "");
	arguments->failed = arguments->failed || !plugin || !counts;
	free(plugin);
	free(counts);
}

static void add_node(struct qemu_arguments *arguments, const struct vm_shape *shape, unsigned n)
{
	const struct vm_node *node = &shape->nodes[n];
	unsigned pus = shape_pus(shape);
	char text[2048] = "";

	for (unsigned from = 0; from < pus; from++) {
		size_t at = strlen(text);
		unsigned to = from;

		if (!node->pus[from])
			continue;
		while (to + 1 < pus && node->pus[to + 1])
			to++;
		snprintf(text + at, sizeof(text) - at, ",cpus=%u-%u", from, to);
		from = to;
	}
	add(arguments, "-object");
	add(arguments, "memory-backend-ram,id=memory%u,size=%uM", n, node->memory_mib);
	add(arguments, "-numa");
	add(arguments, "node,nodeid=%u,memdev=memory%u%s", n, n, text);
}

static void add_numa(struct qemu_arguments *arguments, const struct vm_shape *shape)
{
	for (unsigned n = 0; n < shape->node_count; n++)
		add_node(arguments, shape, n);
	for (unsigned a = 0; a < shape->node_count; a++) {
		for (unsigned b = 0; b < shape->node_count; b++) {
			if (!shape->distance[a][b])
				continue;
			add(arguments, "-numa");
			add(arguments, "dist,src=%u,dst=%u,val=%u", a, b, shape->distance[a][b]);
		}
	}
}

static void add_machine(struct qemu_arguments *arguments, const struct qemu_plan *plan)
{
	const struct vm_shape *shape = plan->shape;
	bool x86 = shape->arch == VM_X86_64;

	add(arguments, "-machine");
	add(arguments, "%s", x86 ? "pc" : "virt,gic-version=3");
	add(arguments, "-accel");
	add(arguments, "tcg");
	add(arguments, "-cpu");
	add(arguments, "%s", qemu_cpu_model(shape));
	add(arguments, "-smp");
	if (x86)
		add(arguments, "cpus=%u,sockets=%u,dies=%u,cores=%u,threads=%u", shape_pus(shape),
		    shape->sockets, shape->dies, shape->cores, shape->threads);
	else
		add(arguments, "cpus=%u,sockets=%u,cores=%u,threads=%u", shape_pus(shape),
		    shape->sockets, shape->cores, shape->threads);
	add(arguments, "-m");
	add(arguments, "%uM", shape->memory_mib);
	add_numa(arguments, shape);
}

int qemu_build(const struct qemu_plan *plan, struct qemu_arguments *arguments)
{
	const struct vm_qemu *qemu = plan->qemu;
	bool x86 = plan->shape->arch == VM_X86_64;

	add(arguments, "%s", qemu->program);
	if (qemu->data[0]) {
		add(arguments, "-L");
		add(arguments, "%s/qemu", qemu->data);
		add(arguments, "-L");
		add(arguments, "%s/seabios", qemu->data);
	}
	add(arguments, "-nodefaults");
	add(arguments, "-no-user-config");
	add(arguments, "-no-reboot");
	add(arguments, "-display");
	add(arguments, "none");
	add_machine(arguments, plan);
	add_file(arguments, "console", plan->console);
	add_file(arguments, "transfer", plan->transfer);
	add(arguments, "-serial");
	add(arguments, "chardev:console");
	add(arguments, x86 ? "-serial" : "-device");
	add(arguments, x86 ? "chardev:transfer" : "pci-serial,chardev=transfer");
	if (plan->path_clock) {
		add(arguments, "-icount");
		add(arguments, "shift=0,sleep=off");
		add(arguments, "-rtc");
		add(arguments, "base=2026-01-01T00:00:00,clock=vm");
		add(arguments, "-seed");
		add(arguments, "%u", plan->seed);
	}
	if (plan->plugin)
		add_plugin(arguments, plan);
	add(arguments, "-kernel");
	add(arguments, "%s", plan->kernel);
	add(arguments, "-initrd");
	add(arguments, "%s", plan->initramfs);
	if (plan->device_tree) {
		add(arguments, "-dtb");
		add(arguments, "%s", plan->device_tree);
	}
	add(arguments, "-append");
	add(arguments, "%s", plan->command_line);
	return arguments->failed ? -ENOMEM : 0;
}

void qemu_arguments_free(struct qemu_arguments *arguments)
{
	for (size_t i = 0; i < arguments->count; i++)
		free(arguments->argv[i]);
	free(arguments->argv);
	memset(arguments, 0, sizeof(*arguments));
}
