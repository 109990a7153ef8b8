#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Patterns, kinds of target, memory, and the control: measured for real.

load helper
load measure

@test "messages are measured with every way to reap, cycle and target" {
	need_pus 2
	measure --workload msg-data --reap inline,poll,wait,after
	status_is 0
	all '.valid and .point.workload == "msg-data"'
	valid_by_schema
	rm out.jsonl
	measure --workload msg-data --cycle fresh,reregister,reuse --fills 2
	status_is 0
	all .valid
	rm out.jsonl
	measure --workload msg-data --target plain,coop,single,defer --reap wait
	status_is 0
	all .valid
}

@test "the target's flags are asked for and granted" {
	local flags

	measure --target plain,coop,single,defer
	status_is 0
	all .valid
	# IORING_SETUP_COOP_TASKRUN 0x100, SINGLE_ISSUER 0x1000, DEFER_TASKRUN 0x2000.
	for flags in plain:0 coop:256 single:4096 defer:12288; do
		[ "$(blocks 'select(.point.target == "'${flags%:*}'") | .granted.target_flags | . - . % 256')" \
			-eq ${flags#*:} ]
	done
}

@test "deferred targets with every way to reap" {
	need_pus 2
	measure --target defer --reap poll,wait,after --cycle fresh,reuse --fills 2 --timeout 20s
	status_is 0
	all .valid
}

@test "fan-in: every sender's share into one table, through one receiver" {
	measure --oversubscribe --pattern fan-in --pairs 3 --slots 100 --reap poll,wait,after --fills 2
	status_is 0
	all '.valid and ([.pairs[].receiver_pu] | unique | length == 1)'
	all '[.pairs[].rounds[0].installs] == [66, 66, 68]'
	all '[.pairs[].rounds[0].create_ns != null] == [true, false, false]'
	output_has 'punted to io-wq'
	valid_by_schema
}

@test "fan-out: one sender fills every table" {
	measure --oversubscribe --pattern fan-out --pairs 3 --slots 100 --reap poll,wait,after --fills 2
	status_is 0
	all '.valid and ([.pairs[].sender_pu] | unique | length == 1)'
	all '[.pairs[].rounds[0].installs] == [200, 200, 200]'
	valid_by_schema
}

@test "fans with every kind of slot, file and cycle" {
	measure --oversubscribe --pattern fan-in,fan-out --pairs 2 --reap after --slot alloc,explicit \
		--file own,shared,per-slot --rounds 1
	status_is 0
	all .valid
	rm out.jsonl
	measure --oversubscribe --pattern fan-in,fan-out --pairs 2 --reap after --cqe post,skip \
		--cycle reregister,reuse --rounds 1 --fills 2
	status_is 0
	all .valid
	rm out.jsonl
	measure --oversubscribe --workload msg-data --pattern fan-in,fan-out --pairs 2 --reap wait
	status_is 0
	all .valid
}

@test "the cost of a fan-out is the sender's for one install" {
	local shown told

	measure --oversubscribe --pattern fan-out --pairs 2 --reap after --rounds 5
	status_is 0
	told=$(blocks '[.pairs[].rounds[] | .fill_ns / .installs / 2] | add / length * 10 | round / 10')
	shown=$(awk '$1 == "batch" && !seen++ { getline; print $2; exit }' <<<"$output")
	[ "$(jq -n "($told - $shown) | fabs < 0.11")" = true ]
}

@test "memory: pages of the ring are looked up, and lie where they should" {
	measure --mem local,sender,receiver,node:0
	status_is 0
	all .valid
	[ "$(blocks 'select(.point.mem == "local") | .pairs[0].mem_node')" = null ]
	[ "$(blocks 'select(.point.mem == "node:0") | .pairs[0].mem_node')" = 0 ]
	valid_by_schema
	[ "$(blocks '.pairs[0].ring_pages' | sort -u)" != null ] ||
		skip 'move_pages says nothing here'
	[ "$(blocks 'select(.point.mem == "node:0") | .pairs[0].ring_pages | keys == ["0"]')" = true ]
	all '.flags | index("mem-elsewhere") == null'
}

@test "with-control: messages beside the installs, paired by block, in table and file" {
	measure --with-control --slot alloc,explicit --blocks 3
	status_is 0
	output_has 'install minus message' difference
	output_lacks msg-data
	[ "$(blocks .point.workload | sort | uniq -c | tr -s ' \n' ' ')" = ' 3 "msg-data" 6 "send-fd" ' ]
	record header '.method.with_control and ([.points[] | select(.control)] | length == 1)'
	record end '.controls | length == 2 and all(.blocks == 3 and .half_interval_ns > 0)'
	record end '.controls | all(.install_ns - .message_ns - .difference_ns | fabs < 0.001)'
	# A block of each in every pass.
	[ "$(blocks '[.block, .id]' | awk -F, '{ print $1 }' | uniq -c | awk '{ print $1 }' | sort -u)" = 3 ]
	valid_by_schema
}

@test "one block has a difference and no interval" {
	measure --with-control
	status_is 0
	record end '.controls[0].half_interval_ns == null and .controls[0].blocks == 1'
}

@test "presets hybrid and numa: what this machine has, and what it lacks is named" {
	run --separate-stderr "$RINGSCALE" run --show --preset numa
	status_is 0
	output_has '--place numa,cross-numa' 'sender,receiver,node:'
	run --separate-stderr "$RINGSCALE" plan --preset numa --topology 'numa:2 l3:2 core:2 pu:1'
	status_is 0
	output_has cross-numa node:0 node:1
	run --separate-stderr "$RINGSCALE" plan --preset hybrid \
		--topology "$ROOT/topologies/i7-12700kf.xml"
	status_is 0
	output_has P:P+l3 P:E+l3 E:P+l3 E:E+l2
}
