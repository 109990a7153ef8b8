/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_VM_PACKAGES_H
#define RINGSCALE_VM_PACKAGES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Which of the distribution's packages holds a kernel image. Up to 6.18 it is
 * linux-image-RELEASE; from 6.19 on that one is empty and the image is in
 * linux-binary-RELEASE or linux-binary-unsigned-RELEASE. Pure functions.
 */

/* Matches their names, for apt's search, for one of Debian's architectures. */
void packages_pattern(const char *arch, char *pattern, size_t size);

/* "linux-binary-unsigned-7.2.13+deb14-cloud-amd64", "linux-image-7.2.13+deb14-cloud-amd64-unsigned" ->
 * "7.2.13+deb14-cloud-amd64"; false, nothing written, where it is no name of a kernel package. */
bool packages_release(const char *package, char *release, size_t size);

/* Whether `release` is of `series`: "6.12" of 6.12.95+deb12..., "6.1" of 6.1.0-57-..., not of
 * 6.12; "" of all. */
bool packages_in_series(const char *release, const char *series);

/*
 * The newest release of `series` among apt's "NAME - description" lines. Debug symbols, -rt and
 * whatever is not of the cloud flavour are passed over. False where there is none.
 */
bool packages_newest(const char *names, const char *series, char *release, size_t size);

/* Packages that may hold the image of `release`, best first, among the names; `index` counts up
 * from 0. False where there are no more. */
bool packages_of(const char *names, const char *release, unsigned index, char *package,
		 size_t size);

/* Compares versions as numbers are meant: below, equal to, above 0. */
int packages_compare(const char *a, const char *b);

#endif
