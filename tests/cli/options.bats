#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What run and plan take and refuse. Values that are taken are tried with plan, which
# shares the parser; what is refused is tried with run, which must not measure anything.
load helper

# takes OPTION VALUE [ARGUMENT...]: a plan is made.
takes() {
	run --separate-stderr "$RINGSCALE" plan --quiet --topology 'core:4 pu:1' "$@"
	[ "$status" -eq 0 ] || printf 'refused: %s\n' "$*"
	status_is 0
	[ -n "$output" ]
}

# wrong OPTION VALUE [ARGUMENT...]: bad usage that quotes both.
wrong() {
	refuses "$1" "\"$2\"" -- run "$@" || { printf 'with: %s\n' "$*"; return 1; }
}

@test "counts that are none: quoted with their option, nothing measured" {
	for option in --pairs --slots --used --batch --ring --cq --fills; do
		for value in 0 -1 +1 2^32 4294967296 99999999999999999999 4k 1e3 0x10 1.5 64,,256 64, \
			     ,64 8..1 1.. ..8 1..8x1 1..8+0 1..8*2 ' 64' '' '*' 64,64 1..4,2; do
			case $value in
			64,64) refuses "$option" 'twice' -- run "$option" "$value" ;;
			*) refuses "$option" '"' -- run "$option" "$value" ;;
			esac || { echo "with: $option '$value'"; return 1; }
		done
	done
	wrong --slots 4k
	wrong --slots -1
	wrong --slots 64,,256
	wrong --slots 8..1
	wrong --slots 4294967296
	wrong --slots 2^32
	wrong --slots 0
}

@test "limits of the counts" {
	wrong --slots 1048577
	wrong --pairs 65537
	wrong --batch 32769
	wrong --ring 65536
	wrong --cq 131072
	wrong --fills 65537
	wrong --used 1048577
	takes --slots 1048576
	takes --slots 1048576 --used 1048576
	takes --ring 32768 --batch 32768
}

@test "ranges" {
	takes --slots 64..256x2
	output_has ' 64 ' ' 128 ' ' 256 '
	takes --slots 64..200+64 --pairs 1 --reap inline
	output_has ' 64 ' ' 128 ' ' 192 ' '3 points'
	takes --pairs 1..4 --slots 64 --reap inline
	output_has '4 points'
}

@test "--ring and --cq: what the kernel would round up is refused with what to give" {
	refuses --ring '"100"' 128 -- run --ring 100
	refuses --cq '"5000"' 8192 -- run --cq 5000
	takes --cq 4096
	takes --cq auto --reap poll --pairs 1 --slots 5000
	output_has 'cq 8192'
}

@test "--used: counts, shares, all" {
	takes --used 50% --slots 99 --reap inline --pairs 1
	output_has 'used 49'
	takes --used 1% --slots 3 --reap inline --pairs 1
	output_has 'used 1 '
	takes --used all,50%,7 --slots 64
	for value in 0% 101% % 5.5% -1% 10%% half; do
		wrong --used "$value"
	done
	refuses --used twice -- run --used all,100%
}

