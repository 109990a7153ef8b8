#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Measuring for real: every axis, what the file holds, what makes a point invalid.

load helper
load measure

@test "an inline pair is measured by one thread" {
	measure --reap inline
	status_is 0
	all '.valid and (.pairs[0].receiver_pu == null) and (.pairs[0].rounds | length == 3)'
	all '.pairs[0].rounds | all(.valid and .fill_ns > 0 and .installs > 0 and .receiver == null)'
	valid_by_schema
}

@test "a poll pair has both threads' own times, on two PUs" {
	need_pus 2
	measure --reap poll --fills 1
	status_is 0
	all '.pairs[0].sender_pu != .pairs[0].receiver_pu'
	all '.pairs[0].rounds | all(.sender_ns > 0 and .receiver_ns > 0)'
	all '.pairs[0].rounds | all(.fill_ns == ([.sender_ns, .receiver_ns] | max))'
	all '.pairs[0].rounds | all(.tail_ns == .receiver_ns - .sender_ns and .overlap >= 0 and .overlap <= 1)'
	valid_by_schema
}

@test "receivers that wait and that reap afterwards are valid" {
	need_pus 2
	measure --reap wait,after --slots 512
	status_is 0
	all .valid
	[ "$(blocks .point.reap | sort | tr '\n' ' ')" = '"after" "wait" ' ]
	valid_by_schema
}

@test "CPU time off the PU is null for a receiver that sleeps" {
	need_pus 2
	measure --reap wait
	status_is 0
	all '.pairs[0].rounds | all(.receiver.off_cpu_ns == null and .sender.off_cpu_ns != null)'
}

@test "explicit slots are valid" {
	measure --slot explicit --reap inline
	status_is 0
	all '.valid and .point.slot == "explicit"'
}

@test "skipped CQEs are valid inline and after" {
	need_pus 2
	measure --cqe skip --reap inline,after
	status_is 0
	all .valid
}

@test "part of a table is filled" {
	measure --slots 256 --used 25%,7,all
	status_is 0
	all '.pairs[0].rounds | all(.installs == 0) | not'
	[ "$(blocks .point.used | sort -n | tr '\n' ' ')" = '7 64 256 ' ]
	all '.pairs[0].rounds[0].installs == .point.used * .point.fills'
}

@test "a round adds up as many fills as the point says" {
	measure --fills 1,5 --used 8
	status_is 0
	[ "$(blocks .pairs[0].rounds[0].installs | sort -n | tr '\n' ' ')" = '8 40 ' ]
}

@test "more installs than a CQ may hold go on credit" {
	need_pus 2
	[ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -ge 70000 ] ||
		skip 'the hard limit of open files is below 70000'
	measure --slots 70000 --reap poll --rounds 1 --warmup 0
	status_is 0
	all '.valid and .point.cq == 65536 and .pairs[0].rounds[0].installs == 70000'
}

@test "a CQ too small makes the point invalid, with the flag as its reason" {
	need_pus 2
	measure --reap after --slots 1024 --cq 256
	status_is 1
	output_has 'invalid: ' IORING_SQ_CQ_OVERFLOW
	all '.valid == false and (.reason | test("IORING_SQ_CQ_OVERFLOW"))'
	valid_by_schema
}

@test "a poller notices an overflow too" {
	need_pus 2
	measure --reap poll --slots 4096 --cq 256 --batch 256
	# Fast enough a poller may keep up: then the point is valid. It never hangs.
	[ "$status" -eq 0 ] || { status_is 1; output_has IORING_SQ_CQ_OVERFLOW; }
}

@test "several pairs have stamps, tables and PUs of their own" {
	need_pus 2
	measure --pairs 2 --reap inline
	status_is 0
	all '.valid and ([.pairs[].sender_pu] | unique | length == 2)'
	all '[.pairs[].rounds | length] == [3, 3]'
}

