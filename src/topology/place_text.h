/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_TOPOLOGY_PLACE_TEXT_H
#define RINGSCALE_TOPOLOGY_PLACE_TEXT_H

#include <stdbool.h>

#include "topology/place.h"
#include "topology/relation.h"

enum place_form {
	PLACE_TERMS,		/* auto is terms without any */
	PLACE_EACH,
	PLACE_PUS,		/* PU(+PU)* */
	PLACE_PUS_SPLIT,	/* S:R(+S:R)* */
};

/* What is inside a parsed --place. */
struct place {
	char *text;
	enum place_form form;
	struct {
		int sender, receiver;	/* receiver -1: PLACE_PUS */
	} *pus;				/* no PU twice, but that of the thread which a fan shares */
	int pu_count;
	enum fan fan;			/* of PLACE_PUS_SPLIT: one role has the same PU in all pairs */
	char kind[2][16];		/* of sender and receiver; "" not asked for */
	bool kind_split;		/* K:K, not K */
	enum relation_term relation;
	bool has_order;
	bool spread;
};

#endif
