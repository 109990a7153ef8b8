/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_BASE_URING_H
#define RINGSCALE_BASE_URING_H

#include <liburing.h>
#include <stdint.h>

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

/*
 * Enters the kernel with `submit` published SQEs; waits for `wait` CQEs, at most
 * `timeout_ns` (wait > 0 only). A ring whose descriptor the calling task has registered
 * (io_uring_register_ring_fd) is entered by its index, by that task only. Returns the
 * SQEs taken, or -errno (-ETIME after the timeout).
 */
int uring_enter(struct io_uring *ring, unsigned submit, unsigned wait, int64_t timeout_ns);

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
