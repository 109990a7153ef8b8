// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/uring.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * A ring's memory may lie where another thread's ring lay a moment ago. That the unmapping came first
 * is the kernel's doing, behind liburing's own system calls; said here in the language's
 * terms too, so that a race detector knows.
 */
static _Atomic unsigned rings_closed;

/* Since Linux 6.3: io_uring_register takes the index too. */
#ifndef IORING_REGISTER_USE_REGISTERED_RING
#define IORING_REGISTER_USE_REGISTERED_RING (1u << 31)
#endif

static int register_call(int fd, unsigned opcode, const void *arg, unsigned count)
{
	long result = syscall(__NR_io_uring_register, fd, opcode, arg, count);

	return result < 0 ? -errno : (int)result;
}

int uring_open(struct io_uring *ring, unsigned entries, unsigned cq_entries, unsigned flags,
	       unsigned *granted)
{
	struct io_uring_params params = {
		.flags = flags | IORING_SETUP_CQSIZE,
		.cq_entries = cq_entries,
	};
	int result = io_uring_queue_init_params(entries, ring, &params);

	if (result < 0)
		return result;
	(void)atomic_load_explicit(&rings_closed, memory_order_acquire);
	for (unsigned i = 0; i < *ring->sq.kring_entries; i++)
		ring->sq.array[i] = i;
	if (granted)
		*granted = params.flags;
	return 0;
}

void uring_close(struct io_uring *ring)
{
	atomic_fetch_add_explicit(&rings_closed, 1, memory_order_release);
	io_uring_queue_exit(ring);
}

int uring_register_sparse(struct io_uring *ring, unsigned slots)
{
	struct io_uring_rsrc_register table = {
		.nr = slots,
		.flags = IORING_RSRC_REGISTER_SPARSE,
	};

	return register_call(ring->ring_fd, IORING_REGISTER_FILES2, &table, sizeof(table));
}

int uring_update_files(struct io_uring *ring, unsigned first, const int *fds, unsigned count)
{
	struct io_uring_files_update update = {
		.offset = first,
		.fds = (uintptr_t)fds,
	};
	int result = register_call(ring->ring_fd, IORING_REGISTER_FILES_UPDATE, &update, count);

	if (result < 0)
		return result;
	return (unsigned)result == count ? 0 : -EIO;
}

int uring_update_tagged(struct io_uring *ring, unsigned slot, int fd, uint64_t tag)
{
	struct io_uring_rsrc_update2 update = {
		.offset = slot,
		.data = (uintptr_t)&fd,
		.tags = (uintptr_t)&tag,
		.nr = 1,
	};
	int result = register_call(ring->ring_fd, IORING_REGISTER_FILES_UPDATE2, &update,
				   sizeof(update));

	if (result < 0)
		return result;
	return result == 1 ? 0 : -EIO;
}

int uring_unregister_files(struct io_uring *ring)
{
	return register_call(ring->ring_fd, IORING_UNREGISTER_FILES, NULL, 0);
}

int uring_register_sparse_buffers(struct io_uring *ring, unsigned slots)
{
	struct io_uring_rsrc_register table = {
		.nr = slots,
		.flags = IORING_RSRC_REGISTER_SPARSE,
	};

	return register_call(ring->ring_fd, IORING_REGISTER_BUFFERS2, &table, sizeof(table));
}

int uring_unregister_buffers(struct io_uring *ring)
{
	return register_call(ring->ring_fd, IORING_UNREGISTER_BUFFERS, NULL, 0);
}

int uring_replace(struct io_uring *ring, bool buffers, unsigned first, const void *entries,
		  unsigned count)
{
	struct io_uring_rsrc_update2 update = {
		.offset = first,
		.data = (uintptr_t)entries,
		.nr = count,
	};
	unsigned opcode = buffers ? IORING_REGISTER_BUFFERS_UPDATE : IORING_REGISTER_FILES_UPDATE2;

	if (ring->int_flags & URING_INDEXED)
		opcode |= IORING_REGISTER_USE_REGISTERED_RING;
	return register_call(ring->enter_ring_fd, opcode, &update, sizeof(update));
}

int uring_enter_waiting(struct io_uring *ring, unsigned submit, unsigned wait, int64_t timeout_ns)
{
	struct __kernel_timespec limit = {
		.tv_sec = timeout_ns / 1000000000,
		.tv_nsec = timeout_ns % 1000000000,
	};
	struct io_uring_getevents_arg arg = { .sigmask_sz = _NSIG / 8, .ts = (uintptr_t)&limit };

	unsigned flags = uring_enter_flags(ring) | IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG;

	return (int)uring_enter_call(ring->enter_ring_fd, submit, wait, flags, &arg, sizeof(arg));
}
