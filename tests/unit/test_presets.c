// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/presets.h"

/* "--pairs 1,2 --reap inline": the axes that are set, in their order. */
static void write_product(const struct product *product, char *buffer, size_t size)
{
	buffer[0] = '\0';
	for (enum axis axis = 0; axis < AXIS_COUNT; axis++) {
		char *text;

		if (!product->axes[axis].count)
			continue;
		text = axis_list_text(&product->axes[axis]);
		snprintf(buffer + strlen(buffer), size - strlen(buffer), "%s--%s %s",
			 *buffer ? " " : "", axis_info(axis)->name, text);
		free(text);
	}
}

/* Two kinds, and nodes 0 and 2 with memory. */
static const struct preset_machine *machine_of(int pus)
{
	static const char *kinds[] = { "P", "E", NULL }, *nodes[] = { "node:0", "node:2", NULL };
	static const char *kind_pairs[] = { "P:P", "P:E", "E:P", "E:E", NULL };
	static struct preset_machine machine;

	machine = (struct preset_machine){ pus, kinds, kind_pairs, nodes };
	return &machine;
}

/* The products of a preset with `axis` typed as `text` (NULL: nothing typed), ended by NULL. */
static void assert_products(const char *name, int pus, enum axis axis, const char *text,
			    const char *const *expected)
{
	struct product typed = { 0 };
	struct product *products = NULL;
	struct error e = ERROR_INIT;
	size_t count = 0, i;

	if (text) {
		assert_int_equal(axis_list_parse(axis, text, &typed.axes[axis], &e), 0);
		typed.typed[axis] = true;
	}
	if (preset_products(preset_find(name), &typed, machine_of(pus), &products, &count, &e))
		fail_msg("%s", e.text);
	for (i = 0; i < count; i++) {
		char got[512];

		if (!expected[i])
			fail_msg("%s: more than %zu products", name, i);
		write_product(&products[i], got, sizeof(got));
		assert_string_equal(got, expected[i]);
		if (text && products[i].axes[axis].count)
			assert_true(products[i].typed[axis]);
		product_free(&products[i]);
	}
	assert_null(expected[i]);
	free(products);
	product_free(&typed);
}

static void names_are_found(void **state)
{
	(void)state;
	assert_ptr_equal(preset_find("quick"), &presets[0]);
	assert_non_null(preset_find("f0"));
	assert_non_null(preset_find("f0-paced"));
	assert_null(preset_find("f0-"));
	assert_non_null(preset_find("lifecycle"));
	assert_non_null(preset_find("scale"));
	assert_null(preset_find("lifecycles"));
	assert_null(preset_find(""));
}

static void every_preset_parses(void **state)
{
	(void)state;
	for (const struct preset *preset = presets; preset->name; preset++)
		for (int pus = 1; pus <= 4096; pus = 3 * pus + 1) {
			struct product none = { 0 };
			struct product *products = NULL;
			struct error e = ERROR_INIT;
			size_t count = 0;

			assert_non_null(preset->summary);
			if (preset_products(preset, &none, machine_of(pus), &products,
					    &count, &e))
				fail_msg("%s: %s", preset->name, e.text);
			assert_true(count > 0);
			for (size_t i = 0; i < count; i++)
				product_free(&products[i]);
			free(products);
		}
}

static void quick_grows_with_the_machine(void **state)
{
	static const char second[] = "--pairs 1 --slots 4096 --reap poll,after";

	(void)state;
	assert_products("quick", 1, 0, NULL, (const char *const[]){
			"--pairs 1 --slots 64,4096 --reap inline", second, NULL });
	assert_products("quick", 2, 0, NULL, (const char *const[]){
			"--pairs 1,2 --slots 64,4096 --reap inline", second, NULL });
	assert_products("quick", 6, 0, NULL, (const char *const[]){
			"--pairs 1,2,4 --slots 64,4096 --reap inline", second, NULL });
	assert_products("quick", 16, 0, NULL, (const char *const[]){
			"--pairs 1,2,4,8,16 --slots 64,4096 --reap inline", second, NULL });
}

