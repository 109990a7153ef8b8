/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_RESULTS_FRAME_H
#define RINGSCALE_RESULTS_FRAME_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * The frame that every block record has, whatever its workload: what code that
 * computes with blocks may take for granted once this has returned true. `id` is text,
 * `point` an object, `block` a count, `valid` true or false, `pairs` an array of
 * objects with `sender_pu`, `receiver_pu` (count or null) and `rounds`, an array of
 * objects with `round`, `valid`, and times that are integers or null; a valid
 * round that has a fill_ns has one above 0, and installs above 0.
 * doc/result-schema.json describes the rest.
 *
 * Returns false with the first thing amiss in `why` ("pairs[0].rounds[2]: no \"valid\"").
 */
bool frame_check_block(const json_t *block, char *why, size_t size);

#endif
