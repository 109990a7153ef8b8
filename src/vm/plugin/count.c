// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/plugin/count.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static struct piece *ran;
static bool lost;

struct piece *count_piece(uint64_t address, uint32_t insns)
{
	struct piece *piece = calloc(1, sizeof(*piece));

	if (!piece) {
		lost = true;
		return NULL;
	}
	piece->address = address;
	piece->insns = insns;
	return piece;
}

void count_run(const struct window *window, struct piece *piece)
{
	if (__builtin_expect(!piece->runs, 0)) {
		piece->runs = calloc(WINDOW_KINDS, sizeof(*piece->runs));
		if (!piece->runs) {
			lost = true;
			return;
		}
		piece->next = ran;
		ran = piece;
	}
	piece->runs[window->kind][window->place]++;
}

static void write_piece(const struct window *window, const struct piece *piece, FILE *out)
{
	for (unsigned kind = 0; kind < WINDOW_KINDS; kind++)
		for (unsigned place = 0; place < window->place_count; place++)
			if (piece->runs[kind][place])
				fprintf(out, "runs %u %u %u %" PRIx64 " %" PRIu32 " %" PRIu64 "\n",
					window->block, kind, place, piece->address, piece->insns,
					piece->runs[kind][place]);
}

void count_flush(const struct window *window, FILE *out)
{
	for (unsigned kind = 0; kind < WINDOW_KINDS; kind++)
		if (window->opened[kind])
			fprintf(out, "windows %u %u %" PRIu64 "\n", window->block, kind,
				window->opened[kind]);
	for (unsigned place = 1; place < window->place_count; place++)
		fprintf(out, "place %u %u %" PRIx64 "\n", place, window->places[place].parent,
			window->places[place].entry);
	for (struct piece *piece = ran; piece; piece = piece->next) {
		write_piece(window, piece, out);
		memset(piece->runs, 0, WINDOW_KINDS * sizeof(*piece->runs));
	}
	if (lost)
		fprintf(out, "lost %u\n", window->block);
	lost = false;
}
