#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tests/check-layers.sh [ROOT]: a file below src/ includes its own folder or a
# lower rank, and folders of one rank never include each other:
# base < {workloads, topology, machine, stats, results} < {engine, vm} < commands < main

cd "${1:-$(dirname "$0")/..}" || exit 2
find src -name '*.[ch]' | sort | xargs awk '
BEGIN {
	rank["base"] = 1
	rank["workloads"] = rank["topology"] = rank["machine"] = 2
	rank["stats"] = rank["results"] = 2
	rank["engine"] = rank["vm"] = 3
	rank["commands"] = 4
	rank["main.c"] = 5
}
function bad(why) {
	printf "%s:%d: %s\n", FILENAME, FNR, why
	failed = 1
}
FNR == 1 {
	split(FILENAME, path, "/")
	own = path[2]
	if (!(own in rank))
		bad(own " has no rank in tests/check-layers.sh")
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
	split($0, part, "\"")
	name = part[2]
	if (name == "config.h")
		next
	if (split(name, path, "/") != 2 || !(path[1] in rank))
		bad("\"" name "\" is not written as \"folder/file.h\"")
	else if (path[1] != own && rank[path[1]] >= rank[own])
		bad(own " must not include " path[1] " (" name ")")
}
END { exit failed }'
