/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_RESULTS_WRITER_H
#define RINGSCALE_RESULTS_WRITER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

#define RESULT_SCHEMA 1

/*
 * Appends records to a result file: JSON Lines, one record a line, each line
 * on the disk before writer_append returns, so that a finished block survives
 * whatever ends the program, and the machine too. Used by one thread.
 *
 * Every line is brought to the disk with fdatasync. That takes 0.2 ms on the
 * SSD it was measured on (0.6 ms at worst, 40 kB lines; the write alone
 * 0.015 ms) and is paid between blocks, never inside one; without it the kernel
 * would write back later, in the middle of some block.
 */
struct writer {
	int fd;
	char *path;		/* owned; NULL while no file is open */
	size_t lines;		/* written so far */
	off_t good_bytes;	/* length of the file's whole lines */
	bool torn;		/* half a line stands behind good_bytes and could not be cut off */
	struct error failure;	/* the first one, for writer_close */
};

/*
 * Creates `path` exclusively (NULL: ringscale-HOST-UTC-PID.jsonl in the current
 * folder) and locks it (flock), so that nothing else appends to it. What the user can
 * mend by typing something else (exists, folder, no such folder) is ERROR_USAGE;
 * what the machine refuses (read-only, no permission, full) is ERROR_FAILED.
 * Returns 0 or -errno. After a failure there is nothing to close.
 */
int writer_create(struct writer *writer, const char *path, struct error *e);

/*
 * Opens a file that is there, to go on with it, and locks it: a run that still writes to it, or another
 * resume, makes this fail with -EWOULDBLOCK. Nothing is changed: `lines` and `good_bytes` are
 * those of its whole lines, `torn` says that something stands behind them, which writer_mend deals with.
 * What the user can mend by typing something else is ERROR_USAGE. 0 or -errno; after a failure
 * there is nothing to close.
 */
int writer_reopen(struct writer *writer, const char *path, struct error *e);

enum writer_mended {
	WRITER_WAS_WHOLE,	/* the file ended with a whole line */
	WRITER_ENDED_LINE,	/* the last record was whole, and got its line end */
	WRITER_CUT_LINE,	/* half a line was cut off */
};

/* Makes a file that was opened with writer_reopen end with a whole line. 0 or -errno. */
int writer_mend(struct writer *writer, enum writer_mended *mended, struct error *e);

/*
 * Writes one record (borrowed, an object) as a line. Returns 0, or -errno with ERROR_FAILED.
 * A line that could not be written whole is cut off again, so that the file
 * stays readable, and the error says how many lines it keeps; a later append
 * may succeed. A file that was deleted or changed by another program is an error at
 * once (-ENOENT, -ESTALE): going on would lose what is measured.
 * Reaching the limit on file sizes is an error, not SIGXFSZ.
 */
int writer_append(struct writer *writer, const json_t *record, struct error *e);

/*
 * Closes the file and frees the path. Reports the first failure that any append met,
 * or a file that was deleted meanwhile. A file without one line is removed.
 * Does nothing to a writer of zeros, or to one closed already.
 */
int writer_close(struct writer *writer, struct error *e);

#endif
