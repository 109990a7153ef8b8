/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_RESULTS_WRAP_H
#define RINGSCALE_RESULTS_WRAP_H

#include <stddef.h>

/*
 * Breaks UTF-8 text into lines, at blanks (dropped) and behind commas (kept). A
 * code point counts as one column: enough for what ringscale prints, and
 * independent of the locale.
 */
struct wrap_piece {
	const char *text;	/* inside the text it was taken from */
	size_t bytes, width;
};

/* Columns that a text takes. */
size_t wrap_width(const char *text);

/* The longest piece of a text that wrap_next need not cut: the least width to wrap it to. */
size_t wrap_longest_word(const char *text);

/* Takes the next line of at most `width` columns (at least 1) off *text, cutting a
 * word only where it is longer than a line. At the end of the text: an empty piece. */
struct wrap_piece wrap_next(const char **text, size_t width);

#endif
