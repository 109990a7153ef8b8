// SPDX-License-Identifier: GPL-2.0-or-later
#include "topology/place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* So many texts are a list; more are a mistake that would fill the memory. */
#define EACH_MAX 1000000

void placement_free(struct placement *placement)
{
	free(placement->pairs);
	*placement = (struct placement){ 0 };
}

int placement_copy(struct placement *to, const struct placement *from)
{
	size_t size = (size_t)from->count * sizeof(*from->pairs);

	*to = *from;
	to->pairs = NULL;
	if (!from->pairs)
		return 0;
	to->pairs = malloc(size);
	if (!to->pairs) {
		*to = (struct placement){ 0 };
		return -ENOMEM;
	}
	memcpy(to->pairs, from->pairs, size);
	return 0;
}

static int add_text(char **texts, size_t *count, int sender, int receiver)
{
	int length = receiver < 0 ? asprintf(&texts[*count], "%d", sender)
				  : asprintf(&texts[*count], "%d:%d", sender, receiver);

	if (length < 0)
		return -ENOMEM;
	(*count)++;
	return 0;
}

int place_each(const struct topology *topology, bool split, char ***texts, size_t *count,
	       struct error *e)
{
	int pus = hwloc_bitmap_weight(topology->candidates);
	long long room = split ? (long long)pus * (pus - 1) : pus;
	int first = hwloc_bitmap_first(topology->candidates);
	unsigned sender, receiver;
	int rc = 0;

	*texts = NULL;
	*count = 0;
	if (room == 0)
		return error_set(e, ERROR_USAGE, EINVAL,
				 "--place \"each\": a pair of two threads needs "
				 "2 PUs, 1 available (%d); use --reap inline",
				 first);
	if (room > EACH_MAX)
		return error_set(e, ERROR_USAGE, EINVAL,
				 "--place \"each\": %d PUs make %lld pairs, more "
				 "than %d; give fewer PUs (taskset) or a relation",
				 pus, room, EACH_MAX);
	*texts = calloc((size_t)room, sizeof(**texts));
	if (!*texts)
		return error_set(e, ERROR_FAILED, ENOMEM, "out of memory");
	hwloc_bitmap_foreach_begin(sender, topology->candidates)
		if (!split) {
			rc |= add_text(*texts, count, (int)sender, -1);
			continue;
		}
		hwloc_bitmap_foreach_begin(receiver, topology->candidates)
			if (sender != receiver)
				rc |= add_text(*texts, count, (int)sender, (int)receiver);
		hwloc_bitmap_foreach_end();
	hwloc_bitmap_foreach_end();
	if (rc) {
		while (*count > 0)
			free((*texts)[--*count]);
		free(*texts);
		*texts = NULL;
		return error_set(e, ERROR_FAILED, ENOMEM, "out of memory");
	}
	return 0;
}
