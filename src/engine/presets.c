// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/presets.h"

#include <string.h>

/* The published configuration, spelled out so that no default can move it. */
#define F0 "--workload send-fd --pairs 1 --slots 4096 --used all --batch 64 --ring 256 --cq auto " \
	   "--slot alloc --pattern pairs --reap inline --cycle fresh --file own --cqe post " \
	   "--target plain --ring-fd plain --fdtable shared --mem local --fills 1"
#define F0_METHOD "--blocks 1 --warmup 3 --rounds 15"

/* Spelled out as well: one boot's figures are compared with another's. */
#define RECLAIM "--workload reclaim --slots 64 --used all --batch 64 --reap inline " \
		"--removal register --churn 1024"
#define HOLDS "--hold 10ms,20ms,40ms,80ms"
#define INSTALLS "--workload send-fd --slots 4096 --used 1024 --batch 64 --reap inline " \
		 "--cycle fresh,reuse --fills 4"

/* Rings as the published programs make theirs: deferred ones, whose completions need no lock. */
#define ENTER "--workload enter --slots 4096 --used all --batch 1..32x2 --ring 256 --cq auto " \
	      "--reap inline --cycle reuse --target defer --ring-fd plain,registered --fills 4"

const struct preset presets[] = {
	{
		.name = "quick",
		.summary = "inline on 1, 2, 4.. PUs, and one pair that polls or reaps afterwards",
		.products = (const char *const[]){
			"--reap inline --pairs 1..PUSx2 --slots 64,4096",
			"--reap poll,after --pairs 1 --slots 4096",
			NULL,
		},
	}, {
		.name = "f0",
		.summary = "the published configuration",
		.method = F0_METHOD,
		.products = (const char *const[]){ F0 " --gap 0", NULL },
	}, {
		.name = "f0-paced",
		.summary = "the same with 50 ms between the fills",
		.method = F0_METHOD,
		.products = (const char *const[]){ F0 " --gap 50ms", NULL },
	}, {
		.name = "lifecycle",
		.summary = "every phase of a table's life, by cycle and size of the table",
		.products = (const char *const[]){
			"--slots 64,1024,4096 --cycle fresh,reregister,reuse",
			"--slots 4096 --used 64 --cycle fresh,reregister,reuse",
			NULL,
		},
	}, {
		.name = "scale",
		.summary = "1, 2, 4.. pairs up to all PUs, each pair also alone",
		.method = "--solo",
		.products = (const char *const[]){
			"--reap inline --pairs 1..PUSx2 --slots 64,1024,4096",
			"--reap inline --pairs PUS --slots 64,1024,4096",
			"--reap after,poll --pairs 1..HALFx2 --slots 64,1024,4096",
			"--reap after,poll --pairs HALF --slots 64,1024,4096",
			NULL,
		},
	}, {
		.name = "hybrid",
		.summary = "every kind of core alone, every pair of kinds near and far",
		.products = (const char *const[]){
			"--reap inline --pairs 1 --place KIND",
			"--reap poll,after --pairs 1 "
			"--place KIND:KIND+l2,KIND:KIND+l3,KIND:KIND+numa",
			NULL,
		},
	}, {
		.name = "numa",
		.summary = "within a node and across nodes, the table on every node with memory",
		.products = (const char *const[]){
			"--reap poll --pairs 1 --place numa,cross-numa --mem sender,receiver,NODES",
			NULL,
		},
	},
	{
		.name = "reclaim",
		.summary = "release of 64 removed files with each kind of pending request, over how long "
			   "it is pending",
		.method = "--blocks 3 --warmup 1 --rounds 5",
		.products = (const char *const[]){
			RECLAIM " --pairs 1 --pending none --issued before --hold 10ms",
			RECLAIM " --pairs 1 --pending normal,fixed --issued before " HOLDS,
			RECLAIM " --pairs 1 --pending fixed --issued halfway --hold 40ms",
			NULL,
		},
	}, {
		.name = "payoff",
		.summary = "cost beside release: installs, removals, and what a pending request keeps",
		.method = "--blocks 5 --warmup 1 --rounds 8",
		.products = (const char *const[]){
			INSTALLS " --pairs 1..PUSx2",
			INSTALLS " --pairs PUS",
			RECLAIM " --pairs 1..PUSx2 --pending none --issued before --hold 10ms",
			RECLAIM " --pairs PUS --pending none --issued before --hold 10ms",
			RECLAIM " --pairs 1..PUSx2 --pending normal,fixed --issued before " HOLDS,
			RECLAIM " --pairs PUS --pending normal,fixed --issued before " HOLDS,
			NULL,
		},
	}, {
		.name = "registered-ring",
		.summary = "whether entering by registered index pays, NOPs in a process of one thread and of "
			   "as many as PUs",
		.method = "--blocks 15 --warmup 2 --rounds 10",
		.products = (const char *const[]){
			ENTER " --pairs 1 --fdtable shared",
			ENTER " --pairs PUS --fdtable shared,private",
			NULL,
		},
	}, {
		.name = "rsrc-update",
		.summary = "files of a table of 128 replaced, 32 SQEs an enter, a slot each",
		.products = (const char *const[]){
			"--workload update-files --by sqe --pairs 1 --slots 128 --used 4096 --batch 32 "
			"--ring 256 --cq auto --reap inline --cycle reuse --target defer --ring-fd registered "
			"--fdtable shared --fills 16",
			NULL,
		},
	},
	{ 0 }
};

const struct preset *preset_find(const char *name)
{
	for (const struct preset *preset = presets; preset->name; preset++)
		if (strcmp(preset->name, name) == 0)
			return preset;
	return NULL;
}
