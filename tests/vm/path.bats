#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --clock path: instructions, exact, and what they are worth.
load helper

# means FOLDER...: "ROLE MEAN" of every result file in them, in order.
means() {
	python3 - "${@/%//*.jsonl}" <<'EOF'
import glob, json, sys
for path in (path for pattern in sys.argv[1:] for path in sorted(glob.glob(pattern))):
    lines = [json.loads(line) for line in open(path)]
    rounds = [r for b in lines if b["record"] == "block" for p in b["pairs"] for r in p["rounds"]]
    assert all(b["valid"] for b in lines if b["record"] == "block"), path
    print(lines[0]["lab"]["role"], sum(r["fill_ns"] / r["installs"] for r in rounds) / len(rounds))
EOF
}

@test "two boots of one kernel are identical to the printed digit; the child's path is longer" {
	need_lab 6.12 sid
	vm --kernel 6.12,6.12,sid --clock path -- run --preset f0-paced
	status_is 0
	output_has instr/install 'spread %' 'against A %'
	output_lacks 'ns/install'
	means out | tee "$BATS_FILE_TMPDIR/means"
	blocks 'header["clock"] == "path" and header["lab"]["clock"] == "path"'
	blocks '"nokaslr" in header["lab"]["command_line"] and header["lab"]["seed"] == 1'
	blocks 'header["argv"][-2:] == ["--seed", "1"]'
	[ "$(for file in out/0[12]-*.jsonl; do
		grep -o '"fill_ns": *[0-9]*' "$file" | md5sum
	done | sort -u | wc -l)" -eq 1 ]
	python3 - "$BATS_FILE_TMPDIR/means" <<'EOF'
import sys
a, again, b = (line.split() for line in open(sys.argv[1]))
assert [a[0], again[0], b[0]] == ["A", "A", "B"] and a == again and float(b[1]) > 1.1 * float(a[1])
EOF
	valid_by_schema
}

@test "an install costs at most 40 instructions more than the bare loop on 6.12" {
	need_lab 6.12
	[ -s "$BATS_FILE_TMPDIR/means" ] || skip 'the test before has no figure for send-fd'
	vm --kernel 6.12 --clock path -- run --preset f0-paced --workload bare
	status_is 0
	{
		head -1 "$BATS_FILE_TMPDIR/means"
		means out
	} | tee figures
	python3 - <<'EOF'
full, bare = (float(line.split()[1]) for line in open("figures"))
assert 0 < full - bare <= 40, (full, bare)
EOF
}

# Instructions do not depend on the host's load: the kernels are booted side by side.
@test "five perturbed boots: spread at most 0.2 %, and not nothing" {
	need_lab 6.12 sid
	"$RINGSCALE" vm --kernel 6.12 --clock path --perturb 5 --out a -- run --preset f0-paced \
		>a.txt 2>&1 3>&- &
	"$RINGSCALE" vm --kernel sid --clock path --perturb 5 --out b -- run --preset f0-paced \
		>b.txt 2>&1 3>&-
	wait $! || { cat a.txt; return 1; }
	for folder in a b; do
		grep -q 'spread %' $folder.txt
		means $folder | tee means
		python3 - <<'EOF'
values = [float(line.split()[1]) for line in open("means")]
assert len(values) == 5, values
# Layouts that do not differ would show no spread at all.
assert 0 < (max(values) - min(values)) / sum(values) * 5 <= 0.002, values
EOF
		python3 - $folder/*.jsonl <<'EOF'
import json, sys
labs = [json.loads(open(path).readline())["lab"] for path in sys.argv[1:]]
assert all(lab["perturbed"] and "nokaslr" not in lab["command_line"] for lab in labs)
assert len({lab["seed"] for lab in labs}) == len({lab["initramfs_hash"] for lab in labs}) == 5
EOF
	done
}
