/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_ENGINE_AXES_H
#define RINGSCALE_ENGINE_AXES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * The axes of a sweep, each spelled once: the table in axes.c feeds the option
 * parser (axis_parse.c), --help, presets, the sweep, the result file and the table on screen.
 *
 * To add an axis: a line here, a row in axes.c (name, type, limits or names,
 * default, help), its cells' rules in cells.c, its line in man/ringscale.1, a test.
 */
enum axis {
	AXIS_WORKLOAD,		/* index into the workload table */
	AXIS_PAIRS,
	AXIS_SLOTS,
	AXIS_USED,		/* mode: USED_COUNT, USED_PERCENT, USED_ALL */
	AXIS_BATCH,
	AXIS_RING,
	AXIS_CQ,		/* mode: AUTO or COUNT */
	AXIS_SLOT,		/* enum slot_choice */
	AXIS_PLACE,		/* text */
	AXIS_PATTERN,		/* enum pattern */
	AXIS_REAP,		/* enum reap */
	AXIS_CYCLE,		/* enum cycle */
	AXIS_FILE,		/* enum file_choice */
	AXIS_CQE,		/* enum cqe */
	AXIS_TARGET,		/* enum target */
	AXIS_RING_FD,		/* enum ring_fd */
	AXIS_FDTABLE,		/* enum fdtable */
	AXIS_MEM,		/* enum mem; MODE_NODE: OS index of a node */
	AXIS_BY,		/* enum update_by; BY_AUTO is resolved by point_resolve */
	AXIS_FILLS,		/* mode: AUTO or COUNT */
	AXIS_GAP,		/* ns; mode: COUNT (sleeps) or SPIN */
	AXIS_REMOVAL,		/* enum removal; this and what follows: workloads that remove */
	AXIS_PENDING,		/* enum pending */
	AXIS_ISSUED,		/* enum issued */
	AXIS_HOLD,		/* ns */
	AXIS_CHURN,
	AXIS_COUNT
};

enum pattern { PATTERN_PAIRS, PATTERN_FAN_IN, PATTERN_FAN_OUT };
enum reap { REAP_INLINE, REAP_POLL, REAP_WAIT, REAP_AFTER };
enum slot_choice { SLOT_ALLOC, SLOT_EXPLICIT };
enum cycle { CYCLE_FRESH, CYCLE_REREGISTER, CYCLE_REUSE };
enum file_choice { FILE_OWN, FILE_SHARED, FILE_PER_SLOT };
enum target { TARGET_PLAIN, TARGET_COOP, TARGET_SINGLE, TARGET_DEFER };
enum mem { MEM_LOCAL, MEM_SENDER, MEM_RECEIVER, MEM_INTERLEAVE };
enum ring_fd { RING_FD_PLAIN, RING_FD_REGISTERED };
enum fdtable { FDTABLE_SHARED, FDTABLE_PRIVATE };
enum issued { ISSUED_BEFORE, ISSUED_HALFWAY };
enum update_by { BY_AUTO, BY_SQE, BY_REGISTER };
enum cqe { CQE_POST, CQE_SKIP };
enum axis_mode {
	MODE_COUNT = 0,		/* number is the value */
	MODE_AUTO,		/* resolved by point_resolve */
	MODE_PERCENT,
	MODE_ALL,
	MODE_SPIN,		/* --gap: spin instead of sleeping */
	MODE_NODE,		/* --mem: the node of this number */
};

/* What axis_option writes ("--workload") fits into this many bytes. */
#define AXIS_OPTION_SIZE 24

/* One value of one axis. `text` is what the user or the preset wrote, in one
 * canonical spelling (owned by the value). */
struct axis_value {
	int64_t number;
	enum axis_mode mode;
	char *text;
};

enum axis_type {
	AXIS_TYPE_COUNT,	/* list of counts with ranges */
	AXIS_TYPE_USED,		/* counts, N%, all */
	AXIS_TYPE_AUTO,		/* auto or counts */
	AXIS_TYPE_NAME,		/* one of names[] */
	AXIS_TYPE_GAP,		/* TIME[:spin] */
	AXIS_TYPE_MEM,		/* a name or node:N */
	AXIS_TYPE_TIME,		/* TIME */
	AXIS_TYPE_PLACE,	/* a place, checked by topology/place */
};

struct axis_info {
	const char *name;		/* "slots": option --slots, key in the file */
	enum axis_type type;
	int64_t min, max;		/* of counts and times */
	bool power_of_two;		/* counts: what the kernel would round up is refused */
	bool single;			/* one value a sweep */
	const char *const *names;	/* AXIS_TYPE_NAME: NULL-terminated, index = number */
	const char *initial;		/* the default, as a user would type it; may be a list */
	/* An axis that only some workloads have (axis_applies): what stands in points of the
	 * others, which may not have anything else. NULL: an axis of every workload. */
	const char *unused;
	const char *argument;		/* metavariable in --help */
	const char *help;		/* one sentence, without the default */
};

/* The row of an axis; rows are in the order of enum axis. */
const struct axis_info *axis_info(enum axis axis);

/* Whether the axis means something to workload `workload` (value of AXIS_WORKLOAD). */
bool axis_applies(enum axis axis, int workload);

/* The axis with this option name (no dashes), or AXIS_COUNT. */
enum axis axis_find(const char *name);

/* "--slots": the axis as it is typed, in `buffer` of AXIS_OPTION_SIZE bytes. */
const char *axis_option(enum axis axis, char *buffer);

/* An independent copy into an empty *to, its text released by axis_value_free. 0 or -ENOMEM. */
int axis_value_copy(struct axis_value *to, const struct axis_value *from);
void axis_value_free(struct axis_value *value);

/* The values of one axis. */
struct axis_list {
	struct axis_value *values;
	size_t count;
};

/* Parses a list as typed after --NAME. Duplicates are refused. Fills an empty
 * *list, which axis_list_free releases. Errors are ERROR_USAGE and quote option and value. */
int axis_list_parse(enum axis axis, const char *text, struct axis_list *list, struct error *e);
void axis_list_free(struct axis_list *list);

/* An independent copy into an empty *to. 0 or -ENOMEM with nothing to free. */
int axis_list_copy(struct axis_list *to, const struct axis_list *from);

/* The list as one would type it again ("64,4096"); free() it. NULL without memory. */
char *axis_list_text(const struct axis_list *list);

/* One list per axis: a product. An empty list means "the default". */
struct product {
	struct axis_list axes[AXIS_COUNT];
	bool typed[AXIS_COUNT];		/* given on the command line, not by a preset */
};

/* Same values in the same order; who gave them does not matter. */
bool product_equal(const struct product *a, const struct product *b);
void product_free(struct product *product);

#endif
