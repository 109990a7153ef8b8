// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * update-files: replaces the files of a full table, by one FILES_UPDATE a slot or by register calls
 * of a batch each.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/uring.h"
#include "workloads/installs.h"
#include "workloads/list.h"
#include "workloads/reap.h"
#include "workloads/rig.h"
#include "workloads/submit.h"
#include "workloads/update.h"

static int update_files_open(struct pair *pair, struct error *e)
{
	int result = update_make(pair, sizeof(int), e);
	struct update *update = update_of(pair);

	if (result)
		return result;
	update->files[0] = pair->file;
	update->files[1] = rig_make_file(update->stamps[1]);
	if (update->files[1] < 0)
		return error_set(e, ERROR_FAILED, -update->files[1], "cannot make a second file: %s",
				 strerror(-update->files[1]));
	for (unsigned i = 0; i < 2; i++)
		update_fill_entries(pair, i, &update->files[i], sizeof(int));
	return 0;
}

static void update_files_close(struct pair *pair)
{
	struct update *update = update_of(pair);

	if (update && update->files[1] >= 0)
		close(update->files[1]);
	update_free(pair);
}

/* As fill_batch of send_fd.c, with which the reason stands. Update u and `count` - 1 behind it. */
static __attribute__((noinline)) void fill_updates(struct pair *pair,
						   const struct io_uring_sqe *restrict template,
						   uint64_t u, uint64_t tag, unsigned count)
{
	const struct update *update = update_of(pair);
	struct io_uring *ring = &pair->target;
	struct io_uring_sqe *restrict sqes = ring->sq.sqes;
	unsigned at = ring->sq.sqe_tail, mask = *ring->sq.kring_mask, slots = pair->shape->slots;
	unsigned slot = (unsigned)(u % slots), which = update_which(pair, u);
	uint64_t file = (uintptr_t)update->entries[which];
	uint64_t other = (uintptr_t)update->entries[!which];

	for (unsigned end = at + count; at != end; at++, tag++) {
		struct io_uring_sqe *sqe = &sqes[at & mask];

		*sqe = *template;
		sqe->user_data = tag;
		sqe->off = slot;
		sqe->addr = file;
		if (++slot == slots) {
			slot = 0;
			file = other;
		}
	}
}

static void send_sqes(struct pair *pair)
{
	const struct io_uring_sqe template = { .opcode = IORING_OP_FILES_UPDATE, .fd = -1, .len = 1 };
	struct update *update = update_of(pair);
	const struct shape *shape = pair->shape;
	struct io_uring *ring = &pair->target;

	for (unsigned done = 0; done < shape->used;) {
		unsigned left = shape->used - done;
		unsigned count = left < shape->batch ? left : shape->batch;

		fill_updates(pair, &template, update->next, installs_tag(pair->index, done), count);
		uring_publish(ring, count);
		update->next += count;
		if (!submit_batch(pair, ring, count))
			break;
		reap_ready(ring, count, &pair->sent);
		done += count;
	}
	pair->sender.end_ns = clock_now_ns();
}

static void update_files_send(struct pair *pair)
{
	if (pair->shape->by_register)
		update_send_calls(pair);
	else
		send_sqes(pair);
}

static int update_files_check(struct pair *pair, struct error *e)
{
	unsigned touched = 0;
	int result = update_judge(pair, &touched, e);

	if (!result)
		result = rig_read_back(pair, touched, e);
	return result ? result : update_judge_slots(pair, touched, e);
}

const struct workload update_files_workload = {
	.name = "update-files",
	.summary = "replace the files of a full table, by SQEs or by register calls",
	.unit = "update",
	.inline_only = true,
	.one_ring = true,
	.table = TABLE_FILES,
	.replaces = true,
	.open = update_files_open,
	.prepare = update_prepare,
	.send = update_files_send,
	.check = update_files_check,
	.finish = rig_finish_target,
	.close = update_files_close,
};
