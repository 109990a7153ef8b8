#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tests/check-layers.sh [ROOT]: a file below src/ includes its own folder or a
# lower rank, and folders of one rank never include each other:
# base < {workloads, topology, machine, stats, results} < {engine, vm} < commands < main
# vm/plugin, which the emulator loads, is a program apart: base and itself.

cd "${1:-$(dirname "$0")/..}" || exit 2
find src -name '*.[ch]' | sort | xargs awk '
BEGIN {
	rank["base"] = 1
	rank["workloads"] = rank["topology"] = rank["machine"] = 2
	rank["stats"] = rank["results"] = 2
	rank["vm/plugin"] = 2
	rank["engine"] = rank["vm"] = 3
	rank["commands"] = 4
	rank["main.c"] = 5
}
function bad(why) {
	printf "%s:%d: %s\n", FILENAME, FNR, why
	failed = 1
}
FNR == 1 {
	parts = split(FILENAME, path, "/")
	own = parts > 3 ? path[2] "/" path[3] : path[2]
	if (!(own in rank))
		bad(own " has no rank in tests/check-layers.sh")
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
	split($0, part, "\"")
	name = part[2]
	if (name == "config.h")
		next
	parts = split(name, path, "/")
	folder = parts == 3 ? path[1] "/" path[2] : path[1]
	if (parts < 2 || parts > 3 || !(folder in rank))
		bad("\"" name "\" is not written as \"folder/file.h\"")
	else if (folder != own && (rank[folder] >= rank[own] || folder == "vm/plugin"))
		bad(own " must not include " folder " (" name ")")
}
END { exit failed }'
