#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# reclaim and payoff on this machine's kernel: what is recorded, refused, kept after kills.

load helper
load measure

teardown() {
	[ -z "${pid:-}" ] || kill -9 "$pid" 2>/dev/null || true
}

# reclaim ARGUMENT...: a quick sweep into out.jsonl.
reclaim() {
	measure --workload reclaim --slots 64 --rounds "${rounds:-2}" --warmup 1 --churn 64 "$@"
}

# rounds FILTER: true for every round of every pair of every block, and there is one.
rounds() {
	all "[.pairs[].rounds[]] | length > 0 and all($1)"
}

# Linux 6.13 or newer: nothing is kept for a pending request.
need_release_at_once() {
	[ "$(printf '6.13\n%s\n' "$(uname -r)" | sort -V | head -n 1)" = 6.13 ] ||
		skip 'removed files are kept for pending requests here'
}

@test "every removal is recorded with its measures and their units" {
	reclaim --pending none --hold 5ms
	status_is 0
	all .valid
	rounds '.installs == 64 and .fill_ns > 0 and .unregister_ns > 0 and .remove_ns == null'
	rounds '.measures.pending | .unit == "ns" and .value >= 5e6'
	rounds '.measures | .release_delay_p50.value <= .release_delay_p90.value and
		.release_delay_p90.value <= .release_delay_p99.value and
		.release_delay_p99.value <= .release_delay_max.value'
	rounds '.measures.settled.value > 0 and .measures.replaced.value > 0'
	rounds '.measures.released_pending.unit == "files"'
	all '.point | .pending == "none" and .removal == "register" and .hold == "5ms" and .churn == 64'
	valid_by_schema
}

@test "all 64 are released at once, whatever is pending, however they are removed" {
	need_release_at_once
	reclaim --pending none,normal,fixed --issued before --removal register,sqe,close,replace --hold 3ms
	status_is 0
	[ "$(blocks .valid | wc -l)" -eq 12 ]
	rounds '.measures.released_pending.value == 64'
	# Somewhere nothing else came between, whatever this machine does.
	[ "$(blocks '[.pairs[].rounds[].measures.release_delay_max.value] | min < 3e6' | grep -c true)" -ge 6 ]
}

@test "a request issued halfway keeps nothing here" {
	need_release_at_once
	reclaim --pending fixed --issued halfway --removal register,close --hold 3ms --batch 1,64
	status_is 0
	rounds '.measures.released_pending.value == 64'
	all '.point.issued == "halfway"'
}

@test "delay does not follow the time pending here, and unregister does not wait" {
	need_release_at_once
	reclaim --pending fixed --issued before --hold 10ms,20ms,40ms,80ms
	status_is 0
	[ "$(blocks .point.hold | sort -u | wc -l)" -eq 4 ]
	[ "$(blocks 'select(.point.hold == "80ms") | [.pairs[].rounds[].unregister_ns] | min < 40e6')" = true ]
	output_has 'slope of the release delay' 'delay / pending'
	# The last table: pending, slope, interval, times.
	awk '/delay \/ pending/ { on = 1; next } on && $1 == "fixed" { exit !($2 > -0.5 && $2 < 0.5 && $4 == 4) }
		END { if (!on) exit 1 }' <<<"$output"
}

@test "files and bytes kept are per file replaced, and null where nothing is replaced" {
	need_release_at_once
	measure --workload reclaim --pending fixed --issued before --hold 50ms --churn 500
	status_is 0
	rounds '.measures.replaced.value == 500'
	[ "$(blocks '[.pairs[].rounds[].measures.live_files.value] | min < 0.5')" = true ]
	rm out.jsonl
	measure --workload reclaim --pending none --hold 1ms --churn 0
	status_is 0
	rounds '.measures | .replaced.value == null and .live_files.value == null and .slab_bytes.value == null'
}

@test "several rings at once, each with its own files; one looks at the machine" {
	need_pus 2
	reclaim --pairs 2 --pending fixed --hold 5ms
	status_is 0
	all '.valid and (.pairs | length == 2)'
	all '[.pairs[1].rounds[].measures.live_files.value == null] | all'
	all '[.pairs[0].rounds[].measures.replaced.value > 0] | all'
	valid_by_schema
}

