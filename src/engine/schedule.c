// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/sweep.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <stdlib.h>

const char *const sweep_order_names[] = { "interleave", "shuffle", "sequential", NULL };
const char *const sweep_sync_names[] = { "fill", "free", NULL };

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
		fill_interleaved(steps, sweep->count, method->blocks, random);
	} else {
		fill_sequential(steps, sweep->count, method->blocks);
		if (method->order == ORDER_SHUFFLE)
			gsl_ran_shuffle(random, steps, count, sizeof(*steps));
	}
	gsl_rng_free(random);
	return steps;
}
