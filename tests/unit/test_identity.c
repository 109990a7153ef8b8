// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "machine/files.h"
#include "machine/identity.h"

/* A folder that stands for "/" of another machine. */
struct machine_root {
	char path[64];
	json_t *identity;
};

static void put(const struct machine_root *root, const char *path, const char *text)
{
	char full[512];
	FILE *file;

	snprintf(full, sizeof(full), "%s%s", root->path, path);
	for (char *slash = full + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(full, 0777);
		*slash = '/';
	}
	file = fopen(full, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static const json_t *look(struct machine_root *root, const char *key)
{
	json_decref(root->identity);
	root->identity = identity_describe_under(root->path);
	assert_non_null(root->identity);
	assert_non_null(json_object_get(root->identity, key));
	return json_object_get(root->identity, key);
}

static void text_is(struct machine_root *root, const char *key, const char *expected)
{
	const json_t *value = look(root, key);

	if (!expected)
		assert_true(json_is_null(value));
	else
		assert_string_equal(json_string_value(value), expected);
}

static int set_up(void **state)
{
	struct machine_root *root = calloc(1, sizeof(*root));

	strcpy(root->path, "/tmp/ringscale-test-XXXXXX");
	*state = root;
	return mkdtemp(root->path) ? 0 : -1;
}

static int drop(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static int tear_down(void **state)
{
	struct machine_root *root = *state;
	int result = nftw(root->path, drop, 8, FTW_DEPTH | FTW_PHYS);

	json_decref(root->identity);
	free(root);
	return result;
}

static void put_config(const struct machine_root *root, const char *text)
{
	struct utsname name;
	char path[256];

	uname(&name);
	snprintf(path, sizeof(path), "/boot/config-%s", name.release);
	put(root, path, text);
}

static void of_an_empty_machine_all_is_null(void **state)
{
	/* What the program knows of itself and uname says, all machines have. */
	static const char *const known[] = { "program_version", "binary_hash", "libraries", "host",
					     "kernel_release", "kernel_version", "architecture" };
	struct machine_root *root = *state;
	const char *key;
	json_t *value;
	int nulls = 0;

	look(root, "boot_id");
	json_object_foreach(root->identity, key, value) {
		bool expected = false;

		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			expected = expected || !strcmp(key, known[i]);
		if (expected == json_is_null(value))
			fail_msg("%s is %s", key, expected ? "null" : "not null");
		nulls += !expected;
	}
	assert_true(nulls > 20);
}

static void empty_files_are_null_and_not_empty_texts(void **state)
{
	struct machine_root *root = *state;

	put(root, "/proc/sys/kernel/random/boot_id", "");
	text_is(root, "boot_id", NULL);
	put(root, "/proc/cmdline", "\n");
	text_is(root, "kernel_command_line", NULL);
	put(root, "/proc/sys/kernel/numa_balancing", "");
	assert_true(json_is_null(look(root, "numa_balancing")));
	put(root, "/proc/sys/kernel/numa_balancing", "x\n");
	assert_true(json_is_null(look(root, "numa_balancing")));
	/* An empty list of PUs is known to be empty. */
	put(root, "/sys/devices/system/cpu/isolated", "\n");
	text_is(root, "isolated_pus", "none");
	put(root, "/sys/devices/system/cpu/isolated", "2-3,8\n");
	text_is(root, "isolated_pus", "2-3,8");
	put(root, "/sys/devices/system/cpu/nohz_full", "(null)\n");
	text_is(root, "nohz_full_pus", "none");
}

static void init_on_alloc_is_what_is_in_force(void **state)
{
	struct machine_root *root = *state;

	/* The parameter goes before the default; without both nothing is known. */
	put(root, "/proc/cmdline", "quiet\n");
	assert_true(json_is_null(look(root, "init_on_alloc")));
	put_config(root, "CONFIG_SMP=y\nCONFIG_INIT_ON_ALLOC_DEFAULT_ON=y\n");
	assert_true(json_is_true(look(root, "init_on_alloc")));
	put(root, "/proc/cmdline", "quiet init_on_alloc=0\n");
	assert_true(json_is_false(look(root, "init_on_alloc")));
	put(root, "/proc/cmdline", "init_on_alloc=0 quiet init_on_alloc=on\n");
	assert_true(json_is_true(look(root, "init_on_alloc")));
	put(root, "/proc/cmdline", "quiet\n");
	put_config(root, "# CONFIG_INIT_ON_ALLOC_DEFAULT_ON is not set\n");
	assert_true(json_is_false(look(root, "init_on_alloc")));
	/* What follows "--" is init's. */
	put(root, "/proc/cmdline", "quiet -- init_on_alloc=1\n");
	assert_true(json_is_false(look(root, "init_on_alloc")));
}

static void preemption_asked_for_and_in_force(void **state)
{
	struct machine_root *root = *state;

	put_config(root, "CONFIG_PREEMPT_VOLUNTARY=y\n# CONFIG_PREEMPT is not set\n");
	text_is(root, "preemption_requested", "voluntary");
	text_is(root, "preemption_actual", "voluntary");
	put_config(root, "CONFIG_PREEMPT_BUILD=y\nCONFIG_PREEMPT_DYNAMIC=y\nCONFIG_PREEMPT=y\n");
	text_is(root, "preemption_requested", "full");
	text_is(root, "preemption_actual", NULL);
	put(root, "/proc/cmdline", "preempt=none");
	text_is(root, "preemption_requested", "none");
	put(root, "/sys/kernel/debug/sched/preempt", "none voluntary (full) lazy\n");
	text_is(root, "preemption_actual", "full");
	put(root, "/sys/kernel/realtime", "1\n");
	text_is(root, "preemption_actual", "rt");
}

static void frequency_is_told_for_all_pus(void **state)
{
	struct machine_root *root = *state;

	put(root, "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "powersave\n");
	put(root, "/sys/devices/system/cpu/cpufreq/policy4/scaling_governor", "powersave\n");
	text_is(root, "governor", "powersave");
	put(root, "/sys/devices/system/cpu/cpufreq/policy8/scaling_governor", "performance\n");
	text_is(root, "governor", "powersave,performance");
	/* A name that is part of one seen before is another name. */
	put(root, "/sys/devices/system/cpu/cpufreq/policy0/energy_performance_preference",
	    "balance_performance\n");
	put(root, "/sys/devices/system/cpu/cpufreq/policy4/energy_performance_preference",
	    "performance\n");
	text_is(root, "energy_preference", "balance_performance,performance");
	put(root, "/sys/devices/system/cpu/cpufreq/boost", "1\n");
	assert_true(json_is_true(look(root, "turbo")));
	put(root, "/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
	assert_true(json_is_false(look(root, "turbo")));
}

static void processors_and_hypervisors(void **state)
{
	struct machine_root *root = *state;

	put(root, "/proc/cpuinfo",
	    "processor\t: 0\nmodel\t\t: 207\nmodel name\t: Some CPU @ 2 GHz\n"
	    "microcode\t: 0x1f\nflags\t\t: fpu hypervisor_like tsc\n\nprocessor\t: 1\n");
	text_is(root, "cpu_model", "Some CPU @ 2 GHz");
	text_is(root, "microcode", "0x1f");
	text_is(root, "hypervisor", "none");
	put(root, "/proc/cpuinfo", "flags : fpu hypervisor\n");
	text_is(root, "hypervisor", "present, unnamed");
	/* Where no flags tell, silence proves nothing. */
	put(root, "/proc/cpuinfo", "CPU implementer\t: 0x41\nCPU part\t: 0xd0c\n");
	text_is(root, "cpu_model", "implementer 0x41 part 0xd0c");
	text_is(root, "hypervisor", NULL);
	put(root, "/sys/hypervisor/type", "xen\n");
	text_is(root, "hypervisor", "xen");
}

static void slab_debugging_and_its_kin(void **state)
{
	static const char *const files[] = { "red_zone", "poison", "store_user", "trace" };
	struct machine_root *root = *state;
	char path[128];

	put(root, "/proc/cmdline", "quiet\n");
	text_is(root, "slab_debug", NULL);
	put(root, "/proc/cmdline", "slub_debug\n");
	text_is(root, "slab_debug", "FZPU");
	put(root, "/proc/cmdline", "slab-debug=FZ,dentry\n");
	text_is(root, "slab_debug", "FZ,dentry");
	put(root, "/proc/cmdline", "slab_debug=-\n");
	text_is(root, "slab_debug", "none");
	/* What a cache really does goes before what was asked for. */
	for (int i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "/sys/kernel/slab/kmalloc-64/%s", files[i]);
		put(root, path, i ? "1\n" : "0\n");
	}
	put(root, "/sys/kernel/slab/kmalloc-64/sanity_checks", "1\n");
	text_is(root, "slab_debug", "FPUT");

	assert_true(json_is_null(look(root, "kfence_interval_ms")));
	put(root, "/sys/module/kernel/parameters/x", "1\n");
	assert_int_equal(json_integer_value(look(root, "kfence_interval_ms")), 0);
	put(root, "/sys/module/kfence/parameters/sample_interval", "100\n");
	assert_int_equal(json_integer_value(look(root, "kfence_interval_ms")), 100);

	assert_true(json_is_false(look(root, "lockdep")));
	put_config(root, "CONFIG_LOCKDEP=y\nCONFIG_KASAN=y\n");
	put(root, "/proc/lockdep_stats", "");
	assert_true(json_is_true(look(root, "lockdep")));
	assert_string_equal(json_string_value(json_array_get(look(root, "debug_options"), 0)),
			    "KASAN");
	put(root, "/proc/sys/kernel/prove_locking", "0\n");
	assert_true(json_is_false(look(root, "lockdep")));
}

static void mitigations_are_one_object(void **state)
{
	struct machine_root *root = *state;

	put(root, "/sys/devices/system/cpu/vulnerabilities/meltdown", "Mitigation: PTI\n");
	put(root, "/sys/devices/system/cpu/vulnerabilities/mds", "Not affected\n");
	look(root, "mitigations");
	assert_string_equal(json_string_value(json_object_get(json_object_get(
			    root->identity, "mitigations"), "meltdown")), "Mitigation: PTI");
	assert_int_equal(json_object_size(json_object_get(root->identity, "mitigations")), 2);
}

static void control_groups(void **state)
{
	struct machine_root *root = *state;

	put(root, "/proc/self/cgroup", "0::/a/b\n");
	text_is(root, "memory_cgroup", "/a/b");
	assert_true(json_is_null(look(root, "cpu_quota")));
	put(root, "/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
	assert_true(json_is_null(look(root, "cpu_quota")));
	/* The tightest on the way up counts. */
	put(root, "/sys/fs/cgroup/a/cpu.max", "150000 100000\n");
	assert_true(json_real_value(look(root, "cpu_quota")) == 1.5);
	put(root, "/sys/fs/cgroup/cpu.max", "50000 100000\n");
	assert_true(json_real_value(look(root, "cpu_quota")) == 0.5);
	/* Version 1, where "cpuset" is not "cpu". */
	put(root, "/proc/self/cgroup", "9:cpuset:/x\n4:memory:/m\n2:cpu,cpuacct:/c\n0::/\n");
	put(root, "/sys/fs/cgroup/cpu.max", "max 100000\n");
	text_is(root, "memory_cgroup", "/m");
	put(root, "/sys/fs/cgroup/cpu/c/cpu.cfs_period_us", "100000\n");
	put(root, "/sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "-1\n");
	assert_true(json_is_null(look(root, "cpu_quota")));
	put(root, "/sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "25000\n");
	assert_true(json_real_value(look(root, "cpu_quota")) == 0.25);
	put(root, "/proc/self/cgroup", "nothing\n\n:\n::\n");
	assert_true(json_is_null(look(root, "memory_cgroup")));
	put_config(root, "CONFIG_MEMCG=y\n");
	assert_true(json_is_true(look(root, "memory_cgroup_accounting")));
	put(root, "/proc/cmdline", "cgroup.memory=nosocket,nokmem\n");
	assert_true(json_is_false(look(root, "memory_cgroup_accounting")));
}

static void the_configuration_is_hashed_uncompressed(void **state)
{
	struct machine_root *root = *state;
	char plain[64], command[256];

	put_config(root, "CONFIG_SMP=y\n");
	snprintf(plain, sizeof(plain), "%s", json_string_value(look(root, "config_hash")));
	assert_memory_equal(plain, "fnv1a64:", 8);
	put(root, "/proc/config", "CONFIG_SMP=y\n");
	snprintf(command, sizeof(command), "gzip %s/proc/config 2>/dev/null", root->path);
	if (system(command)) {
		print_message("skipped: gzip is not installed\n");
		skip();
	}
	put_config(root, "CONFIG_OTHER=y\n");
	text_is(root, "config_hash", plain);
	/* What gzip cannot read gives way to the file of /boot. */
	put(root, "/proc/config.gz", "not gzip");
	assert_string_not_equal(json_string_value(look(root, "config_hash")), plain);
}

static void lines_are_cut_to_the_buffer(void **state)
{
	struct machine_root *root = *state;
	char line[8], path[128];

	put(root, "/long", "0123456789\nsecond\n");
	snprintf(path, sizeof(path), "%s/long", root->path);
	assert_int_equal(machine_read_line(path, line, sizeof(line)), 7);
	assert_string_equal(line, "0123456");
	put(root, "/blank", "x \t\nsecond\n");
	snprintf(path, sizeof(path), "%s/blank", root->path);
	assert_int_equal(machine_read_line(path, line, sizeof(line)), 1);
	assert_int_equal(machine_read_line("/nonexistent", line, sizeof(line)), -ENOENT);
	assert_string_equal(line, "");
	assert_int_equal(machine_read_line(root->path, line, sizeof(line)), -EISDIR);
}

static void this_machine(void **state)
{
	json_t *first = identity_describe(), *second = identity_describe();
	char text[64], small[4];

	(void)state;
	assert_non_null(first);
	/* Two looks at one machine agree. */
	assert_true(json_equal(first, second));
	identity_boot_id(text, sizeof(text));
	assert_string_equal(text, json_string_value(json_object_get(first, "boot_id")));
	assert_non_null(json_string_value(json_object_get(first, "binary_hash")));
	assert_non_null(json_object_get(json_object_get(first, "libraries"), "libjansson"));
	identity_host(text, sizeof(text));
	assert_true(*text && *text != '.' && !strpbrk(text, "/ \n"));
	identity_host(small, sizeof(small));
	assert_true(strlen(small) <= 3);
	json_decref(first);
	json_decref(second);
}

#define ROOTED(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ROOTED(of_an_empty_machine_all_is_null),
		ROOTED(empty_files_are_null_and_not_empty_texts),
		ROOTED(init_on_alloc_is_what_is_in_force),
		ROOTED(preemption_asked_for_and_in_force),
		ROOTED(frequency_is_told_for_all_pus),
		ROOTED(processors_and_hypervisors),
		ROOTED(slab_debugging_and_its_kin),
		ROOTED(mitigations_are_one_object),
		ROOTED(control_groups),
		ROOTED(the_configuration_is_hashed_uncompressed),
		ROOTED(lines_are_cut_to_the_buffer),
		cmocka_unit_test(this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
