/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_VM_SHAPE_H
#define RINGSCALE_VM_SHAPE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/*
 * What machine a guest sees, as topologies/NAME.vm describes it: lines of a key
 * and its values, '#' begins a comment.
 *
 *	arch x86_64				or arm64
 *	sockets 2				1 where not given, like the next three
 *	dies 1					in a socket; each with an L3 (x86_64 only)
 *	cores 4					in a die
 *	threads 2				in a core
 *	memory 1536				MiB; without nodes
 *	node pus 0-7 memory 512			a node, numbered in this order
 *	node pus none memory 256		one without PUs
 *	distance 0 1 21				between two nodes, both ways
 *	capacity 446 446 871 1024		capacity-dmips-mhz of every PU (arm64 only)
 *
 * PUs are numbered as Linux does it here: siblings of a core, then the cores of a die, then dies,
 * then sockets.
 */
#define VM_PUS_MAX 240
#define VM_NODES_MAX 8

enum vm_arch { VM_X86_64, VM_ARM64 };

/* As Linux (uname -m) and as Debian call it. */
const char *vm_arch_name(enum vm_arch arch);
const char *vm_arch_package(enum vm_arch arch);

/* That of this machine, or -1 where the lab knows nothing of it. */
int vm_arch_here(void);

struct vm_node {
	unsigned memory_mib;
	bool pus[VM_PUS_MAX];
};

struct vm_shape {
	char name[64];
	enum vm_arch arch;
	unsigned sockets, dies, cores, threads;
	unsigned memory_mib;		/* all of it */
	unsigned node_count;		/* 0: no NUMA */
	struct vm_node nodes[VM_NODES_MAX];
	unsigned distance[VM_NODES_MAX][VM_NODES_MAX];	/* all 0: none given */
	unsigned capacity[VM_PUS_MAX];
	unsigned capacity_count;	/* 0, or one for each PU */
};

/* One vCPU of this machine's architecture: what --clock path measures on. */
void shape_single(struct vm_shape *shape);

unsigned shape_pus(const struct vm_shape *shape);

/* Reads a shape from text. What contradicts itself is an ERROR_USAGE with `name` and the
 * line. 0 or -errno. */
int shape_parse(struct vm_shape *shape, const char *name, const char *text, struct error *e);

/*
 * Loads the file NAME if `name` has a slash or such a file exists, else NAME.vm from the folder
 * `topologies` beside the program or one or two levels above it, or from
 * ../share/ringscale/topologies. An unknown name is an ERROR_USAGE that lists the others.
 */
int shape_load(struct vm_shape *shape, const char *name, struct error *e);

#endif
