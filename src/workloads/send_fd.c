// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * send-fd: installs the source ring's file into the target's table, one
 * MSG_RING SEND_FD an install. What `send` and `receive` do is what a program would
 * have to do: fill SQEs, enter, reap both CQs.
 */
#include "workloads/exchange.h"
#include "workloads/installs.h"
#include "workloads/list.h"
#include "workloads/rig.h"
#include "workloads/submit.h"

/*
 * Writes all 64 bytes of every SQE of a batch: a template, then what differs. Two functions are made
 * of it, as a store for slot and file where neither differs would not be free. They are not inlined, and
 * the template is behind a restrict pointer, so that the compiler keeps it in registers; built in
 * place it would be stored in pieces and loaded whole, a stall for every SQE. The ring is
 * filled in runs up to its end: no index to mask for every one.
 */
static inline __attribute__((always_inline)) void
fill_sqes(struct pair *pair, const struct io_uring_sqe *restrict template, unsigned first,
	  unsigned count, bool varied)
{
	const struct shape *shape = pair->shape;
	struct io_uring *source = &pair->from->source;
	unsigned at = source->sq.sqe_tail & *source->sq.kring_mask;
	uint64_t tag = installs_tag(pair->to->index, first);
	/* The source holds the files of this pair's installs alone. */
	unsigned file = shape->per_slot ? first - pair->first : (unsigned)template->addr3;
	unsigned slot = shape->explicit_slot ? first + 1 : template->file_index;

	while (count) {
		struct io_uring_sqe *restrict sqe = &source->sq.sqes[at];
		unsigned room = *source->sq.kring_entries - at;
		unsigned run = count < room ? count : room;

		for (const struct io_uring_sqe *end = sqe + run; sqe != end; sqe++, tag++) {
			*sqe = *template;
			sqe->off = tag;
			sqe->user_data = tag;
			if (!varied)
				continue;
			sqe->file_index = slot;
			sqe->addr3 = file;
			slot += shape->explicit_slot;
			file += shape->per_slot;
		}
		count -= run;
		at = 0;
	}
}

static __attribute__((noinline)) void fill_batch(struct pair *pair,
						 const struct io_uring_sqe *restrict template,
						 unsigned first, unsigned count)
{
	fill_sqes(pair, template, first, count, false);
}

static __attribute__((noinline)) void fill_batch_varied(struct pair *pair,
							const struct io_uring_sqe *restrict template,
							unsigned first, unsigned count)
{
	fill_sqes(pair, template, first, count, true);
}

static void send_fd_send(struct pair *pair)
{
	const struct shape *shape = pair->shape;
	struct io_uring_sqe template;

	uring_prep_send_fd(&template, pair->to->target.ring_fd, 0, IORING_FILE_INDEX_ALLOC, 0, 0,
			   shape->skip_cqe ? IORING_MSG_RING_CQE_SKIP : 0);
	if (shape->per_slot || shape->explicit_slot)
		exchange_send(pair, &template, (struct exchange_fill){ fill_batch_varied });
	else
		exchange_send(pair, &template, (struct exchange_fill){ fill_batch });
}

static int send_fd_check(struct pair *pair, struct error *e)
{
	int result = exchange_judge(pair, false, e);

	return result ? result : rig_judge_files(pair, e);
}

const struct workload send_fd_workload = {
	.name = "send-fd",
	.summary = "install a file into another ring's table with MSG_RING SEND_FD",
	.unit = "install",
	.open = rig_open_source,
	.prepare = exchange_prepare,
	.send = send_fd_send,
	.receive = exchange_receive,
	.check = send_fd_check,
	.finish = rig_finish_target,
	.close = rig_close_source,
};
