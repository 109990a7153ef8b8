// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/quote.h"

#include <string.h>

const char *quote_text(const char *text, char buffer[static QUOTE_SIZE])
{
	static const char gap[] = "...";
	size_t length = strlen(text), room = QUOTE_SIZE - 1;

	if (length <= room) {
		memcpy(buffer, text, length + 1);
	} else {
		size_t head = (room - strlen(gap)) / 2, tail = room - strlen(gap) - head;

		memcpy(buffer, text, head);
		memcpy(buffer + head, gap, strlen(gap));
		memcpy(buffer + head + strlen(gap), text + length - tail, tail + 1);
	}
	for (char *c = buffer; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	return buffer;
}
