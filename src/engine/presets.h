/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_ENGINE_PRESETS_H
#define RINGSCALE_ENGINE_PRESETS_H

#include <stddef.h>

#include "base/error.h"
#include "engine/axes.h"
#include "engine/preset_marks.h"
#include "engine/sweep.h"

/*
 * A preset is a list of products, each written as the command line that would ask for it, plus
 * method options. Marks in them stand for what the machine has: preset_marks.h.
 *
 * To add one: a row in presets.c, a line in man/ringscale.1, a test.
 */
struct preset {
	const char *name;
	const char *summary;
	const char *method;		/* "--blocks 1 --rounds 15", or NULL */
	const char *const *products;	/* NULL-terminated */
};

/* All presets, ended by one without a name; the first is the default. */
extern const struct preset presets[];

const struct preset *preset_find(const char *name);

/*
 * Parses a preset into products (an array of *count, freed by the caller with
 * product_free on each and free) and lays the typed axes of `typed` over every
 * one of them. Products that become equal are merged.
 */
int preset_products(const struct preset *preset, const struct product *typed,
		    const struct preset_machine *machine, struct product **products, size_t *count,
		    struct error *e);

#endif
