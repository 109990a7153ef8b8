/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_MACHINE_FIELDS_H
#define RINGSCALE_MACHINE_FIELDS_H

#include <jansson.h>
#include <sys/utsname.h>

/*
 * How identity_describe is put together: tables of fields, each a name and a reader. To add
 * one: its row in a table, its line in identity.h, and, if it can disturb, a check in advice.c.
 */
struct machine {
	const char *root;	/* folder that stands for "/" in tests, else "" */
	char *command_line;	/* NULL where unreadable, like the two below */
	char *config;		/* text of the kernel's configuration */
	char *cpuinfo;
	struct utsname name;
};

struct field {
	const char *name;
	/* New value, NULL for null. `argument` is the row's: most often a path. */
	json_t *(*read)(const struct machine *machine, const char *argument);
	const char *argument;
};

/* Tables ended by a row without a name. */
extern const struct field program_fields[];	/* identity.c */
extern const struct field kernel_fields[];	/* kernel_fields.c */
extern const struct field debug_fields[];	/* debug_fields.c */
extern const struct field cpu_fields[];		/* cpu_fields.c */
extern const struct field cgroup_fields[];	/* cgroup_fields.c */

/* Readers that tables share: the file `path` as text, as a number, as a truth; as a list of PUs,
 * "none" if it is empty. */
json_t *field_line(const struct machine *machine, const char *path);
json_t *field_number(const struct machine *machine, const char *path);
json_t *field_bool(const struct machine *machine, const char *path);
json_t *field_pus(const struct machine *machine, const char *path);

/* Text as JSON, NULL for "" and for what is not UTF-8. */
json_t *field_text(const char *text);

/* A truth of -1 (unknown), 0 or 1. */
json_t *field_truth(int truth);

#endif