@test "names: unknown ones are refused with the known ones" {
	refuses --reap '"pol"' inline poll wait after -- run --reap pol
	refuses --slot '"first"' alloc explicit -- run --slot first
	refuses --cqe '"none"' post skip -- run --cqe none
	refuses --cycle '"reused"' fresh reregister reuse -- run --cycle reused
	refuses --cycle twice -- run --cycle reuse,fresh,reuse
	refuses --file '"slot"' own shared per-slot -- run --file slot
	refuses --file '"own,,shared"' -- run --file own,,shared
	refuses --ring-fd '"fixed"' plain registered -- run --ring-fd fixed
	refuses --fdtable '"own"' shared private -- run --fdtable own
	refuses 'unknown option "--ring_fd"' -- run --ring_fd plain
	refuses --pattern '"fan"' pairs fan-in fan-out -- run --pattern fan
	refuses --target '"deferred"' plain coop single defer -- run --target deferred
	for value in far node: node:-1 node:x node node:65536 local,,sender; do
		refuses --mem '"' -- run --mem "$value"
	done
	refuses --mem twice -- run --mem node:0,node:0
	refuses --mem '"node:99"' 'no such node' 'with memory' -- run --mem node:99
	refuses --workload '"reclaims"' send-fd msg-data bare reclaim -- run --workload reclaims
	refuses --workload 'one value' -- run --workload send-fd,bare
	refuses --order '"random"' interleave shuffle sequential -- run --order random
	refuses --sync '"all"' fill free -- run --sync all
	refuses --preset '"slow"' quick f0 f0-paced lifecycle scale hybrid numa -- run --preset slow
	refuses --color '"maybe"' auto always never -- run --color maybe
	for value in inline poll wait after; do
		takes --reap "$value" --pairs 1
	done
	for order in interleave shuffle sequential; do
		takes --order "$order"
	done
	takes --slot explicit
	takes --cqe skip --reap inline,after --pairs 1
	takes --cycle fresh,reregister,reuse
	takes --file own,shared,per-slot --pairs 2 --reap inline
	takes --ring-fd plain,registered --reap wait --pairs 2
	takes --fdtable shared,private --reap inline --pairs 2
	takes --target plain,coop,single,defer --reap wait --pairs 2
	takes --pattern pairs,fan-in,fan-out --reap poll --pairs 2
	takes --mem local,sender,receiver,interleave,node:0 --pairs 1
	takes --workload msg-data --target defer --reap wait --pairs 1
	takes --with-control
	takes --preset lifecycle
	takes --preset scale
	takes --workload bare --reap inline
	takes --sync free
	takes --color always
}

@test "times need a unit" {
	for value in 50 ms -1ms 1.5ms 1m 61s '' 5ms:spun :spin; do
		refuses --gap '"' -- run --gap "$value"
	done
	wrong --gap 50
	wrong --timeout 5
	wrong --timeout 0
	wrong --timeout 999us
	wrong --timeout 3601s
	takes --gap 0,50ms,50ms:spin --timeout 1ms
	output_has '50ms:spin'
	takes --timeout 3600s
}

@test "numbers of the method" {
	wrong --rounds 0
	wrong --rounds 100001
	wrong --rounds 15x
	wrong --warmup -1
	wrong --warmup 100001
	wrong --blocks 0
	wrong --blocks 10001
	wrong --seed 0
	wrong --seed 4294967296
	takes --rounds 1 --warmup 0 --blocks 1 --seed 4294967295
}

@test "cells that cannot exist name both options" {
	refuses '--used "128"' '--slots "64"' -- run --slots 64 --used 128
	refuses '--batch "512"' '--ring "256"' -- run --batch 512
	refuses '--cq "128"' '--ring "256"' -- run --cq 128
	refuses '--cqe "skip"' '--reap "poll"' -- run --cqe skip --reap poll
	refuses '--workload "bare"' '--reap "wait"' -- run --workload bare --reap wait
	refuses '--workload "bare"' '--cycle "reuse"' -- run --workload bare --reap inline --cycle reuse
	refuses '--workload "bare"' '--slot "explicit"' -- \
		run --workload bare --reap inline --slot explicit
	refuses '--workload "bare"' '--file "per-slot"' -- \
		run --workload bare --reap inline --file per-slot
	refuses '--fdtable "private"' '--reap "poll"' -- run --fdtable private --reap poll
	refuses '--pattern "fan-in"' '--reap "inline"' -- run --pattern fan-in --reap inline
	refuses '--pattern "fan-out"' '--sync "free"' -- \
		run --pattern fan-out --sync free --reap poll --pairs 1
	refuses '--pairs "3"' '--used "all" (2)' -- \
		plan --topology 'core:4 pu:1' --pattern fan-in --pairs 3 --slots 2 --reap poll
	refuses '--pattern "fan-in"' '(65537)' -- \
		run --pattern fan-in --pairs 1 --slots 65537 --reap poll
	for reap in inline poll after; do
		refuses '--target "defer"' "--reap \"$reap\"" msg-data -- \
			run --workload msg-data --target defer --reap $reap
	done
	refuses '--workload "msg-data"' '--slot "explicit"' -- \
		run --workload msg-data --slot explicit
	refuses '--workload "msg-data"' '--file "shared"' -- run --workload msg-data --file shared
	refuses '--workload "msg-data"' '--cqe "skip"' -- \
		run --workload msg-data --cqe skip --reap inline
	refuses '--target "defer"' --with-control -- \
		run --with-control --target plain,defer --reap inline
	refuses '--cqe "skip"' --with-control -- run --with-control --cqe skip --reap inline
	refuses '--workload "bare"' --with-control -- run --with-control --workload bare --reap inline
	refuses '--order "shuffle"' --with-control -- run --with-control --order shuffle
	refuses '--mem "sender"' '--place "8"' 'no memory of its own' -- \
		plan --topology "$ROOT/topologies/memoryless-die.xml" --mem sender --place 8 \
		--reap inline --pairs 1
	refuses '--reap "after"' '65536' -- run --reap after --slots 65537
	refuses '--place "each"' '--pairs "2"' -- run --place each --pairs 2
	# One impossible cell is enough.
	refuses '--used "128"' '--slots "64"' -- run --slots 4096,64 --used 128
}

