// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "vm/qemu.h"
#include "vm/shape.h"

static void two_packages_with_smt_and_a_node_without_pus(void **state)
{
	static const char text[] =
		"# comment\n"
		"arch x86_64\nsockets 2\ncores 4 # of a die\nthreads 2\r\n"
		"node pus 0-7 memory 768\n"
		"node memory 768 pus 8-11,12-15\n"
		"node pus none memory 256\n"
		"distance 0 1 21\ndistance 2 0 28\ndistance 1 2 28";
	struct error e = ERROR_INIT;
	struct vm_shape shape;

	(void)state;
	assert_int_equal(shape_parse(&shape, "numa2", text, &e), 0);
	assert_string_equal(shape.name, "numa2");
	assert_int_equal(shape.arch, VM_X86_64);
	assert_int_equal(shape_pus(&shape), 16);
	assert_int_equal(shape.memory_mib, 1792);
	assert_int_equal(shape.node_count, 3);
	assert_true(shape.nodes[0].pus[7] && !shape.nodes[0].pus[8]);
	assert_true(shape.nodes[1].pus[8] && shape.nodes[1].pus[15]);
	for (int pu = 0; pu < VM_PUS_MAX; pu++)
		assert_false(shape.nodes[2].pus[pu]);
	assert_int_equal(shape.distance[0][2], 28);
	assert_int_equal(shape.distance[1][0], 21);
}

static void capacities_of_arm(void **state)
{
	struct error e = ERROR_INIT;
	struct vm_shape shape;

	(void)state;
	assert_int_equal(shape_parse(&shape, "a", "arch arm64\ncores 3\ncapacity 446 871 1024\n",
				     &e), 0);
	assert_int_equal(shape.capacity_count, 3);
	assert_int_equal(shape.capacity[2], 1024);
	assert_int_equal(shape.memory_mib, 1024);
}

