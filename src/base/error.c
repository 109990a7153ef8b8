// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

int error_set(struct error *e, enum error_kind kind, int code, const char *format, ...)
{
	int result = code ? -code : -EINVAL;
	va_list args;

	if (e->kind != ERROR_NONE)
		return result;
	e->kind = kind;
	e->code = code;
	va_start(args, format);
	vsnprintf(e->text, sizeof(e->text), format, args);
	va_end(args);
	return result;
}

void error_clear(struct error *e)
{
	e->kind = ERROR_NONE;
	e->code = 0;
	e->text[0] = '\0';
}

int error_exit_status(enum error_kind kind)
{
	switch (kind) {
	case ERROR_NONE:
		return 0;
	case ERROR_FAILED:
		return 1;
	case ERROR_INTERRUPTED:
		return 130;
	case ERROR_UNAVAILABLE:
		return 3;
	case ERROR_USAGE:
		return 2;
	}
	return 1;
}

int exit_status_worse(int a, int b)
{
	static const int order[] = { 2, 3, 130, 1, 0 };

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (a == order[i] || b == order[i])
			return order[i];
	return a > b ? a : b;
}
