// SPDX-License-Identifier: GPL-2.0-or-later
#include "topology/place_text.h"

#include "base/list.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PU_MAX 1048575

static int refuse(const struct place *place, struct error *e, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int refuse(const struct place *place, struct error *e, const char *format, ...)
{
	char reason[320];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	return error_set(e, ERROR_USAGE, EINVAL, "--place %s: %s", list_quote(place->text).text,
			 reason);
}

static int no_memory(struct error *e)
{
	return error_set(e, ERROR_FAILED, ENOMEM, "out of memory");
}

static bool is_kind(const char *text)
{
	static const char *const fixed[] = { "P", "E", "LPE", "little", "big" };

	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		if (strcmp(text, fixed[i]) == 0)
			return true;
	return text[0] == 'k' && isdigit((unsigned char)text[1]) && strlen(text) < 6 &&
	       text[1 + strspn(text + 1, "0123456789")] == '\0';
}

static enum relation_term find_relation(const char *text)
{
	for (int term = RELATION_ANY + 1; term < RELATION_TERM_COUNT; term++)
		if (strcmp(text, relation_term_name(term)) == 0)
			return term;
	return RELATION_ANY;
}

static int parse_kind(struct place *place, char *item, struct error *e)
{
	char *receiver = strchr(item, ':');

	if (receiver)
		*receiver++ = '\0';
	for (const char *kind = item; kind; kind = kind == item ? receiver : NULL)
		if (!is_kind(kind))
			return refuse(place, e,
				      "%s is no term; a kind (P, E, LPE, k0, ..., little, big "
				      "as K:K or K), a relation (smt, l2, l3, numa, cross-numa, "
				      "cross-package), an order (compact, spread), or PU numbers",
				      list_quote(kind).text);
	if (place->kind[0][0])
		return refuse(place, e, "two kinds; give at most one, as K:K (sender first)");
	snprintf(place->kind[0], sizeof(place->kind[0]), "%s", item);
	snprintf(place->kind[1], sizeof(place->kind[1]), "%s", receiver ? receiver : item);
	place->kind_split = receiver != NULL;
	return 0;
}

static int parse_term(struct place *place, char *item, struct error *e)
{
	enum relation_term relation = find_relation(item);
	bool spread = strcmp(item, "spread") == 0;

	if (strcmp(item, "auto") == 0 || strcmp(item, "each") == 0)
		return refuse(place, e, "%s stands alone", item);
	if (relation != RELATION_ANY) {
		if (place->relation != RELATION_ANY)
			return refuse(place, e, "two relations, %s and %s; give at most one",
				      relation_term_name(place->relation), item);
		place->relation = relation;
		return 0;
	}
	if (spread || strcmp(item, "compact") == 0) {
		if (place->has_order)
			return refuse(place, e, "two orders; give compact or spread, once");
		place->has_order = true;
		place->spread = spread;
		return 0;
	}
	return parse_kind(place, item, e);
}

static int parse_number(struct place *place, const char *text, int *number, struct error *e)
{
	struct error local = ERROR_INIT;
	int64_t value;

	if (list_parse_count("", text, 0, PU_MAX, &value, &local))
		return refuse(place, e, "%s is no PU number; give PU+PU (inline) or S:R+S:R",
			      list_quote(text).text);
	*number = (int)value;
	return 0;
}

static int role_pu(const struct place *place, int index, int role)
{
	return role ? place->pus[index].receiver : place->pus[index].sender;
}

/* Whether item `index` names a PU in `role` that an earlier one names in the role `other`. */
static bool repeats(const struct place *place, int index, int role, int other)
{
	int pu = role_pu(place, index, role);

	for (int i = 0; i < index; i++)
		if (pu >= 0 && role_pu(place, i, other) == pu)
			return true;
	return false;
}

static int refuse_twice(const struct place *place, int pu, struct error *e)
{
	return refuse(place, e, "PU %d twice; every thread needs a PU of its own", pu);
}

/* No PU twice, but in one role all the same: the thread that all pairs share. */
static int check_repeats(struct place *place, struct error *e)
{
	int repeated[2] = { 0 }, last[2] = { 0 };

	for (int i = 1; i < place->pu_count; i++)
		for (int role = 0; role < 2; role++) {
			if (repeats(place, i, role, !role))
				return refuse_twice(place, role_pu(place, i, role), e);
			if (!repeats(place, i, role, role))
				continue;
			repeated[role]++;
			last[role] = role_pu(place, i, role);
		}
	for (int role = 0; role < 2; role++) {
		bool all = place->form == PLACE_PUS_SPLIT &&
			   repeated[role] == place->pu_count - 1 && !repeated[!role];

		if (repeated[role] && !all)
			return refuse_twice(place, last[role], e);
		if (repeated[role])
			place->fan = role ? FAN_IN : FAN_OUT;
	}
	return 0;
}

/* "3" or "0:1"; all items must have the form of the first. */
static int parse_pus(struct place *place, char *item, struct error *e)
{
	char *colon = strchr(item, ':');
	void *grown = reallocarray(place->pus, (size_t)place->pu_count + 1, sizeof(*place->pus));
	int sender, receiver = -1;
	int rc;

	if (!grown)
		return no_memory(e);
	place->pus = grown;
	if (colon)
		*colon++ = '\0';
	if (place->pu_count == 0)
		place->form = colon ? PLACE_PUS_SPLIT : PLACE_PUS;
	else if ((place->form == PLACE_PUS_SPLIT) != (colon != NULL))
		return refuse(place, e, "PU and S:R mixed; give PU+PU (inline) or S:R+S:R");
	rc = parse_number(place, item, &sender, e);
	if (!rc && colon)
		rc = parse_number(place, colon, &receiver, e);
	if (!rc && sender == receiver)
		rc = refuse_twice(place, sender, e);
	if (rc)
		return rc;
	place->pus[place->pu_count].sender = sender;
	place->pus[place->pu_count].receiver = receiver;
	place->pu_count++;
	return 0;
}

static int parse_items(struct place *place, char *rest, struct error *e)
{
	bool numbers = isdigit((unsigned char)*rest);
	char *item;

	while ((item = strsep(&rest, "+"))) {
		int rc;

		if (!*item)
			return refuse(place, e, "an item is empty; join terms with one +");
		if (numbers != !!isdigit((unsigned char)*item))
			return refuse(place, e,
				      "PU numbers and terms mixed; give one or the other");
		rc = numbers ? parse_pus(place, item, e) : parse_term(place, item, e);
		if (rc)
			return rc;
	}
	return check_repeats(place, e);
}

int place_parse(const char *text, struct place **result, struct error *e)
{
	struct place *place = calloc(1, sizeof(*place));
	char *copy = strdup(text);
	int rc = 0;

	*result = NULL;
	if (place)
		place->text = strdup(text);
	if (!place || !copy || !place->text)
		rc = no_memory(e);
	else if (strcmp(text, "each") == 0)
		place->form = PLACE_EACH;
	else if (strcmp(text, "auto") != 0)
		rc = parse_items(place, copy, e);
	free(copy);
	if (rc)
		place_free(place);
	else
		*result = place;
	return rc;
}

void place_free(struct place *place)
{
	if (!place)
		return;
	free(place->text);
	free(place->pus);
	free(place);
}

bool place_is_each(const struct place *place)
{
	return place->form == PLACE_EACH;
}
