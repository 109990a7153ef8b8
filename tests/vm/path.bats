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

# Instructions of the loop with all that it does, and of the bare loop, run the same way.
send_fd() { measured send-fd --kernel 6.12,6.12 --clock path -- run --preset f0-paced; }
bare() { measured bare --kernel 6.12 --clock path -- run --preset f0-paced --workload bare; }

@test "two boots of one kernel are identical to the printed digit" {
	need_lab 6.12
	send_fd
	output_has instr/install 'spread %'
	output_lacks 'ns/install'
	blocks 'header["clock"] == "path" and header["lab"]["clock"] == "path"'
	blocks '"nokaslr" in header["lab"]["command_line"] and header["lab"]["seed"] == 1'
	blocks 'header["argv"][-2:] == ["--seed", "1"]'
	[ "$(for file in out/0[12]-*.jsonl; do
		grep -o '"fill_ns": *[0-9]*' "$file" | md5sum
	done | sort -u | wc -l)" -eq 1 ]
	means out | tee means
	python3 - <<'EOF'
first, again = (line.split() for line in open("means"))
assert first[0] == again[0] == "A" and first == again
EOF
	valid_by_schema
}

@test "an install costs at most 40 instructions more than the bare loop on 6.12" {
	need_lab 6.12
	send_fd
	means out | head -1 >figures
	bare
	means out | tee -a figures
	python3 - <<'EOF'
full, bare = (float(line.split()[1]) for line in open("figures"))
assert 0 < full - bare <= 40, (full, bare)
EOF
}

# Ten boots: 15 s of processor time each.
@test "five perturbed boots: spread at most 0.2 %, and not nothing; the child's path is longer" {
	need_lab 6.12 sid
	vm --kernel 6.12,sid --clock path --perturb 5 -- run --preset f0-paced
	status_is 0
	output_has instr/install 'spread %' 'against A %'
	means out | tee means
	python3 - out/*.jsonl <<'EOF'
import json, sys
boots = [line.split() for line in open("means")]
assert [role for role, mean in boots] == ["A", "B"] * 5, boots
means = {role: [float(mean) for r, mean in boots if r == role] for role in "AB"}
for values in means.values():
    # Layouts that do not differ would show no spread at all.
    assert 0 < (max(values) - min(values)) / sum(values) * 5 <= 0.002, values
assert min(means["B"]) > 1.1 * max(means["A"]), means
labs = [json.loads(open(path).readline())["lab"] for path in sys.argv[1:]]
assert all(lab["perturbed"] and "nokaslr" not in lab["command_line"] for lab in labs)
assert len({lab["seed"] for lab in labs}) == len(labs) == 10
assert len({lab["initramfs_hash"] for lab in labs}) == 5
EOF
}
