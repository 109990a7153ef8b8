/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_RESULTS_QUOTE_H
#define RINGSCALE_RESULTS_QUOTE_H

#include <stddef.h>

/* Room for what quote_text writes, its NUL included. */
#define QUOTE_SIZE 208

/*
 * Makes text that came from outside (paths, lines of files) fit for a message:
 * control bytes become '?', and of a long text the middle is left out, so that
 * the reason and the way out behind it still fit. Returns `buffer`.
 */
const char *quote_text(const char *text, char buffer[static QUOTE_SIZE]);

#endif
