#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What an ordinary user and a full machine allow: computed before measuring, said with limit,
# value, need and option; files and streams that fail; threads that share PUs.

load helper
load measure

teardown() {
	[ -z "${pid:-}" ] || kill -9 "$pid" 2>/dev/null || true
	[ ! -d full ] || umount full 2>/dev/null || true
}

# as_user LIMITS ARGUMENT...: a small run by an ordinary user under `ulimit LIMITS`.
as_user() {
	need_nobody
	chmod 777 .
	quick "${@:2}"
	run --separate-stderr as_nobody \
		bash -c "ulimit $1 && exec \"\$@\"" - "$RINGSCALE" run -o out.jsonl "${arguments[@]}"
}

# refused_with TEXT...: one line with all of that, nothing written.
refused_with() {
	status_is 2
	[ "${#stderr_lines[@]}" -eq 1 ]
	output_has "$@"
	[ ! -e out.jsonl ]
}

@test "processes: refused before measuring, or measured" {
	as_user '-u 40' --pairs 64 --oversubscribe
	refused_with '--pairs 64' 'needs 6' 'processes and threads' RLIMIT_NPROC 'is 40' nproc
	as_user '-u 200' --pairs 64 --oversubscribe --rounds 1 --warmup 0
	status_is 0
	all .valid
}

@test "address space: refused before measuring, or measured" {
	[ -z "${RINGSCALE_SANITIZED:-}" ] || skip 'a sanitizer takes terabytes of addresses'
	as_user '-v 60000' --pairs 120 --oversubscribe
	refused_with '--pairs 120' 'kB of address space' RLIMIT_AS 'is 60000' --as=
	as_user '-v 100000' --pairs 64 --oversubscribe --rounds 1 --warmup 0
	status_is 0
	all .valid
}

@test "a soft limit of processes is raised as far as needed" {
	need_own_tasks
	as_user '-Su 20' --pairs 32 --oversubscribe --rounds 1 --warmup 0
	status_is 0
	record header '.limits_before.processes.soft == 20 and .limits_after.processes.soft >= 33'
}

@test "locked memory: refused before measuring where the kernel charges rings" {
	[ "$(printf '6.14\n%s\n' "$(uname -r)" | sort -V | head -n 1)" = 6.14 ] || skip 'no ring is charged here'
	as_user '-l 800' --pairs 64 --oversubscribe
	refused_with '--pairs 64' 'locked memory' 'is 800 kB' 'ulimit -l' '14 fit'
}

@test "locked memory: of what no pair fits into, no number of pairs is offered" {
	as_user '-l 800' --workload update-buffers --slots 16384
	refused_with '--slots 16384' 'locked memory for a pair' 'is 800 kB' 'a smaller --slots'
	output_lacks '0 fit'
}

@test "open files: the pairs' own are counted" {
	as_user '-n 100' --pairs 64 --oversubscribe
	refused_with '--pairs 64' 'open files' RLIMIT_NOFILE 'is 100'
}

@test "threads share PUs only where that was asked for" {
	local pus

	pus=$(nproc)
	quick --pairs $((pus + 1))
	run --separate-stderr "$RINGSCALE" run -o out.jsonl "${arguments[@]}"
	refused_with "needs $((pus + 1)) PUs, $pus available" --oversubscribe
	measure --pairs $((pus + 1)) --oversubscribe
	status_is 0
	all '.valid and (.pairs | length) == '$((pus + 1))
	record header .method.oversubscribe
	output_lacks eff
	valid_by_schema
}

@test "--oversubscribe changes nothing where every thread has a PU" {
	measure --oversubscribe --pairs 1
	status_is 0
	cp out.jsonl shared.jsonl
	rm out.jsonl
	measure --pairs 1
	[ "$(blocks .id)" = "$(jq -c 'select(.record == "block") | .id' shared.jsonl)" ]
}

@test "a pair of two threads on one PU" {
	local how

	for how in poll wait after; do
		quick --oversubscribe --reap $how --rounds 2
		run --separate-stderr taskset -c 0 "$RINGSCALE" run -o out.jsonl "${arguments[@]}"
		status_is 0
		all '.valid and .pairs[0].sender_pu == 0 and .pairs[0].receiver_pu == 0'
		all '.pairs[0].relation == "same-pu"'
		valid_by_schema
		rm out.jsonl
	done
}

@test "nothing left to measure: the way out is named" {
	need_pus 2
	run --separate-stderr taskset -c 1 "$RINGSCALE" run -o out.jsonl --reap poll --quiet
	refused_with 'needs 2 PUs, 1 available' '--reap inline' --oversubscribe
}

@test "64 pairs on the PUs there are: finished and valid" {
	run --separate-stderr "$RINGSCALE" run -o out.jsonl --pairs 64 --oversubscribe --slots 64 \
		--reap inline
	status_is 0
	all '.valid and (.pairs | length) == 64 and ([.pairs[].rounds | length] | unique) == [15]'
	valid_by_schema
}

