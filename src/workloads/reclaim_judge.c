// SPDX-License-Identifier: GPL-2.0-or-later
/* The verdict over a fill of removals, and its figures. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/reclaim.h"

const struct measure reclaim_measures[RECLAIM_MEASURES + 1] = {
	[RECLAIM_RELEASED_PENDING] = { "released_pending", "files" },
	[RECLAIM_PENDING_NS] = { "pending", "ns" },
	[RECLAIM_SETTLED_NS] = { "settled", "ns" },
	[RECLAIM_DELAY_MEAN] = { "release_delay_mean", "ns" },
	[RECLAIM_DELAY_P50] = { "release_delay_p50", "ns" },
	[RECLAIM_DELAY_P90] = { "release_delay_p90", "ns" },
	[RECLAIM_DELAY_P99] = { "release_delay_p99", "ns" },
	[RECLAIM_DELAY_MAX] = { "release_delay_max", "ns" },
	[RECLAIM_REPLACED] = { "replaced", "files" },
	[RECLAIM_LIVE_FILES] = { "live_files", "files/replacement" },
	[RECLAIM_SLAB_BYTES] = { "slab_bytes", "bytes/replacement" },
};

static int judge_before(const struct reclaim_log *log, struct error *e)
{
	if (log->dropped)
		return error_set(e, ERROR_FAILED, EBADMSG, "the kernel dropped %u SQEs", log->dropped);
	if (log->overflow)
		return error_set(e, ERROR_FAILED, EOVERFLOW,
				 "the CQ overflowed; give a larger --cq, or auto");
	if (log->early_completions)
		return error_set(e, ERROR_FAILED, EBADMSG,
				 "%u completions had come before anything was removed",
				 log->early_completions);
	for (unsigned i = 0; i < log->files; i++)
		if (log->early[i])
			return error_set(e, ERROR_FAILED, EBADMSG,
					 "file %u was released before it was removed", i);
	if (!log->batch_count || log->batches[log->batch_count - 1].removed != log->files)
		return error_set(e, ERROR_FAILED, EBADMSG, "only %u of %u files were removed",
				 log->batch_count ? log->batches[log->batch_count - 1].removed : 0,
				 log->files);
	if (log->left)
		return error_set(e, ERROR_FAILED, EBADMSG, "%u completions too many came", log->left);
	return 0;
}

/* Completions in the CQ when the batch of a file's removal had returned. */
static unsigned posted_with(const struct reclaim_log *log, unsigned file)
{
	unsigned low = 0, high = log->batch_count - 1;

	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (log->batches[middle].removed <= file)
			low = middle + 1;
		else
			high = middle;
	}
	return log->batches[low].posted;
}

static const char *name_of(enum reclaim_kind kind)
{
	static const char *const names[] = {
		[RECLAIM_TAG] = "release", [RECLAIM_REMOVAL] = "removal", [RECLAIM_READ] = "read",
		[RECLAIM_CHURN] = "churn's end",
	};

	return names[kind];
}

static int judge_result(const struct reclaim_log *log, enum reclaim_kind kind, unsigned number,
			const struct io_uring_cqe *cqe, struct error *e)
{
	int expected = kind == RECLAIM_READ || (kind == RECLAIM_REMOVAL && log->updates);

	if (cqe->res < 0)
		return error_set(e, ERROR_FAILED, -cqe->res, "%s %u failed: %s", name_of(kind), number,
				 strerror(-cqe->res));
	if (cqe->res != expected)
		return error_set(e, ERROR_FAILED, EBADMSG, "%s %u returned %d, expected %d",
				 name_of(kind), number, cqe->res, expected);
	if (cqe->flags)
		return error_set(e, ERROR_FAILED, EBADMSG, "%s %u has flags 0x%x", name_of(kind),
				 number, cqe->flags);
	return 0;
}

/* seen: tags of files, then removals of files. */
static int judge_completion(const struct reclaim_log *log, unsigned index, uint8_t *seen,
			    unsigned others[RECLAIM_CHURN + 1], struct error *e)
{
	const struct io_uring_cqe *cqe = &log->cqes[index];
	uint64_t kind = cqe->user_data >> 32;
	unsigned number = (unsigned)cqe->user_data;
	bool of_file = kind == RECLAIM_TAG || kind == RECLAIM_REMOVAL;
	int result;

	if (kind < RECLAIM_TAG || kind > RECLAIM_CHURN || (of_file ? number >= log->files : number > 0))
		return error_set(e, ERROR_FAILED, EBADMSG,
				 "completion %u is of nothing that was asked for: 0x%" PRIx64, index,
				 (uint64_t)cqe->user_data);
	result = judge_result(log, kind, number, cqe, e);
	if (result)
		return result;
	if (!of_file) {
		others[kind]++;
		return 0;
	}
	if (seen[number + (kind == RECLAIM_REMOVAL ? log->files : 0)]++)
		return error_set(e, ERROR_FAILED, EBADMSG, "%s %u completed twice", name_of(kind),
				 number);
	if (kind == RECLAIM_REMOVAL && index >= posted_with(log, number))
		return error_set(e, ERROR_FAILED, EBADMSG,
				 "removal %u completed after the call that should have done it", number);
	return 0;
}

