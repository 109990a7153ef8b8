#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tools/deps.sh run|check: installs the packages that goal needs, with apt-get, dnf
# or pacman; as root, or through sudo. Without either it prints the line to run.

goal=$1
cd "$(dirname "$0")/.." || exit 1

if command -v apt-get >/dev/null 2>&1; then
	distro=debian
	install='apt-get install -y --no-install-recommends'
	refresh='apt-get update'
elif command -v dnf >/dev/null 2>&1; then
	distro=fedora
	install='dnf install -y --setopt=install_weak_deps=False'
	refresh=
elif command -v pacman >/dev/null 2>&1; then
	distro=arch
	install='pacman -S --needed --noconfirm'
	refresh='pacman -Sy'
else
	echo 'deps: no apt-get, dnf or pacman here; ./configure names what is missing' >&2
	exit 1
fi

packages=$(./configure --packages=$distro/"$goal") || exit 1

installed() {
	case $distro in
	debian) test "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ;;
	fedora) rpm -q --whatprovides "$1" >/dev/null 2>&1 ;;
	arch) pacman -Qq "$1" >/dev/null 2>&1 ;;
	esac
}

missing=
for package in $packages; do
	installed "$package" || missing="$missing $package"
done
if test -z "$missing"; then
	echo "deps: all packages for $goal are there"
	exit 0
fi

line="${refresh:+$refresh && }$install$missing"
as_root=
if test "$(id -u)" -ne 0; then
	if ! command -v sudo >/dev/null 2>&1; then
		echo "deps: neither root nor sudo; run this as root, then again:" >&2
		echo "  $line" >&2
		exit 1
	fi
	as_root=sudo
fi

echo "deps: $line"
# Stale lists may name versions that are gone, so they are fetched even where there are some;
# where that fails, those at hand may still do.
if test -n "$refresh" && ! $as_root $refresh; then
	echo "deps: '$refresh' failed, going on with the package lists at hand" >&2
fi
if ! $as_root env DEBIAN_FRONTEND=noninteractive $install $missing </dev/null; then
	echo "deps: installing failed; see above, or run: $line" >&2
	exit 1
fi
