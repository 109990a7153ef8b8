// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/plugin/window.h"

#include <string.h>

#include "base/marker.h"

void window_init(struct window *window)
{
	memset(window, 0, sizeof(*window));
	window->place_count = 1;
}

void window_mark(struct window *window, int marker)
{
	switch (marker) {
	case MARKER_ASIDE:
		window->next_aside = true;
		break;
	case MARKER_COLD:
		window->next_kind = WINDOW_COLD;
		break;
	case MARKER_OPEN:
		window->open = !window->next_aside;
		window->kind = window->next_kind;
		/* The program itself executes the mark: nothing is interrupted. */
		window->place = 0;
		window->lost_depth = 0;
		window->half_entry = 0;
		window->opened[window->kind] += window->open;
		break;
	case MARKER_CLOSE:
		window->open = false;
		window->next_aside = false;
		window->next_kind = WINDOW_COUNTED;
		break;
	default:
		break;
	}
}

void window_next_block(struct window *window)
{
	window->block++;
	window->open = false;
	window->next_aside = false;
	window->next_kind = WINDOW_COUNTED;
	memset(window->opened, 0, sizeof(window->opened));
}

void window_enter(struct window *window, uint64_t address)
{
	unsigned i = 1;

	while (i < window->place_count && (window->places[i].parent != window->place ||
					   window->places[i].entry != address))
		i++;
	if (window->lost_depth || i == WINDOW_PLACES) {
		window->lost_depth++;
		return;
	}
	if (i == window->place_count) {
		window->places[i] = (struct window_place){ window->place, address };
		window->place_count++;
	}
	window->place = i;
}

void window_half_enter(struct window *window, uint64_t address, uint64_t end)
{
	window->half_entry = address;
	window->half_end = end;
}

void window_enter_rest(struct window *window, uint64_t address)
{
	if (window->half_entry && window->half_end == address)
		window_enter(window, window->half_entry);
	window->half_entry = 0;
}

/* System calls may end with the same instruction: below no entry there is nothing to leave. */
void window_leave(struct window *window)
{
	if (window->lost_depth)
		window->lost_depth--;
	else
		window->place = window->places[window->place].parent;
}
