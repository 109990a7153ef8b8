#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tools/cross.sh: builds the program for arm64 guests of `ringscale vm`, with the sysroot that
# `ringscale vm --fetch sysroot` unpacks, and puts it into the same cache. It is built in
# build/arm64, a tree of links, so that this machine's own configuration stays as it is.

cd "$(dirname "$0")/.." || exit 1
root=$PWD
program=${RINGSCALE:-$root/ringscale}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/ringscale/arm64
tree=build/arm64

if ! command -v aarch64-linux-gnu-gcc >/dev/null 2>&1; then
	echo 'cross: aarch64-linux-gnu-gcc is not installed; make deps check installs it' >&2
	exit 3
fi
"$program" vm --fetch sysroot || exit
mkdir -p "$tree" || exit 1
for name in src configure build.mk Makefile tests; do
	ln -sfn "$root/$name" "$tree/$name" || exit 1
done
cd "$tree" || exit 1
if [ ! -e build/config.mk ] || [ configure -nt build/config.mk ]; then
	./configure --host=aarch64-linux-gnu --sysroot="$cache/sysroot" >build.log 2>&1 || {
		cat build.log >&2
		exit 1
	}
fi
${MAKE:-make} --no-print-directory -j"$(nproc)" -f build.mk all >build.log 2>&1 || {
	cat build.log >&2
	exit 1
}
# In one step, so that a guest never gets half a program.
cp ringscale "$cache/ringscale.new" && mv "$cache/ringscale.new" "$cache/ringscale"
