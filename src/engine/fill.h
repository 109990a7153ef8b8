/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_ENGINE_FILL_H
#define RINGSCALE_ENGINE_FILL_H

#include "engine/team.h"

/*
 * One fill, as every member goes through it, and how members keep in step.
 * For the threads of a team only, each with its own member.
 */

/* What a fill is among those of its round. */
struct fill_place {
	/* False: the first, cold fill of a ring that lasts a round, of which only phases are kept. */
	bool counts;
	bool last;	/* of its ring */
	bool warmup;	/* of a round that is thrown away */
};

/*
 * Prepares, fills and judges, between gates. `round` is the pair's, NULL for who does not keep it.
 * False ends the member: a gate did not open, or the fill failed, with the reason in the round's
 * or, where nothing was filled, in member->error.
 */
bool fill_run(struct member *member, struct side_round *side, struct pair_round *round,
	      struct fill_place place);

/* Waits for the others at a gate; ends the member's turn in its lane. False: stopped. */
bool member_meet(struct member *member, struct gate *gate);

/* Lets the next thread of the PU do what is not timed. */
void member_end_turn(struct member *member);

/* Stops the whole team. */
void member_end_block(struct member *member);

/* Keeps the first reason. */
void keep_reason(char **reason, const char *text);

#endif