static void what_contradicts_itself_is_refused_with_the_reason(void **state)
{
	static const struct {
		const char *text, *reason;
	} cases[] = {
		{ "cores 2\nnode pus 0 memory 512\n", "PU 1 is in 0 nodes" },
		{ "cores 2\nnode pus 0-1 memory 512\nnode pus 1 memory 512\n", "PU 1 is in 2 nodes" },
		{ "cores 2\nnode pus 0-2 memory 512\n", "PU 2 is in a node, but there are only 2" },
		{ "memory 512\nnode pus 0 memory 256\n", "memory is 512" },
		{ "node pus 0 memory 512\ndistance 0 1 20\n", "distance to node 1" },
		{ "cores 2\nnode pus 0 memory 256\nnode pus 1 memory 256\nnode pus none memory 64\n"
		  "distance 0 1 20\n", "1 of 3 distances" },
		{ "distance 1 1 20\n", "between two nodes" },
		{ "distance 0 1 10\n", "between two nodes" },
		{ "distance 0 1 20\ndistance 1 0 21\n", "given already" },
		{ "arch x86_64\ncapacity 1024\n", "capacity is of arm64 alone" },
		{ "arch arm64\ncores 2\ncapacity 1024\n", "1 capacities for 2 PUs" },
		{ "arch arm64\ndies 2\n", "dies are of x86_64 alone" },
		{ "arch mips\n", "\"mips\"" },
		{ "arch\n", "arch must be" },
		{ "cores 0\n", "line 1: cores \"0\"" },
		{ "cores\n", "cores needs a number" },
		{ "cores 2 3\n", "does not expect \"3\"" },
		{ "cores 2\n\ncores 2\n", "line 3: given twice" },
		{ "sockets 8\ncores 64\n", "512 PUs" },
		{ "memory 64\n", "64 MiB of memory" },
		{ "colour red\n", "unknown key \"colour\"" },
		{ "node pus 0\n", "both pus and memory" },
		{ "node pus 3-1 memory 128\n", "no list of PUs" },
		{ "node pus 0, memory 128\n", "no list of PUs" },
		{ "node pus -1 memory 128\n", "no list of PUs" },
		{ "node pus 0-999 memory 128\n", "no list of PUs" },
		{ "node pus 0 memory 128 size 3\n", "does not expect \"size\"" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct error e = ERROR_INIT;
		struct vm_shape shape;

		assert_true(shape_parse(&shape, "broken", cases[i].text, &e) < 0);
		assert_int_equal(e.kind, ERROR_USAGE);
		assert_non_null(strstr(e.text, "'broken'"));
		if (!strstr(e.text, cases[i].reason))
			fail_msg("case %zu: no \"%s\" in: %s", i, cases[i].reason, e.text);
	}
}

static struct qemu_plan plan_of(const struct vm_shape *shape, const struct vm_qemu *qemu)
{
	return (struct qemu_plan){
		.shape = shape, .qemu = qemu, .kernel = "/k", .initramfs = "/i",
		.command_line = "console=ttyS0 quiet", .console = "/o,ut/c", .transfer = "/t",
	};
}

static bool has(const struct qemu_arguments *arguments, const char *option, const char *value)
{
	for (size_t i = 0; i < arguments->count; i++)
		if (!strcmp(arguments->argv[i], option) &&
		    (!value || (i + 1 < arguments->count &&
				!strcmp(arguments->argv[i + 1], value))))
			return true;
	return false;
}

static void arguments_of_numa(void **state)
{
	static const char text[] = "sockets 2\ncores 2\nnode pus 0,2 memory 128\n"
				   "node pus 1,3 memory 128\nnode pus none memory 64\n"
				   "distance 0 1 21\ndistance 0 2 28\ndistance 1 2 28\n";
	struct vm_qemu qemu = { .program = "qemu-system-x86_64" };
	struct qemu_arguments arguments = { 0 };
	struct error e = ERROR_INIT;
	struct vm_shape shape;
	struct qemu_plan plan = plan_of(&shape, &qemu);

	(void)state;
	assert_int_equal(shape_parse(&shape, "s", text, &e), 0);
	assert_int_equal(qemu_build(&plan, &arguments), 0);
	assert_string_equal(arguments.argv[0], "qemu-system-x86_64");
	assert_null(arguments.argv[arguments.count]);
	assert_true(has(&arguments, "-smp", "cpus=4,sockets=2,dies=1,cores=2,threads=1"));
	assert_true(has(&arguments, "-m", "320M"));
	assert_true(has(&arguments, "-numa", "node,nodeid=0,memdev=memory0,cpus=0-0,cpus=2-2"));
	assert_true(has(&arguments, "-numa", "node,nodeid=2,memdev=memory2"));
	assert_true(has(&arguments, "-numa", "dist,src=2,dst=0,val=28"));
	assert_true(has(&arguments, "-object", "memory-backend-ram,id=memory2,size=64M"));
	/* A comma would end the path. */
	assert_true(has(&arguments, "-chardev", "file,id=console,path=/o,,ut/c"));
	assert_true(has(&arguments, "-serial", "chardev:transfer"));
	assert_true(has(&arguments, "-append", "console=ttyS0 quiet"));
	assert_true(has(&arguments, "-accel", "tcg"));
	assert_false(has(&arguments, "-icount", NULL));
	assert_false(has(&arguments, "-L", NULL));
	qemu_arguments_free(&arguments);
}

static void arguments_of_a_clock_that_counts(void **state)
{
	struct vm_qemu qemu = { .program = "/c/qemu/usr/bin/q", .data = "/c/qemu/usr/share" };
	struct qemu_arguments arguments = { 0 };
	struct vm_shape shape;
	struct qemu_plan plan = plan_of(&shape, &qemu);

	(void)state;
	shape_single(&shape);
	shape.arch = VM_X86_64;
	plan.path_clock = true;
	plan.seed = 7;
	assert_int_equal(qemu_build(&plan, &arguments), 0);
	assert_true(has(&arguments, "-icount", "shift=0,sleep=off"));
	assert_true(has(&arguments, "-seed", "7"));
	assert_true(has(&arguments, "-cpu", "max,-cx16"));
	assert_true(has(&arguments, "-L", "/c/qemu/usr/share/qemu"));
	assert_true(has(&arguments, "-rtc", "base=2026-01-01T00:00:00,clock=vm"));
	qemu_arguments_free(&arguments);
}

static void arguments_of_arm(void **state)
{
	struct vm_qemu qemu = { .program = "q" };
	struct qemu_arguments arguments = { 0 };
	struct vm_shape shape;
	struct qemu_plan plan = plan_of(&shape, &qemu);

	(void)state;
	shape_single(&shape);
	shape.arch = VM_ARM64;
	plan.device_tree = "/d";
	assert_int_equal(qemu_build(&plan, &arguments), 0);
	assert_true(has(&arguments, "-machine", "virt,gic-version=3"));
	assert_true(has(&arguments, "-device", "pci-serial,chardev=transfer"));
	assert_true(has(&arguments, "-smp", "cpus=1,sockets=1,cores=1,threads=1"));
	assert_true(has(&arguments, "-dtb", "/d"));
	qemu_arguments_free(&arguments);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_packages_with_smt_and_a_node_without_pus),
		cmocka_unit_test(capacities_of_arm),
		cmocka_unit_test(what_contradicts_itself_is_refused_with_the_reason),
		cmocka_unit_test(arguments_of_numa),
		cmocka_unit_test(arguments_of_a_clock_that_counts),
		cmocka_unit_test(arguments_of_arm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
