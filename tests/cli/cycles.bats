#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Rings and tables that outlast a fill, what is sent, how rings are entered: for real.

load helper
load measure

# rounds FILTER: true for every round of every pair of every block, and there is one.
rounds() {
	all "[.pairs[].rounds[]] | length > 0 and all($1)"
}

@test "fresh: all phases but those of a ring that lasts" {
	measure --cycle fresh --fills 4
	status_is 0
	rounds '.create_ns > 0 and .register_ns > 0 and .first_fill_ns > 0 and .unregister_ns > 0 and .exit_ns > 0'
	rounds '.remove_ns == null and .refill_ns == null and .release_wait_ns == null and .first_slot == null'
	# A phase is of one fill, the fill_ns of all.
	rounds '.first_fill_ns == (.fill_ns / 4 | floor)'
	output_lacks refill
	valid_by_schema
}

@test "reregister: the table is registered again, the ring is not made again" {
	measure --cycle reregister --fills 4
	status_is 0
	rounds '.create_ns > 0 and .register_ns > 0 and .first_fill_ns > 0 and .unregister_ns > 0 and .exit_ns > 0'
	rounds '.refill_ns == (.fill_ns / 4 | floor) and .remove_ns == null and .first_slot == null'
	rounds '.installs == 4 * 64'
	output_has 'phases' refill unregister
	valid_by_schema
}

@test "reuse: removed and refilled, every refill from the first slot on" {
	measure --cycle reuse --fills 4 --slots 64,4096 --used 64
	status_is 0
	rounds '.remove_ns > 0 and .release_wait_ns > 0 and .refill_ns == (.fill_ns / 4 | floor)'
	rounds '.first_slot == 0 and .installs == 4 * 64'
	rounds '.create_ns > 0 and .register_ns > 0 and .unregister_ns > 0 and .exit_ns > 0'
	all '.flags | index("first-slot") == null'
	valid_by_schema
}

