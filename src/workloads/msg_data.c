// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * msg-data: the control of send-fd. The same rings and table, the same batches and as many
 * completions at both ends, but each MSG_RING carries a number instead of a file: what is left when
 * nothing is installed. A message's number is that of the install it stands for, so that none can
 * pass for another.
 */
#include "workloads/exchange.h"
#include "workloads/installs.h"
#include "workloads/list.h"
#include "workloads/rig.h"
#include "workloads/submit.h"

static inline void set_number(struct io_uring_sqe *sqe, void *state)
{
	unsigned *number = state;

	sqe->off = sqe->user_data;
	sqe->len = (*number)++;
}

static __attribute__((noinline)) void fill_batch(struct pair *pair,
						 const struct io_uring_sqe *template,
						 unsigned first, unsigned count)
{
	unsigned number = first;

	submit_fill(&pair->from->source, template, installs_tag(pair->to->index, first), count,
		    set_number, &number);
}

static void msg_data_send(struct pair *pair)
{
	const struct io_uring_sqe template = {
		.opcode = IORING_OP_MSG_RING,
		.fd = pair->to->target.ring_fd,
		.addr = IORING_MSG_DATA,
	};

	exchange_send(pair, &template, (struct exchange_fill){ fill_batch });
}

static int msg_data_check(struct pair *pair, struct error *e)
{
	return exchange_judge(pair, true, e);
}

/* Nothing is in the slots that would have to be removed before the next fill. */
static int msg_data_finish(struct pair *pair, bool last, struct error *e)
{
	return pair->shape->reuse && !last ? 0 : rig_finish_target(pair, last, e);
}

const struct workload msg_data_workload = {
	.name = "msg-data",
	.unit = "message",
	.summary = "the control: the same batches and completions with MSG_RING messages, no file",
	.message = true,
	.open = rig_open_source,
	.prepare = exchange_prepare,
	.send = msg_data_send,
	.receive = exchange_receive,
	.check = msg_data_check,
	.finish = msg_data_finish,
	.close = rig_close_source,
};
