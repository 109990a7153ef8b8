// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/packages.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Best first: unsigned images come with their release, signed ones some days later. */
static const char *const prefixes[] = {
	"linux-binary-unsigned-", "linux-binary-", "linux-image-", NULL
};

void packages_pattern(const char *arch, char *pattern, size_t size)
{
	snprintf(pattern, size, "^linux-(image|binary)-(unsigned-)?[0-9].*-cloud-%s(-unsigned)?$",
		 arch);
}

bool packages_release(const char *package, char *release, size_t size)
{
	for (int i = 0; prefixes[i]; i++) {
		size_t length = strlen(prefixes[i]);
		char *suffix;

		if (strncmp(package, prefixes[i], length) ||
		    !isdigit((unsigned char)package[length]))
			continue;
		snprintf(release, size, "%s", package + length);
		suffix = strstr(release, "-unsigned");
		if (suffix && !strcmp(suffix, "-unsigned"))
			*suffix = '\0';
		return true;
	}
	return false;
}

bool packages_in_series(const char *release, const char *series)
{
	size_t length = strlen(series);

	if (!length)
		return true;
	return !strncmp(release, series, length) && !isdigit((unsigned char)release[length]);
}

/* strverscmp takes leading zeros for fractions; "6.1.0-9" has such. */
int packages_compare(const char *a, const char *b)
{
	while (*a && *b) {
		if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
			size_t a_length, b_length;
			int order;

			a += strspn(a, "0");
			b += strspn(b, "0");
			a_length = strspn(a, "0123456789");
			b_length = strspn(b, "0123456789");
			if (a_length != b_length)
				return a_length < b_length ? -1 : 1;
			order = strncmp(a, b, a_length);
			if (order)
				return order;
			a += a_length;
			b += b_length;
		} else if (*a != *b) {
			/* A number goes on where the other version ends: 6.12.90+deb12.1. */
			return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
		} else {
			a++;
			b++;
		}
	}
	return (*a != '\0') - (*b != '\0');
}

/* One name of the list, without its description, into `name`. Returns the next line. */
static const char *next_name(const char *names, char *name, size_t size)
{
	snprintf(name, size, "%.*s", (int)strcspn(names, " \n"), names);
	names += strcspn(names, "\n");
	return *names ? names + 1 : names;
}

/* False for debug symbols and what else is no image. */
static bool image_release(const char *name, char *release, size_t size)
{
	const char *flavour;

	if (!packages_release(name, release, size))
		return false;
	flavour = strstr(release, "-cloud-");
	return flavour && !strchr(flavour + 7, '-') && !strstr(release, "-rt-");
}

bool packages_newest(const char *names, const char *series, char *release, size_t size)
{
	bool found = false;

	while (*names) {
		char name[160], other[160];

		names = next_name(names, name, sizeof(name));
		if (!image_release(name, other, sizeof(other)) ||
		    !packages_in_series(other, series))
			continue;
		if (!found || packages_compare(other, release) > 0)
			snprintf(release, size, "%s", other);
		found = true;
	}
	return found;
}

static bool has_name(const char *names, const char *wanted)
{
	while (*names) {
		char name[160];

		names = next_name(names, name, sizeof(name));
		if (!strcmp(name, wanted))
			return true;
	}
	return false;
}

bool packages_of(const char *names, const char *release, unsigned index, char *package,
		 size_t size)
{
	for (int i = 0; prefixes[i]; i++) {
		/* linux-image-RELEASE, then linux-image-RELEASE-unsigned. */
		for (int suffix = 0; suffix < 2; suffix++) {
			snprintf(package, size, "%s%s%s", prefixes[i], release,
				 suffix ? "-unsigned" : "");
			if (has_name(names, package) && !index--)
				return true;
		}
	}
	return false;
}