@test "more pairs than PUs: the numbers are named" {
	refuses '--pairs "65536"' 'needs 65536 PUs' available -- run --pairs 65536
	refuses '--pairs "3"' '--reap "poll"' 'needs 6 PUs, 4 available' -- \
		plan --topology 'core:4 pu:1' --pairs 3 --reap poll
}

@test "sweeps too large are refused at once" {
	refuses '65536 points' -- run --slots 1..65536 --batch 1..64
	refuses '--blocks "10000"' -- run --slots 1..200 --blocks 10000 --pairs 1 --reap inline
}

@test "long options are spelled in full" {
	refuses 'unknown option "--pair"' 'in full it is --pairs' -- run --pair 1
	refuses 'unknown option "--sl"' '--slots or --slot' -- run --sl 64
	refuses 'unknown option "--frob"' '"ringscale run --help"' -- run --frob
	refuses 'unknown option "--oversubscribed"' -- run --oversubscribed
	refuses 'unknown option "--"' -- run --=3
	refuses 'unknown option "-x"' -- run -x
	# An exact name that begins another one is that name.
	takes --slot alloc
}

@test "an option is given once and with what it takes" {
	refuses '--slots' twice -- run --slots 64 --slots 128
	refuses '--solo' twice -- run --solo --solo
	refuses '--slots' 'missing' LIST -- run --slots
	refuses '--solo' '"yes"' 'no value' -- run --solo=yes
	refuses '--slots' '""' -- run --slots=
	refuses '"extra"' 'no arguments' -- run extra
	refuses '"extra"' 'no arguments' -- run -- extra
	refuses '"--slots"' 'no arguments' -- run -- --slots
	takes --slots=64
}

@test "errors come before anything else is done, and in one line" {
	refuses '"4k"' -- run --slots 4k -o here.jsonl
	[ ! -e here.jsonl ]
	refuses '?[31m' -- run --slots $'\n\033[31m'
	refuses --slots '...' -- run --slots "$(printf 'x%.0s' {1..5000})"
}

@test "run measures this machine only" {
	refuses --topology 'this machine' 'ringscale plan' -- run --topology 'core:4 pu:1'
	run --separate-stderr "$RINGSCALE" run --help
	output_lacks '--topology'
}

@test "--help wins over what follows, not over what is wrong before it" {
	run --separate-stderr "$RINGSCALE" run --help --frob
	status_is 0
	refuses '--frob' -- run --frob --help
}

@test "every command takes the common options and refuses what it does not know" {
	for command in run plan topo doctor; do
		refuses "ringscale $command: unknown option \"--frob\"" -- "$command" --frob
		refuses '--color' '"maybe"' -- "$command" --color maybe
		refuses '--quiet' twice -- "$command" --quiet --quiet
		run --separate-stderr "$RINGSCALE" "$command" --help
		output_has --quiet --color --help Examples:
	done
}
