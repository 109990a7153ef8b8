#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# report and compare of profiles, with files made here; the lab's own are in tests/vm.
load helper

SAMPLE=$ROOT/tests/data/sample-result.jsonl

# file NAME SCALE: a result file with a profile of thirty functions, all SCALE times as long.
file() {
	python3 - "$SAMPLE" "$1" "$2" <<'EOF'
import json, sys
sample, name, scale = sys.argv[1], sys.argv[2], float(sys.argv[3])
lines = open(sample).read().splitlines()
block = json.loads(lines[1])
def fill(scale):
    rows = [("io_msg_ring", "kernel", 76.0), ("__kmalloc_noprof", "kernel", 0 if scale == 1 else 109.2),
            ("fget", "interrupt", 0.5), ("a_very_long_name_of_a_function_that_has_no_room_in_a_narrow_table", "kernel", 3.0),
            ("unattributed", "user", 0.25)] + [(f"send_fd_{i:02}", "user", 1.0 + i / 100) for i in range(25)]
    rows = [(n, m, round(v * scale, 6)) for n, m, v in rows if v]
    rows.sort(key=lambda r: (-r[2], r[0]))
    sums = {m: sum(v for _, k, v in rows if k == m) for m in ("user", "kernel", "interrupt")}
    return {"windows": 15, "installs": 61440, "total": dict(all=sum(sums.values()), unattributed=0.25 * scale, **sums),
            "functions": [dict(function=n, mode=m, instructions=v, calls=1.0) for n, m, v in rows]}
record = {"record": "profile", "id": block["id"], "point": block["point"], "blocks": 1, "clock": 1.0, **fill(scale), "first_fill": None}
if name.startswith("cold"):
    record["first_fill"] = fill(2 * scale)
open(name, "w").write("\n".join([lines[0], lines[1], json.dumps(record), lines[-1]]) + "\n")
EOF
}

in_72() {
	awk 'length > 72 { print; bad = 1 } END { exit bad }' <<<"$output"
}

@test "a file with a profile is valid by the schema" {
	file a.jsonl 1
	file cold.jsonl 1
	run "$ROOT/tests/validate-schema.py" a.jsonl cold.jsonl
	[ "$status" -ne 77 ] || skip "$output"
	status_is 0
	sed -i 's/"mode": "user"/"mode": "usr"/' a.jsonl
	run "$ROOT/tests/validate-schema.py" a.jsonl
	status_is 1
	output_has mode
}

@test "report: totals, groups, functions, the rest in one line, 72 columns" {
	file a.jsonl 1
	run "$RINGSCALE" report --top 3 a.jsonl
	status_is 0
	output_has 'path length in an emulator, not time' '61440 installs in 15 timed regions'
	grep -E '^kernel +79\.00' <<<"$output"
	grep -E '^interrupt +0\.50' <<<"$output"
	grep -E '^io_uring +76\.00' <<<"$output"
	grep -E '^io_msg_ring +k +76\.00 .* 1\.00$' <<<"$output"
	grep -E '^26 more +27\.51' <<<"$output"
	output_lacks 'first fills'
	in_72
	run "$RINGSCALE" report --top 0 a.jsonl
	output_lacks ' more '
	grep -E '^unattributed +u +0\.25' <<<"$output"
	in_72
}

@test "report: the first fills of a ring apart" {
	file cold.jsonl 1
	run "$RINGSCALE" report cold.jsonl
	status_is 0
	output_has 'refills: 61440' 'first fills: 61440'
	in_72
}

@test "compare: largest difference first, signs, what is on one side only" {
	file a.jsonl 1
	file b.jsonl 2
	run "$RINGSCALE" compare --profile --top 2 a.jsonl b.jsonl
	status_is 0
	grep -A2 '^function' <<<"$output" | tr -s ' ' >rows
	grep '^__kmalloc_noprof k 0.00 218.40 +218.40 0.00 1.00' rows
	grep '^io_msg_ring k 76.00 152.00 +76.00 1.00 1.00' rows
	grep -E '^slab +0\.00 +218\.40 +\+218\.40' <<<"$output"
	in_72
	run "$RINGSCALE" compare --profile --top 2 b.jsonl a.jsonl
	grep -E '^__kmalloc_noprof +k +218\.40 +0\.00 +-218\.40' <<<"$output"
	run "$RINGSCALE" compare --profile a.jsonl a.jsonl
	status_is 0
	output_lacks '-0.00'
}

