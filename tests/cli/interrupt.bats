#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Killed, moved, stopped, denied: finished blocks stay, nothing hangs, nothing lies.

load helper
load measure

setup() {
	measure_setup
	need pgrep
}

teardown() {
	[ -z "${pid:-}" ] || kill -9 "$pid" 2>/dev/null || true
}

# ends STATUS: the background run ends by itself within a second of now.
ends() {
	local begin status=0

	begin=$(date +%s%N)
	wait "$pid" || status=$?
	pid=
	[ "$status" -eq "$1" ] || { echo "status $status"; cat stderr; return 1; }
	[ $(($(date +%s%N) - begin)) -lt 1000000000 ] || { echo 'took over a second'; return 1; }
}

@test "SIGINT ends within a second, keeps finished blocks, exit 130" {
	ROUNDS=20 start
	until_true lines_at_least 4 out.jsonl
	kill -INT "$pid"
	ends 130
	record end '.status == "interrupted" and .exit_status == 130'
	all .valid
	valid_by_schema
}

@test "SIGTERM does the same" {
	start
	until_true lines_at_least 2 out.jsonl
	kill -TERM "$pid"
	ends 130
	record end '.status == "interrupted"'
}

@test "SIGINT during a long gap is not waited for" {
	start --gap 30s
	sleep 0.5
	kill -INT "$pid"
	ends 130
	[ -z "$(pgrep -P "$pid" 2>/dev/null)" ]
}

@test "a killed coordinator takes its block along and leaves whole lines" {
	local block

	ROUNDS=20 start
	until_true lines_at_least 4 out.jsonl
	until_true find_block "$pid"
	kill -KILL "$pid"
	wait "$pid" || true
	pid=
	until_true bash -c "! kill -0 $block 2>/dev/null"
	jq -e . out.jsonl >/dev/null
	all .valid
}

@test "a killed block is one invalid block, the others are measured" {
	BLOCKS=4 ROUNDS=200 start
	until_true lines_at_least 1 out.jsonl
	until_true kill_block "$pid"
	status=0
	wait "$pid" || status=$?
	pid=
	[ "$status" -eq 1 ]
	[ "$(blocks .valid | sort | uniq -c | tr -s ' \n' ' ')" = ' 1 false 3 true ' ]
	grep -q 'invalid: .*ended by signal 9' stdout
	valid_by_schema
}

@test "a thread that is moved from outside makes its round invalid" {
	need_pus 2
	BLOCKS=1 ROUNDS=1500 start --reap inline --gap 1ms
	until_true block_of "$pid"
	sleep 0.3
	taskset -p -c 1 "$(block_of "$pid")" >/dev/null
	status=0
	wait "$pid" || status=$?
	pid=
	[ "$status" -eq 1 ] || { cat stdout stderr; false; }
	all '.valid == false and (.reason | test("PU"))'
	grep -q 'invalid: ' stdout
}

@test "only the PUs of the inherited mask are used" {
	need_pus 2
	run --separate-stderr taskset -c 1 "$RINGSCALE" run -o out.jsonl --slots 64 --blocks 1 --reap inline
	status_is 0
	all '.pairs[0].sender_pu == 1'
	[ "$(jq -r 'select(.record == "header") | .candidates' out.jsonl)" = 1 ]
}

@test "two threads on one PU are refused, the way out named" {
	need_pus 2
	run --separate-stderr taskset -c 1 "$RINGSCALE" run -o out.jsonl --quiet --pairs 1 --reap poll
	status_is 2
	output_has inline
	[ ! -e out.jsonl ]
}

@test "a default sweep under taskset leaves out what does not fit and says so" {
	need_pus 2
	run --separate-stderr taskset -c 1 "$RINGSCALE" run -o out.jsonl --rounds 2 --warmup 0 --blocks 1
	status_is 0
	output_has 'left out: '
	all '.valid and .point.reap == "inline"'
	[ "$(jq 'select(.record == "header") | .dropped | length > 0' out.jsonl)" = true ]
}

@test "io_uring denied by seccomp: exit 3, one line, which it is" {
	run --separate-stderr "$TOOLS/deny" EPERM io_uring_setup -- "$RINGSCALE" run -o out.jsonl
	status_is 3
	[ "${#stderr_lines[@]}" -eq 1 ]
	output_has seccomp
	[ ! -e out.jsonl ]
	run --separate-stderr "$TOOLS/deny" ENOSYS io_uring_setup -- "$RINGSCALE" run -o out.jsonl
	status_is 3
	[ "${#stderr_lines[@]}" -eq 1 ]
	[ ! -e out.jsonl ]
}

@test "an ordinary user measures within default limits" {
	need_nobody
	chmod 777 .
	run --separate-stderr as_nobody bash -c \
		'ulimit -l 8192 && exec "$@"' - "$RINGSCALE" run -o out.jsonl --pairs 1 --rounds 3 --blocks 2 --quiet
	status_is 0
	all .valid
}

@test "a table above the hard limit of open files is refused before measuring" {
	run --separate-stderr bash -c 'ulimit -n 512 && ulimit -Hn 512 && exec setpriv --bounding-set=-all --inh-caps=-all "$@"' - \
		"$RINGSCALE" run -o out.jsonl --slots 4096
	status_is 2
	output_has '--slots 4096' 512
	[ ! -e out.jsonl ]
}

@test "the soft limit of open files is raised and both are recorded" {
	run --separate-stderr bash -c 'ulimit -Sn 256 && exec "$@"' - \
		"$RINGSCALE" run -o out.jsonl --slots 1024 --blocks 1 --rounds 2
	status_is 0
	record header '.limits_before.open_files.soft == 256 and .limits_after.open_files.soft >= 1024'
}

@test "an output that exists, is a folder or cannot be written: nothing measured" {
	echo precious >out.jsonl
	run --separate-stderr "$RINGSCALE" run -o out.jsonl --slots 64 --blocks 1
	status_is 2
	[ "$(cat out.jsonl)" = precious ]
	mkdir folder
	run --separate-stderr "$RINGSCALE" run -o folder --slots 64 --blocks 1
	status_is 2
	run --separate-stderr "$RINGSCALE" run -o none/out.jsonl --slots 64 --blocks 1
	status_is 2
}
