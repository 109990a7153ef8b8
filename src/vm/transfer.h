/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_VM_TRANSFER_H
#define RINGSCALE_VM_TRANSFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What comes back through the serial port, lines and the files' bytes:
 *
 *	ringscale-lab 1
 *	release 6.12.95+deb12-cloud-amd64
 *	file SIZE CRC NAME\n BYTES \n
 *	status N
 *	end COUNT
 *
 * CRC is the CRC-32 of gzip in hexadecimal digits. A transfer without its end, or with a wrong
 * CRC, is never taken for a whole one.
 */
#define TRANSFER_FILES_MAX 64
struct transfer_file {
	char name[128];
	const char *data;	/* into the text; not ended by a NUL */
	size_t size;
};
struct transfer {
	char *text;		/* owned */
	bool hello;		/* init has begun */
	bool complete;
	char release[96];
	int status;		/* exit status of the command */
	struct transfer_file files[TRANSFER_FILES_MAX];
	size_t count;
	char wrong[160];	/* why it is not complete */
};

/* Parses `size` bytes, which it takes over and transfer_free frees. */
void transfer_parse(struct transfer *transfer, char *text, size_t size);
void transfer_free(struct transfer *transfer);

/* Whether a file is a result file, by its name. */
bool transfer_is_result(const struct transfer_file *file);

/* CRC-32 as in gzip (RFC 1952): what busybox's crc32 prints. */
uint32_t transfer_checksum(const void *data, size_t size);

/* The first line of a console that says the kernel is lost, into `line`. False where none does. */
bool console_find_oops(const char *text, char *line, size_t size);

#endif
