/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_BASE_URING_H
#define RINGSCALE_BASE_URING_H

#include <errno.h>
#include <liburing.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * What liburing 2.3 lacks or does behind the user's back. Rings are made and
 * unmade by liburing; the functions here fill, submit and reap without its
 * bookkeeping, and register tables without its silent raise of RLIMIT_NOFILE.
 *
 * The fast functions rely on the SQ index array being the identity, which
 * uring_open writes once. They keep liburing's own sqe_head and sqe_tail in
 * step, so that liburing's functions may be used on the same ring between fills.
 */


/*
 * Makes a ring of `entries` SQEs and `cq_entries` CQEs with `flags` (IORING_SETUP_*;
 * CQSIZE is added). Returns 0 or -errno; *granted, where not NULL, receives the
 * flags that the kernel confirmed.
 */
int uring_open(struct io_uring *ring, unsigned entries, unsigned cq_entries, unsigned flags,
	       unsigned *granted);

/* Unmaps and closes the ring. The kernel takes it apart later, on its own. */
void uring_close(struct io_uring *ring);

/* Registers an empty table of `slots` fixed files. Returns 0 or -errno, -EMFILE above RLIMIT_NOFILE. */
int uring_register_sparse(struct io_uring *ring, unsigned slots);

/* Puts fds[0..count) (-1 clears a slot) into the table from slot `first` on. Returns 0 or -errno. */
int uring_update_files(struct io_uring *ring, unsigned first, const int *fds, unsigned count);

/* Puts one file into a slot with a tag, never 0: when the kernel has released it from there,
 * a CQE with the tag as its user_data comes to this ring. Returns 0 or -errno. */
int uring_update_tagged(struct io_uring *ring, unsigned slot, int fd, uint64_t tag);

/* Unregisters the table. Returns 0 or -errno. */
int uring_unregister_files(struct io_uring *ring);

/* The same with a table of buffers, empty at first. 0 or -errno. */
int uring_register_sparse_buffers(struct io_uring *ring, unsigned slots);
int uring_unregister_buffers(struct io_uring *ring);

/*
 * Replaces the slots from `first` on by entries[0..count), in one call: descriptors, or iovecs where
 * `buffers`. Returns how many were, or -errno. A ring whose descriptor the calling task has
 * registered is named by its index, which Linux 6.3 began to take (older: -EINVAL).
 */
int uring_replace(struct io_uring *ring, bool buffers, unsigned first, const void *entries,
		  unsigned count);

/*
 * The system call itself, inline: libc's function for it, reached by an indirect jump, took some 2 ns
 * more, over 1 % of a NOP. Returns what the kernel does, errors as -errno.
 */
static inline long uring_enter_call(long fd, long submit, long wait, long flags, const void *arg,
				    long size)
{
#if defined(__x86_64__)
	register long flags_register __asm__("r10") = flags;
	register const void *arg_register __asm__("r8") = arg;
	register long size_register __asm__("r9") = size;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"((long)__NR_io_uring_enter), "D"(fd), "S"(submit), "d"(wait),
			   "r"(flags_register), "r"(arg_register), "r"(size_register)
			 : "rcx", "r11", "memory");
	return result;
#else
	long result = syscall(__NR_io_uring_enter, fd, submit, wait, flags, arg, size);

	return result < 0 ? -errno : result;
#endif
}

/* In ring->int_flags: enter_ring_fd is a registered index (liburing, src/int_flags.h). */
#define URING_INDEXED 1u

static inline unsigned uring_enter_flags(const struct io_uring *ring)
{
	return ring->int_flags & URING_INDEXED ? IORING_ENTER_REGISTERED_RING : 0;
}

/* uring_enter with wait > 0. */
int uring_enter_waiting(struct io_uring *ring, unsigned submit, unsigned wait, int64_t timeout_ns);

/*
 * Enters the kernel with `submit` published SQEs; waits for `wait` CQEs, at most
 * `timeout_ns` (wait > 0 only). A ring whose descriptor the calling task has registered
 * (io_uring_register_ring_fd) is entered by its index, by that task only. Returns the
 * SQEs taken, or -errno (-ETIME after the timeout).
 */
static inline int uring_enter(struct io_uring *ring, unsigned submit, unsigned wait,
			      int64_t timeout_ns)
{
	if (wait)
		return uring_enter_waiting(ring, submit, wait, timeout_ns);
	return (int)uring_enter_call(ring->enter_ring_fd, submit, 0, uring_enter_flags(ring), NULL, 0);
}

/* Fills one SQE that installs the source ring's fixed file `source_slot` into
 * the ring behind `target_fd`; `slot_plus_1` is a table slot + 1 or
 * IORING_FILE_INDEX_ALLOC. All 64 bytes are written. */
static inline void uring_prep_send_fd(struct io_uring_sqe *sqe, int target_fd,
				      unsigned source_slot, unsigned slot_plus_1,
				      uint64_t user_data, uint64_t target_user_data,
				      unsigned msg_flags)
{
	*sqe = (struct io_uring_sqe){
		.opcode = IORING_OP_MSG_RING,
		.fd = target_fd,
		.off = target_user_data,
		.addr = IORING_MSG_SEND_FD,
		.msg_ring_flags = msg_flags,
		.user_data = user_data,
		.file_index = slot_plus_1,
		.addr3 = source_slot,
	};
}

/* The SQE `offset` places behind the last published one. */
static inline struct io_uring_sqe *uring_sqe(struct io_uring *ring, unsigned offset)
{
	return &ring->sq.sqes[(ring->sq.sqe_tail + offset) & *ring->sq.kring_mask];
}

/* Publishes `count` filled SQEs to the kernel. */
static inline void uring_publish(struct io_uring *ring, unsigned count)
{
	unsigned tail = ring->sq.sqe_tail + count;

	ring->sq.sqe_tail = tail;
	ring->sq.sqe_head = tail;
	__atomic_store_n(ring->sq.ktail, tail, __ATOMIC_RELEASE);
}

/* CQEs that the kernel has posted and nobody has advanced over. */
static inline unsigned uring_ready(const struct io_uring *ring)
{
	return __atomic_load_n(ring->cq.ktail, __ATOMIC_ACQUIRE) - *ring->cq.khead;
}

/* The kernel holds CQEs back because the CQ was full: the only trace of an
 * overflow that MSG_RING leaves, and gone after the next enter that waits. */
static inline int uring_overflowed(const struct io_uring *ring)
{
	return !!(__atomic_load_n(ring->sq.kflags, __ATOMIC_RELAXED) & IORING_SQ_CQ_OVERFLOW);
}

#endif
