/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_MACHINE_LIMITS_H
#define RINGSCALE_MACHINE_LIMITS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "base/error.h"

/* The resource limits that ringscale can meet. */
struct limits {
	struct rlimit open_files, locked_memory, processes, address_space;
};

void limits_read(struct limits *limits);

/* Raises the soft limit of open files to at least `needed`, if the hard one allows.
 * Returns 0, or -EMFILE with an ERROR_USAGE naming the limit, its value, what
 * was needed and `option` ("--slots 1048576") that asked for it. Process-wide. */
int limits_need_files(uint64_t needed, const char *option, struct error *e);

/* The same for processes and threads of this user, those that run already included (-EAGAIN), and
 * for the address space of one process (-ENOMEM). */
int limits_need_processes(uint64_t needed, const char *option, struct error *e);
int limits_need_addresses(uint64_t needed_bytes, const char *option, struct error *e);

/* Threads that this process's real user has on this machine, as far as /proc shows them. Takes some
 * microseconds a process. */
uint64_t limits_user_threads(void);

/* Whether RLIMIT_NPROC does not bind this process: CAP_SYS_ADMIN, CAP_SYS_RESOURCE or root of the first
 * user namespace. */
bool limits_processes_free(void);

/* As json for the header: {"open_files": {"soft": n, "hard": n}, ...}; unlimited is the text
 * "unlimited". NULL without memory. */
json_t *limits_json(const struct limits *limits);

/* CAP_IPC_LOCK of the first user namespace in effect: locked memory is not charged. */
bool limits_memlock_free(void);

/*
 * Bytes that the kernel charges to RLIMIT_MEMLOCK for one ring of `sq` SQEs and `cq` CQEs:
 * an estimate. Since the region code (Linux 6.14, io_uring/memmap.c) both regions are
 * charged in whole pages: struct io_rings with the CQ and the SQ index array, and
 * the SQEs (io_uring/io_uring.c, rings_size). Older kernels charge nothing or less.
 * Observed: in 8 MiB fit 292 rings of 256/512, 97 of 256/4096, 7 of 256/65536.
 */
uint64_t limits_ring_bytes(unsigned sq, unsigned cq);

/* How many such rings fit under the soft limit; UINT64_MAX where it sets none. */
uint64_t limits_rings(const struct limits *limits, unsigned sq, unsigned cq);

/* Largest --slots that the hard limit of open files allows; at most 1048576, the kernel's
 * own bound (IORING_MAX_FIXED_FILES). */
uint64_t limits_largest_table(const struct limits *limits);

#endif
