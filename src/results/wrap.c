// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/wrap.h"

#include <stdbool.h>

/* Bytes of the code point at `text`, which is not at its end. */
static size_t point_bytes(const char *text)
{
	size_t bytes = 1;

	while (((unsigned char)text[bytes] & 0xc0) == 0x80)
		bytes++;
	return bytes;
}

size_t wrap_width(const char *text)
{
	size_t width = 0;

	for (; *text; text += point_bytes(text))
		width++;
	return width;
}

size_t wrap_longest_word(const char *text)
{
	size_t longest = 0, word = 0;

	for (; *text; text += point_bytes(text)) {
		if (*text != ' ' && ++word > longest)
			longest = word;
		if (*text == ' ' || *text == ',')
			word = 0;
	}
	return longest;
}

struct wrap_piece wrap_next(const char **text, size_t width)
{
	const char *start = *text, *at = start;
	struct wrap_piece piece = { .text = start }, fitting = piece;
	bool whole_words = false;

	if (width == 0)
		width = 1;
	/* `fitting` is the longest piece so far that ends between words. */
	while (*at && (piece.width < width || *at == ' ')) {
		if (*at == ' ' && at > start && at[-1] != ' ') {
			fitting = piece;
			whole_words = true;
		}
		if (*at == ' ' && piece.width >= width)
			break;
		piece.bytes += point_bytes(at);
		piece.width++;
		if (*at == ',') {
			fitting = piece;
			whole_words = true;
		}
		at = start + piece.bytes;
	}
	if (*at && whole_words)
		piece = fitting;
	while (piece.bytes && start[piece.bytes - 1] == ' ') {
		piece.bytes--;
		piece.width--;
	}
	*text = start + piece.bytes;
	while (**text == ' ')
		++*text;
	return piece;
}
