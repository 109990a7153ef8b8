/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_ENGINE_SWEEP_H
#define RINGSCALE_ENGINE_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/axes.h"
#include "engine/point.h"
#include "topology/topology.h"

enum order { ORDER_INTERLEAVE, ORDER_SHUFFLE, ORDER_SEQUENTIAL };
enum sync { SYNC_FILL, SYNC_FREE };

/* Their names as typed and recorded, in the order of the enums, ended by NULL. */
extern const char *const sweep_order_names[];
extern const char *const sweep_sync_names[];

/* How the points are measured: the method options, the same for all points. */
struct method {
	unsigned rounds, warmup, blocks;
	enum order order;
	enum sync sync;
	uint64_t seed;
	int64_t timeout_ns;		/* longest wait anywhere in a block */
	bool solo;
	bool oversubscribe;		/* threads may share PUs where there are too few */
	bool with_control;		/* every point of installs has its messages beside it */
};

/* What a sweep may grow to, so that no command line fills the memory. */
#define SWEEP_MAX_POINTS 65536
#define SWEEP_MAX_PAIRS 1048576		/* pairs of all points */
#define SWEEP_MAX_BLOCKS 1000000	/* points x method->blocks */

/* Points in table order, each identity once; solo points and controls behind the others. */
struct sweep {
	struct point *points;
	size_t count;
	char **dropped;			/* cells of presets that cannot be: "cell: why" */
	size_t dropped_count;
};

/*
 * Expands products (axis order of enum axis, the last axis fastest) into points, resolves and
 * places them. A cell that cannot exist refuses the sweep when `strict`, or when all axes that
 * stand in its way were typed or are defaults; where a preset chose one of them it is dropped and
 * named. A sweep without any cell left is refused. Place `each` becomes one point per ordered PU
 * pair. With method->solo every pair of a point of several pairs gets a point of its own (solo =
 * true) unless an equal one is in the sweep. With method->with_control every point gets one of
 * messages (control = true), and what has no such control is refused as a cell that cannot exist.
 * Fills an empty *sweep; sweep_free releases it, also after failure.
 */
int sweep_build(struct sweep *sweep, const struct product *products, size_t count,
		const struct topology *topology, const struct method *method, bool strict,
		struct error *e);
void sweep_free(struct sweep *sweep);

/* Whether the axis differs between points: as it was asked for ("all" at every table size does
 * not). Solo points and controls count where `solo` is true. */
bool sweep_axis_varies(const struct sweep *sweep, enum axis axis, bool solo);

/* Whether the axis means something to any point. */
bool sweep_has_axis(const struct sweep *sweep, enum axis axis);

/* The value of an axis that does not vary: resolved, or as it was asked for ("auto", "all")
 * where that means something else at each point. `buffer` as in point_text. */
const char *sweep_axis_text(const struct sweep *sweep, enum axis axis, bool solo, char *buffer,
			    size_t size);

/* Index of the solo point (or 1-pair point) that is pair `pair` of `point` alone, or -1. */
int sweep_find_solo(const struct sweep *sweep, const struct point *point, int pair);

/* Index of the messages to the installs of `point`, or -1. */
int sweep_find_control(const struct sweep *sweep, const struct point *point);

/*
 * For every point the hash of all that makes it but one axis: equal where two points differ in that
 * axis alone. A fresh array that the caller frees, or NULL without memory.
 */
uint64_t *sweep_keys(const struct sweep *sweep, enum axis axis);

/* What to measure next: block `block` of point `point`. */
struct step {
	unsigned point, block;
};

/* The order of all (point, block): points x blocks steps, a fresh array that the
 * caller frees, or NULL without memory. Depends on order and seed alone.
 * interleave: each pass visits all points once in a new permutation, in which points that differ
 * in --ring-fd alone stand beside each other, in either order; shuffle: one
 * permutation of everything; sequential: point by point. */
struct step *sweep_schedule(const struct sweep *sweep, const struct method *method);

#endif
