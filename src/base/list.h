/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_BASE_LIST_H
#define RINGSCALE_BASE_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Numbers and lists of them as users type them. Every function takes the
 * name of the option ("--slots") and quotes it with the value when it refuses;
 * the error is of kind ERROR_USAGE. Whole strings are parsed: no blanks, no
 * sign, no "4k", no "1e3", nothing that overflows.
 */

/* A text as it may stand in a message: on one line, cut where it is long. Use it
 * within one expression: "... %s", list_quote(text).text */
struct quoted {
	char text[88];
};
struct quoted list_quote(const char *text);

/* One count between min and max. */
int list_parse_count(const char *option, const char *text, int64_t min, int64_t max,
		     int64_t *value, struct error *e);

/* A time with its unit, ns, us, ms or s ("50ms", "0" needs none), between 0 and max_ns. */
int list_parse_time(const char *option, const char *text, int64_t max_ns,
		    int64_t *value_ns, struct error *e);

/* A time in the largest unit that divides it: "0", "50ms", "1500us". Returns `buffer`;
 * 32 bytes are enough for any time. */
const char *list_format_time(int64_t ns, char *buffer, size_t size);

/* The index of `text` in NULL-terminated names[]; refuses others and lists what is known. */
int list_parse_name(const char *option, const char *text, const char *const *names,
		    size_t *index, struct error *e);

/* Growing list of counts. */
struct count_list {
	int64_t *values;
	size_t count;
};

/*
 * "N,A..B,A..B+STEP,A..BxFACTOR": a comma list of counts and ranges. A range
 * ascends (A..A is one value), contains B only if a step hits it, and has at
 * most LIST_MAX_VALUES values, as has the list. STEP >= 1, FACTOR >= 2. Duplicates and empty
 * items are refused. Fills an empty *list; count_list_free releases it, also after failure.
 */
#define LIST_MAX_VALUES 65536
int count_list_parse(const char *option, const char *text, int64_t min, int64_t max,
		     struct count_list *list, struct error *e);
void count_list_free(struct count_list *list);

/* A comma list cut into its items; empty items are refused. text_list_free releases it. */
struct text_list {
	char **items;
	size_t count;
};
int text_list_parse(const char *option, const char *text, struct text_list *list,
		    struct error *e);
void text_list_free(struct text_list *list);

#endif
