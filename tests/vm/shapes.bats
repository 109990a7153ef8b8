#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a guest sees is its shape, and threads are where a place says, seen from inside: a
# script in the guest gathers the masks of all threads while the command runs.
load helper

# A process' own first thread is left out: while hwloc looks at the machine it binds that thread to one
# PU after the other, and the coordinator's may end on a single PU aside of the pairs.
watcher() {
	script <<'EOF'
LD_LIBRARY_PATH=/lab/lib /lab/ringscale topo --format json >/out/topo.json
while :; do
	for pid in $(pidof ringscale); do
		for task in /proc/$pid/task/*; do
			[ "${task##*/}" = "$pid" ] || cat "$task/status" 2>/dev/null
		done
	done | grep Cpus_allowed_list
	sleep 0.05
done >/out/masks &
EOF
}

# The topology that the watcher kept, for `topology`.
seen_topology() {
	output=$(cat out/*.topo.json)
	printf '%s' "$output" >topology.json
}

# as_in_xml NAME: it is also what topologies/NAME.xml promises; memory, masks and cache sizes apart.
as_in_xml() {
	"$RINGSCALE" topo --topology "$ROOT/topologies/$1.xml" --format json >xml.json
	python3 - <<'EOF'
import json
def cut(t):
    return {"kinds": [(k["name"], k["pus"]) for k in t["kinds"]], "pus": t["pus"],
            "distances": t["distances"], "odd": t["odd"],
            **{key: [o["pus"] for o in t[key]] for key in ("cores", "l2", "l3", "packages", "nodes")}}
guest, xml = (cut(json.load(open(f"{name}.json"))) for name in ("topology", "xml"))
for key in xml:
    assert guest[key] == xml[key], f"{key}: {guest[key]} in the guest, {xml[key]} in the XML"
EOF
}

# bound_to PU...: threads were bound to each of these single PUs, and to no other single one.
bound_to() {
	local seen

	seen=$(cut -f2 out/*.masks | grep -x '[0-9]*' | sort -n | uniq | tr '\n' ' ')
	[ "$seen" = "$* " ] && return
	printf 'threads were bound to %s, not to %s\n' "$seen" "$*"
	return 1
}

# PUs of all pairs in the result file.
planned() {
	python3 -c '
import json, sys
print(*sorted({pu for path in sys.argv[1:] for line in open(path) for p in json.loads(line).get("pairs", [])
	for pu in (p["sender_pu"], p["receiver_pu"])}))' out/*.jsonl
}

# Gates spin, and two spinning vCPUs on a busy host take time: few fills. The gap gives the watcher time.
run_short=(run --pairs 1 --slots 64 --blocks 1 --rounds 2 --warmup 1 --fills 2 --gap 200ms --timeout 20s)

@test "smp2: two cores; threads on both" {
	need_lab 6.1
	watcher
	vm --kernel 6.1 --shape smp2 --setup setup.sh -- "${run_short[@]}" --reap poll --place 1:0
	status_is 0
	seen_topology
	as_in_xml smp2
	topology 'len(t["pus"]) == 2 and len(t["cores"]) == 2 and len(t["nodes"]) == 1'
	blocks 'pairs == {("1:0", 1, 0)} and all(b["valid"] for b in blocks)'
	bound_to 0 1
	valid_by_schema
}

@test "numa2: SMT, L3s, packages, distances, a node without PUs; every relation where it says" {
	need_lab 6.12
	watcher
	vm --kernel 6.12 --shape numa2 --setup setup.sh -- "${run_short[@]}" --reap poll \
		--place smt,l3,cross-numa
	status_is 0
	seen_topology
	as_in_xml numa2
	topology '[c["pus"] for c in t["cores"]] == [f"{n}-{n+1}" for n in range(0, 16, 2)]'
	topology '[p["pus"] for p in t["packages"]] == ["0-7", "8-15"]'
	topology '[p["pus"] for p in t["l3"]] == ["0-7", "8-15"]'
	topology 'len(t["nodes"]) == 3 and t["nodes"][2]["memory_bytes"] > 0'
	topology '[p["node"] for p in t["pus"]] == [0] * 8 + [1] * 8'
	topology '"[10, 21, 28]" in str(t["distances"]) and "[28, 28, 10]" in str(t["distances"])'
	topology 'any("node 2 has no PUs" in odd for odd in t["odd"])'
	blocks 'len(blocks) == 3 and all(b["valid"] for b in blocks)'
	blocks 'all(s // 2 == r // 2 and s != r for p, s, r in pairs if p == "smt")'
	blocks 'all(s // 2 != r // 2 and s // 8 == r // 8 for p, s, r in pairs if p == "l3")'
	blocks 'all(s // 8 != r // 8 for p, s, r in pairs if p == "cross-numa")'
	bound_to $(planned)
	valid_by_schema
}

@test "snc4: an L3 is shared across two nodes of a package; another node is not another package" {
	need_lab 6.12
	watcher
	vm --kernel 6.12 --shape snc4 --setup setup.sh -- "${run_short[@]}" --reap poll \
		--place l3,cross-numa,cross-package
	status_is 0
	seen_topology
	as_in_xml snc4
	topology '[p["pus"] for p in t["packages"]] == ["0-3", "4-7"]'
	topology '[p["pus"] for p in t["l3"]] == ["0-3", "4-7"]'
	topology '[p["pus"] for p in t["nodes"]] == ["0-1", "2-3", "4-5", "6-7"]'
	topology '"[10, 12, 21, 21]" in str(t["distances"])'
	blocks 'len(blocks) == 3 and all(b["valid"] for b in blocks)'
	blocks 'all(s != r and s // 4 == r // 4 for p, s, r in pairs if p == "l3")'
	blocks 'all(s // 2 != r // 2 for p, s, r in pairs if p == "cross-numa")'
	blocks 'all(s // 4 != r // 4 for p, s, r in pairs if p == "cross-package")'
	bound_to $(planned)
}

@test "big: 32 vCPUs" {
	need_lab 6.12
	vm --kernel 6.12 --shape big -- topo --format json
	status_is 0
	printf '%s' "$output" >topology.json
	as_in_xml big
	topology 'len(t["pus"]) == 32 and len(t["cores"]) == 16 and len(t["packages"]) == 2'
	topology '[p["pus"] for p in t["nodes"]] == ["0-15", "16-31"]'
}

@test "hybrid-arm: three kinds by capacity; k0:k2 and big:little" {
	need qemu-system-aarch64
	need fdtput
	need aarch64-linux-gnu-gcc
	fetched 6.12 --shape hybrid-arm
	fetched sysroot
	RINGSCALE=$RINGSCALE run "$ROOT/tools/cross.sh"
	status_is 0
	watcher
	vm --kernel 6.12 --shape hybrid-arm --setup setup.sh -- "${run_short[@]}" --reap poll \
		--place k0:k2,big:little
	status_is 0
	seen_topology
	as_in_xml hybrid-arm
	topology '[(k["name"], k["pus"]) for k in t["kinds"]] == [("k0", "0-4"), ("k1", "5-6"), ("k2", "7")]'
	blocks 'len(blocks) == 2 and all(b["valid"] for b in blocks)'
	blocks 'all({s, r} == {0, 7} and (s == 7) == (p == "big:little") for p, s, r in pairs)'
	bound_to $(planned)
	valid_by_schema
}
