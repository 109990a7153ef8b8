/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_BASE_ERROR_H
#define RINGSCALE_BASE_ERROR_H

/*
 * How a failure travels. Code below commands/ never prints and never exits:
 * it fills a struct error and returns -errno. The first error wins: a later
 * error_set on a filled struct changes nothing, so that clean-up code may
 * fail without hiding the cause.
 *
 * Text: lower case, the thing first (quoted when a user typed it), then the
 * reason, then "; " and the way out. No full stop, no newline.
 */
enum error_kind {
	ERROR_NONE = 0,
	ERROR_FAILED,		/* measured wrongly or not at all: exit 1 */
	ERROR_INTERRUPTED,	/* a signal ended it: exit 130 */
	ERROR_UNAVAILABLE,	/* this machine or kernel cannot: exit 3 */
	ERROR_USAGE,		/* the user asked for what cannot be: exit 2 */
};

struct error {
	enum error_kind kind;
	int code;		/* positive errno, 0 where there is none */
	char text[640];
};

#define ERROR_INIT { .kind = ERROR_NONE }

/*
 * Fills *e unless it is filled already. `code` is a positive errno or 0.
 * Returns -code, or -EINVAL where code is 0, so that callers can
 * "return error_set(...)".
 */
int error_set(struct error *e, enum error_kind kind, int code, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Empties *e for another use. */
void error_clear(struct error *e);

/* The exit status that DESIGN section 2 gives this kind. */
int error_exit_status(enum error_kind kind);

/* The more serious of two exit statuses: 2 > 3 > 130 > 1 > 0. */
int exit_status_worse(int a, int b);

#endif
