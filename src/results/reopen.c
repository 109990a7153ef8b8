// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/writer.h"

#include "base/clock.h"
#include "results/quote.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* A block that outlives a killed program for a moment may still hold its lock. */
#define LOCK_LIMIT_NS INT64_C(500000000)
#define LOCK_PAUSE_NS INT64_C(5000000)

static int explain_open(const char *path, int code, struct error *e)
{
	char name[QUOTE_SIZE];

	quote_text(path, name);
	switch (code) {
	case ENOENT:
	case ENOTDIR:
		return error_set(e, ERROR_USAGE, code,
				 "--resume '%s': there is no such file; name a result file of "
				 "ringscale run", name);
	case EISDIR:
		return error_set(e, ERROR_USAGE, code,
				 "--resume '%s': is a folder; name a result file in it", name);
	case EACCES:
	case EPERM:
	case EROFS:
	case ETXTBSY:
		return error_set(e, ERROR_FAILED, code,
				 "result file '%s': cannot be written to: %s; copy it to a place of "
				 "yours and resume the copy", name, strerror(code));
	}
	return error_set(e, ERROR_FAILED, code,
			 "result file '%s': cannot be opened: %s; name a result file of ringscale "
			 "run", name, strerror(code));
}

static int lock(int fd, const char *path, struct error *e)
{
	int64_t since_ns = clock_now_ns();
	char name[QUOTE_SIZE];

	while (flock(fd, LOCK_EX | LOCK_NB)) {
		if (errno == EINTR)
			continue;
		if (errno != EWOULDBLOCK)
			return error_set(e, ERROR_FAILED, errno,
					 "result file '%s': its file system cannot lock files: %s; "
					 "copy it to a local disk and resume the copy",
					 quote_text(path, name), strerror(errno));
		if (clock_now_ns() - since_ns > LOCK_LIMIT_NS)
			return error_set(e, ERROR_FAILED, EWOULDBLOCK,
					 "result file '%s': another program holds it locked, as a "
					 "run does that writes to it; wait for that, or end it",
					 quote_text(path, name));
		clock_sleep_ns(LOCK_PAUSE_NS);
	}
	return 0;
}

/* Counts lines and finds the end of the last whole one. 0 or a positive errno. */
static int measure_lines(struct writer *writer, off_t *size)
{
	char buffer[65536];
	ssize_t got;

	*size = 0;
	while ((got = pread(writer->fd, buffer, sizeof(buffer), *size)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno;
		for (ssize_t i = 0; i < got; i++)
			if (buffer[i] == '\n') {
				writer->lines++;
				writer->good_bytes = *size + i + 1;
			}
		*size += got;
	}
	return 0;
}

int writer_reopen(struct writer *writer, const char *path, struct error *e)
{
	char name[QUOTE_SIZE];
	struct stat st;
	off_t size;
	int result, code;

	*writer = (struct writer){ .path = strdup(path) };
	if (!writer->path) {
		*writer = (struct writer){ .fd = -1 };
		return error_set(e, ERROR_FAILED, ENOMEM, "out of memory");
	}
	writer->fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (writer->fd < 0) {
		result = explain_open(path, errno, e);
		goto out;
	}
	if (fstat(writer->fd, &st) || !S_ISREG(st.st_mode)) {
		result = error_set(e, ERROR_USAGE, EINVAL,
				   "--resume '%s': is no regular file; name a result file of "
				   "ringscale run", quote_text(path, name));
		goto out;
	}
	result = lock(writer->fd, path, e);
	if (result)
		goto out;
	code = measure_lines(writer, &size);
	if (code)
		result = explain_open(path, code, e);
	writer->torn = size > writer->good_bytes;
	if (!result)
		return 0;
out:
	if (writer->fd >= 0)
		close(writer->fd);
	free(writer->path);
	*writer = (struct writer){ .fd = -1 };
	return result;
}

/* Whether what stands behind the last line end is a whole record. */
static bool is_whole_record(const struct writer *writer, off_t size)
{
	size_t length = (size_t)(size - writer->good_bytes);
	char *text = malloc(length);
	json_t *record = NULL;

	if (text && pread(writer->fd, text, length, writer->good_bytes) == (ssize_t)length)
		record = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
	free(text);
	length = json_is_object(record);
	json_decref(record);
	return length;
}

int writer_mend(struct writer *writer, enum writer_mended *mended, struct error *e)
{
	char name[QUOTE_SIZE];
	struct stat st;
	int failed;

	*mended = WRITER_WAS_WHOLE;
	if (!writer->torn)
		return 0;
	failed = fstat(writer->fd, &st);
	if (!failed && is_whole_record(writer, st.st_size)) {
		failed = write(writer->fd, "\n", 1) != 1;
		writer->good_bytes = failed ? writer->good_bytes : st.st_size + 1;
		writer->lines += !failed;
		*mended = WRITER_ENDED_LINE;
	} else if (!failed) {
		failed = ftruncate(writer->fd, writer->good_bytes);
		*mended = WRITER_CUT_LINE;
	}
	if (failed || (fdatasync(writer->fd) && errno != EINVAL))
		return error_set(e, ERROR_FAILED, errno,
				 "result file '%s': its torn last line cannot be mended: %s; make room, "
				 "or copy it elsewhere and resume the copy",
				 quote_text(writer->path, name), strerror(errno));
	writer->torn = false;
	return 0;
}
