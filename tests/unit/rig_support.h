/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RIG_SUPPORT_H
#define RIG_SUPPORT_H

#include "engine/files.h"
#include "workloads/workload.h"

/* A pair by itself, with files of its own. */
struct rig {
	struct shape shape;
	struct pair pair;
	struct files files;
	_Atomic bool stop;
	struct error e;
};

/* 256 slots, all used, a batch of 32. */
extern const struct shape rig_plain;

/* The only rig, open; skips the test where io_uring is not allowed. */
struct rig *rig_make(const struct workload *workload, struct shape shape);
void rig_drop(struct rig *rig, const struct workload *workload);

/* One fill, not the last of its ring. What check or, after it, finish returned; its text in rig->e. */
int rig_fill(struct rig *rig, const struct workload *workload);

/* Three good fills of a rig of its own. */
void rig_fills(const struct workload *workload, struct shape shape);

#endif
