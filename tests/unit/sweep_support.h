/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SWEEP_SUPPORT_H
#define SWEEP_SUPPORT_H

#include "engine/sweep.h"

#define SWEEP_FOUR_PUS "numa:1 core:4 pu:1"

struct method sweep_method(unsigned blocks, bool solo);

/* "slots=64,256 reap=poll": typed; in capitals ("SLOTS=64"): chosen by a preset. */
void sweep_product(struct product *product, const char *text);

/* The sweep of one such product on the synthetic machine `machine`; what sweep_build returned. */
int sweep_make(struct sweep *sweep, const char *machine, const char *text, bool solo,
	       struct error *e);

#endif
