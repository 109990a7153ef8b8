// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig_support.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "machine/uring_probe.h"

const struct shape rig_plain = {
	.slots = 256, .used = 256, .batch = 32, .ring = 64, .cq = 128, .timeout_ns = 2000000000,
};

struct rig *rig_make(const struct workload *workload, struct shape shape)
{
	static struct rig rig;
	unsigned larger = shape.slots > shape.used ? shape.slots : shape.used;

	memset(&rig, 0, sizeof(rig));
	if (uring_probe_send_fd(&rig.e)) {
		print_message("%s\n", rig.e.text);
		skip();
	}
	rig.shape = shape;
	rig.shape.table = workload->table;
	rig.shape.one_ring = workload->one_ring;
	assert_int_equal(files_make(&rig.files, 1, &rig.e), 0);
	assert_int_equal(files_take(&rig.files, &rig.e), 0);
	rig.pair.shape = &rig.shape;
	pair_stand_alone(&rig.pair);
	rig.pair.index = 7;
	rig.pair.file = rig.files.fds[0];
	rig.pair.stamp = rig.files.stamps[0];
	rig.pair.sender_pu = -1;
	rig.pair.stop = &rig.stop;
	rig.pair.sent.cqes = calloc(shape.used, sizeof(struct io_uring_cqe));
	rig.pair.arrived.cqes = calloc(shape.used, sizeof(struct io_uring_cqe));
	rig.pair.read_back = calloc(shape.used, sizeof(uint64_t));
	rig.pair.slot_of = calloc(shape.used, sizeof(unsigned));
	rig.pair.taken = calloc(larger, 1);
	rig.pair.stamps = shape.per_slot ? calloc(shape.used, sizeof(uint64_t)) : NULL;
	assert_int_equal(workload->open(&rig.pair, &rig.e), 0);
	return &rig;
}

void rig_drop(struct rig *rig, const struct workload *workload)
{
	workload->finish(&rig->pair, true, &rig->e);
	workload->close(&rig->pair);
	files_close(&rig->files);
	free(rig->pair.stamps);
	free(rig->pair.sent.cqes);
	free(rig->pair.arrived.cqes);
	free(rig->pair.read_back);
	free(rig->pair.slot_of);
	free(rig->pair.taken);
}

int rig_fill(struct rig *rig, const struct workload *workload)
{
	int result;

	assert_int_equal(workload->prepare(&rig->pair, &rig->e), 0);
	if (workload->arm)
		assert_int_equal(workload->arm(&rig->pair, &rig->e), 0);
	workload->send(&rig->pair);
	if (workload->watch)
		workload->watch(&rig->pair);
	result = workload->check(&rig->pair, &rig->e);
	if (!result)
		result = workload->finish(&rig->pair, false, &rig->e);
	return result;
}

void rig_fills(const struct workload *workload, struct shape shape)
{
	struct rig *rig = rig_make(workload, shape);

	for (int i = 0; i < 3; i++)
		if (rig_fill(rig, workload))
			fail_msg("%s", rig->e.text);
	rig_drop(rig, workload);
}
