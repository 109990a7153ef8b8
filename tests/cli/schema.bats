# SPDX-License-Identifier: GPL-2.0-or-later
# The schema of result files and its checker: a good file passes, each kind of lie is found
# with its line.

load helper

SAMPLE=$ROOT/tests/data/sample-result.jsonl

check() {
	run "$ROOT/tests/validate-schema.py" "$@"
	[ "$status" -ne 77 ] || skip "$output"
}

# finds LINE TEXT FROM TO: with FROM replaced on that line of the sample.
finds() {
	FROM=$3 TO=$4 perl -pe "if (\$. == $1) { s/\\Q\$ENV{FROM}\\E/\$ENV{TO}/ or die 'not there' }" \
		"$SAMPLE" >changed.jsonl
	check changed.jsonl
	status_is 1
	output_has "changed.jsonl:$1: " "$2"
	[ "${#lines[@]}" -eq 1 ]
}

@test "the sample is valid" {
	check "$SAMPLE"
	status_is 0
	[ -z "$output" ]
}

@test "a header with something amiss" {
	finds 1 schema '"schema":1' '"schema":2'
	finds 1 seed '"seed":42' '"seed":-1'
	finds 1 candidates '"candidates":"0-1"' '"candidates":"0x3"'
	finds 1 method.order interleave random
	finds 1 preset '"preset":null,' ''
	finds 1 extra '"preset"' '"extra":1,"preset"'
	finds 1 created_utc 05Z 05
	finds 1 'points[1].pairs[0]' '[0,1]' '[0,-1]'
}

@test "a block with something amiss" {
	finds 2 'pairs[0].rounds[0].fill_ns' 561152, null,
	finds 2 'pairs[0].rounds[0].fill_ns' 561152, 561152.5,
	finds 2 reason '"reason":null,"flags"' '"reason":"odd","flags"'
	finds 2 receiver_pu '"receiver_pu":null' '"receiver_pu":-1'
	finds 3 overlap 0.9973 1.2
	finds 3 'NaN is no JSON number' 0.9973 NaN
	finds 3 relation '"relation":"l3"' '"relation":"near"'
	finds 3 relation '"relation":"l3"' '"relation":"l3+l2"'
	finds 3 id ffeeddccbbaa9988 FFEE
	finds 3 off_cpu_ns '"off_cpu_ns":12,' ''
	finds 7 reason '"valid":false,"reason":"pair 0 round 1: slot 7 was filled twice"' \
		'"valid":false,"reason":null'
	finds 2 spin_before_ns '"spin_before_ns":[2000000,null]' '"spin_before_ns":[2000000]'
	finds 7 stands '"block":1' '"block":1,"block":1'
}

@test "a cache that spans two nodes has a relation of both" {
	sed 's/"relation":"l3"/"relation":"l3+cross-numa"/' "$SAMPLE" >changed.jsonl
	! cmp -s "$SAMPLE" changed.jsonl
	check changed.jsonl
	status_is 0
}

@test "a valid block has no invalid round" {
	finds 7 'pairs[0].rounds[1].valid' \
		'"valid":false,"reason":"pair 0 round 1: slot 7 was filled twice"' \
		'"valid":true,"reason":null'
}

@test "an end and a resume with something amiss" {
	finds 4 status interrupted stopped
	finds 5 cut_line '"cut_line":false,' ''
	finds 8 exit_status '"exit_status":1' '"exit_status":4'
	finds 8 record '"record":"end"' '"record":"END"'
}

@test "records in the wrong place" {
	sed -n '2,$p' "$SAMPLE" >changed.jsonl
	check changed.jsonl
	status_is 1
	output_has changed.jsonl:1:
	cat "$SAMPLE" "$SAMPLE" >changed.jsonl
	check changed.jsonl
	status_is 1
	output_has changed.jsonl:9:
	sed 5d "$SAMPLE" >changed.jsonl
	check changed.jsonl
	status_is 1
	output_has changed.jsonl:5: 'block behind the end record'
}

@test "torn, empty and missing files" {
	head -c 3000 "$SAMPLE" >changed.jsonl
	check changed.jsonl
	status_is 1
	output_has torn
	: >changed.jsonl
	check changed.jsonl
	status_is 1
	output_has changed.jsonl:1: empty
	check nowhere.jsonl
	status_is 2
	check
	status_is 2
}
