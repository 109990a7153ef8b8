// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/presets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int no_memory(struct error *e)
{
	return error_set(e, ERROR_FAILED, ENOMEM, "out of memory");
}

/* Cuts "--NAME VALUE --NAME VALUE" in place and parses each list. */
static int parse_words(char *words, struct product *product, struct error *e)
{
	char *rest;

	for (char *name = strtok_r(words, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
		char *value = strtok_r(NULL, " ", &rest);
		enum axis axis = axis_find(name + 2);
		int rc;

		if (axis == AXIS_COUNT || !value)
			return error_set(e, ERROR_FAILED, EINVAL, "preset is broken at \"%s\"",
					 name);
		rc = axis_list_parse(axis, value, &product->axes[axis], e);
		if (rc)
			return rc;
	}
	return 0;
}

/* Whether the axis means something to the product. */
static bool has_axis(const struct product *product, enum axis axis)
{
	const struct axis_list *workload = &product->axes[AXIS_WORKLOAD];

	return axis_applies(axis, workload->count ? (int)workload->values[0].number : 0);
}

/* Where a preset has several workloads, an axis of one of them is laid over its products alone. */
static bool passes_by(const struct product *products, size_t count, size_t index, enum axis axis)
{
	bool somewhere = false;

	for (size_t i = 0; i < count; i++)
		somewhere |= has_axis(&products[i], axis);
	return somewhere && !has_axis(&products[index], axis);
}

/* Lays the typed axes of `typed` over products[index]; the workload, the first axis, before the others. */
static int overlay(struct product *products, size_t count, size_t index,
		   const struct product *typed, struct error *e)
{
	struct product *product = &products[index];

	for (enum axis axis = 0; axis < AXIS_COUNT; axis++) {
		if (!typed->typed[axis] || passes_by(products, count, index, axis))
			continue;
		axis_list_free(&product->axes[axis]);
		if (axis_list_copy(&product->axes[axis], &typed->axes[axis]))
			return no_memory(e);
		product->typed[axis] = true;
	}
	return 0;
}

static int parse_product(const char *text, const struct preset_machine *machine,
			 struct product *product, struct error *e)
{
	char *words = preset_replace_marks(text, machine);
	int rc = words ? parse_words(words, product, e) : no_memory(e);

	free(words);
	return rc;
}

static bool is_known(const struct product *products, size_t count, const struct product *product)
{
	for (size_t i = 0; i < count; i++)
		if (product_equal(&products[i], product))
			return true;
	return false;
}

/* Leaves one of those that are equal. Returns how many are left. */
static size_t merge(struct product *products, size_t count)
{
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		struct product product = products[i];

		products[i] = (struct product){ 0 };
		if (is_known(products, used, &product))
			product_free(&product);
		else
			products[used++] = product;
	}
	return used;
}

int preset_products(const struct preset *preset, const struct product *typed,
		    const struct preset_machine *machine, struct product **products, size_t *count,
		    struct error *e)
{
	struct product *made;
	size_t room = 0;
	int rc = 0;

	while (preset->products[room])
		room++;
	made = calloc(room, sizeof(*made));
	if (!made)
		return no_memory(e);
	for (size_t i = 0; i < room && !rc; i++)
		rc = parse_product(preset->products[i], machine, &made[i], e);
	for (size_t i = 0; i < room && !rc; i++)
		rc = overlay(made, room, i, typed, e);
	if (rc) {
		while (room)
			product_free(&made[--room]);
		free(made);
		return rc;
	}
	*products = made;
	*count = merge(made, room);
	return 0;
}
