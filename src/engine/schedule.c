// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/sweep.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <stdlib.h>

const char *const sweep_order_names[] = { "interleave", "shuffle", "sequential", NULL };
const char *const sweep_sync_names[] = { "fill", "free", NULL };

uint64_t *sweep_keys(const struct sweep *sweep, enum axis axis)
{
	uint64_t *keys = malloc(sweep->count * sizeof(*keys));

	for (size_t i = 0; keys && i < sweep->count; i++)
		keys[i] = point_key(&sweep->points[i], axis);
	return keys;
}

/* Points that are measured side by side: they differ in one axis alone. */
struct party {
	uint64_t key;
	size_t point;
};

static int compare_parties(const void *a, const void *b)
{
	const struct party *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->point < y->point ? -1 : x->point > y->point;
}

/* The points in the order of `parties`, which has all of a key beside each other; each key's in an
 * order of their own, the keys in another: as many draws for as many keys. */
static void deal(struct step *steps, const struct party *parties, const size_t *starts,
		 size_t count, size_t points, unsigned block, gsl_rng *random)
{
	size_t dealt = 0;

	for (size_t i = 0; i < count; i++) {
		size_t first = dealt, from = starts[i];

		while (from < points && parties[from].key == parties[starts[i]].key)
			steps[dealt++] = (struct step){ (unsigned)parties[from++].point, block };
		if (dealt - first > 1)
			gsl_ran_shuffle(random, steps + first, dealt - first, sizeof(*steps));
	}
}

/* One permutation for each block, in which points that differ in --ring-fd alone are beside each
 * other. False without memory. */
static bool fill_paired(struct step *steps, const struct sweep *sweep, unsigned blocks,
			gsl_rng *random)
{
	size_t points = sweep->count, count = 0;
	uint64_t *keys = sweep_keys(sweep, AXIS_RING_FD);
	struct party *parties = calloc(points, sizeof(*parties));
	size_t *starts = calloc(points, sizeof(*starts));
	bool good = keys && parties && starts;

	for (size_t i = 0; good && i < points; i++)
		parties[i] = (struct party){ keys[i], i };
	if (good)
		qsort(parties, points, sizeof(*parties), compare_parties);
	for (size_t i = 0; good && i < points; i++)
		if (!i || parties[i].key != parties[i - 1].key)
			starts[count++] = i;
	for (unsigned block = 0; good && block < blocks; block++, steps += points) {
		gsl_ran_shuffle(random, starts, count, sizeof(*starts));
		deal(steps, parties, starts, count, points, block, random);
	}
	free(keys);
	free(parties);
	free(starts);
	return good;
}

/* One permutation of all points for each block. */
static void fill_interleaved(struct step *steps, size_t points, unsigned blocks, gsl_rng *random)
{
	for (unsigned block = 0; block < blocks; block++, steps += points) {
		for (size_t point = 0; point < points; point++)
			steps[point] = (struct step){ point, block };
		gsl_ran_shuffle(random, steps, points, sizeof(*steps));
	}
}

static void fill_sequential(struct step *steps, size_t points, unsigned blocks)
{
	for (size_t point = 0; point < points; point++)
		for (unsigned block = 0; block < blocks; block++)
			*steps++ = (struct step){ point, block };
}

/* NULL without memory, where GSL itself would call abort. */
static gsl_rng *make_random(uint64_t seed)
{
	gsl_error_handler_t *handler = gsl_set_error_handler_off();
	gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);

	gsl_set_error_handler(handler);
	if (random)
		gsl_rng_set(random, seed);
	return random;
}

struct step *sweep_schedule(const struct sweep *sweep, const struct method *method)
{
	size_t count = sweep->count * method->blocks;
	struct step *steps = calloc(count, sizeof(*steps));
	gsl_rng *random = make_random(method->seed);

	if (!steps || !random) {
		free(steps);
		steps = NULL;
	} else if (method->order == ORDER_INTERLEAVE) {
		if (!sweep->points || !sweep_axis_varies(sweep, AXIS_RING_FD, true)) {
			fill_interleaved(steps, sweep->count, method->blocks, random);
		} else if (!fill_paired(steps, sweep, method->blocks, random)) {
			free(steps);
			steps = NULL;
		}
	} else {
		fill_sequential(steps, sweep->count, method->blocks);
		if (method->order == ORDER_SHUFFLE)
			gsl_ran_shuffle(random, steps, count, sizeof(*steps));
	}
	gsl_rng_free(random);
	return steps;
}
