// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/list.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Units of time, largest first. */
static const struct {
	const char *name;
	int64_t ns;
} units[] = {
	{ "s", 1000000000 },
	{ "ms", 1000000 },
	{ "us", 1000 },
	{ "ns", 1 },
};

#define UNIT_COUNT (sizeof(units) / sizeof(units[0]))

struct quoted list_quote(const char *text)
{
	struct quoted quoted;
	size_t room = sizeof(quoted.text) - sizeof("\"\"...");
	size_t length = strlen(text);
	bool cut = length > room;
	char *out = quoted.text;

	if (cut) {
		length = room;
		/* Not in the middle of a UTF-8 character. */
		while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
			length--;
	}
	*out++ = '"';
	for (size_t i = 0; i < length; i++) {
		unsigned char c = text[i];

		*out++ = c < 0x20 || c == 0x7f ? '?' : c;
	}
	strcpy(out, cut ? "...\"" : "\"");
	return quoted;
}

/* Digits up to the first other character. Returns false where there is none or
 * the number does not fit. */
static bool scan_count(const char **text, int64_t *value)
{
	const char *at = *text;
	int64_t sum = 0;

	if (*at < '0' || *at > '9')
		return false;
	for (; *at >= '0' && *at <= '9'; at++)
		if (__builtin_mul_overflow(sum, 10, &sum) ||
		    __builtin_add_overflow(sum, *at - '0', &sum))
			return false;
	*text = at;
	*value = sum;
	return true;
}

/* Why `text` is no count: all digits means that it is too large for any type. */
static int refuse_count(const char *option, const char *text, int64_t min, int64_t max,
			struct error *e)
{
	const char *reason = "not a whole number";

	if (!*text)
		reason = "empty";
	else if (text[strspn(text, "0123456789")] == '\0')
		reason = "out of range";
	return error_set(e, ERROR_USAGE, EINVAL, "%s %s: %s; give a whole number from %lld to %lld",
			 option, list_quote(text).text, reason, (long long)min, (long long)max);
}

int list_parse_count(const char *option, const char *text, int64_t min, int64_t max,
		     int64_t *value, struct error *e)
{
	const char *end = text;
	int64_t number;

	if (!scan_count(&end, &number) || *end || number < min || number > max)
		return refuse_count(option, text, min, max, e);
	*value = number;
	return 0;
}

int list_parse_time(const char *option, const char *text, int64_t max_ns,
		    int64_t *value_ns, struct error *e)
{
	const char *unit = text;
	char limit[32];
	int64_t number;

	list_format_time(max_ns, limit, sizeof(limit));
	if (!scan_count(&unit, &number))
		return error_set(e, ERROR_USAGE, EINVAL,
				 "%s %s: not a time; give a whole number with ns, us, ms or s, "
				 "at most %s",
				 option, list_quote(text).text, limit);
	if (!*unit && number == 0) {
		*value_ns = 0;
		return 0;
	}
	for (size_t i = 0; i < UNIT_COUNT; i++) {
		int64_t ns;

		if (strcmp(unit, units[i].name) != 0)
			continue;
		if (__builtin_mul_overflow(number, units[i].ns, &ns) || ns > max_ns)
			return error_set(e, ERROR_USAGE, EINVAL, "%s %s: out of range; at most %s",
					 option, list_quote(text).text, limit);
		*value_ns = ns;
		return 0;
	}
	return error_set(e, ERROR_USAGE, EINVAL, "%s %s: %s; add ns, us, ms or s", option,
			 list_quote(text).text, *unit ? "unknown unit" : "a time without its unit");
}

const char *list_format_time(int64_t ns, char *buffer, size_t size)
{
	size_t i = 0;

	if (ns == 0) {
		snprintf(buffer, size, "0");
		return buffer;
	}
	while (ns % units[i].ns != 0)
		i++;
	snprintf(buffer, size, "%lld%s", (long long)(ns / units[i].ns), units[i].name);
	return buffer;
}

int list_parse_name(const char *option, const char *text, const char *const *names,
		    size_t *index, struct error *e)
{
	char known[320] = "";
	size_t length = 0;

	for (size_t i = 0; names[i]; i++) {
		if (strcmp(text, names[i]) == 0) {
			*index = i;
			return 0;
		}
		if (length < sizeof(known))
			length += snprintf(known + length, sizeof(known) - length, "%s%s",
					   i ? ", " : "", names[i]);
	}
	return error_set(e, ERROR_USAGE, EINVAL, "%s %s: unknown; known %s %s", option,
			 list_quote(text).text, names[0] && names[1] ? "are" : "is", known);
}

static int no_memory(struct error *e)
{
	return error_set(e, ERROR_FAILED, ENOMEM, "out of memory");
}

int text_list_parse(const char *option, const char *text, struct text_list *list,
		    struct error *e)
{
	const char *at = text;

