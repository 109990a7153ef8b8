// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

#define LINE_WIDTH 78

void progress_start(struct progress *progress, bool quiet)
{
	progress->shown = !quiet && isatty(STDERR_FILENO);
	progress->dirty = false;
	progress->start_ns = clock_now_ns();
}

void progress_show(struct progress *progress, size_t done, size_t count, const char *what)
{
	double spent = (double)(clock_now_ns() - progress->start_ns) / 1e9;
	char line[LINE_WIDTH + 1], left[32] = "";

	if (!progress->shown)
		return;
	if (done)
		snprintf(left, sizeof(left), ", %.0f s left",
			 spent / (double)done * (double)(count - done));
	snprintf(line, sizeof(line), "block %zu of %zu%s  %s", done + 1, count, left, what);
	fprintf(stderr, "\r%-*s", LINE_WIDTH, line);
	fflush(stderr);
	progress->dirty = true;
}

void progress_clear(struct progress *progress)
{
	if (progress->dirty)
		fprintf(stderr, "\r%*s\r", LINE_WIDTH, "");
	progress->dirty = false;
}