@test "free sync measures the common window only" {
	need_pus 2
	measure --pairs 2 --reap inline --sync free --rounds 20
	status_is 0
	all '.valid and ([.pairs[].rounds | length] | min > 0)'
	[ "$(jq -r 'select(.record == "header") | .method.sync' out.jsonl)" = free ]
	all '.pairs | all(.rounds | all(.overlap == null))'
}

@test "solo measures each pair alone and fills the efficiency" {
	need_pus 2
	measure --pairs 2 --reap inline --solo --rounds 10
	status_is 0
	[ "$(blocks .point.pairs | sort -n | tr '\n' ' ')" = '1 1 2 ' ]
	output_has eff %
}

@test "without solo the efficiency is blank" {
	need_pus 2
	measure --pairs 2 --reap inline
	status_is 0
	output_lacks eff
}

@test "a gap is kept between fills" {
	measure --fills 1 --gap 20ms --rounds 5
	status_is 0
	all '.valid and .point.gap == "20ms" and .elapsed_ns >= 100000000'
}

@test "bare measures the floor, verified" {
	measure --workload bare
	status_is 0
	all '.valid and .point.workload == "bare"'
	valid_by_schema
}

@test "one seed gives one order, another gives another" {
	local order

	measure --used 1..8 --seed 5
	status_is 0
	order=$(blocks .point.used)
	rm out.jsonl
	measure --used 1..8 --seed 5
	[ "$order" = "$(blocks .point.used)" ]
	rm out.jsonl
	measure --used 1..8 --seed 6
	[ "$order" != "$(blocks .point.used)" ]
}

@test "sequential measures point by point" {
	measure --used 1..4 --blocks 2 --order sequential
	status_is 0
	[ "$(blocks .point.used | tr '\n' ' ')" = '1 1 2 2 3 3 4 4 ' ]
}

@test "the seed is printed and recorded" {
	measure
	status_is 0
	output_has "seed $(jq -r 'select(.record == "header") | .seed' out.jsonl)"
}

@test "presets fix what was published" {
	run --separate-stderr "$RINGSCALE" run --preset f0 -o out.jsonl --quiet
	status_is 0
	all '.point.slots == 4096 and .point.batch == 64 and .point.ring == 256 and .point.fills == 1'
	all '(.pairs[0].rounds | length == 15) and .point.cycle == "fresh" and .point.reap == "inline"'
	[ "$(jq -r 'select(.record == "header") | .preset' out.jsonl)" = f0 ]
}

@test "the table has constants above, varying axes as columns, at most 80 columns" {
	measure --used 8,16 --batch 4 --blocks 2
	status_is 0
	output_has 'slots 64' ns/install 'CV %' 'sender ns' M/s
	[ "$(printf '%s\n' "$output" | LC_ALL=C.UTF-8 wc -L)" -le 80 ]
	[[ $output =~ used\ +batch ]]
	[[ $output =~ [[:space:]]16[[:space:]]+4[[:space:]] ]]
}

@test "the result file is named, and by default in this folder" {
	run --separate-stderr "$RINGSCALE" run --slots 64 --blocks 1 --rounds 2
	status_is 0
	[ "$(compgen -G 'ringscale-*.jsonl' | wc -l)" -eq 1 ]
	output_has "$(compgen -G 'ringscale-*.jsonl')"
}

@test "header, blocks and end are there and agree" {
	measure --blocks 3 --label 'a remark'
	status_is 0
	[ "$(jq -r .record out.jsonl | tr '\n' ' ')" = 'header block block block end ' ]
	[ "$(jq -r 'select(.record == "header") | .label' out.jsonl)" = 'a remark' ]
	record end '.status == "complete" and .blocks == 3'
	[ "$(jq -r 'select(.record == "header") | .points[0].id' out.jsonl)" = "$(blocks .id | sort -u | tr -d '"')" ]
	valid_by_schema
}

@test "quiet prints nothing on stderr, and nothing follows a pipe" {
	measure
	status_is 0
	[ -z "$stderr" ]
	run bash -c '"$0" run -o second.jsonl --slots 64 --rounds 2 --blocks 1 2>&1 >/dev/null' "$RINGSCALE"
	output_lacks 'block 1 of'
}
