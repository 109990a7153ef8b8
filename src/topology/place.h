/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_TOPOLOGY_PLACE_H
#define RINGSCALE_TOPOLOGY_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "topology/topology.h"

/* Where the two threads of a pair run, as OS indices of PUs. */
struct place_pair {
	int sender_pu;
	int receiver_pu;		/* -1: inline, one thread does both */
	char kinds[32];	   /* "P:E", or "P" inline: the row label, kinds are never pooled */
	char relation[32]; /* a label of relation.h, "l2" or "l3+cross-numa"; "same-pu"; "" inline */
};

/* Whose thread all pairs share: nobody's, the receiver's, the sender's. */
enum fan { FAN_NONE, FAN_IN, FAN_OUT };

/* pairs[count], in order of pair number. */
struct placement {
	struct place_pair *pairs;
	int count;
	bool smt;			/* siblings of one core are used by two threads */
	bool oversubscribed;		/* two threads share a PU */
	enum fan fan;			/* the shared thread's PU stands in every pair */
};

/* A parsed --place. */
struct place;

/*
 * Parses the grammar of DESIGN section 5. Syntax errors only: whether a machine
 * has such PUs is found by place_resolve. place_free releases it.
 */
int place_parse(const char *text, struct place **place, struct error *e);
void place_free(struct place *place);

/* "each" is expanded by place_each before resolving. */
bool place_is_each(const struct place *place);

/*
 * Finds PUs for `pairs` pairs; with `split` a pair has two threads, else one.
 * Returns 0 and fills an empty *placement, or -errno with an ERROR_USAGE
 * that says what was asked, and what this machine can give. It refuses only
 * where no choice of PUs would do: the most pairs that there are is counted,
 * not found by trial, and no choice is made that makes the rest impossible.
 *
 * Cores that no thread has come before siblings; then the best kind, where none
 * is asked for; then the nearest shared cache, node and package; then the order
 * of the machine, or its rotation with `spread` (of pairs: the two threads of a
 * pair stay near each other). The first N pairs of a larger
 * placement need not be the placement of N pairs.
 */
int place_resolve(const struct topology *topology, const struct place *place, int pairs,
		  bool split, struct placement *placement, struct error *e);

/*
 * The same where threads may share PUs: what place_resolve can give it gives, and what it
 * cannot for want of PUs is dealt round robin. Without a relation the threads go to
 * the PUs in the order of auto (of their kind), one after the other; with a relation, or a list of PUs,
 * as many pairs as there can be are repeated. A relation that not even one pair has is refused.
 */
int place_share(const struct topology *topology, const struct place *place, int pairs, bool split,
		struct placement *placement, struct error *e);

/*
 * The same where all pairs share their receiver (FAN_IN) or sender: its PU is the first in the
 * order of auto with so many others to which the relation that is asked for holds, and those are
 * taken in that order. Explicit PUs name it in every pair: 0:2+1:2. `share`: as place_share; too
 * few are dealt round robin.
 */
int place_fan(const struct topology *topology, const struct place *place, enum fan fan, int pairs,
	      bool share, struct placement *placement, struct error *e);

void placement_free(struct placement *placement);
int placement_copy(struct placement *to, const struct placement *from);

/* Every ordered pair of candidates ("S:R"), or every candidate ("PU") without
 * split, as explicit place texts; *texts is freed by the caller, items and array. */
int place_each(const struct topology *topology, bool split, char ***texts, size_t *count,
	       struct error *e);

#endif
