// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * update-buffers: replaces the buffers of a full table by register calls of a batch each; there is
 * no request that would. A buffer is 4096 bytes.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/uring.h"
#include "workloads/list.h"
#include "workloads/reap.h"
#include "workloads/rig.h"
#include "workloads/update.h"

#define PAGE_BYTES 4096
#define STAMPS_A_PAGE (PAGE_BYTES / sizeof(uint64_t))
/* IORING_MAX_REG_BUFFERS of the kernel. */
#define MOST_BUFFERS 16384

static int update_buffers_open(struct pair *pair, struct error *e)
{
	int result = update_make(pair, sizeof(struct iovec), e);
	struct update *update = update_of(pair);

	for (unsigned i = 0; !result && i < 2; i++) {
		void *page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
		struct iovec entry = { .iov_base = page, .iov_len = PAGE_BYTES };

		if (page == MAP_FAILED)
			return error_set(e, ERROR_FAILED, errno, "no memory for a buffer");
		update->pages[i] = page;
		update_fill_entries(pair, i, &entry, sizeof(entry));
	}
	return result;
}

static void update_buffers_close(struct pair *pair)
{
	struct update *update = update_of(pair);

	for (unsigned i = 0; update && i < 2; i++)
		if (update->pages[i])
			munmap(update->pages[i], PAGE_BYTES);
	update_free(pair);
}

/* Where the pair's file is read to, through slot_of[i]: into the page that this slot must hold. */
static uint64_t *place_of(const struct pair *pair, unsigned touched, unsigned i)
{
	const struct update *update = update_of(pair);
	unsigned which = update_which(pair, update->next - touched + i);

	return (uint64_t *)update->pages[which] + i % STAMPS_A_PAGE;
}

/* A slot with another buffer refuses memory that is not its own, an empty one all memory. */
static void reap_reads(struct pair *pair, unsigned touched, unsigned count)
{
	struct io_uring_cqe *cqe;
	unsigned head, reaped = 0;

	io_uring_for_each_cqe(&pair->target, head, cqe) {
		unsigned i = (unsigned)cqe->user_data;

		if (cqe->user_data < touched && cqe->res == (int)sizeof(uint64_t) &&
		    *place_of(pair, touched, i) == pair->stamp)
			pair->read_back[i] = update_expected(pair, touched, i);
		if (++reaped == count)
			break;
	}
	io_uring_cq_advance(&pair->target, reaped);
}

static int read_through(struct pair *pair, unsigned touched, struct error *e)
{
	unsigned most = pair->shape->ring < STAMPS_A_PAGE ? pair->shape->ring : STAMPS_A_PAGE;

	memset(pair->read_back, 0, touched * sizeof(*pair->read_back));
	for (unsigned done = 0; done < touched;) {
		unsigned count = touched - done < most ? touched - done : most;
		int result;

		for (unsigned i = done; i < done + count; i++) {
			struct io_uring_sqe *sqe = io_uring_get_sqe(&pair->target);

			*place_of(pair, touched, i) = 0;
			io_uring_prep_read_fixed(sqe, pair->file, place_of(pair, touched, i),
						 sizeof(uint64_t), 0, (int)pair->slot_of[i]);
			io_uring_sqe_set_data64(sqe, i);
		}
		result = rig_complete(pair, count, e);
		if (result)
			return result;
		reap_reads(pair, touched, count);
		done += count;
	}
	return 0;
}

static int update_buffers_check(struct pair *pair, struct error *e)
{
	unsigned touched = 0;
	int result = update_judge(pair, &touched, e);

	if (!result)
		result = read_through(pair, touched, e);
	return result ? result : update_judge_slots(pair, touched, e);
}

const struct workload update_buffers_workload = {
	.name = "update-buffers",
	.summary = "replace the buffers of a full table, 4096 bytes each, by register calls",
	.unit = "update",
	.inline_only = true,
	.one_ring = true,
	.table = TABLE_BUFFERS,
	.replaces = true,
	.most_slots = MOST_BUFFERS,
	.slot_locked_bytes = PAGE_BYTES,
	.open = update_buffers_open,
	.prepare = update_prepare,
	.send = update_send_calls,
	.check = update_buffers_check,
	.finish = rig_finish_target,
	.close = update_buffers_close,
};
