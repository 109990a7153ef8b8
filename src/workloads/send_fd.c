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
 * of it, as one more store for the source slot would not be free. They are not inlined, and the
 * template is behind a restrict pointer, so that the compiler keeps it in registers; built in
 * place it would be stored in pieces and loaded whole, a stall for every SQE.
 */
static inline __attribute__((always_inline)) void
fill_sqes(struct pair *pair, const struct io_uring_sqe *restrict template, unsigned first,
	  unsigned count, bool per_slot)
{
	struct io_uring *source = &pair->from->source;
	struct io_uring_sqe *restrict sqes = source->sq.sqes;
	unsigned at = source->sq.sqe_tail, mask = *source->sq.kring_mask;
	unsigned slot = template->file_index, step = 0;
	uint64_t tag = installs_tag(pair->to->index, first);

	if (pair->shape->explicit_slot) {
		slot = first + 1;
		step = 1;
	}
	/* The source holds the files of this pair's installs alone. */
	first -= pair->first;
	for (unsigned end = at + count; at != end; at++, slot += step, tag++) {
		struct io_uring_sqe *sqe = &sqes[at & mask];

		*sqe = *template;
		sqe->off = tag;
		sqe->user_data = tag;
		sqe->file_index = slot;
		if (per_slot)
			sqe->addr3 = first++;
	}
}

static __attribute__((noinline)) void fill_batch(struct pair *pair,
						 const struct io_uring_sqe *restrict template,
						 unsigned first, unsigned count)
{
	fill_sqes(pair, template, first, count, false);
}

static __attribute__((noinline)) void fill_batch_per_slot(struct pair *pair,
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
	if (shape->per_slot)
		exchange_send(pair, &template, (struct exchange_fill){ fill_batch_per_slot });
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
