#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# 200 random kills: every finished block stays readable, and --resume reaches the
# end with every block of every point exactly once.

load helper
load measure

# Of one sweep. A block takes some 30 ms, most of it the kernel's teardown.
POINTS=3
BLOCKS_EACH=5

setup() {
	measure_setup
	need pgrep
	RANDOM=${RINGSCALE_TEST_SEED:-$BATS_TEST_NUMBER$$}
	echo "RINGSCALE_TEST_SEED=$RANDOM"
	RANDOM=$RANDOM
	: >ends
}

teardown() {
	[ -z "${pid:-}" ] || kill -9 "$pid" 2>/dev/null || true
}

# go_on: starts a sweep, or goes on with the one that there is; its process is $pid.
go_on() {
	local arguments=(--resume out.jsonl)

	[ -e out.jsonl ] || arguments=(-o out.jsonl --slots 8 --used 1..$POINTS --fills 1 --reap inline
		--pairs 1 --rounds 1 --warmup 0 --blocks $BLOCKS_EACH --timeout 1ms)
	"$RINGSCALE" run "${arguments[@]}" --quiet >stdout 2>stderr 3>&- &
	pid=$!
}

# readable: whole lines are JSON, no block is there twice.
readable() {
	local torn

	torn=$(tail -c 1 out.jsonl | wc -l)
	if [ "$torn" -eq 1 ]; then cat out.jsonl; else sed '$d' out.jsonl; fi >whole
	jq -r 'select(.record == "block") | "\(.id) \(.block)"' whole >steps || return
	[ -z "$(sort steps | uniq -d)" ]
}

# ended STATUS BYTES: how the process ended: done, failed, interrupted, killed; by the signal itself
# only before it began, when the file was BYTES long.
ended() {
	local bytes

	echo "$1" >>ends
	bytes=$(stat -c %s out.jsonl 2>/dev/null || echo 0)
	case $1 in
	0 | 1 | 130 | 137) ;;
	141 | 143) [ "$bytes" -eq "$2" ] ;;
	*)
		echo "exit status $1"
		cat stderr
		return 1 ;;
	esac
}

# complete: the sweep is all there; the next kill gets a new one.
complete() {
	local status=0

	"$RINGSCALE" run --resume out.jsonl --quiet >stdout 2>stderr || status=$?
	[ $status -le 1 ] || { echo "resume: status $status"; cat stderr; return 1; }
	readable
	[ "$(wc -l <steps)" -eq $((POINTS * BLOCKS_EACH)) ] || { echo "$(wc -l <steps) blocks"; return 1; }
	record end ".status == \"complete\" and .blocks == $((POINTS * BLOCKS_EACH))"
	# The reader agrees, and finds nothing amiss.
	"$RINGSCALE" run --resume out.jsonl >stdout 2>stderr || [ $? -eq $status ]
	grep -q 'nothing is missing' stdout
	[ ! -s stderr ] || { cat stderr; return 1; }
	rm out.jsonl
}

# hit HOW: one kill. Whoever is hit may be gone already.
hit() {
	case $1 in
	KILL | INT | TERM | PIPE) kill -"$1" "$pid" ;;
	block) kill -KILL "$(block_of "$pid")" ;;
	STOP)
		kill -STOP "$pid"
		sleep 0.0$((RANDOM % 5))
		kill -CONT "$pid" ;;
	esac 2>/dev/null || true
}

# kills COUNT HOW...: COUNT times one of these, at a random moment.
kills() {
	local count=$1 how status bytes

	shift
	for ((i = 0; i < count; i++)); do
		bytes=$(stat -c %s out.jsonl 2>/dev/null || echo 0)
		how=${@:RANDOM % $# + 1:1}
		go_on
		sleep 0.0$((RANDOM % 10))$((RANDOM % 10))
		hit "$how"
		case $how in
		# These end nothing.
		block | STOP | PIPE)
			[ $((RANDOM % 3)) -eq 0 ] || hit INT ;;
		esac
		status=0
		wait "$pid" || status=$?
		pid=
		ended $status $bytes || { echo "kill $i: $how"; return 1; }
		# Killed before there is a header there is nothing to go on with.
		[ -s out.jsonl ] || rm -f out.jsonl
		[ -e out.jsonl ] || continue
		readable || { echo "kill $i: $how"; return 1; }
		[ "$(wc -l <steps)" -lt $((POINTS * BLOCKS_EACH)) ] || complete || return
	done
	[ ! -e out.jsonl ] || complete
}

@test "50 times SIGKILL to the coordinator" {
	kills 50 KILL
	grep -q 137 ends
}

@test "50 times SIGINT or SIGTERM" {
	kills 50 INT TERM
	grep -q 130 ends
}

@test "50 times SIGKILL to a block, SIGPIPE, or SIGSTOP and SIGCONT" {
	kills 50 block PIPE STOP
	grep -q '^[01]$' ends
}

@test "50 times any of them" {
	kills 50 KILL INT TERM block STOP PIPE
}

@test "SIGTERM to the whole process group loses no block and records none as killed" {
	local i lines

	for i in 1 2 3 4 5 6; do
		arguments=(--resume out.jsonl)
		[ -e out.jsonl ] || quick --blocks 300 --rounds 10
		[ -e out.jsonl ] || arguments+=(-o out.jsonl)
		lines=$([ ! -e out.jsonl ] || wc -l <out.jsonl)
		setsid "$RINGSCALE" run "${arguments[@]}" >stdout 2>stderr 3>&- &
		pid=$!
		until_true lines_at_least $((lines + 3)) out.jsonl
		kill -TERM -- -"$pid" || { cat stderr; return 1; }
		wait "$pid" || [ $? -ge 130 ]
		pid=
	done
	all .valid
}

@test "SIGPIPE and SIGTERM to a block are nothing to it" {
	BLOCKS=3 ROUNDS=200 start
	until_true block_of "$pid"
	kill -TERM "$(block_of "$pid")" || true
	kill -PIPE "$(block_of "$pid")" || true
	wait "$pid"
	pid=
	all .valid
}

@test "stopped and let go on, coordinator and block together: nothing is lost" {
	BLOCKS=5 ROUNDS=50 start
	until_true lines_at_least 2 out.jsonl
	block=$(block_of "$pid")
	kill -STOP "$pid" $block
	sleep 1.5
	kill -CONT "$pid" $block
	wait "$pid"
	pid=
	[ "$(blocks .valid | wc -l)" -eq 5 ]
	all .valid
}

@test "Ctrl-C while a block stands still ends within a second" {
	start
	until_true lines_at_least 2 out.jsonl
	until_true block_of "$pid"
	kill -STOP "$(block_of "$pid")"
	sleep 0.3
	begin=$(date +%s%N)
	kill -INT "$pid"
	wait "$pid" || [ $? -eq 130 ]
	pid=
	[ $(($(date +%s%N) - begin)) -lt 1000000000 ]
	record end '.status == "interrupted"'
	all .valid
}

@test "a block that stands still for good is killed, and the run goes on" {
	BLOCKS=3 ROUNDS=200 start --timeout 1ms
	until_true lines_at_least 2 out.jsonl
	until_true block_of "$pid"
	kill -STOP "$(block_of "$pid")"
	status=0
	wait "$pid" || status=$?
	pid=
	[ "$status" -eq 1 ]
	[ "$(blocks .valid | sort | uniq -c | tr -s ' \n' ' ')" = ' 1 false 2 true ' ]
	[[ $(blocks .reason) =~ 'made no progress' ]]
	record end '.status == "complete" and .exit_status == 1'
}
