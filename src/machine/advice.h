/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_MACHINE_ADVICE_H
#define RINGSCALE_MACHINE_ADVICE_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "machine/limits.h"

/*
 * Whether this machine can measure, and what will disturb it: a list of checks, each a judgement
 * over facts that were read before. To add a check: its function and its row in a table
 * (advice_measure.c or advice_disturb.c), a case in tests/unit/test_advice.c.
 */
enum advice_state {
	ADVICE_OK,
	ADVICE_NOTE,		/* worth knowing, or could not be told */
	ADVICE_DISTURBS,	/* numbers suffer */
	ADVICE_FORBIDS,		/* nothing can be measured */
};
const char *advice_state_name(enum advice_state state);

struct advice {
	const char *name;	/* of the check */
	enum advice_state state;
	char found[640];	/* what was found, one line */
	char fix[480];		/* a command or kernel parameter; "" where there is none */
};

/* All that the checks look at. Numbers that could not be read are NOISE_UNKNOWN. */
struct advice_facts {
	json_t *identity;	/* identity_describe */
	struct limits limits;
	bool memlock_free;
	struct error setup, send_fd;	/* of the probes; empty where they worked */
	int pu_count;			/* PUs that this process may use */
	/* A window of about a second, all PUs together: CPU time of others, stolen time. */
	int64_t window_ns, foreign_ns, steal_ns;
};

/* Reads them; takes a little over a second. 0 or -errno with *e filled;
 * advice_facts_release undoes it, also after failure. */
int advice_facts_read(struct advice_facts *facts, struct error *e);
void advice_facts_release(struct advice_facts *facts);

/* Number of checks, and all of them judged into list[0..advice_count()), what
 * forbids before what disturbs. Pure. */
size_t advice_count(void);
void advice_judge(const struct advice_facts *facts, struct advice *list);

/* For the checks: one row, and the words of a judgement. */
struct advice_check {
	const char *name;
	void (*judge)(const struct advice_facts *facts, struct advice *advice);
};
void advice_say(struct advice *advice, enum advice_state state, const char *fix,
		const char *format, ...) __attribute__((format(printf, 4, 5)));
extern const struct advice_check advice_measure_checks[];	/* ended by one without a name */
extern const struct advice_check advice_disturb_checks[];
extern const struct advice_check advice_kernel_checks[];

#endif