@test "a result file that vanishes ends the run, and says so" {
	start
	until_true lines_at_least 2 out.jsonl
	rm out.jsonl
	status=0
	wait "$pid" || status=$?
	pid=
	[ "$status" -eq 1 ]
	grep -q "'out.jsonl': was deleted" stderr
	[ ! -e out.jsonl ]
}

@test "a full disk ends the run, whole lines stay, and --resume goes on elsewhere" {
	need_root
	mkdir full
	mount -t tmpfs -o size=64k tmpfs full 2>/dev/null || skip 'no tmpfs can be mounted here'
	quick --blocks 100 --rounds 10
	run --separate-stderr "$RINGSCALE" run -o full/out.jsonl "${arguments[@]}"
	status_is 1
	output_has 'disk is full' 'whole and kept' 'make room'
	jq -e . full/out.jsonl >/dev/null
	[ "$(jq -r 'select(.record == "block") | .valid' full/out.jsonl | sort -u)" = true ]
	run --separate-stderr "$RINGSCALE" run --resume full/out.jsonl --quiet
	status_is 1
	output_has 'disk is full'
	cp full/out.jsonl .
	run --separate-stderr "$RINGSCALE" run --resume out.jsonl --quiet
	status_is 0
	record end '.status == "complete" and .blocks == 100'
	all .valid
	[ "$(blocks '[.id, .block]' | sort | uniq -d | wc -l)" -eq 0 ]
}

@test "no room for the header: nothing is measured, nothing left behind" {
	need_root
	mkdir full
	mount -t tmpfs -o size=4k tmpfs full 2>/dev/null || skip 'no tmpfs can be mounted here'
	quick
	run --separate-stderr "$RINGSCALE" run -o full/out.jsonl "${arguments[@]}"
	status_is 1
	output_has 'disk is full'
	[ ! -e full/out.jsonl ]
}

@test "a read-only folder is said before measuring" {
	need_nobody
	mkdir folder
	chmod 555 folder
	quick
	run --separate-stderr as_nobody \
		"$RINGSCALE" run -o folder/out.jsonl "${arguments[@]}"
	status_is 1
	[ "${#stderr_lines[@]}" -eq 1 ]
	output_has "'folder/out.jsonl'" 'no permission' "'folder'" -o
}

@test "a device is no result file" {
	refuses "'/dev/full'" device -- run -o /dev/full --quiet
	refuses "'/dev/null'" device -- run -o /dev/null --quiet
}

@test "a limit on file sizes is an error, not a signal" {
	quick --blocks 100 --rounds 10
	run --separate-stderr bash -c 'ulimit -f 64 && exec "$@"' - "$RINGSCALE" run -o out.jsonl "${arguments[@]}"
	status_is 1
	output_has 'limit on file sizes' 'ulimit -f'
	jq -e . out.jsonl >/dev/null
}

@test "standard output that is full, closed or a pipe nobody reads: the file is complete" {
	quick
	run --separate-stderr bash -c '"$@" >/dev/full' - "$RINGSCALE" run -o full.jsonl "${arguments[@]}"
	status_is 1
	output_has 'standard output'
	run --separate-stderr bash -c '"$@" >&-' - "$RINGSCALE" run -o closed.jsonl "${arguments[@]}"
	status_is 0
	run --separate-stderr bash -c '"$@" | true; exit ${PIPESTATUS[0]}' - "$RINGSCALE" run -o pipe.jsonl "${arguments[@]}"
	status_is 1
	for file in full closed pipe; do
		jq -es 'map(.record) == ["header", "block", "end"]' $file.jsonl >/dev/null
		jq -es 'last.status == "complete"' $file.jsonl >/dev/null
	done
}

@test "nohup is respected: SIGHUP ends a run only where it is not ignored" {
	BLOCKS=20 ROUNDS=20 quick --blocks 20 --rounds 20
	(trap '' HUP; exec "$RINGSCALE" run -o out.jsonl "${arguments[@]}") >stdout 2>stderr 3>&- &
	pid=$!
	until_true lines_at_least 3 out.jsonl
	kill -HUP "$pid"
	wait "$pid"
	rm out.jsonl
	start
	until_true lines_at_least 3 out.jsonl
	kill -HUP "$pid"
	status=0
	wait "$pid" || status=$?
	pid=
	[ "$status" -eq 130 ]
	record end '.status == "interrupted"'
}

@test "every flag is explained, an unknown one lists them" {
	local flag

	run --separate-stderr "$RINGSCALE" run --explain nonsense
	status_is 2
	output_has '"nonsense"' off-cpu teardown
	for flag in $(sed 's/.*there are //; s/,//g' <<<"$stderr"); do
		run --separate-stderr "$RINGSCALE" run --explain "$flag"
		status_is 0
		output_has "$flag (" 'set when: '
		[ "${#lines[@]}" -ge 3 ]
	done
	[ ! -e out.jsonl ]
}