@test "tsv and markdown" {
	file a.jsonl 1
	file b.jsonl 2
	run "$RINGSCALE" compare --profile --format tsv --top 1 a.jsonl b.jsonl
	status_is 0
	[ "${lines[0]}" = $'id\tfill\tfunction\tmode\tgroup\tinstructions_a\tcalls_a\tinstructions_b\tcalls_b\tdifference' ]
	[ "${#lines[@]}" -eq 31 ]
	[ "$(awk -F'\t' '{ print NF }' <<<"$output" | sort -u)" = 10 ]
	run "$RINGSCALE" report --format tsv a.jsonl
	grep -P '\tmeasured\tio_msg_ring\tkernel\tio_uring\t76\t1$' <<<"$output"
	run "$RINGSCALE" report --format markdown --top 1 a.jsonl
	status_is 0
	grep -F '| function | mode | instr/install | % | calls |' <<<"$output"
	grep -F '| io\_msg\_ring | k | 76.00 |' <<<"$output"
}

@test "files without a profile, without a common point, broken ones" {
	file a.jsonl 1
	sed '/"record": "profile"/d' a.jsonl >none.jsonl
	sed '/"record": "profile"/s/"id": "[^"]*"/"id": "0123456789abcdef"/' a.jsonl >other.jsonl
	run "$RINGSCALE" report none.jsonl
	status_is 1
	output_has none.jsonl 'vm --clock path --profile'
	run "$RINGSCALE" compare --profile a.jsonl other.jsonl
	status_is 1
	output_has 'no point in common'
	sed 's/"functions": \[/"functions": [7,/' a.jsonl >broken.jsonl
	run "$RINGSCALE" report broken.jsonl
	status_is 1
	run "$RINGSCALE" report nowhere.jsonl
	status_is 1
	output_has nowhere.jsonl
}

@test "what is left out is said: points of one file only, lines that are broken" {
	file a.jsonl 1
	file b.jsonl 2
	sed '/"record": "profile"/!d; s/"id": "[^"]*"/"id": "0123456789abcdef"/' b.jsonl >more
	sed -i '3r more' b.jsonl
	run --separate-stderr "$RINGSCALE" compare --profile a.jsonl b.jsonl
	status_is 0
	grep -Fx 'points that only B has, not shown: 1' <<<"$output"
	[ -z "$stderr" ]
	sed -i '4s/"instructions"/"x"/' b.jsonl
	run --separate-stderr "$RINGSCALE" compare --profile a.jsonl b.jsonl
	status_is 0
	[[ $stderr == *b.jsonl*'line 4'* ]]
	run --separate-stderr "$RINGSCALE" report --quiet b.jsonl
	status_is 0
	[ -z "$stderr" ]
}

@test "points that differ in a single axis are told apart" {
	file a.jsonl 1
	sed '/"record": "profile"/!d; s/"id": "[^"]*"/"id": "0123456789abcdef"/; s/"point": {/&"target": "defer", /' a.jsonl >more
	sed -i '3r more' a.jsonl
	run "$RINGSCALE" report a.jsonl
	status_is 0
	output_has 'target defer'
	in_72
}

@test "bad usage" {
	mkdir in
	file in/a.jsonl 1
	refuses 'no file given' -- report
	refuses 'one file only' -- report in/a.jsonl in/a.jsonl
	refuses --format xml -- report --format xml in/a.jsonl
	refuses --top x -- report --top x in/a.jsonl
	refuses 'one file only' -- compare --profile in/a.jsonl
	refuses 'no files' -- compare --profile
	refuses '--profile is missing' -- compare in/a.jsonl in/a.jsonl
	refuses 'two files only' -- compare --profile in/a.jsonl in/a.jsonl in/a.jsonl
	refuses --profile 'clock path' -- vm --kernel 6.12 --profile -- run
	refuses --profile topo -- vm --kernel 6.12 --clock path --profile -- topo
	refuses --plugin empty -- vm --kernel 6.12 --clock path --profile --plugin '' -- run
}
