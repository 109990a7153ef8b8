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

/* Slot and file where one of them is not the template's. */
struct varied {
	unsigned slot, slot_step, file, file_step;
};

static inline void set_tag(struct io_uring_sqe *sqe, void *state)
{
	(void)state;
	sqe->off = sqe->user_data;
}

static inline void set_varied(struct io_uring_sqe *sqe, void *state)
{
	struct varied *varied = state;

	sqe->off = sqe->user_data;
	sqe->file_index = varied->slot;
	sqe->addr3 = varied->file;
	varied->slot += varied->slot_step;
	varied->file += varied->file_step;
}

/* Two functions, as a store for slot and file where neither differs would not be free. */
static __attribute__((noinline)) void fill_batch(struct pair *pair,
						 const struct io_uring_sqe *template,
						 unsigned first, unsigned count)
{
	submit_fill(&pair->from->source, template, installs_tag(pair->to->index, first), count,
		    set_tag, NULL);
}

static __attribute__((noinline)) void fill_batch_varied(struct pair *pair,
							const struct io_uring_sqe *template,
							unsigned first, unsigned count)
{
	const struct shape *shape = pair->shape;
	struct varied varied = {
		.slot = shape->explicit_slot ? first + 1 : template->file_index,
		.slot_step = shape->explicit_slot,
		/* The source holds the files of this pair's installs alone. */
		.file = shape->per_slot ? first - pair->first : (unsigned)template->addr3,
		.file_step = shape->per_slot,
	};

	submit_fill(&pair->from->source, template, installs_tag(pair->to->index, first), count,
		    set_varied, &varied);
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
