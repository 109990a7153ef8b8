#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
load helper

topologies=$BATS_TEST_DIRNAME/../../topologies

# The widest line of the last `run`.
width() {
	awk '{ if (length > widest) widest = length } END { print widest + 0 }' <<<"$output"
}

@test "this machine: masks, kinds, cores, caches, nodes, in 80 columns" {
	run --separate-stderr "$RINGSCALE" topo
	status_is 0
	[ -z "$stderr" ]
	output_has 'this machine' candidates inherited 'Kinds of cores' siblings Caches node Odd
	[ "$(width)" -le 80 ]
	[ -z "$(grep -E ' +$' <<<"$output")" ]
}

@test "every shape fits 80 columns and reads as JSON" {
	need python3
	for shape in "$topologies"/*.xml; do
		run --separate-stderr "$RINGSCALE" topo --topology "$shape"
		status_is 0
		[ "$(sed 1d <<<"$output" | awk '{ if (length > w) w = length } END { print w }')" -le 80 ]
		run --separate-stderr "$RINGSCALE" topo --topology "$shape" --format json
		status_is 0
		python3 -c 'import json, sys; json.load(sys.stdin)' <<<"$output"
	done
}

@test "JSON holds every PU with where it is" {
	need python3
	run --separate-stderr "$RINGSCALE" topo --topology "$topologies/ultra7-155h.xml" --format json
	status_is 0
	python3 - "$output" <<'EOF'
import json, sys
t = json.loads(sys.argv[1])
assert t["imported"] is True and t["masks"]["inherited"] is None
assert t["masks"]["candidates"] == "0-21"
assert [(k["name"], k["pus"], k["available"], k["rank"]) for k in t["kinds"]] == [
	("LPE", "20-21", 2, 0), ("E", "2-9", 8, 1), ("P", "0-1,10-19", 12, 2)]
pus = {p["pu"]: p for p in t["pus"]}
assert len(pus) == 22 and pus[21]["l3"] is None and pus[0]["core"] == pus[1]["core"]
assert pus[0]["core"] != pus[10]["core"] and pus[20]["kind"] == "LPE"
assert len(t["cores"]) == 16 and t["l3"][0]["size_bytes"] == 24 << 20
assert t["nodes"][0]["memory_bytes"] == 32 << 30 and t["distances"] is None
assert len(t["odd"]) == 1
EOF
}

@test "a server: siblings by distance, distances of nodes" {
	run --separate-stderr "$RINGSCALE" topo --topology "$topologies/server-2s4n.xml"
	status_is 0
	output_has 'n, n+32' 0-31 'Distances' ' 32  32  10  12' 'hwloc reports no kinds'
	output_lacks ' P '
}

@test "nodes without PUs and PUs without memory are said" {
	run "$RINGSCALE" topo --topology "$topologies/snc-memory-node.xml"
	status_is 0
	output_has 'no PUs' 'share an L3 and not the node'
	run "$RINGSCALE" topo --topology "$topologies/memoryless-die.xml"
	status_is 0
	output_has 'PUs 8-15 have no local memory'
	run "$RINGSCALE" topo --topology "$topologies/no-cores-sparse.xml"
	status_is 0
	output_has 'no cores are reported' '8-9,12,40'
}

@test "synthetic machines, up to 2048 PUs" {
	run --separate-stderr "$RINGSCALE" topo --topology 'numa:16 core:64 pu:2'
	status_is 0
	output_has 'synthetic numa:16 core:64 pu:2' 0-2047
	[ "$(width)" -le 80 ]
}

@test "--kinds overrides what is told; what contradicts is refused" {
	run --separate-stderr "$RINGSCALE" topo --topology 'core:4 pu:2' --kinds P=0-3,E=4-7
	status_is 0
	output_has 'P     0-3' 'E     4-7' --kinds
	refuses --kinds P=0-3,E=3-7 twice -- topo --topology 'core:4 pu:2' --kinds P=0-3,E=3-7
	refuses --kinds P=0-99 'no PU' -- topo --topology 'core:4 pu:2' --kinds P=0-99
	refuses --kinds X=0 'no kind' -- topo --topology 'core:4 pu:2' --kinds X=0
}

@test "a mask leaves its PUs alone as candidates" {
	need taskset
	need_pus 2
	run --separate-stderr taskset -c 1 "$RINGSCALE" topo
	status_is 0
	grep -Eq '^candidates +1  1 ' <<<"$output"
	grep -Eq '^inherited +1  1 ' <<<"$output"
	output_has '1 available'
}

@test "kinds that are not allowed show 0 available" {
	sed 's/allowed_cpuset="0x000fffff"/allowed_cpuset="0x0000ffff"/' \
		"$topologies/i7-12700kf.xml" >p-only.xml
	run --separate-stderr "$RINGSCALE" topo --topology p-only.xml
	status_is 0
	output_has '0 available' '16 available'
}

@test "hwloc's environment cannot replace this machine" {
	HWLOC_SYNTHETIC='core:77 pu:1' run --separate-stderr "$RINGSCALE" topo
	status_is 0
	output_has 'HWLOC_SYNTHETIC is set and ignored' 'this machine'
	output_lacks 0-76
}

@test "sources that are no topology: one line, status 2" {
	touch empty.xml
	echo '<topology version="3.0"><object type="Machine"/></topology>' >three.xml
	head -c 3000 "$topologies/server-2s4n.xml" >cut.xml
	mkfifo pipe
	refuses --topology empty.xml 'is empty' -- topo --topology empty.xml
	refuses --topology three.xml 'hwloc 3' 'reads version 2' -- topo --topology three.xml
	refuses --topology cut.xml -- topo --topology cut.xml
	refuses --topology pipe 'not a regular file' -- topo --topology pipe
	refuses --topology /tmp 'is a directory' -- topo --topology /tmp
	refuses --topology missing.xml -- topo --topology missing.xml
	refuses --topology 'numa:100000 pu:100000' 16384 -- topo --topology 'numa:100000 pu:100000'
	refuses --topology '""' -- topo --topology ''
}

@test "a file that may not be read" {
	[ "$(id -u)" -ne 0 ] || skip 'root reads everything'
	cp "$topologies/vm-2pu.xml" secret.xml
	chmod 0 secret.xml
	refuses --topology secret.xml 'permission denied' -- topo --topology secret.xml
}

@test "options: bad values, abbreviations and arguments are refused" {
	refuses --format yaml text json -- topo --format yaml
	refuses --form -- topo --form json
	refuses --color purple -- topo --color purple
	refuses extra -- topo extra
	refuses --topology -- topo --topology
}

@test "--color always colors headings, never and NO_COLOR do not" {
	run "$RINGSCALE" topo --color always
	status_is 0
	output_has $'\033[1m'
	run "$RINGSCALE" topo --color never
	output_lacks $'\033'
	NO_COLOR=1 run "$RINGSCALE" topo
	output_lacks $'\033'
}

@test "--quiet prints the same and nothing on stderr" {
	run --separate-stderr "$RINGSCALE" topo --quiet --topology 'core:2 pu:1'
	status_is 0
	[ -z "$stderr" ]
	output_has candidates
}

@test "output that cannot be written is a failure" {
	[ -e /dev/full ] || skip 'no /dev/full'
	for format in text json; do
		run bash -c '"$1" topo --format $2 >/dev/full' - "$RINGSCALE" $format
		status_is 1
	done
}

@test "every real export is shown, in text of 80 columns and in JSON" {
	need_shared topologies/real
	for machine in "$SHARED"/topologies/real/*.xml; do
		run --separate-stderr "$RINGSCALE" topo --topology "$machine"
		status_is 0
		[ -z "$stderr" ]
		[ "$(sed 1d <<<"$output" | awk '{ if (length > w) w = length } END { print w }')" -le 80 ]
		run --separate-stderr "$RINGSCALE" topo --topology "$machine" --format json
		status_is 0
	done
}
