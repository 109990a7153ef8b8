// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "vm/apt.h"
#include "vm/image.h"
#include "vm/packages.h"
#include "vm/sources.h"

static const char names[] =
	"linux-image-6.1.0-47-cloud-amd64 - Linux 6.1 for x86-64 cloud (signed)\n"
	"linux-image-6.1.0-9-cloud-amd64 - Linux 6.1 for x86-64 cloud (signed)\n"
	"linux-image-6.12.95+deb12-cloud-amd64 - Linux 6.12\n"
	"linux-image-6.12.100+deb12-cloud-amd64 - Linux 6.12\n"
	"linux-image-6.12.111+deb12-cloud-amd64-unsigned - Linux 6.12\n"
	"linux-image-6.12.111+deb12-cloud-amd64-dbg - Debug symbols\n"
	"linux-image-6.12.118+deb12-rt-amd64 - Linux 6.12 rt\n"
	"linux-image-cloud-amd64 - meta\n"
	"linux-image-7.2.13+deb14-cloud-amd64 - Linux 7.2.13\n"
	"linux-binary-7.2.13+deb14-cloud-amd64 - Linux 7.2.13\n"
	"linux-binary-unsigned-7.2.13+deb14-cloud-amd64 - Linux 7.2.13";

static void a_release_is_cut_out_of_every_name(void **state)
{
	static const char *const images[] = {
		"linux-image-6.12.118+deb12-cloud-amd64",
		"linux-image-6.12.118+deb12-cloud-amd64-unsigned",
		"linux-binary-6.12.118+deb12-cloud-amd64",
		"linux-binary-unsigned-6.12.118+deb12-cloud-amd64",
	};
	char release[96];

	(void)state;
	for (size_t i = 0; i < sizeof(images) / sizeof(images[0]); i++) {
		assert_true(packages_release(images[i], release, sizeof(release)));
		assert_string_equal(release, "6.12.118+deb12-cloud-amd64");
	}
	assert_false(packages_release("linux-image-cloud-amd64", release, sizeof(release)));
	assert_false(packages_release("linux-headers-6.1.0-9-amd64", release, sizeof(release)));
}

static void the_newest_of_a_series(void **state)
{
	static const struct {
		const char *series, *release;
	} cases[] = {
		{ "6.1", "6.1.0-47-cloud-amd64" },
		{ "6.12", "6.12.111+deb12-cloud-amd64" },
		{ "6.12.95", "6.12.95+deb12-cloud-amd64" },
		{ "7", "7.2.13+deb14-cloud-amd64" },
		{ "", "7.2.13+deb14-cloud-amd64" },
	};
	char release[128];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(packages_newest(names, cases[i].series, release, sizeof(release)));
		assert_string_equal(release, cases[i].release);
	}
	assert_false(packages_newest(names, "6.11", release, sizeof(release)));
	assert_false(packages_newest(names, "6.12.9", release, sizeof(release)));
	assert_false(packages_newest("", "6.12", release, sizeof(release)));
}

static void packages_with_the_image_best_first(void **state)
{
	char package[192];

	(void)state;
	assert_true(packages_of(names, "7.2.13+deb14-cloud-amd64", 0, package, sizeof(package)));
	assert_string_equal(package, "linux-binary-unsigned-7.2.13+deb14-cloud-amd64");
	assert_true(packages_of(names, "7.2.13+deb14-cloud-amd64", 2, package, sizeof(package)));
	assert_string_equal(package, "linux-image-7.2.13+deb14-cloud-amd64");
	assert_false(packages_of(names, "7.2.13+deb14-cloud-amd64", 3, package, sizeof(package)));
	assert_true(packages_of(names, "6.12.111+deb12-cloud-amd64", 0, package, sizeof(package)));
	assert_string_equal(package, "linux-image-6.12.111+deb12-cloud-amd64-unsigned");
	assert_false(packages_of(names, "6.12.1", 0, package, sizeof(package)));
}

static void versions_compare_as_numbers(void **state)
{
	(void)state;
	assert_true(packages_compare("6.12.9", "6.12.10") < 0);
	assert_true(packages_compare("6.1.0-9", "6.1.0-10") < 0);
	assert_true(packages_compare("6.12.90+deb12-c", "6.12.90+deb12.1-c") < 0);
	assert_true(packages_compare("7.0", "6.19.14") > 0);
	assert_int_equal(packages_compare("6.12", "6.12"), 0);
	assert_true(packages_compare("6.12", "6.12.1") < 0);
}

static void names_and_versions_out_of_uris(void **state)
{
	char *list = apt_parse_uris(
		"Reading package lists...\n"
		"'http://host/pool/q/qemu_10.deb' qemu-system-x86_1%3a10.0.2+ds-2~bpo12+1_amd64.deb "
		"10 SHA256:0\n"
		"'file:/x' broken 10\n"
		"'http://host/l.deb' libc6_2.36-9_arm64.deb 20 \n");

	(void)state;
	assert_non_null(list);
	assert_string_equal(list, "qemu-system-x86=1:10.0.2+ds-2~bpo12+1\nlibc6=2.36-9\n");
	free(list);
}

static void one_line_sources(void **state)
{
	struct sources sources = { 0 };

	(void)state;
	assert_int_equal(sources_parse_list(&sources,
		"# deb http://no/ x main\n"
		"deb [arch=amd64 signed-by=/k.gpg,/l.gpg] http://a/debian bookworm main contrib\n"
		"deb-src http://a/debian bookworm main\n"
		"deb http://b/debian ./\n"
		"  deb\thttp://c/debian bookworm-security main # remark\n"
		"deb [broken http://d bookworm main\n"
		"debian http://e bookworm main\n"
		"deb http://f\n"), 0);
	assert_int_equal(sources.count, 2);
	assert_string_equal(sources.list[0].uri, "http://a/debian");
	assert_string_equal(sources.list[0].signed_by, "/k.gpg /l.gpg");
	assert_string_equal(sources.list[0].components, "main contrib");
	assert_string_equal(sources.list[1].suite, "bookworm-security");
	sources_free(&sources);
}