@test "a ring lasts a round: no more is entered than one of the round" {
	need strace
	quick --cycle reuse --fills 3 --rounds 2 --warmup 0
	strace -f -qq -e trace=io_uring_setup,io_uring_register -o trace.txt \
		"$RINGSCALE" run -o out.jsonl "${arguments[@]}" >/dev/null || skip 'strace cannot trace here'
	# One source, and one target a round; the probe before them has its own.
	block=$(awk '/io_uring_setup/ { print $1 }' trace.txt | sort | uniq -c | sort -rn |
		awk 'NR == 1 { print $2 }')
	[ "$(grep -c "^$block .*io_uring_setup(256," trace.txt)" -eq 3 ]
	# Tables: the source's, and the targets'.
	[ "$(grep "^$block " trace.txt | grep -c 'IORING_REGISTER_FILES2,')" -eq 3 ]
	[ "$(grep "^$block " trace.txt | grep -c 'IORING_UNREGISTER_FILES,')" -eq 2 ]
	# A tagged file waits for the release behind every removal: before each refill.
	[ "$(grep "^$block " trace.txt | grep -c 'IORING_REGISTER_FILES_UPDATE2,')" -eq 6 ]
}

@test "cycles go with every way to reap" {
	need_pus 2
	measure --cycle reregister,reuse --reap poll,wait,after --slots 512 --fills 2
	status_is 0
	all .valid
	[ "$(blocks .point.reap | sort | uniq -c | awk '{ print $1 }' | tr '\n' ' ')" = '2 2 2 ' ]
	rounds '.receiver_ns > 0 and .refill_ns > 0'
	valid_by_schema
}

@test "cycles go with explicit slots, skipped CQEs, several pairs, free sync and a gap" {
	need_pus 2
	measure --cycle reregister,reuse --slot explicit --cqe skip --pairs 2 --gap 100us
	status_is 0
	all .valid
	rm out.jsonl
	measure --cycle reregister,reuse --pairs 2 --sync free --rounds 20
	status_is 0
	all .valid
}

@test "more pairs than PUs: cycles, shared files and registered rings in turns" {
	measure --oversubscribe --pairs 8 --reap poll,wait --cycle reuse --file shared,per-slot \
		--ring-fd registered --fills 2
	status_is 0
	all '.valid and .granted.ring_fd_registered'
	valid_by_schema
}

@test "lifecycle: a table of phases by cycle and shape" {
	run --separate-stderr "$RINGSCALE" run --quiet --preset lifecycle -o out.jsonl --blocks 1 \
		--rounds 2 --warmup 0
	status_is 0
	[ "$(blocks .id | sort -u | wc -l)" -eq 12 ]
	phases=$(sed -n '/^phases/,/^$/p' <<<"$output")
	for word in create register fill remove refill unregister exit fresh reregister reuse; do
		grep -qw "$word" <<<"$phases"
	done
	[ "$(grep -c ' reuse ' <<<"$phases")" -eq 4 ]
	[ "$(awk '{ print length }' <<<"$output" | sort -n | tail -1)" -le 80 ]
	valid_by_schema
}

@test "file: one of each pair, one of all, one of every slot" {
	need_pus 2
	measure --file own,shared,per-slot --pairs 2
	status_is 0
	all '.valid and (.flags | index("shared-alone") == null)'
	valid_by_schema
}

@test "a shared file at one pair is flagged" {
	measure --file own,shared
	status_is 0
	all '(.point.file == "shared") == (.flags | index("shared-alone") != null)'
	output_has shared-alone
	run --separate-stderr "$RINGSCALE" run --explain shared-alone
	status_is 0
	output_has 'at one pair'
}

@test "files of every slot need no descriptors of their own" {
	local limit=128

	ulimit -Sn $limit && ulimit -Hn $limit
	measure --file per-slot --slots 128
	status_is 0
	all .valid
	rm out.jsonl
	# A table may not be larger than the limit, whoever owns it.
	measure --file per-slot --slots 256
	status_is 2
	output_has '--slots 256' 128
}

@test "registered rings are entered by index, and that is recorded" {
	need strace
	quick --ring-fd registered --rounds 1 --warmup 0 --fills 1
	strace -f -qq -e trace=io_uring_enter -o trace.txt \
		"$RINGSCALE" run -o out.jsonl "${arguments[@]}" >/dev/null || skip 'strace cannot trace here'
	grep -q 'IORING_ENTER_REGISTERED_RING\|0x10' trace.txt
	all '.valid and .granted.ring_fd_registered'
	rm out.jsonl
	measure --ring-fd plain
	status_is 0
	all '.valid and .granted.ring_fd_registered == false'
}

@test "registered rings with every way to reap" {
	need_pus 2
	measure --ring-fd registered --reap inline,poll,wait,after
	status_is 0
	all '.valid and .granted.ring_fd_registered'
}

@test "bare with registered rings and a shared file" {
	measure --workload bare --ring-fd registered --file shared
	status_is 0
	all .valid
}

@test "scale: every pair of several also alone" {
	need_pus 2
	run --separate-stderr "$RINGSCALE" run --quiet --preset scale --slots 64 -o out.jsonl --blocks 1 \
		--rounds 3 --warmup 1
	status_is 0
	all .valid
	output_has eff '%'
	record header '.method.solo and .preset == "scale" and ([.points[] | select(.solo)] | length > 0)'
	valid_by_schema
}

@test "counters of both threads: counted or null, never absent" {
	need_pus 2
	measure --reap poll
	status_is 0
	rounds '[.sender.counters, .receiver.counters] | all(length == 7 and has("punts") and all(.[]; . == null or . >= 0))'
	valid_by_schema
}

@test "io-wq: what it is bound to, how many workers, their time" {
	measure
	status_is 0
	all '.iowq_workers >= 0 and .iowq_cpu_ns >= 0 and .pairs[0].iowq_bound'
}

@test "private descriptor tables: parted before any ring, and given up with their rings" {
	need strace
	need_pus 2
	quick --fdtable private --pairs 2 --cycle fresh,reuse --rounds 1 --warmup 0
	strace -f -qq -e trace=unshare,io_uring_setup -o trace.txt \
		"$RINGSCALE" run -o out.jsonl "${arguments[@]}" >/dev/null || skip 'strace cannot trace here'
	all '.valid and .teardown_wait_ns != null'
	[ "$(grep -c 'unshare(CLONE_FILES' trace.txt)" -eq 4 ]
	# In the order in which they happen: of every block two threads part, then rings are made.
	[ "$(grep -o 'unshare(CLONE_FILES\|io_uring_setup' trace.txt | uniq | grep -c unshare)" -eq 2 ]
	rm out.jsonl
	measure --fdtable shared,private
	status_is 0
	all .valid
	[ "$(blocks .id | sort -u | wc -l)" -eq 2 ]
}
