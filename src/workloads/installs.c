// SPDX-License-Identifier: GPL-2.0-or-later
#include "workloads/installs.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* Which install a CQE speaks of; -errno if it speaks of none of this pair, or again. */
static int identify(const struct installs *in, const struct io_uring_cqe *cqe, const char *end,
		    uint8_t *seen, unsigned *install, struct error *e)
{
	uint64_t index = cqe->user_data - installs_tag(in->pair, 0);

	if (index >= in->used)
		return error_set(e, ERROR_FAILED, EBADMSG,
				 "%s CQE with user_data 0x%" PRIx64 " belongs to no install of pair %u",
				 end, (uint64_t)cqe->user_data, in->pair);
	if (seen[index])
		return error_set(e, ERROR_FAILED, EBADMSG, "install %u completed twice at the %s",
				 (unsigned)index, end);
	seen[index] = 1;
	*install = (unsigned)index;
	if (cqe->flags)
		return error_set(e, ERROR_FAILED, EBADMSG,
				 "install %u has CQE flags 0x%x at the %s, expected 0", *install,
				 cqe->flags, end);
	if (cqe->res < 0)
		return error_set(e, ERROR_FAILED, -cqe->res, "install %u failed at the %s: %s",
				 *install, end, strerror(-cqe->res));
	return 0;
}

/* What makes everything after it meaningless. */
static int judge_rings(const struct installs *in, struct error *e)
{
	if (in->overflow)
		return error_set(e, ERROR_FAILED, EOVERFLOW,
				 "a CQ overflowed (IORING_SQ_CQ_OVERFLOW; %u of %u target CQEs "
				 "reaped); give the target a larger --cq",
				 in->arrived->count, in->skip_cqe ? 0 : in->used);
	if (in->dropped)
		return error_set(e, ERROR_FAILED, EBADMSG, "the kernel dropped %u SQEs", in->dropped);
	return 0;
}

static int judge_count(const struct arrivals *arrivals, unsigned expected, const char *end,
		       struct error *e)
{
	if (arrivals->count == expected)
		return 0;
	return error_set(e, ERROR_FAILED, EBADMSG, "%u of %u %s CQEs came", arrivals->count,
			 expected, end);
}

static int judge_leftovers(const struct installs *in, struct error *e)
{
	if (!in->sent_left && !in->arrived_left)
		return 0;
	return error_set(e, ERROR_FAILED, EBADMSG,
			 "%u source and %u target CQEs too many are in the rings", in->sent_left,
			 in->arrived_left);
}

/* The source's side: every install once, each in a slot of its own. */
static int judge_sent(const struct installs *in, unsigned *slot_of, uint8_t *taken,
		      struct error *e)
{
	memset(taken, 0, in->used);
	for (unsigned k = 0; k < in->used; k++) {
		const struct io_uring_cqe *cqe = &in->sent->cqes[k];
		unsigned install;
		int result = identify(in, cqe, "source", taken, &install, e);

		if (result)
			return result;
		if ((in->explicit_slot || in->message) && cqe->res != 0)
			return error_set(e, ERROR_FAILED, EBADMSG, "%s %u%s returned %d, expected 0",
					 in->message ? "message" : "install", install,
					 in->message ? "" : " into an explicit slot", cqe->res);
		if ((unsigned)cqe->res >= in->slots)
			return error_set(e, ERROR_FAILED, ERANGE,
					 "install %u names slot %d, the table has %u", install,
					 cqe->res, in->slots);
		slot_of[install] = in->explicit_slot || in->message ? install : (unsigned)cqe->res;
	}
	memset(taken, 0, in->slots);
	for (unsigned i = 0; i < in->used; i++) {
		if (taken[slot_of[i]]++)
			return error_set(e, ERROR_FAILED, EBADMSG,
					 "slot %u was given out twice, the second time to install %u",
					 slot_of[i], i);
	}
	return 0;
}

/* The target's side: every install once, and the slot that the source was told. */
static int judge_arrived(const struct installs *in, const unsigned *slot_of, uint8_t *seen,
			 struct error *e)
{
	memset(seen, 0, in->used);
	for (unsigned k = 0; k < in->arrived->count; k++) {
		const struct io_uring_cqe *cqe = &in->arrived->cqes[k];
		unsigned install;
		int result = identify(in, cqe, "target", seen, &install, e);

		if (result)
			return result;
		if (in->message && (unsigned)cqe->res != install)
			return error_set(e, ERROR_FAILED, EBADMSG,
					 "message %u brought the number %d to the target", install,
					 cqe->res);
		if ((unsigned)cqe->res != (in->explicit_slot ? 0 : slot_of[install]))
			return error_set(e, ERROR_FAILED, EBADMSG,
					 "install %u: the source was told slot %u, the target %d",
					 install, in->explicit_slot ? 0 : slot_of[install], cqe->res);
	}
	return 0;
}

int installs_judge(const struct installs *in, unsigned *slot_of, uint8_t *taken, struct error *e)
{
	int result = judge_rings(in, e);

	/* The source first: a failed install has no target CQE, and its error says why. */
	if (!result)
		result = judge_count(in->sent, in->used, "source", e);
	if (!result)
		result = judge_sent(in, slot_of, taken, e);
	if (!result)
		result = judge_count(in->arrived, in->skip_cqe ? 0 : in->used, "target", e);
	if (!result && !in->skip_cqe)
		result = judge_arrived(in, slot_of, taken, e);
	if (!result)
		result = judge_leftovers(in, e);
	return result;
}

int installs_judge_share(const struct arrivals *sent, unsigned pair, unsigned first, unsigned count,
			 struct error *e)
{
	for (unsigned i = 0; i < sent->count; i++) {
		uint64_t user_data = sent->cqes[i].user_data;

		if (user_data - installs_tag(pair, first) >= count)
			return error_set(e, ERROR_FAILED, EBADMSG,
					 "a sender got a CQE with user_data 0x%" PRIx64
					 ", its installs are %u to %u", user_data, first,
					 first + count - 1);
	}
	return judge_count(sent, count, "source", e);
}

int installs_judge_stamps(const uint64_t *read_back, const unsigned *slot_of, unsigned used,
			  const uint64_t *stamps, bool each, struct error *e)
{
	for (unsigned i = 0; i < used; i++) {
		uint64_t stamp = stamps[each ? i : 0];

		if (read_back[i] == stamp)
			continue;
		if (!read_back[i])
			return error_set(e, ERROR_FAILED, EBADF,
					 "slot %u (install %u) could not be read through its fixed file",
					 slot_of[i], i);
		return error_set(e, ERROR_FAILED, EBADMSG,
				 "slot %u (install %u) holds another file: stamp %016" PRIx64
				 ", expected %016" PRIx64, slot_of[i], i, read_back[i], stamp);
	}
	return 0;
}
