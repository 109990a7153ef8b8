// SPDX-License-Identifier: GPL-2.0-or-later
/* What a fill of removals needs: files whose release is seen, a request that stays pending. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/uring.h"
#include "workloads/reclaim.h"

#define FED 'r'

static void close_pipe(struct reclaim *own)
{
	for (int i = 0; i < 2; i++) {
		if (own->pipe[i] >= 0)
			close(own->pipe[i]);
		own->pipe[i] = -1;
	}
}

static void close_readers(struct reclaim *own)
{
	for (unsigned i = 0; own->readers && i < own->log.files; i++) {
		if (own->readers[i] >= 0)
			close(own->readers[i]);
		own->readers[i] = -1;
	}
}

int reclaim_open(struct pair *pair, struct error *e)
{
	const struct shape *shape = pair->shape;
	struct reclaim *own = calloc(1, sizeof(*own));
	unsigned files = shape->used, room = reclaim_completions(files);

	if (!own)
		return error_set(e, ERROR_FAILED, ENOMEM, "no memory for %u files", files);
	pair->own = own;
	own->pipe[0] = own->pipe[1] = -1;
	own->cqes = calloc(room, sizeof(*own->cqes));
	own->batches = calloc(files + 1, sizeof(*own->batches));
	own->released_ns = calloc(files, sizeof(*own->released_ns));
	own->delays = calloc(files, sizeof(*own->delays));
	own->tagged = calloc(files, sizeof(*own->tagged));
	own->hung_up = calloc(files, sizeof(*own->hung_up));
	own->early = calloc(files, sizeof(*own->early));
	own->readers = malloc(files * sizeof(*own->readers));
	own->polls = calloc(files, sizeof(*own->polls));
	own->polled = calloc(files, sizeof(*own->polled));
	own->seen = calloc(2, files);
	own->fds = malloc(shape->batch * sizeof(*own->fds));
	if (own->readers)
		memset(own->readers, 0xff, files * sizeof(*own->readers));
	own->log = (struct reclaim_log){
		.files = files,
		.pending = shape->pending,
		.completes = shape->removal == REMOVAL_SQE || shape->removal == REMOVAL_CLOSE,
		.updates = shape->removal == REMOVAL_SQE,
		.cqes = own->cqes,
		.capacity = room,
		.batches = own->batches,
		.released_ns = own->released_ns,
		.early = own->early,
	};
	if (!own->cqes || !own->batches || !own->released_ns || !own->delays || !own->tagged ||
	    !own->hung_up || !own->early || !own->readers || !own->polls || !own->polled ||
	    !own->seen || !own->fds)
		return error_set(e, ERROR_FAILED, ENOMEM, "no memory for %u files", files);
	for (unsigned i = 0; i < shape->batch; i++)
		own->fds[i] = shape->removal == REMOVAL_REPLACE ? pair->file : -1;
	return 0;
}

void reclaim_close(struct pair *pair)
{
	struct reclaim *own = pair->own;

	if (!own)
		return;
	close_readers(own);
	close_pipe(own);
	free(own->cqes);
	free(own->batches);
	free(own->released_ns);
	free(own->delays);
	free(own->tagged);
	free(own->hung_up);
	free(own->early);
	free(own->readers);
	free(own->polls);
	free(own->polled);
	free(own->seen);
	free(own->fds);
	free(own);
	pair->own = NULL;
}

/* The table alone holds the write end. 0 or -errno. */
static int fill_slot(struct pair *pair, unsigned slot)
{
	struct reclaim *own = pair->own;
	int ends[2], result;

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return -errno;
	own->readers[slot] = ends[0];
	result = uring_update_tagged(&pair->target, slot, ends[1], reclaim_data(RECLAIM_TAG, slot));
	close(ends[1]);
	return result;
}

int reclaim_fill_table(struct pair *pair, struct error *e)
{
	struct reclaim *own = pair->own;
	int result = 0;

	close_readers(own);
	close_pipe(own);
	for (unsigned i = 0; !result && i < own->log.files; i++)
		result = fill_slot(pair, i);
	if (result)
		return error_set(e, ERROR_FAILED, -result, "cannot put %u pipes into the table: %s%s",
				 own->log.files, strerror(-result),
				 result == -EMFILE || result == -ENFILE
				 ? "; raise the limit of open files (ulimit -n), or use fewer "
				   "--used or --pairs" : "");
	/* Not O_NONBLOCK: the read of an empty pipe is to wait, not to fail. */
	if (pipe2(own->pipe, O_CLOEXEC) < 0) {
		own->pipe[0] = own->pipe[1] = -1;
		return error_set(e, ERROR_FAILED, errno, "cannot make the pipe of the request: %s",
				 strerror(errno));
	}
	result = uring_update_files(&pair->target, pair->shape->slots, &own->pipe[0], 1);
	if (result)
		return error_set(e, ERROR_FAILED, -result,
				 "cannot put the request's pipe into slot %u: %s",
				 pair->shape->slots, strerror(-result));
	return 0;
}

int reclaim_issue(struct pair *pair, unsigned number)
{
	struct reclaim *own = pair->own;
	struct io_uring_sqe *sqe = uring_sqe(&pair->target, 0);
	bool fixed = pair->shape->pending == PENDING_FIXED;
	int taken;

	if (pair->shape->pending == PENDING_NONE)
		return 0;
	*sqe = (struct io_uring_sqe){
		.opcode = IORING_OP_READ,
		.flags = fixed ? IOSQE_FIXED_FILE : 0,
		.fd = fixed ? (int)pair->shape->slots : own->pipe[0],
		.addr = (uintptr_t)&own->byte,
		.len = 1,
		.user_data = reclaim_data(RECLAIM_READ, number),
	};
	own->byte = 0;
	uring_publish(&pair->target, 1);
	taken = uring_enter(&pair->target, 1, 0, 0);
	return taken < 0 ? taken : taken == 1 ? 0 : -EIO;
}

int reclaim_feed(struct pair *pair)
{
	const struct reclaim *own = pair->own;
	const char fed = FED;
	ssize_t written;

	do {
		written = write(own->pipe[1], &fed, 1);
	} while (written < 0 && errno == EINTR);
	return written == 1 ? 0 : written < 0 ? -errno : -EIO;
}
