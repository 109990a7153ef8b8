// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/flags.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Shares in per cent. The texts below quote them. */
#define LOST_PERCENT 2.0
#define SPIN_PERCENT 5.0
#define OVERLAP_LEAST 0.8
#define STEAL_PERCENT 1.0
#define FOREIGN_PERCENT 5.0

const struct flag flags[] = {
	{ "off-cpu", 'o', "a thread was off its CPU for over 2 % of the fills' time",
	  "Wall time minus CPU time of the timed calls. Something else ran on the PU, or "
	  "the hypervisor took it. Stop other load, or isolate the PUs (isolcpus=, cpusets)." },
	{ "run-delay", 'r', "a thread waited, runnable, for over 2 % of the fills' time",
	  "From /proc/thread-self/schedstat, set-up and checks included. Other threads "
	  "competed for the PU. Stop them, or place the pairs elsewhere." },
	{ "spin", 's', "the spin probe after the block took 5 % more or less than before it",
	  "The same fixed work ran at another speed: clock frequency, a busy sibling, "
	  "a neighbour on the host. Fix the frequency, or measure again." },
	{ "overlap", 'v', "in some fill the threads ran together for less than 80 % of the time",
	  "The threads did not start or end together, so part of the fill was not concurrent. "
	  "Longer fills (more --used) or --sync free make it better." },
	{ "steal", 't', "the hypervisor took over 1 % of the machine's CPU time (blocks of a second or more)",
	  "A neighbour on the host was busy. Only ratios of interleaved runs can be trusted." },
	{ "foreign", 'f', "other processes used over 5 % of the machine's CPU time (blocks of a second or more)",
	  "Other programs ran beside the block, perhaps on its PUs. Stop them." },
	{ "smt", 'm', "two threads shared one core as siblings",
	  "There were not enough cores for the threads, or the place asked for it." },
	{ "shared-cpu", 'c', "the coordinator had no PU apart from the measured ones",
	  "It sleeps while a block runs and wakes five times a second. With one PU "
	  "more than the threads need, it stays away." },
	{ "iowq-free", 'w', "the io-wq workers of a ring could not be bound to the sender's PU",
	  "If an install is punted, its worker may run on another pair's PU." },
	{ "mem-elsewhere", 'n', "pages of a target ring lay on another node than --mem asked for",
	  "The node was full, or this kernel does not follow the memory policy there: ring_pages in "
	  "the file says how many pages were where. Free memory on the node." },
	{ "first-slot", 'h', "a refill did not begin in the slot that was emptied last",
	  "The kernel's allocation hint was elsewhere (first_slot in the file): the refills went "
	  "into other slots than the first fill, perhaps into cold table." },
	{ "shared-alone", 'a', "one pair has nobody to share its file with",
	  "--file shared at one pair is the same as own." },
	{ "teardown", 'd', "the kernel had not let go of all files 5 s after the block",
	  "What is left may disturb the next block." },
	{ 0 },
};

const struct flag *flag_find(const char *name)
{
	for (const struct flag *flag = flags; flag->name; flag++)
		if (!strcmp(flag->name, name))
			return flag;
	return NULL;
}

static double number(const json_t *object, const char *name)
{
	return json_number_value(json_object_get(object, name));
}

static bool known(const json_t *object, const char *name)
{
	return json_is_number(json_object_get(object, name));
}

/* Sums of one thread of one pair over its rounds. */
struct thread_sums {
	double fill_ns, off_cpu_ns, run_delay_ns;
};

static void add_rounds(const json_t *rounds, const char *side, struct thread_sums *sums)
{
	const json_t *round;
	size_t i;

	json_array_foreach((json_t *)rounds, i, round) {
		const json_t *thread = json_object_get(round, side);

		sums->fill_ns += number(round, "fill_ns");
		sums->off_cpu_ns += number(thread, "off_cpu_ns");
		sums->run_delay_ns += number(thread, "run_delay_ns");
	}
}

