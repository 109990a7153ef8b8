#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --clock path: instructions, exact, and what they are worth.
load helper

# means: "ROLE MEAN" of every result file of out, in order.
means() {
	python3 - out/*.jsonl <<'EOF'
import json, sys
for path in sys.argv[1:]:
    lines = [json.loads(line) for line in open(path)]
    rounds = [r for b in lines if b["record"] == "block" for p in b["pairs"] for r in p["rounds"]]
    assert all(b["valid"] for b in lines if b["record"] == "block"), path
    print(lines[0]["lab"]["role"], sum(r["fill_ns"] / r["installs"] for r in rounds) / len(rounds))
EOF
}

@test "two boots of one kernel are identical to the printed digit, in instr/install" {
	need_lab 6.12
	vm --kernel 6.12,6.12 --clock path -- run --preset f0-paced
	status_is 0
	output_has instr/install
	output_lacks 'ns/install'
	blocks 'header["clock"] == "path" and header["lab"]["clock"] == "path"'
	blocks '"nokaslr" in header["lab"]["command_line"] and header["lab"]["seed"] == 1'
	blocks 'header["argv"][-2:] == ["--seed", "1"]'
	rounds=$(for file in out/*.jsonl; do grep -o '"fill_ns": *[0-9]*' "$file" | md5sum; done | sort -u)
	[ "$(wc -l <<<"$rounds")" -eq 1 ]
	valid_by_schema
}

@test "an install costs at most 40 instructions more than the bare loop on 6.12" {
	need_lab 6.12
	vm --kernel 6.12 --clock path -- run --preset f0-paced
	status_is 0
	full=$(means)
	vm --kernel 6.12 --clock path -- run --preset f0-paced --workload bare
	status_is 0
	bare=$(means)
	echo "send-fd $full, bare $bare"
	python3 -c 'import sys; assert 0 < float(sys.argv[1]) - float(sys.argv[2]) <= 40' \
		"${full#A }" "${bare#A }"
}

@test "five perturbed boots: spread at most 0.2 %, and the child's longer path against it" {
	need_lab 6.12 sid
	vm --kernel 6.12,sid --clock path --perturb 5 -- run --preset f0-paced
	status_is 0
	output_has 'spread %' 'against A %'
	means >means
	cat means
	python3 - <<'EOF'
values = {}
for line in open("means"):
    role, mean = line.split()
    values.setdefault(role, []).append(float(mean))
mean = {role: sum(v) / len(v) for role, v in values.items()}
for role, v in values.items():
    assert len(v) == 5, values
    assert (max(v) - min(v)) / mean[role] <= 0.002, (role, v)
    # Layouts that do not differ would show no spread at all.
    assert max(v) > min(v), (role, v)
assert mean["B"] / mean["A"] > 1.1, mean
EOF
	blocks 'header["lab"]["perturbed"] and "nokaslr" not in header["lab"]["command_line"]'
}