@test "with free sync nobody looks at the machine" {
	need_pus 2
	# Enough rounds that two pairs that begin apart still run together.
	rounds=30 reclaim --pairs 2 --pending none --hold 1ms --sync free
	status_is 0
	all '[.pairs[].rounds[].measures.live_files.value == null] | all'
}

@test "four times pending, and more rounds than the rest, where nothing is typed" {
	run "$RINGSCALE" run --workload reclaim --show
	status_is 0
	output_has '--hold 10ms,20ms,40ms,80ms' '--pending normal,fixed' '--issued halfway' '--rounds 5'
	while read -r line; do
		run "$RINGSCALE" ${line#ringscale } --show
		status_is 0
		[ "$output" = "$line" ] || { printf '%s\n%s\n' "$line" "$output"; return 1; }
	done < <("$RINGSCALE" run --workload reclaim --show)
}

# Nothing that was printed is wider than a terminal, but for the file's name.
fits() {
	local width
	width=$(printf '%s\n' "$output" | grep -v '^result file' | LC_ALL=C.UTF-8 wc -L)
	[ "$width" -le 80 ] || { printf '%s columns:\n%s\n' "$width" "$output"; return 1; }
}

@test "tables fit 80 columns, and name only what was measured" {
	reclaim --pending normal,fixed --issued before --hold 1ms,2ms --mem node:0,interleave
	status_is 0
	fits
	output_has 'files replaced meanwhile'
	rm out.jsonl
	measure --workload reclaim --slots 64 --pending none --hold 1ms --churn 0
	status_is 0
	output_lacks 'replaced'
	rm out.jsonl
	run --separate-stderr "$RINGSCALE" run -o out.jsonl --preset payoff --hold 1ms,2ms --rounds 1 \
		--warmup 0 --blocks 2 --pairs 1
	status_is 0
	fits
	output_has 'cannot show the pay-off'
	output_lacks 'of several'
	rm out.jsonl
	run --separate-stderr "$RINGSCALE" run -o out.jsonl --preset payoff --hold 1ms --rounds 1 \
		--warmup 0 --blocks 1 --pairs 1 --target coop,defer --removal close
	status_is 0
	output_has 'of several --target this table has coop alone'
	output_lacks 'of several --removal'
}

@test "bad values: what has no meaning is refused with both options" {
	refuses --pending '"fixed"' --workload '"send-fd"' reclaim -- run --pending fixed
	refuses --pending '"normal"' --workload '"bare"' -- run --workload bare --pending normal
	refuses --hold '"3ms"' --workload -- run --hold 3ms
	refuses --removal '"sqe"' --workload -- run --removal sqe
	refuses --churn '"9"' --workload -- run --churn 9
	refuses --issued '"halfway"' --pending '"none"' -- \
		run --workload reclaim --pending none --issued halfway
	refuses --workload '"reclaim"' --cycle '"reuse"' -- run --workload reclaim --cycle reuse --preset f0
	refuses --workload '"reclaim"' --reap '"poll"' -- run --workload reclaim --reap poll
	refuses --workload '"reclaim"' --ring-fd -- run --workload reclaim --ring-fd registered
	refuses --cq '"256"' --used -- run --workload reclaim --cq 256 --ring 64 --slots 1024 --used 1000
	refuses --pending '"often"' none normal fixed -- run --workload reclaim --pending often
	refuses --removal '"rm"' register sqe close replace -- run --workload reclaim --removal rm
	# Not even the value that stands there anyway.
	refuses --pending '"none"' --workload '"msg-data"' -- run --workload msg-data --pending none
	refuses --removal '"register"' --workload '"send-fd"' -- run --removal register
	refuses --churn '"0"' --workload '"enter"' -- run --workload enter --churn 0
	refuses --workload '"reclaim"' --pattern '"fan-out"' pairs -- \
		run --workload reclaim --pairs 2 --pattern fan-out
	refuses --hold '"5"' -- run --workload reclaim --hold 5
	refuses --hold '"61s"' -- run --workload reclaim --hold 61s
	refuses --churn '"65537"' -- run --workload reclaim --churn 65537
	refuses --used 32767 --workload '"reclaim"' -- run --workload reclaim --slots 40000 --used 32767
}

@test "more rings and files than the limits allow are refused before measuring" {
	need prlimit
	run --separate-stderr prlimit --nofile=600:600 "$RINGSCALE" run --workload reclaim -o out.jsonl \
		--pairs 2 --slots 300 --oversubscribe
	status_is 2
	output_has '--pairs 2 with --used 300' RLIMIT_NOFILE 'is 600'
	run --separate-stderr prlimit --nofile=256:256 "$RINGSCALE" run --workload reclaim -o out.jsonl \
		--slots 256 --used 16
	status_is 2
	output_has '--slots 256' 'needs 257'
	[ ! -e out.jsonl ]
}

@test "as an ordinary user: what is denied is null, all else is measured" {
	need_nobody
	chmod 777 .
	quick --workload reclaim --slots 64 --pending fixed --hold 2ms --rounds 1 --churn 64
	run --separate-stderr as_nobody "$RINGSCALE" run -o out.jsonl "${arguments[@]}"
	status_is 0
	all .valid
	valid_by_schema
}

@test "a killed block costs one block, an interrupt keeps the rest, and resume goes on" {
	quick --workload reclaim --pending none --hold 100ms --rounds 6 --warmup 0 --blocks 8 --slots 16
	"$RINGSCALE" run -o out.jsonl "${arguments[@]}" >stdout 2>stderr 3>&- &
	pid=$!
	until_true lines_at_least 2 out.jsonl
	until_true kill_block $pid
	until_true grep -q 'ended by signal 9' out.jsonl
	kill -INT $pid
	status=0
	wait $pid || status=$?
	status_is 130
	pid=
	record end '.status == "interrupted"'
	run --separate-stderr "$RINGSCALE" run --resume out.jsonl --quiet
	status_is 1
	[ "$(blocks .block | sort -u | wc -l)" -eq 8 ]
	[ "$(blocks .valid | grep -c false)" -eq 1 ]
	jq -es '[.[] | select(.record == "end")][-1].status == "complete"' out.jsonl
	valid_by_schema
}

@test "SIGINT ends a run within a second while a request is pending" {
	quick --workload reclaim --pending fixed --issued before --hold 20s --rounds 1 --warmup 0
	"$RINGSCALE" run -o out.jsonl "${arguments[@]}" >stdout 2>stderr 3>&- &
	pid=$!
	until_true find_block $pid
	sleep 0.5
	begin=$EPOCHREALTIME
	kill -INT $pid
	status=0
	wait $pid || status=$?
	end=$EPOCHREALTIME
	pid=
	status_is 130
	[ $(((${end/./} - ${begin/./}) / 1000)) -lt 2000 ]
}

@test "payoff: cost and release in one file, one table, the sentence" {
	run --separate-stderr "$RINGSCALE" run --preset payoff --pairs 1 --blocks 1 --rounds 2 --warmup 0 \
		--hold 2ms,4ms,6ms,8ms --slots 64 --used 64 --churn 64 -o out.jsonl --quiet
	status_is 0
	[ "$(blocks .point.workload | grep -c reclaim)" -eq 12 ]
	[ "$(blocks .point.workload | grep -c send-fd)" -eq 2 ]
	all .valid
	output_has 'install, fresh, ns' 'install, reuse, ns' 'removal, reuse, until released, ns' \
		'fixed pending: delay / time pending' 'fixed pending: files kept per removal' \
		'A fill alone cannot show the pay-off'
	# Points of installs say nothing of removals.
	all '.point | (.workload == "reclaim") == has("pending")'
	valid_by_schema
}

@test "plan: an axis shows where it means something" {
	run "$RINGSCALE" plan --topology 'core:2 pu:1' --slots 64
	status_is 0
	output_lacks pending
	run "$RINGSCALE" plan --topology 'core:2 pu:1' --preset payoff --pairs 1
	status_is 0
	output_has pending '11 points' 'send-fd' reclaim
	run "$RINGSCALE" plan --topology 'core:2 pu:1' --preset payoff --pairs 1 --format json
	jq -e '[.points[].point | (.workload == "reclaim") == has("hold")] | all' <<<"$output"
}
