// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/axes.h"

#include "base/list.h"
#include "topology/place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int no_memory(struct error *e)
{
	return error_set(e, ERROR_FAILED, ENOMEM, "out of memory");
}

/* Takes `text`, which may be NULL where its allocation failed. */
static int append(struct axis_list *list, int64_t number, enum axis_mode mode, char *text,
		  struct error *e)
{
	/* Room doubles: it is used up when the count is a power of two. */
	if (text && (list->count & (list->count - 1)) == 0) {
		size_t room = list->count ? 2 * list->count : 1;
		struct axis_value *values = reallocarray(list->values, room, sizeof(*values));

		if (values)
			list->values = values;
		else {
			free(text);
			text = NULL;
		}
	}
	if (!text)
		return no_memory(e);
	list->values[list->count++] = (struct axis_value){ number, mode, text };
	return 0;
}

static char *count_text(int64_t number, const char *suffix)
{
	char *text;

	return asprintf(&text, "%lld%s", (long long)number, suffix) < 0 ? NULL : text;
}

static int parse_counts(const struct axis_info *info, const char *option, const char *text,
			struct axis_list *list, struct error *e)
{
	struct count_list counts = { 0 };
	int rc = count_list_parse(option, text, info->min, info->max, &counts, e);

	for (size_t i = 0; i < counts.count && !rc; i++) {
		int64_t number = counts.values[i];
		int64_t next = 1;

		while (info->power_of_two && next < number)
			next *= 2;
		if (info->power_of_two && next != number)
			rc = error_set(e, ERROR_USAGE, EINVAL,
				       "%s \"%lld\": not a power of two, and the kernel would "
				       "make it %lld; give %lld", option, (long long)number,
				       (long long)next, (long long)next);
		else
			rc = append(list, number, MODE_COUNT, count_text(number, ""), e);
	}
	count_list_free(&counts);
	return rc;
}

/* "N%": 100% is all, so that the two are one value. */
static int parse_percent(const char *option, const char *item, struct axis_list *list,
			 struct error *e)
{
	char digits[8] = "";
	struct error scratch = ERROR_INIT;
	int64_t percent;

	if (strlen(item) <= sizeof(digits))
		memcpy(digits, item, strlen(item) - 1);
	if (list_parse_count(option, digits, 1, 100, &percent, &scratch))
		return error_set(e, ERROR_USAGE, EINVAL,
				 "%s %s: not a share; give 1%% to 100%%, a count, or all",
				 option, list_quote(item).text);
	if (percent == 100)
		return append(list, 0, MODE_ALL, strdup("all"), e);
	return append(list, percent, MODE_PERCENT, count_text(percent, "%"), e);
}

static int parse_gap(const struct axis_info *info, const char *option, const char *item,
		     struct axis_list *list, struct error *e)
{
	static const char suffix[] = ":spin";
	const char *colon = strchrnul(item, ':');
	bool spin = *colon;
	char *time, *text;
	char buffer[32];
	int64_t ns;
	int rc;

	if (spin && strcmp(colon, suffix) != 0)
		return error_set(e, ERROR_USAGE, EINVAL,
				 "%s %s: unknown %s; write TIME or TIME:spin", option,
				 list_quote(item).text, list_quote(colon).text);
	time = strndup(item, colon - item);
	if (!time)
		return no_memory(e);
	rc = list_parse_time(option, time, info->max, &ns, e);
	free(time);
	if (rc)
		return rc;
	/* Nothing spun away is nothing slept away. */
	spin = spin && ns;
	list_format_time(ns, buffer, sizeof(buffer));
	if (asprintf(&text, "%s%s", buffer, spin ? suffix : "") < 0)
		text = NULL;
	return append(list, ns, spin ? MODE_SPIN : MODE_COUNT, text, e);
}

static int parse_time(const struct axis_info *info, const char *option, const char *item,
		      struct axis_list *list, struct error *e)
{
	char buffer[32];
	int64_t ns;
	int rc = list_parse_time(option, item, info->max, &ns, e);

	if (rc)
		return rc;
	return append(list, ns, MODE_COUNT, strdup(list_format_time(ns, buffer, sizeof(buffer))), e);
}

static int parse_name(const struct axis_info *info, const char *option, const char *item,
		      struct axis_list *list, struct error *e)
{
	size_t index;
	int rc = list_parse_name(option, item, info->names, &index, e);

	return rc ? rc : append(list, index, MODE_COUNT, strdup(item), e);
}