	for (;;) {
		size_t length = strcspn(at, ",");
		char **items;

		if (!length)
			return error_set(e, ERROR_USAGE, EINVAL,
					 "%s %s: empty %s; give values parted by single commas",
					 option, list_quote(text).text,
					 *text ? "item in the list" : "list");
		items = reallocarray(list->items, list->count + 1, sizeof(*items));
		if (!items)
			return no_memory(e);
		list->items = items;
		items[list->count] = strndup(at, length);
		if (!items[list->count])
			return no_memory(e);
		list->count++;
		if (!at[length])
			return 0;
		at += length + 1;
	}
}

void text_list_free(struct text_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i]);
	free(list->items);
	*list = (struct text_list){ 0 };
}

static int append(const char *option, const char *item, struct count_list *list, int64_t value,
		  struct error *e)
{
	if (list->count == LIST_MAX_VALUES)
		return error_set(e, ERROR_USAGE, EINVAL,
				 "%s %s: more than %d values; take a larger step or a factor",
				 option, list_quote(item).text, LIST_MAX_VALUES);
	/* Room doubles: it is used up when the count is a power of two. */
	if ((list->count & (list->count - 1)) == 0) {
		size_t room = list->count ? 2 * list->count : 1;
		int64_t *values = reallocarray(list->values, room, sizeof(*values));

		if (!values)
			return no_memory(e);
		list->values = values;
	}
	list->values[list->count++] = value;
	return 0;
}

/* Cuts "A..B", "A..B+STEP", "A..BxFACTOR". Numbers that do not parse are left to
 * the caller's words, hence the one bool. */
static bool scan_range(const char *item, int64_t *first, int64_t *last, char *operator,
		       int64_t *operand)
{
	const char *at = item;

	*operator = '+';
	*operand = 1;
	if (!scan_count(&at, first))
		return false;
	if (strncmp(at, "..", 2) != 0)
		return false;
	at += 2;
	if (!scan_count(&at, last))
		return false;
	if (!*at)
		return true;
	*operator = *at++;
	if (*operator != '+' && *operator != 'x')
		return false;
	return scan_count(&at, operand) && !*at;
}

static int parse_range(const char *option, const char *item, int64_t min, int64_t max,
		       struct count_list *list, struct error *e)
{
	int64_t first, last, operand;
	const char *reason = NULL;
	char operator;

	if (!scan_range(item, &first, &last, &operator, &operand))
		return error_set(e, ERROR_USAGE, EINVAL,
				 "%s %s: not a range; write A..B, A..B+STEP or A..BxFACTOR",
				 option, list_quote(item).text);
	if (first < min || last > max)
		return error_set(e, ERROR_USAGE, EINVAL, "%s %s: out of range; give %lld to %lld",
				 option, list_quote(item).text, (long long)min, (long long)max);
	if (first > last)
		reason = "descends; put the smaller number first";
	else if (operator == '+' && operand < 1)
		reason = "never ends; the step must be at least 1";
	else if (operator == 'x' && (operand < 2 || first < 1))
		reason = "never ends; the factor must be at least 2 and the start at least 1";
	if (reason)
		return error_set(e, ERROR_USAGE, EINVAL, "%s %s: %s", option,
				 list_quote(item).text, reason);

	for (int64_t value = first; value <= last;) {
		int rc = append(option, item, list, value, e);

		if (rc)
			return rc;
		if (operator == '+' ? __builtin_add_overflow(value, operand, &value)
				    : __builtin_mul_overflow(value, operand, &value))
			break;
	}
	return 0;
}

static int compare_counts(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Sorts a copy: comparing all with all would take a minute at LIST_MAX_VALUES. */
static int refuse_duplicates(const char *option, const char *text, const struct count_list *list,
			     struct error *e)
{
	int64_t *sorted = malloc(list->count * sizeof(*sorted));
	int rc = 0;

	if (!sorted)
		return no_memory(e);
	memcpy(sorted, list->values, list->count * sizeof(*sorted));
	qsort(sorted, list->count, sizeof(*sorted), compare_counts);
	for (size_t i = 1; i < list->count && !rc; i++)
		if (sorted[i] == sorted[i - 1])
			rc = error_set(e, ERROR_USAGE, EINVAL,
				       "%s %s: %lld stands twice; once is enough", option,
				       list_quote(text).text, (long long)sorted[i]);
	free(sorted);
	return rc;
}

int count_list_parse(const char *option, const char *text, int64_t min, int64_t max,
		     struct count_list *list, struct error *e)
{
	struct text_list items = { 0 };
	int rc = text_list_parse(option, text, &items, e);

	for (size_t i = 0; i < items.count && !rc; i++) {
		int64_t value;

		if (strstr(items.items[i], "..")) {
			rc = parse_range(option, items.items[i], min, max, list, e);
			continue;
		}
		rc = list_parse_count(option, items.items[i], min, max, &value, e);
		if (!rc)
			rc = append(option, items.items[i], list, value, e);
	}
	if (!rc)
		rc = refuse_duplicates(option, text, list, e);
	text_list_free(&items);
	return rc;
}

void count_list_free(struct count_list *list)
{
	free(list->values);
	*list = (struct count_list){ 0 };
}
