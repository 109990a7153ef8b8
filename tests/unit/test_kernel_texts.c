// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "machine/files.h"
#include "machine/identity.h"

static void parameters_of_the_kernel(void **state)
{
	char value[16];

	(void)state;
	assert_int_equal(kernel_parameter("a=1 b", "b", value, sizeof(value)), 1);
	assert_string_equal(value, "");
	assert_int_equal(kernel_parameter("xa=1 ax=2", "a", value, sizeof(value)), 0);
	assert_int_equal(kernel_parameter("a=1 a=2", "a", value, sizeof(value)), 1);
	assert_string_equal(value, "2");
	assert_int_equal(kernel_parameter("c-d=3", "c_d", value, sizeof(value)), 1);
	assert_int_equal(kernel_parameter("x=\"a=1 b\" y", "a", value, sizeof(value)), 0);
	assert_int_equal(kernel_parameter("x=\"p q\"", "x", value, sizeof(value)), 1);
	assert_string_equal(value, "p q");
	assert_int_equal(kernel_parameter("x=0123456789abcdefgh", "x", value, sizeof(value)), 1);
	assert_string_equal(value, "0123456789abcde");
	assert_int_equal(kernel_parameter("  ", "x", value, sizeof(value)), 0);
	assert_int_equal(kernel_parameter(NULL, "x", value, sizeof(value)), 0);
	assert_int_equal(kernel_parameter("x -- y=1", "y", value, sizeof(value)), 0);
	assert_int_equal(kernel_bool("on"), 1);
	assert_int_equal(kernel_bool("off"), 0);
	assert_int_equal(kernel_bool("Y"), 1);
	assert_int_equal(kernel_bool("0"), 0);
	assert_int_equal(kernel_bool(""), -1);
	assert_int_equal(kernel_bool("o"), -1);
}

static void symbols_of_the_configuration(void **state)
{
	static const char config[] =
		"CONFIG_AB=y\n# CONFIG_C is not set\nCONFIG_M=m\nCONFIG_T=\"y\"\n";

	(void)state;
	assert_int_equal(kernel_config_enabled(config, "CONFIG_AB"), 1);
	assert_int_equal(kernel_config_enabled(config, "CONFIG_A"), 0);
	assert_int_equal(kernel_config_enabled(config, "CONFIG_C"), 0);
	assert_int_equal(kernel_config_enabled(config, "CONFIG_M"), 1);
	assert_int_equal(kernel_config_enabled(config, "CONFIG_T"), 0);
	assert_int_equal(kernel_config_enabled("", "CONFIG_T"), 0);
	assert_int_equal(kernel_config_enabled(NULL, "CONFIG_AB"), -1);
}

static void fnv_of_known_texts(void **state)
{
	(void)state;
	/* http://www.isthe.com/chongo/tech/comp/fnv: test vectors of its authors. */
	assert_true(fnv1a(FNV_START, "", 0) == UINT64_C(0xcbf29ce484222325));
	assert_true(fnv1a(FNV_START, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
	assert_true(fnv1a(FNV_START, "foobar", 6) == UINT64_C(0x85944171f73967e8));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parameters_of_the_kernel),
		cmocka_unit_test(symbols_of_the_configuration),
		cmocka_unit_test(fnv_of_known_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
