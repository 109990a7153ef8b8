// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/writer.h"

#include "results/quote.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define HOST_SHOWN 63 /* bytes of the host's name in a file name */

/* ringscale-HOST-UTC-PID.jsonl, owned by the caller; NULL without memory. */
static char *default_path(void)
{
	char host[256] = "", utc[32] = "", *path;
	time_t now = time(NULL);
	struct tm tm;

	if (gethostname(host, sizeof(host) - 1))
		host[0] = '\0';
	host[HOST_SHOWN] = '\0';
	for (char *c = host; *c; c++)
		if (!isascii(*c) || !(isalnum((unsigned char)*c) || *c == '-' || *c == '.'))
			*c = '-';
	gmtime_r(&now, &tm);
	strftime(utc, sizeof(utc), "%Y%m%dT%H%M%SZ", &tm);
	if (asprintf(&path, "ringscale-%s-%s-%ld.jsonl", host[0] ? host : "unknown", utc,
		     (long)getpid()) < 0)
		return NULL;
	return path;
}

/* The folder that `path` lies in, fit for a message. */
static const char *folder_of(const char *path, char buffer[static QUOTE_SIZE])
{
	const char *slash = strrchr(path, '/');
	char *folder;

	if (!slash)
		return strcpy(buffer, ".");
	folder = strndup(path, slash == path ? 1 : (size_t)(slash - path));
	if (!folder)
		return strcpy(buffer, "?");
	quote_text(folder, buffer);
	free(folder);
	return buffer;
}

static int refuse_existing(const char *path, const char *name, struct error *e)
{
	struct stat st;

	if (lstat(path, &st))
		st.st_mode = S_IFREG;
	if (S_ISDIR(st.st_mode))
		return error_set(e, ERROR_USAGE, EISDIR, "-o '%s': is a folder; name a file in it",
				 name);
	if (S_ISLNK(st.st_mode))
		return error_set(e, ERROR_USAGE, EEXIST,
				 "-o '%s': is a symbolic link, and results go into a new file; "
				 "name a file that does not exist",
				 name);
	if (!S_ISREG(st.st_mode))
		return error_set(e, ERROR_USAGE, EEXIST,
				 "-o '%s': is a device, pipe or socket, and results go into a "
				 "new file; name a file that does not exist",
				 name);
	return error_set(e, ERROR_USAGE, EEXIST,
			 "-o '%s': exists, and results are never overwritten; "
			 "name another file, or move this one away",
			 name);
}

static int explain_create(const char *path, int code, struct error *e)
{
	char name[QUOTE_SIZE], folder[QUOTE_SIZE];

	quote_text(path, name);
	folder_of(path, folder);
	if (!path[0])
		return error_set(e, ERROR_USAGE, code,
				 "-o '': is no file name; leave -o out for a name made from "
				 "host and time");
	switch (code) {
	case EEXIST:
		return refuse_existing(path, name, e);
	case EISDIR:
		return error_set(e, ERROR_USAGE, code,
				 "-o '%s': is the name of a folder; name a file in it", name);
	case ENOENT:
	case ENOTDIR:
		return error_set(e, ERROR_USAGE, code,
				 "-o '%s': there is no folder '%s'; make it first, or name a "
				 "file elsewhere",
				 name, folder);
	case ENAMETOOLONG:
		return error_set(e, ERROR_USAGE, code,
				 "-o '%s': the name is too long; name the file shorter", name);
	case EROFS:
		return error_set(e, ERROR_FAILED, code,
				 "result file '%s': folder '%s' lies on a read-only file system; "
				 "name a file elsewhere with -o",
				 name, folder);
	case EACCES:
	case EPERM:
		return error_set(e, ERROR_FAILED, code,
				 "result file '%s': no permission to make a file in folder '%s'; "
				 "name a file in a folder of yours with -o",
				 name, folder);
	case ENOSPC:
	case EDQUOT:
		return error_set(e, ERROR_FAILED, code,
				 "result file '%s': the disk is full; make room, or name a file "
				 "on another disk with -o",
				 name);
	}
	return error_set(e, ERROR_FAILED, code,
			 "result file '%s': cannot be made: %s; name another file with -o", name,
			 strerror(code));
}

