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

/* Which slot is next, and with which file: once round the table it is the other one. */
struct turn {
	unsigned slot, slots;
	uint64_t file, other;
};

static inline void set_slot(struct io_uring_sqe *sqe, void *state)
{
	struct turn *turn = state;

	sqe->off = turn->slot;
	sqe->addr = turn->file;
	if (++turn->slot == turn->slots) {
		turn->slot = 0;
		turn->file = turn->other;
	}
}

/* Update u and `count` - 1 behind it. */
static __attribute__((noinline)) void fill_updates(struct pair *pair,
						   const struct io_uring_sqe *template,
						   uint64_t u, uint64_t tag, unsigned count)
{
	const struct update *update = update_of(pair);
	unsigned slots = pair->shape->slots, which = update_which(pair, u);
	struct turn turn = {
		.slot = (unsigned)(u % slots), .slots = slots,
		.file = (uintptr_t)update->entries[which],
		.other = (uintptr_t)update->entries[!which],
	};

	submit_fill(&pair->target, template, tag, count, set_slot, &turn);
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