static void set(json_t *list, const char *name)
{
	const json_t *have;
	size_t i;

	json_array_foreach(list, i, have)
		if (!strcmp(json_string_value(have), name))
			return;
	json_array_append_new(list, json_string(name));
}

static void flag_threads(json_t *list, const json_t *pair)
{
	static const char *const sides[] = { "sender", "receiver" };
	const json_t *rounds = json_object_get(pair, "rounds");

	for (size_t i = 0; i < 2; i++) {
		struct thread_sums sums = { 0 };

		add_rounds(rounds, sides[i], &sums);
		if (sums.off_cpu_ns > sums.fill_ns * LOST_PERCENT / 100)
			set(list, "off-cpu");
		if (sums.run_delay_ns > sums.fill_ns * LOST_PERCENT / 100)
			set(list, "run-delay");
	}
}

static void flag_spin(json_t *list, const json_t *pair)
{
	for (size_t i = 0; i < 2; i++) {
		const json_t *before = json_array_get(json_object_get(pair, "spin_before_ns"), i);
		const json_t *after = json_array_get(json_object_get(pair, "spin_after_ns"), i);
		double ratio;

		if (!json_is_number(before) || !json_is_number(after))
			continue;
		ratio = json_number_value(after) / json_number_value(before);
		if (ratio > 1 + SPIN_PERCENT / 100 || ratio < 1 - SPIN_PERCENT / 100)
			set(list, "spin");
	}
}

static void flag_overlap(json_t *list, const json_t *pair)
{
	const json_t *round;
	size_t i;

	json_array_foreach(json_object_get(pair, "rounds"), i, round)
		if (known(round, "overlap") && number(round, "overlap") < OVERLAP_LEAST)
			set(list, "overlap");
}

static void flag_memory(json_t *list, const json_t *pair)
{
	const json_t *asked = json_object_get(pair, "mem_node"), *pages;
	const char *node;
	char wanted[16];

	if (!json_is_integer(asked))
		return;
	snprintf(wanted, sizeof(wanted), "%d", (int)json_integer_value(asked));
	json_object_foreach(json_object_get(pair, "ring_pages"), node, pages)
		if (strcmp(node, wanted) != 0)
			set(list, "mem-elsewhere");
}

static void flag_first_slot(json_t *list, const json_t *pair)
{
	const json_t *round;
	size_t i;

	json_array_foreach(json_object_get(pair, "rounds"), i, round)
		if (number(round, "first_slot") > 0)
			set(list, "first-slot");
}

static void flag_machine(json_t *list, const json_t *record)
{
	double elapsed_ns = number(record, "elapsed_ns") * (double)sysconf(_SC_NPROCESSORS_ONLN);

	if (known(record, "steal_ns") && number(record, "steal_ns") > elapsed_ns * STEAL_PERCENT / 100)
		set(list, "steal");
	if (known(record, "foreign_cpu_ns") &&
	    number(record, "foreign_cpu_ns") > elapsed_ns * FOREIGN_PERCENT / 100)
		set(list, "foreign");
	if (json_is_null(json_object_get(record, "teardown_wait_ns")))
		set(list, "teardown");
}

void flags_set(json_t *record, const struct point *point, bool coordinator_off)
{
	json_t *list = json_object_get(record, "flags");
	const json_t *pair;
	size_t i;

	json_array_foreach(json_object_get(record, "pairs"), i, pair) {
		flag_threads(list, pair);
		flag_spin(list, pair);
		flag_overlap(list, pair);
		flag_first_slot(list, pair);
		flag_memory(list, pair);
		if (json_is_false(json_object_get(pair, "iowq_bound")))
			set(list, "iowq-free");
	}
	flag_machine(list, record);
	if (point->file == FILE_SHARED && point->pairs == 1)
		set(list, "shared-alone");
	if (point->placement.smt)
		set(list, "smt");
	if (!coordinator_off)
		set(list, "shared-cpu");
}
