// SPDX-License-Identifier: GPL-2.0-or-later
#include "workloads/requests.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "workloads/installs.h"

static int judge_one(const struct requests *requests, const struct io_uring_cqe *cqe, uint8_t *taken,
		     struct error *e)
{
	uint64_t first = installs_tag(requests->pair, 0);
	uint64_t index = cqe->user_data - first;

	if (cqe->user_data < first || index >= requests->count)
		return error_set(e, ERROR_FAILED, EBADMSG,
				 "a completion with user_data %#" PRIx64 " came, which no %s of this fill has",
				 (uint64_t)cqe->user_data, requests->unit);
	if (cqe->res < 0)
		return error_set(e, ERROR_FAILED, -cqe->res, "%s %u failed: %s", requests->unit,
				 (unsigned)index, strerror(-cqe->res));
	if (cqe->res != requests->result)
		return error_set(e, ERROR_FAILED, EBADMSG, "%s %u returned %d, not %d",
				 requests->unit, (unsigned)index, cqe->res, requests->result);
	if (cqe->flags)
		return error_set(e, ERROR_FAILED, EBADMSG, "%s %u has completion flags %#x, expected 0",
				 requests->unit, (unsigned)index, cqe->flags);
	if (taken[index])
		return error_set(e, ERROR_FAILED, EBADMSG, "%s %u completed twice", requests->unit,
				 (unsigned)index);
	taken[index] = 1;
	return 0;
}

int requests_judge(const struct requests *requests, uint8_t *taken, struct error *e)
{
	const struct arrivals *done = requests->done;
	unsigned kept = done->count < requests->count ? done->count : requests->count;
	int result = 0;

	if (requests->overflow)
		return error_set(e, ERROR_FAILED, EOVERFLOW, "the CQ overflowed");
	if (requests->dropped)
		return error_set(e, ERROR_FAILED, EBADMSG, "the kernel dropped %u SQEs",
				 requests->dropped);
	memset(taken, 0, requests->count);
	for (unsigned i = 0; !result && i < kept; i++)
		result = judge_one(requests, &done->cqes[i], taken, e);
	if (!result && (done->count != requests->count || requests->left))
		result = error_set(e, ERROR_FAILED, EBADMSG,
				   "%u completions came and %u were left in the ring, expected %u and none",
				   done->count, requests->left, requests->count);
	return result;
}

int requests_judge_calls(const struct requests *requests, struct error *e)
{
	const struct arrivals *done = requests->done;
	unsigned next = 0;

	for (unsigned i = 0; i < done->count; i++) {
		const struct io_uring_cqe *call = &done->cqes[i];

		if (call->user_data != installs_tag(requests->pair, next))
			return error_set(e, ERROR_FAILED, EBADMSG,
					 "call %u began at user_data %#" PRIx64 ", expected %s %u", i,
					 (uint64_t)call->user_data, requests->unit, next);
		if (call->res < 0)
			return error_set(e, ERROR_FAILED, -call->res, "%s %u failed: %s",
					 requests->unit, next, strerror(-call->res));
		if ((unsigned)call->res != call->flags)
			return error_set(e, ERROR_FAILED, EBADMSG,
					 "call %u made %d of the %u %ss that it asked for", i, call->res,
					 call->flags, requests->unit);
		next += call->flags;
	}
	if (next != requests->count)
		return error_set(e, ERROR_FAILED, EBADMSG, "%u %ss were made, expected %u", next,
				 requests->unit, requests->count);
	return 0;
}