static void f0_is_the_published_configuration(void **state)
{
	static const char f0[] =
		"--workload send-fd --pairs 1 --slots 4096 --used all --batch 64 --ring 256 "
		"--cq auto --slot alloc --pattern pairs --reap inline --cycle fresh --file own "
		"--cqe post --target plain --ring-fd plain --fdtable shared --mem local --fills 1 --gap 0";
	static const char paced[] =
		"--workload send-fd --pairs 1 --slots 4096 --used all --batch 64 --ring 256 "
		"--cq auto --slot alloc --pattern pairs --reap inline --cycle fresh --file own "
		"--cqe post --target plain --ring-fd plain --fdtable shared --mem local --fills 1 --gap 50ms";

	(void)state;
	assert_products("f0", 64, 0, NULL, (const char *const[]){ f0, NULL });
	assert_products("f0-paced", 2, 0, NULL, (const char *const[]){ paced, NULL });
	assert_string_equal(preset_find("f0")->method, "--blocks 1 --warmup 3 --rounds 15");
	assert_string_equal(preset_find("f0-paced")->method, preset_find("f0")->method);
}

static void lifecycle_has_every_cycle(void **state)
{
	(void)state;
	assert_products("lifecycle", 2, 0, NULL, (const char *const[]){
			"--slots 64,1024,4096 --cycle fresh,reregister,reuse",
			"--slots 4096 --used 64 --cycle fresh,reregister,reuse", NULL });
}

/* Products that say the same are merged; points that two of them hold are merged by the sweep. */
static void scale_grows_to_all_pus(void **state)
{
	(void)state;
	assert_products("scale", 1, 0, NULL, (const char *const[]){
			"--pairs 1 --slots 64,1024,4096 --reap inline",
			"--pairs 1 --slots 64,1024,4096 --reap after,poll", NULL });
	assert_products("scale", 12, 0, NULL, (const char *const[]){
			"--pairs 1,2,4,8 --slots 64,1024,4096 --reap inline",
			"--pairs 12 --slots 64,1024,4096 --reap inline",
			"--pairs 1,2,4 --slots 64,1024,4096 --reap after,poll",
			"--pairs 6 --slots 64,1024,4096 --reap after,poll", NULL });
	assert_products("scale", 12, AXIS_PAIRS, "3", (const char *const[]){
			"--pairs 3 --slots 64,1024,4096 --reap inline",
			"--pairs 3 --slots 64,1024,4096 --reap after,poll", NULL });
	assert_string_equal(preset_find("scale")->method, "--solo");
}

static void hybrid_has_every_kind_and_pair_of_kinds(void **state)
{
	(void)state;
	assert_products("hybrid", 8, 0, NULL, (const char *const[]){
			"--pairs 1 --place P,E --reap inline",
			"--pairs 1 --place P:P+l2,P:E+l2,E:P+l2,E:E+l2,P:P+l3,P:E+l3,E:P+l3,E:E+l3,"
			"P:P+numa,P:E+numa,E:P+numa,E:E+numa --reap poll,after", NULL });
}

static void numa_has_every_node_with_memory(void **state)
{
	(void)state;
	assert_products("numa", 8, 0, NULL, (const char *const[]){
			"--pairs 1 --place numa,cross-numa --reap poll "
			"--mem sender,receiver,node:0,node:2", NULL });
}

