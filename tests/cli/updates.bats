#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Workloads of one ring: enter, update-files, update-buffers, and their presets.

load helper
load measure

@test "enter counts NOPs in a process of one task" {
	need_own_tasks
	measure --workload enter --batch 1,32 --slots 64
	status_is 0
	all '.valid and .unit == "NOP" and .tasks == 1 and (.pairs[0].rounds | all(.installs >= 64))'
	all '.granted.source_flags == null'
	output_has 'ns/NOP'
	valid_by_schema
}

@test "several pairs are several tasks" {
	need_own_tasks
	need_pus 2
	measure --workload enter --pairs 2
	status_is 0
	all '.valid and .tasks == 3'
}

@test "send-fd is still counted in installs" {
	need_own_tasks
	measure
	status_is 0
	all '.unit == "install" and .tasks == 1'
	output_has 'ns/install'
}

@test "files are updated by SQEs and by register calls" {
	measure --workload update-files --by sqe,register --slots 50 --used 177 --batch 13 \
		--cycle fresh,reregister,reuse --ring-fd plain,registered
	status_is 0
	all '.valid and .unit == "update" and (.pairs[0].rounds | all(.installs % 177 == 0))'
	[ "$(blocks .point.by | sort -u | tr '\n' ' ')" = '"register" "sqe" ' ]
	output_has 'ns/update'
	valid_by_schema
}

@test "buffers are updated by register calls alone" {
	measure --workload update-buffers --slots 50 --used 177 --batch 13 --cycle fresh,reuse
	status_is 0
	all '.valid and .point.by == "register"'
	valid_by_schema
}

@test "both settings of --ring-fd give a difference with its interval" {
	measure --workload enter --ring-fd plain,registered --batch 1 --blocks 3 --seed 1
	status_is 0
	output_has 'what a registered ring saves, ns/NOP'
	output_has 'plain - registered'
	# Batch, plain, registered, their difference, its interval, its share of plain.
	awk '/plain - registered/ { getline; d = $4 / $2 * 100 - $6; exit !(d > -0.1 && d < 0.1) }' \
		<<<"$output"
	# One right behind the other, in every pass.
	[ "$(blocks .block | tr -d '\n')" = 001122 ]
}

@test "preset registered-ring measures pairs of settings" {
	need_own_tasks
	need_pus 2
	measure --preset registered-ring --blocks 1 --rounds 1 --warmup 0 --fills 1 --slots 32 \
		--batch 1,32 --pairs 1,2
	status_is 0
	all .valid
	[ "$(blocks '.point["ring-fd"]' | sort -u | tr '\n' ' ')" = '"plain" "registered" ' ]
	[ "$(blocks '.tasks' | sort -u | tr '\n' ' ')" = '1 3 ' ]
}

@test "preset rsrc-update is QD 32, a table of 128, one slot an SQE" {
	run "$RINGSCALE" plan --preset rsrc-update --show
	status_is 0
	output_has '--by sqe'
	output_has '--slots 128'
	output_has '--batch 32'
	run "$RINGSCALE" run --preset rsrc-update --rounds 2 --blocks 1 --quiet -o out.jsonl
	status_is 0
	all '.valid and .point.workload == "update-files" and .point.slots == 128 and .point.batch == 32'
}

@test "what cannot be is refused before measuring, both options named" {
	refuses '--slots "16"' '--batch "32"' -- \
		run --workload update-files --slots 16 --batch 32
	refuses '--by "sqe"' '--workload "update-buffers"' -- \
		run --workload update-buffers --by sqe
	refuses '--slots "16385"' '--workload "update-buffers"' -- \
		run --workload update-buffers --slots 16385
	refuses '--by "register"' '--workload "enter"' -- \
		run --workload enter --by register
	refuses '--by "register"' '--workload "send-fd"' -- \
		run --by register
	refuses '--by "sqe"' '--workload "enter"' -- \
		run --workload enter --by sqe
	refuses '--workload "enter"' '--pattern "fan-in"' pairs -- \
		run --workload enter --pattern fan-in
	refuses '--workload "enter"' '--cycle "reregister"' -- \
		run --workload enter --reap inline --cycle reregister
	refuses '--workload "enter"' '--slot "explicit"' -- \
		run --workload enter --slot explicit
	refuses '--workload "update-files"' '--file "per-slot"' -- \
		run --workload update-files --file per-slot
	refuses '--workload "enter"' '--cqe "skip"' -- \
		run --workload enter --cqe skip
	refuses '--workload "enter"' '--reap "poll"' -- \
		run --workload enter --reap poll --pairs 1 --slots 64
	refuses '--reap "poll"' -- \
		run --workload enter --fdtable private --reap poll --pairs 1 --slots 64
	refuses '--batch "512"' '--ring "256"' -- \
		run --workload enter --batch 512
	[ -z "$(ls -- *.jsonl 2>/dev/null)" ]
}