static int judge_missing(const struct reclaim_log *log, const uint8_t *seen, struct error *e)
{
	unsigned kept = 0, untagged = 0;

	for (unsigned i = 0; i < log->files; i++) {
		if (log->completes && !seen[log->files + i])
			return error_set(e, ERROR_FAILED, EBADMSG, "removal %u has no completion", i);
		if (!log->completes && seen[log->files + i])
			return error_set(e, ERROR_FAILED, EBADMSG,
					 "removal %u has a completion, and is none of a request", i);
		kept += !log->released_ns[i];
		untagged += !seen[i];
	}
	if (kept)
		return error_set(e, ERROR_FAILED, ETIME,
				 "%u of %u files (%u without their tag) had not been released %g s after "
				 "nothing kept them (--timeout)", kept, log->files, untagged,
				 log->waited_ns / 1e9);
	if (untagged)
		return error_set(e, ERROR_FAILED, EBADMSG, "%u of %u files were released without "
				 "their tag's completion", untagged, log->files);
	return 0;
}

static int judge_others(const struct reclaim_log *log, const unsigned others[RECLAIM_CHURN + 1],
			struct error *e)
{
	unsigned reads = log->pending != PENDING_NONE;

	if (others[RECLAIM_READ] != reads)
		return error_set(e, ERROR_FAILED, EBADMSG,
				 "the pending read completed %u times, expected %u; it was fed %g s ago",
				 others[RECLAIM_READ], reads, log->waited_ns / 1e9);
	if (reads && !log->read_right)
		return error_set(e, ERROR_FAILED, EBADMSG,
				 "the pending read did not read what was fed");
	if (others[RECLAIM_CHURN] != log->churned)
		return error_set(e, ERROR_FAILED, ETIME, "what was replaced (--churn) had not been "
				 "released after %g s (--timeout)", log->waited_ns / 1e9);
	return 0;
}

int reclaim_judge(const struct reclaim_log *log, uint8_t *seen, struct error *e)
{
	unsigned others[RECLAIM_CHURN + 1] = { 0 };
	int result = judge_before(log, e);

	memset(seen, 0, 2 * (size_t)log->files);
	for (unsigned i = 0; !result && i < log->count; i++)
		result = judge_completion(log, i, seen, others, e);
	if (!result)
		result = judge_missing(log, seen, e);
	return result ? result : judge_others(log, others, e);
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Nearest rank: a delay that some file had. */
static double percentile(const int64_t *sorted, unsigned count, unsigned percent)
{
	unsigned rank = (unsigned)(((uint64_t)count * percent + 99) / 100);

	return (double)sorted[rank ? rank - 1 : 0];
}

void reclaim_measure(const struct reclaim_log *log, int64_t *delays, double measures[MEASURE_MAX])
{
	const struct reclaim_batch *batch = log->batches;
	int64_t last_ns = 0;
	double sum = 0;

	for (unsigned i = 0; i < log->files; i++) {
		while (batch->removed <= i)
			batch++;
		/* Seen between the call and the note of its end. */
		delays[i] = log->released_ns[i] > batch->ns ? log->released_ns[i] - batch->ns : 0;
		sum += (double)delays[i];
		if (log->released_ns[i] > last_ns)
			last_ns = log->released_ns[i];
	}
	qsort(delays, log->files, sizeof(*delays), by_value);
	measures[RECLAIM_RELEASED_PENDING] = log->released_pending;
	measures[RECLAIM_PENDING_NS] = (double)(log->fed_ns - log->removed_ns);
	measures[RECLAIM_SETTLED_NS] = (double)(last_ns - log->start_ns);
	measures[RECLAIM_DELAY_MEAN] = sum / log->files;
	measures[RECLAIM_DELAY_P50] = percentile(delays, log->files, 50);
	measures[RECLAIM_DELAY_P90] = percentile(delays, log->files, 90);
	measures[RECLAIM_DELAY_P99] = percentile(delays, log->files, 99);
	measures[RECLAIM_DELAY_MAX] = (double)delays[log->files - 1];
}