static void payoff_has_cost_and_release(void **state)
{
	static const char installs[] = "--workload send-fd --pairs 1,2 --slots 4096 --used 1024 --batch 64 "
				       "--reap inline --cycle fresh,reuse --fills 4";
#define REMOVALS "--slots 64 --used all --batch 64 --reap inline --removal register "

	(void)state;
	assert_products("payoff", 3, 0, NULL, (const char *const[]){
			installs,
			"--workload send-fd --pairs 3 --slots 4096 --used 1024 --batch 64 --reap inline "
			"--cycle fresh,reuse --fills 4",
			"--workload reclaim --pairs 1,2 " REMOVALS
			"--pending none --issued before --hold 10ms --churn 1024",
			"--workload reclaim --pairs 3 " REMOVALS
			"--pending none --issued before --hold 10ms --churn 1024",
			"--workload reclaim --pairs 1,2 " REMOVALS
			"--pending normal,fixed --issued before --hold 10ms,20ms,40ms,80ms --churn 1024",
			"--workload reclaim --pairs 3 " REMOVALS
			"--pending normal,fixed --issued before --hold 10ms,20ms,40ms,80ms --churn 1024",
			NULL });
}

/* An axis that only some products of a preset have is laid over those; one that none has, over all. */
static void an_axis_goes_where_it_means_something(void **state)
{
	(void)state;
	assert_products("payoff", 1, AXIS_CHURN, "7", (const char *const[]){
			"--workload send-fd --pairs 1 --slots 4096 --used 1024 --batch 64 --reap inline "
			"--cycle fresh,reuse --fills 4",
			"--workload reclaim --pairs 1 " REMOVALS
			"--pending none --issued before --hold 10ms --churn 7",
			"--workload reclaim --pairs 1 " REMOVALS
			"--pending normal,fixed --issued before --hold 10ms,20ms,40ms,80ms --churn 7",
			NULL });
	assert_products("lifecycle", 1, AXIS_CHURN, "7", (const char *const[]){
			"--slots 64,1024,4096 --cycle fresh,reregister,reuse --churn 7",
			"--slots 4096 --used 64 --cycle fresh,reregister,reuse --churn 7", NULL });
}

static void typed_axes_replace(void **state)
{
	(void)state;
	assert_products("quick", 2, AXIS_SLOTS, "128", (const char *const[]){
			"--pairs 1,2 --slots 128 --reap inline",
			"--pairs 1 --slots 128 --reap poll,after", NULL });
	assert_products("quick", 2, AXIS_BATCH, "1,64", (const char *const[]){
			"--pairs 1,2 --slots 64,4096 --batch 1,64 --reap inline",
			"--pairs 1 --slots 4096 --batch 1,64 --reap poll,after", NULL });
}

static void equal_products_are_merged(void **state)
{
	static const struct {
		enum axis axis;
		const char *text;
	} all[] = {
		{ AXIS_PAIRS, "1" }, { AXIS_SLOTS, "64" }, { AXIS_REAP, "poll" },
	};
	struct product typed = { 0 };
	struct product *products = NULL;
	struct error e = ERROR_INIT;
	size_t count = 0;
	char got[512];

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(axis_list_parse(all[i].axis, all[i].text,
						 &typed.axes[all[i].axis], &e), 0);
		typed.typed[all[i].axis] = true;
	}
	assert_int_equal(preset_products(preset_find("quick"), &typed, machine_of(2), &products,
					 &count, &e), 0);
	assert_int_equal(count, 1);
	write_product(&products[0], got, sizeof(got));
	assert_string_equal(got, "--pairs 1 --slots 64 --reap poll");
	product_free(&products[0]);
	free(products);
	product_free(&typed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_found),
		cmocka_unit_test(every_preset_parses),
		cmocka_unit_test(quick_grows_with_the_machine),
		cmocka_unit_test(f0_is_the_published_configuration),
		cmocka_unit_test(lifecycle_has_every_cycle),
		cmocka_unit_test(scale_grows_to_all_pus),
		cmocka_unit_test(hybrid_has_every_kind_and_pair_of_kinds),
		cmocka_unit_test(numa_has_every_node_with_memory),
		cmocka_unit_test(payoff_has_cost_and_release),
		cmocka_unit_test(an_axis_goes_where_it_means_something),
		cmocka_unit_test(typed_axes_replace),
		cmocka_unit_test(equal_products_are_merged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