int writer_create(struct writer *writer, const char *path, struct error *e)
{
	char name[QUOTE_SIZE];
	int result;

	*writer = (struct writer){ .fd = -1 };
	writer->path = path ? strdup(path) : default_path();
	if (!writer->path)
		return error_set(e, ERROR_FAILED, ENOMEM,
				 "result file: no memory for its name; free some memory");
	writer->fd = open(writer->path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
	if (writer->fd < 0) {
		result = explain_create(writer->path, errno, e);
		goto out;
	}
	/* Processes forked later hold the lock too: it ends with the last of them. */
	if (!flock(writer->fd, LOCK_EX | LOCK_NB))
		return 0;
	quote_text(writer->path, name);
	if (errno == EWOULDBLOCK)
		result = error_set(e, ERROR_FAILED, EWOULDBLOCK,
				   "result file '%s': another program holds it locked; "
				   "name another file with -o",
				   name);
	else
		result = error_set(e, ERROR_FAILED, errno,
				   "result file '%s': its file system cannot lock files: %s; "
				   "name a file on a local disk with -o",
				   name, strerror(errno));
	unlink(writer->path);
	close(writer->fd);
out:
	free(writer->path);
	*writer = (struct writer){ .fd = -1 };
	return result;
}

/* "its first 12 lines are kept" and the like. */
static const char *kept(const struct writer *writer, char *buffer, size_t size)
{
	if (writer->lines == 0)
		snprintf(buffer, size, "no line of it is kept");
	else if (writer->lines == 1)
		snprintf(buffer, size, "its first line is whole and kept");
	else
		snprintf(buffer, size, "its first %zu lines are whole and kept", writer->lines);
	return buffer;
}

static int explain_write(const struct writer *writer, int code, struct error *e)
{
	const char *reason = strerror(code);
	const char *way_out = "look for disk errors in the kernel log, or name a file on "
			      "another disk with -o";
	char name[QUOTE_SIZE], lines[80];

	if (code == ENOSPC || code == EDQUOT) {
		reason = code == ENOSPC ? "the disk is full" : "the disk quota is used up";
		way_out = "make room, or name a file on another disk with -o";
	} else if (code == EFBIG) {
		reason = "the limit on file sizes is reached";
		way_out = "raise it with ulimit -f, or measure fewer points";
	}
	return error_set(e, ERROR_FAILED, code, "result file '%s': %s; %s%s; %s",
			 quote_text(writer->path, name), reason, kept(writer, lines, sizeof(lines)),
			 writer->torn ? ", and half a line behind them cannot be cut off" : "",
			 way_out);
}

/* Takes away what stands behind the last whole line. Returns 0 or -errno. */
static int cut_back(struct writer *writer)
{
	writer->torn = ftruncate(writer->fd, writer->good_bytes) != 0;
	return writer->torn ? -errno : 0;
}

/* Is the file still there, and as this writer left it? */
static int check_file(const struct writer *writer, struct error *e)
{
	char name[QUOTE_SIZE];
	struct stat st;

	quote_text(writer->path, name);
	if (fstat(writer->fd, &st))
		return explain_write(writer, errno, e);
	if (st.st_nlink == 0)
		return error_set(e, ERROR_FAILED, ENOENT,
				 "result file '%s': was deleted while it was being written, and "
				 "its %zu lines with it; measure again and leave the file alone",
				 name, writer->lines);
	if (st.st_size != writer->good_bytes)
		return error_set(e, ERROR_FAILED, ESTALE,
				 "result file '%s': another program changed it (%lld bytes, not "
				 "%lld); measure again and leave the file alone",
				 name, (long long)st.st_size, (long long)writer->good_bytes);
	return 0;
}

/* Returns 0 or a positive errno. */
static int write_all(int fd, const char *bytes, size_t count)
{
	while (count > 0) {
		ssize_t written = write(fd, bytes, count);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return written < 0 ? errno : EIO;
		bytes += written;
		count -= (size_t)written;
	}
	/* EINVAL: a file that has no disk behind it. */
	while (fdatasync(fd)) {
		if (errno == EINVAL)
			break;
		if (errno != EINTR)
			return errno;
	}
	return 0;
}

/* The same with SIGXFSZ held off: it would kill the program in the middle of
 * the line, where EFBIG lets it cut the line off and report. */
static int write_line(int fd, const char *bytes, size_t count)
{
	static const struct timespec at_once;
	sigset_t size_limit, before, pending;
	bool was_pending;
	int code;

	sigemptyset(&size_limit);
	sigaddset(&size_limit, SIGXFSZ);
	sigemptyset(&pending);
	sigpending(&pending);
	was_pending = sigismember(&pending, SIGXFSZ) == 1;
	pthread_sigmask(SIG_BLOCK, &size_limit, &before);
	code = write_all(fd, bytes, count);
	if (code == EFBIG && !was_pending)
		while (sigtimedwait(&size_limit, NULL, &at_once) < 0 && errno == EINTR)
			;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return code;
}

static int append(struct writer *writer, const json_t *record, struct error *e)
{
	char *line = NULL, *longer, name[QUOTE_SIZE];
	size_t length;
	int result, code;

	if (writer->torn && cut_back(writer))
		return explain_write(writer, errno, e);
	result = check_file(writer, e);
	if (result)
		return result;
	/* 17 digits: every double reads back as it was. Not-a-number never gets here:
	 * jansson makes no real of it. */
	if (json_is_object(record))
		line = json_dumps(record, JSON_COMPACT | JSON_REAL_PRECISION(17));
	length = line ? strlen(line) : 0;
	longer = line ? realloc(line, length + 2) : NULL;
	if (!longer) {
		free(line);
		return error_set(e, ERROR_FAILED, ENOMEM,
				 "result file '%s': a record cannot be put into JSON (no memory, "
				 "or no JSON object); free some memory",
				 quote_text(writer->path, name));
	}
	line = longer;
	line[length++] = '\n';
	code = write_line(writer->fd, line, length);
	free(line);
	if (code) {
		cut_back(writer);
		return explain_write(writer, code, e);
	}
	writer->good_bytes += (off_t)length;
	writer->lines++;
	return 0;
}

int writer_append(struct writer *writer, const json_t *record, struct error *e)
{
	struct error own = ERROR_INIT;

	if (!append(writer, record, &own))
		return 0;
	if (writer->failure.kind == ERROR_NONE)
		writer->failure = own;
	return error_set(e, own.kind, own.code, "%s", own.text);
}

/* Removes the file, if `path` still is this file. */
static void remove_empty(const struct writer *writer)
{
	struct stat named, open_file;

	if (!lstat(writer->path, &named) && !fstat(writer->fd, &open_file) &&
	    named.st_dev == open_file.st_dev && named.st_ino == open_file.st_ino &&
	    open_file.st_size == 0)
		unlink(writer->path);
}

int writer_close(struct writer *writer, struct error *e)
{
	struct error first = writer->failure;
	int result = 0;

	if (!writer->path)
		return 0;
	if (writer->torn)
		cut_back(writer);
	check_file(writer, &first);
	if (writer->lines == 0)
		remove_empty(writer);
	/* Network file systems report a full disk here. */
	if (close(writer->fd) && errno != EINTR)
		explain_write(writer, errno, &first);
	if (first.kind != ERROR_NONE)
		result = error_set(e, first.kind, first.code, "%s", first.text);
	free(writer->path);
	*writer = (struct writer){ .fd = -1 };
	return result;
}