/* Syntax only: which nodes there are is the machine's. */
static int parse_mem(const struct axis_info *info, const char *option, const char *item,
		     struct axis_list *list, struct error *e)
{
	static const char prefix[] = "node:";
	struct error scratch = ERROR_INIT;
	int64_t node;

	if (strncmp(item, prefix, strlen(prefix)) != 0) {
		size_t index;

		if (!list_parse_name(option, item, info->names, &index, &scratch))
			return append(list, index, MODE_COUNT, strdup(item), e);
		return error_set(e, ERROR_USAGE, EINVAL,
				 "%s %s: unknown; give local, sender, receiver, interleave, or node:N",
				 option, list_quote(item).text);
	}
	if (list_parse_count(option, item + strlen(prefix), 0, info->max, &node, &scratch))
		return error_set(e, ERROR_USAGE, EINVAL,
				 "%s %s: no number of a node; give node:0 to node:%lld", option,
				 list_quote(item).text, (long long)info->max);
	return append(list, node, MODE_NODE, strdup(item), e);
}

/* Syntax only: what the machine has is place_resolve's. */
static int parse_place(const char *item, struct axis_list *list, struct error *e)
{
	struct place *place = NULL;
	int rc = place_parse(item, &place, e);

	place_free(place);
	return rc ? rc : append(list, 0, MODE_COUNT, strdup(item), e);
}

static int parse_item(const struct axis_info *info, const char *option, const char *item,
		      struct axis_list *list, struct error *e)
{
	switch (info->type) {
	case AXIS_TYPE_COUNT:
		break;
	case AXIS_TYPE_USED:
		if (strcmp(item, "all") == 0)
			return append(list, 0, MODE_ALL, strdup(item), e);
		if (item[strlen(item) - 1] == '%')
			return parse_percent(option, item, list, e);
		break;
	case AXIS_TYPE_AUTO:
		if (strcmp(item, "auto") == 0)
			return append(list, 0, MODE_AUTO, strdup(item), e);
		break;
	case AXIS_TYPE_NAME:
		return parse_name(info, option, item, list, e);
	case AXIS_TYPE_MEM:
		return parse_mem(info, option, item, list, e);
	case AXIS_TYPE_GAP:
		return parse_gap(info, option, item, list, e);
	case AXIS_TYPE_TIME:
		return parse_time(info, option, item, list, e);
	case AXIS_TYPE_PLACE:
		return parse_place(item, list, e);
	}
	return parse_counts(info, option, item, list, e);
}

static int compare_texts(const void *a, const void *b)
{
	const struct axis_value *const *x = a, *const *y = b;

	return strcmp((*x)->text, (*y)->text);
}

/* One canonical text a value: equal texts are equal values. */
static int refuse_duplicates(const char *option, const char *text, const struct axis_list *list,
			     struct error *e)
{
	const struct axis_value **sorted = malloc(list->count * sizeof(*sorted));
	int rc = 0;

	if (!sorted)
		return no_memory(e);
	for (size_t i = 0; i < list->count; i++)
		sorted[i] = &list->values[i];
	qsort(sorted, list->count, sizeof(*sorted), compare_texts);
	for (size_t i = 1; i < list->count && !rc; i++)
		if (compare_texts(&sorted[i - 1], &sorted[i]) == 0)
			rc = error_set(e, ERROR_USAGE, EINVAL,
				       "%s %s: %s stands twice; once is enough", option,
				       list_quote(text).text, list_quote(sorted[i]->text).text);
	free(sorted);
	return rc;
}

int axis_list_parse(enum axis axis, const char *text, struct axis_list *list, struct error *e)
{
	const struct axis_info *info = axis_info(axis);
	char option[AXIS_OPTION_SIZE];
	struct text_list items = { 0 };
	int rc;

	axis_option(axis, option);
	rc = text_list_parse(option, text, &items, e);
	if (!rc && info->single && items.count > 1)
		rc = error_set(e, ERROR_USAGE, EINVAL,
			       "%s %s: takes one value; run the others one by one", option,
			       list_quote(text).text);
	for (size_t i = 0; i < items.count && !rc; i++) {
		rc = parse_item(info, option, items.items[i], list, e);
		if (!rc && list->count > LIST_MAX_VALUES)
			rc = error_set(e, ERROR_USAGE, EINVAL,
				       "%s %s: more than %d values; give fewer", option,
				       list_quote(text).text, LIST_MAX_VALUES);
	}
	if (!rc)
		rc = refuse_duplicates(option, text, list, e);
	text_list_free(&items);
	return rc;
}
