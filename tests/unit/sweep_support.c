// SPDX-License-Identifier: GPL-2.0-or-later
#include "sweep_support.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

struct method sweep_method(unsigned blocks, bool solo)
{
	return (struct method){ .rounds = 15, .warmup = 3, .blocks = blocks, .seed = 1,
				.timeout_ns = 5000000000, .solo = solo };
}

void sweep_product(struct product *product, const char *text)
{
	char *words = strdup(text);
	char *rest;

	*product = (struct product){ 0 };
	for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		char *value = strchr(word, '=');
		bool preset = *word >= 'A' && *word <= 'Z';
		struct error e = ERROR_INIT;
		enum axis axis;

		*value++ = '\0';
		for (char *c = word; *c; c++)
			*c |= 0x20;
		axis = axis_find(word);
		assert_int_not_equal(axis, AXIS_COUNT);
		if (axis_list_parse(axis, value, &product->axes[axis], &e))
			fail_msg("%s", e.text);
		product->typed[axis] = !preset;
	}
	free(words);
}

int sweep_make(struct sweep *sweep, const char *machine, const char *text, bool solo,
	       struct error *e)
{
	struct topology topology = { 0 };
	struct method method = sweep_method(5, solo);
	struct product product;
	struct error load = ERROR_INIT;
	int rc;

	if (topology_load(&topology, machine, NULL, &load))
		fail_msg("%s", load.text);
	sweep_product(&product, text);
	*sweep = (struct sweep){ 0 };
	rc = sweep_build(sweep, &product, 1, &topology, &method, false, e);
	product_free(&product);
	topology_release(&topology);
	return rc;
}
