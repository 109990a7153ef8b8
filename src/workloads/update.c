// SPDX-License-Identifier: GPL-2.0-or-later
#include "workloads/update.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/uring.h"
#include "workloads/installs.h"
#include "workloads/requests.h"
#include "workloads/rig.h"

static const char unit[] = "update";

int update_make(struct pair *pair, size_t entry_size, struct error *e)
{
	struct update *update = calloc(1, sizeof(*update));

	pair->own = update;
	if (update) {
		update->files[0] = update->files[1] = -1;
		for (int i = 0; i < 2; i++)
			update->entries[i] = calloc(pair->shape->batch, entry_size);
	}
	if (!update || !update->entries[0] || !update->entries[1])
		return error_set(e, ERROR_FAILED, ENOMEM, "no memory for batches of %u",
				 pair->shape->batch);
	update->stamps[0] = pair->stamp;
	/* 0 means unreadable. */
	update->stamps[1] = pair->stamp + 1 ? pair->stamp + 1 : 1;
	return 0;
}

void update_fill_entries(struct pair *pair, unsigned which, const void *entry, size_t entry_size)
{
	char *to = update_of(pair)->entries[which];

	for (unsigned i = 0; i < pair->shape->batch; i++)
		memcpy(to + i * entry_size, entry, entry_size);
}

void update_free(struct pair *pair)
{
	struct update *update = update_of(pair);

	if (!update)
		return;
	free(update->entries[0]);
	free(update->entries[1]);
	free(update);
	pair->own = NULL;
}

/* Updates from u on that one call may make: a batch, as far as the table goes. */
static unsigned call_size(const struct pair *pair, uint64_t u, unsigned left)
{
	unsigned count = left < pair->shape->batch ? left : pair->shape->batch;
	unsigned room = pair->shape->slots - (unsigned)(u % pair->shape->slots);

	return count < room ? count : room;
}

/* Returns what the call returned: how many, or -errno. */
static int replace(struct pair *pair, uint64_t u, unsigned count)
{
	return uring_replace(&pair->target, pair->shape->table == TABLE_BUFFERS,
			     (unsigned)(u % pair->shape->slots),
			     update_of(pair)->entries[update_which(pair, u)], count);
}

static int fill_table(struct pair *pair, struct error *e)
{
	struct update *update = update_of(pair);
	unsigned slots = pair->shape->slots;

	for (update->next = 0; update->next < slots;) {
		unsigned count = call_size(pair, update->next, slots - (unsigned)update->next);
		int result = replace(pair, update->next, count);

		if (result == -EINVAL && pair->shape->registered)
			return error_set(e, ERROR_FAILED, EINVAL,
					 "this kernel has no register calls by registered index (Linux 6.3 "
					 "has); use --ring-fd plain");
		if (result == -ENOMEM && pair->shape->table == TABLE_BUFFERS)
			return error_set(e, ERROR_FAILED, ENOMEM,
					 "cannot fill slot %u of %u: %s; raise the locked-memory limit "
					 "(ulimit -l), or use fewer --slots or --pairs",
					 (unsigned)update->next, slots, strerror(ENOMEM));
		if (result != (int)count)
			return error_set(e, ERROR_FAILED, result < 0 ? -result : EIO,
					 "cannot fill slot %u of %u: %s", (unsigned)update->next, slots,
					 strerror(result < 0 ? -result : EIO));
		update->next += count;
	}
	return 0;
}

int update_prepare(struct pair *pair, struct error *e)
{
	int result = rig_prepare_alone(pair, e);

	/* A new table is an empty one. */
	if (!result && pair->phase_ns[PHASE_REGISTER] != PHASE_NONE)
		result = fill_table(pair, e);
	return result;
}

void update_send_calls(struct pair *pair)
{
	struct update *update = update_of(pair);
	const struct shape *shape = pair->shape;
	struct io_uring_cqe *call = pair->sent.cqes;

	for (unsigned done = 0; done < shape->used; call++) {
		unsigned count = call_size(pair, update->next, shape->used - done);
		int result = replace(pair, update->next, count);

		*call = (struct io_uring_cqe){
			.user_data = installs_tag(pair->index, done),
			.res = result,
			.flags = count,
		};
		update->next += count;
		done += count;
		/* What follows would be judged by a state that is not there. */
		if (result != (int)count) {
			call++;
			break;
		}
	}
	pair->sent.count = (unsigned)(call - pair->sent.cqes);
	pair->sender.end_ns = clock_now_ns();
}

int update_judge(struct pair *pair, unsigned *touched, struct error *e)
{
	const struct shape *shape = pair->shape;
	struct requests requests = {
		.pair = pair->index,
		.count = shape->used,
		.result = 1,
		.unit = unit,
		.done = &pair->sent,
		.left = uring_ready(&pair->target),
		.overflow = uring_overflowed(&pair->target) || *pair->target.cq.koverflow,
		.dropped = *pair->target.sq.kdropped,
	};
	int result = rig_judge_sides(pair, e);

	if (!result)
		result = shape->by_register ? requests_judge_calls(&requests, e)
					    : requests_judge(&requests, pair->taken, e);
	if (result)
		return result;
	*touched = shape->used < shape->slots ? shape->used : shape->slots;
	for (unsigned i = 0; i < *touched; i++)
		pair->slot_of[i] = (unsigned)((update_of(pair)->next - *touched + i) % shape->slots);
	return 0;
}

uint64_t update_expected(const struct pair *pair, unsigned touched, unsigned i)
{
	const struct update *update = update_of(pair);

	return update->stamps[update_which(pair, update->next - touched + i)];
}

int update_judge_slots(const struct pair *pair, unsigned touched, struct error *e)
{
	for (unsigned i = 0; i < touched; i++) {
		if (pair->read_back[i] == update_expected(pair, touched, i))
			continue;
		if (!pair->read_back[i])
			return error_set(e, ERROR_FAILED, EBADMSG,
					 "slot %u cannot be used as it was last updated",
					 pair->slot_of[i]);
		return error_set(e, ERROR_FAILED, EBADMSG, "slot %u does not hold what it was last "
				 "updated to", pair->slot_of[i]);
	}
	return 0;
}
