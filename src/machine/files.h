/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_MACHINE_FILES_H
#define RINGSCALE_MACHINE_FILES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Small files of /proc and /sys, and the two texts of the kernel that have a
 * grammar: its command line and its configuration. All pure functions of
 * their arguments but for the files they read; any thread.
 */

/* machine_read_line (identity.h) for `path` ("/proc/...") below the folder `root` ("" for this
 * machine). */
int machine_read_line_under(const char *root, const char *path, char *buffer, size_t size);

/* Whole content of a file below `root`, ended by a NUL; free() it. NULL where unreadable. */
char *machine_read_all(const char *root, const char *path);

/* All that can be read from a descriptor, in the same way. */
char *machine_read_fd(int fd);

/* A whole decimal number in a file below `root`. 0 or -errno. */
int machine_read_number(const char *root, const char *path, int64_t *value);

/* The number in hexadecimal digits, or in decimal ones, behind `name` ("CapEff:") in
 * /proc/thread-self/status. 0 or -errno. */
int machine_status_hex(const char *name, uint64_t *value);
int machine_status_number(const char *name, int64_t *value);

/*
 * Value of a kernel parameter, the last one given: `buffer` gets what is behind "=",
 * or "" for a bare word. '-' and '_' are one, as in the kernel. What follows " -- "
 * belongs to init. 1 if given, 0 if not.
 */
int kernel_parameter(const char *command_line, const char *name, char *buffer, size_t size);

/* The kernel's kstrtobool: 1 for y, 1, on, t; 0 for n, 0, off, f; -1 otherwise. */
int kernel_bool(const char *text);

/*
 * A symbol ("CONFIG_X") of a kernel configuration: 1 if it is y or m, 0 if it is not
 * set or not known there, -1 where `config` is NULL.
 */
int kernel_config_enabled(const char *config, const char *symbol);

/* Running kernel's configuration as text: /proc/config.gz, /boot/config-RELEASE or
 * /lib/modules/RELEASE/config, below `root`; free() it. NULL where neither can be read. */
char *kernel_config_read(const char *root, const char *release);

/* FNV-1a of 64 bits, going on from `hash` (FNV_START for the first call). No cryptography: it
 * tells files apart that nobody forged. */
#define FNV_START UINT64_C(0xcbf29ce484222325)
uint64_t fnv1a(uint64_t hash, const void *data, size_t size);

/* The same over all of a file. 0 or -errno. */
int fnv1a_file(const char *path, uint64_t *hash);

#endif