static const char stanzas[] =
	"Types: deb deb-src\nURIs: http://a/debian\n"
	"Suites: bookworm bookworm-updates\n"
	"# a comment\nComponents: main non-free\nSigned-By:\n -----BEGIN-----\n .\n xyz\n\n"
	"Types: deb\nEnabled: no\nURIs: http://b\nSuites: bookworm\nComponents: main\n\n"
	"\n\ntypes: deb\nuris: http://sec/debian\nsuites: bookworm-security\ncomponents: main\n"
	"signed-by: /k.gpg\n\n"
	"Types: deb-src\nURIs: http://a\nSuites: bookworm\nComponents: main\n\n"
	"Types: deb\nURIs: http://third/x\nSuites: nodistro\nComponents: main\n";

static void deb822_sources(void **state)
{
	struct sources sources = { 0 };

	(void)state;
	assert_int_equal(sources_parse_deb822(&sources, stanzas), 0);
	assert_int_equal(sources.count, 4);
	assert_string_equal(sources.list[1].suite, "bookworm-updates");
	assert_string_equal(sources.list[0].signed_by, "\n -----BEGIN-----\n .\n xyz");
	assert_string_equal(sources.list[2].uri, "http://sec/debian");
	sources_free(&sources);
}

static void only_the_suite_is_rewritten(void **state)
{
	struct sources sources = { 0 };
	char *own, *other;

	(void)state;
	assert_int_equal(sources_parse_deb822(&sources, stanzas), 0);
	other = sources_text(&sources, "bookworm", "sid", 0, "arm64");
	assert_string_equal(other,
			    "Types: deb\nURIs: http://a/debian\nSuites: sid\nComponents: main\n"
			    "Architectures: arm64\nTargets: Packages\n"
			    "Signed-By: \n -----BEGIN-----\n .\n xyz\n\n");
	assert_null(sources_text(&sources, "bookworm", "sid", 1, "arm64"));
	own = sources_text(&sources, "bookworm", NULL, 0, "amd64");
	assert_non_null(strstr(own, "Suites: bookworm\n"));
	assert_non_null(strstr(own, "Suites: bookworm-updates\n"));
	assert_non_null(strstr(own, "Suites: bookworm-security\n"));
	assert_null(strstr(own, "nodistro"));
	free(own);
	free(other);
	sources_free(&sources);
}

/* With "stable" in the sources, and a third party that has a stable of its own. */
static void an_alias_stands_for_the_code_name(void **state)
{
	struct sources sources = { 0 };
	char *text;

	(void)state;
	assert_int_equal(sources_parse_list(&sources, "deb http://a stable main\n"
					    "deb http://b stable main\n"), 0);
	text = sources_text(&sources, "bookworm", "sid", 1, "amd64");
	assert_non_null(strstr(text, "URIs: http://b\nSuites: sid\n"));
	free(text);
	assert_int_equal(sources_parse_list(&sources, "deb http://c bookworm main\n"), 0);
	text = sources_text(&sources, "bookworm", "sid", 0, "amd64");
	assert_non_null(strstr(text, "URIs: http://c\nSuites: sid\n"));
	free(text);
	assert_null(sources_text(&sources, "bookworm", "sid", 1, "amd64"));
	sources_free(&sources);
}

static void images_by_their_boot_header(void **state)
{
	uint8_t head[1024] = { 0 };
	enum vm_arch arch;

	(void)state;
	assert_non_null(image_judge(head, sizeof(head), 5000, &arch));
	assert_non_null(image_judge(head, 0, 0, &arch));
	memcpy(head + 0x202, "HdrS\x0f\x02", 6);
	head[0x1f1] = 1;		/* two sectors of set-up */
	head[0x1f4] = 16;		/* 256 bytes behind them */
	assert_null(image_judge(head, sizeof(head), 1280, &arch));
	assert_int_equal(arch, VM_X86_64);
	assert_non_null(strstr(image_judge(head, sizeof(head), 1200, &arch), "torn"));
	memset(head, 0, sizeof(head));
	memcpy(head + 0x38, "ARM\x64", 4);
	assert_null(image_judge(head, sizeof(head), 100000, &arch));
	assert_int_equal(arch, VM_ARM64);
	memset(head, 0, sizeof(head));
	memcpy(head, "MZ\0\0zimg", 8);
	head[9] = 1;			/* 256 bytes from 16 on */
	head[8] = 0;
	head[12] = 16;
	assert_null(image_judge(head, sizeof(head), 272, &arch));
	assert_non_null(image_judge(head, sizeof(head), 271, &arch));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_release_is_cut_out_of_every_name),
		cmocka_unit_test(the_newest_of_a_series),
		cmocka_unit_test(packages_with_the_image_best_first),
		cmocka_unit_test(versions_compare_as_numbers),
		cmocka_unit_test(names_and_versions_out_of_uris),
		cmocka_unit_test(one_line_sources),
		cmocka_unit_test(deb822_sources),
		cmocka_unit_test(only_the_suite_is_rewritten),
		cmocka_unit_test(an_alias_stands_for_the_code_name),
		cmocka_unit_test(images_by_their_boot_header),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
