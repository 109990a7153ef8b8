// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/axes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int axis_value_copy(struct axis_value *to, const struct axis_value *from)
{
	char *text = strdup(from->text);

	if (!text)
		return -ENOMEM;
	*to = (struct axis_value){ from->number, from->mode, text };
	return 0;
}

void axis_value_free(struct axis_value *value)
{
	free(value->text);
	*value = (struct axis_value){ 0 };
}

int axis_list_copy(struct axis_list *to, const struct axis_list *from)
{
	if (!from->count)
		return 0;
	to->values = calloc(from->count, sizeof(*to->values));
	if (!to->values)
		return -ENOMEM;
	for (; to->count < from->count; to->count++)
		if (axis_value_copy(&to->values[to->count], &from->values[to->count])) {
			axis_list_free(to);
			return -ENOMEM;
		}
	return 0;
}

void axis_list_free(struct axis_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		axis_value_free(&list->values[i]);
	free(list->values);
	*list = (struct axis_list){ 0 };
}

char *axis_list_text(const struct axis_list *list)
{
	size_t size = 1;
	char *text, *end;

	for (size_t i = 0; i < list->count; i++)
		size += strlen(list->values[i].text) + 1;
	text = malloc(size);
	if (!text)
		return NULL;
	end = text;
	*end = '\0';
	for (size_t i = 0; i < list->count; i++) {
		if (i)
			*end++ = ',';
		end = stpcpy(end, list->values[i].text);
	}
	return text;
}

bool product_equal(const struct product *a, const struct product *b)
{
	for (enum axis axis = 0; axis < AXIS_COUNT; axis++) {
		const struct axis_list *x = &a->axes[axis], *y = &b->axes[axis];

		if (x->count != y->count)
			return false;
		for (size_t i = 0; i < x->count; i++)
			if (strcmp(x->values[i].text, y->values[i].text) != 0)
				return false;
	}
	return true;
}

void product_free(struct product *product)
{
	for (enum axis axis = 0; axis < AXIS_COUNT; axis++)
		axis_list_free(&product->axes[axis]);
	*product = (struct product){ 0 };
}
