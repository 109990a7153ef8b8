/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_MACHINE_IDENTITY_H
#define RINGSCALE_MACHINE_IDENTITY_H

#include <jansson.h>
#include <stddef.h>

/*
 * What machine and kernel this is: everything of DESIGN section 6's header
 * that is read from /proc, /sys, uname and the program itself. What cannot be
 * read is null. A new object; the caller owns it. NULL without memory. Takes some ms: it
 * reads the program's own file and the kernel's configuration. Keys and their values:
 *
 *   program_version, binary_hash ("fnv1a64:" and 16 digits), libraries (name -> file)
 *   host, boot_id, kernel_release, kernel_version, architecture
 *   config_hash (as binary_hash, of the uncompressed text), kernel_command_line
 *   preemption_requested, preemption_actual ("none", "voluntary", "full", "lazy", "rt")
 *   governor, energy_preference (of all PUs, "a,b" where they differ)
 *   turbo, smt (true, false), cpu_model, microcode
 *   online_pus, isolated_pus, nohz_full_pus ("0-3,8", or "none")
 *   cpu_quota (what the cgroup may use, in PUs: a real number; null without a quota)
 *   clock_source, hypervisor ("none" on bare metal), mitigations (name -> the kernel's text)
 *   audit_parameter, audit_enabled (0, 1, 2 = locked), init_on_alloc, init_on_free (true, false)
 *   slab_debug ("none" or the flags), kfence_interval_ms (0 = off), lockdep (true, false)
 *   debug_options (names of slow options the kernel is built with)
 *   numa_balancing (0 = off), memory_cgroup (path), memory_cgroup_accounting (true, false)
 *   kernel_tainted (bits)
 */
json_t *identity_describe(void);

/* The same with /proc, /sys and /boot below the folder `root` ("" for this machine). */
json_t *identity_describe_under(const char *root);

/* Kernel's boot_id, as text of at most `size` bytes; "" where unreadable. */
void identity_boot_id(char *buffer, size_t size);

/* Current clock source into `buffer`; "" where unreadable. Cheap: one open, one read. */
void identity_clock_source(char *buffer, size_t size);

/* "ringscale-HOST-UTC-PID" parts for file names: host name cut to letters, digits, '-', '.'. */
void identity_host(char *buffer, size_t size);

/* Reads the first line of a small file of /proc or /sys without its newline and the blanks
 * before it. Length or -errno. */
int machine_read_line(const char *path, char *buffer, size_t size);

#endif
