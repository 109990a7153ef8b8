#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Memory of a target ring on the node that --mem says, one without PUs too, seen from inside by move_pages.
load helper

@test "numa2: rings lie on the node asked for, with PUs or without; node:99 is refused" {
	need_lab 6.12
	script <<'EOF'
LD_LIBRARY_PATH=/lab/lib /lab/ringscale run --mem node:99 >/out/refused 2>&1
echo "status $?" >>/out/refused
EOF
	vm --kernel 6.12 --shape numa2 --setup setup.sh -- run --pairs 1 --slots 64 \
		--blocks 1 --rounds 1 --warmup 0 --fills 1 --timeout 20s --reap poll --place 0:8 \
		--mem sender,receiver,node:0,node:1,node:2,interleave
	status_is 0
	grep -q 'there is no such node; nodes with memory are 0-2' out/*.refused
	grep -q 'status 2' out/*.refused
	blocks 'len(blocks) == 6 and all(b["valid"] for b in blocks)'
	# PU 0 is on node 0, PU 8 on node 1, nobody on node 2.
	blocks 'all(list(b["pairs"][0]["ring_pages"]) == [n] and b["pairs"][0]["mem_node"] == int(n)
		for b in blocks for m, n in (("sender", "0"), ("receiver", "1"), ("node:0", "0"),
		("node:1", "1"), ("node:2", "2")) if b["point"]["mem"] == m)'
	blocks 'all(len(b["pairs"][0]["ring_pages"]) > 1 for b in blocks if b["point"]["mem"] == "interleave")'
	blocks 'not any("mem-elsewhere" in b["flags"] for b in blocks)'
	valid_by_schema
}

@test "snc4: a fan-in punts, workers are seen, and the event counts it" {
	need_lab 6.12
	script <<'EOF'
mount -t tracefs nodev /sys/kernel/tracing
EOF
	# An emulated vCPU seldom meets another one inside the lock: many installs.
	vm --kernel 6.12 --shape snc4 --setup setup.sh -- run --pairs 4 --slots 4096 \
		--blocks 1 --rounds 2 --warmup 0 --fills 8 --timeout 20s --reap after --pattern fan-in
	status_is 0
	blocks 'len(blocks) == 1 and blocks[0]["valid"] and blocks[0]["iowq_workers"] > 0'
	blocks 'sum(r["sender"]["counters"]["punts"] for r in rounds) > 0'
	valid_by_schema
}
