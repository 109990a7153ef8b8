/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_VM_SOURCES_H
#define RINGSCALE_VM_SOURCES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/*
 * Where packages come from: the machine's own apt configuration, read in both
 * of its forms (*.list and deb822 *.sources). Only the suite's name is ever
 * changed; the keyring or key that a source names goes with it, so that apt
 * verifies as it does for the machine.
 */
struct source {
	char *uri;
	char *suite;
	char *components;	/* "main", "main contrib" */
	char *signed_by;	/* paths, fingerprints, or a key with its lines; NULL */
	bool trusted;		/* Trusted: yes */
};

struct sources {
	struct source *list;
	size_t count;
};

/* Adds the binary sources of one text. What is disabled, or no suite but a path ("./"), is left
 * out; lines that apt itself would refuse are passed over. 0 or -ENOMEM. */
int sources_parse_list(struct sources *sources, const char *text);
int sources_parse_deb822(struct sources *sources, const char *text);

/* Those of this machine: /etc/apt, or what apt-config says it is. 0 or -errno. */
int sources_read(struct sources *sources, int interrupt_fd, struct error *e);
void sources_free(struct sources *sources);

/*
 * The private sources file for `suite`, as deb822 text, to be freed; NULL where there is none.
 * `codename` ("bookworm") is the machine's own suite. `suite` NULL: the machine's own, with its
 * updates and security. Else source number `nth` of those that may be the distribution's base
 * (others may have a suite of the same name), with its suite renamed. `arch` is Debian's name of
 * an architecture.
 */
char *sources_text(const struct sources *sources, const char *codename, const char *suite,
		   unsigned nth, const char *arch);

/* VERSION_CODENAME of /etc/os-release into `codename`; "" where there is none. */
void sources_codename(char *codename, size_t size);

#endif
