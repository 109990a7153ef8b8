#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# run --resume: goes on with exactly what is missing, or says why not.

load helper
load measure

teardown() {
	[ -z "${pid:-}" ] || kill -9 "$pid" 2>/dev/null || true
}

# whole: a complete run of 3 points x 3 blocks in whole.jsonl.
whole() {
	measure --used 1..3 --blocks 3 --seed 7
	status_is 0
	mv out.jsonl whole.jsonl
}

# first N FILE: the first N lines of whole.jsonl, as if the run had been killed behind them.
first() {
	head -n "$1" whole.jsonl >"$2"
}

# steps FILE: which block of which point, in the order of the file.
steps() {
	jq -r 'select(.record == "block") | "\(.id) \(.block)"' "$1"
}

resume() {
	run --separate-stderr "$RINGSCALE" run --resume "$@"
}

# refused FILE TEXT...: resuming FILE is bad usage, says each TEXT in one line and changes nothing.
refused() {
	local file=$1 before

	shift
	before=$(cksum <"$file")
	resume "$file" --quiet
	status_is 2
	[ -z "$output" ]
	[ "${#stderr_lines[@]}" -eq 1 ] || { printf 'not one line:\n%s\n' "$stderr"; return 1; }
	output_has "$@"
	[ "$(cksum <"$file")" = "$before" ]
}

@test "what is missing is measured, in the seeded order, and nothing twice" {
	local kept

	whole
	for kept in 1 2 5 9; do
		first $kept out.jsonl
		resume out.jsonl
		status_is 0
		[ "$(steps out.jsonl)" = "$(steps whole.jsonl)" ]
		output_has "$((kept - 1)) blocks are there, $((10 - kept)) are missing"
		record resume ".cut_line == false and .blocks_done == $((kept - 1))"
		record end '.status == "complete" and .exit_status == 0 and .blocks == 9'
		valid_by_schema
	done
}

@test "the table is that of all blocks" {
	whole
	first 5 out.jsonl
	resume out.jsonl
	status_is 0
	# An interval needs two blocks of every point; 3 to 5 alone would not give it.
	output_has 'seed 7' 'blocks 3' '±95%' 'result file: out.jsonl'
	output_lacks 'not measured'
}

@test "all blocks but no end: the end is written" {
	whole
	first 10 out.jsonl
	resume out.jsonl
	status_is 0
	output_has '9 blocks are there, 0 are missing'
	record end '.status == "complete" and .blocks == 9'
	valid_by_schema
}

@test "a complete file says so and is left alone" {
	local before

	whole
	before=$(cksum <whole.jsonl)
	resume whole.jsonl
	status_is 0
	output_has 'nothing is missing: all 9 blocks are there' ns/install
	[ "$(cksum <whole.jsonl)" = "$before" ]
}

@test "an invalid block is a result: not measured again, exit 1" {
	need_pus 2
	measure --reap after --slots 1024 --cq 256 --blocks 2
	status_is 1
	resume out.jsonl
	status_is 1
	output_has 'nothing is missing: all 2 blocks' 'invalid: '
	sed -i '$d' out.jsonl
	sed -i '$d' out.jsonl
	resume out.jsonl
	status_is 1
	[ "$(steps out.jsonl | sort | uniq -d | wc -l)" -eq 0 ]
	record end '.exit_status == 1 and .blocks == 2 and .valid_blocks == 0'
}

@test "a torn last line is cut off, reported and measured again" {
	whole
	first 4 out.jsonl
	sed -n 5p whole.jsonl | head -c 200 >>out.jsonl
	resume out.jsonl
	status_is 0
	output_has 'line 5: torn off after 200 bytes' 'the torn last line was cut off'
	jq -e . out.jsonl >/dev/null
	record resume '.cut_line and .blocks_done == 3'
	[ "$(steps out.jsonl)" = "$(steps whole.jsonl)" ]
	valid_by_schema
}

@test "a record that lacks only its line end is kept" {
	whole
	first 5 out.jsonl
	truncate -s -1 out.jsonl
	resume out.jsonl
	status_is 0
	record resume '.cut_line == false and .blocks_done == 4'
	[ "$(steps out.jsonl)" = "$(steps whole.jsonl)" ]
	valid_by_schema
}

@test "an interrupted resume is resumed" {
	BLOCKS=100 ROUNDS=20 start --used 64 --fills 8 --label 'of long ago' --seed 3
	until_true lines_at_least 3 out.jsonl
	kill -INT "$pid"
	wait "$pid" || [ $? -eq 130 ]
	"$RINGSCALE" run --resume out.jsonl --quiet >stdout 2>stderr 3>&- &
	pid=$!
	until_true lines_at_least 8 out.jsonl
	kill -TERM "$pid"
	wait "$pid" || [ $? -eq 130 ]
	pid=
	resume out.jsonl --quiet
	status_is 0
	[ "$(steps out.jsonl | sort -u | wc -l)" -eq 100 ]
	[ "$(steps out.jsonl | wc -l)" -eq 100 ]
	[ "$(jq -r .record out.jsonl | grep -c resume)" -eq 2 ]
	[ "$(jq -r 'select(.record == "end") | .status' out.jsonl | tr '\n' ' ')" = 'interrupted interrupted complete ' ]
	record header '.label == "of long ago" and .seed == 3'
	valid_by_schema
}

@test "presets, solo points and a drawn seed come back from the header" {
	need_pus 2
	run --separate-stderr "$RINGSCALE" run -o whole.jsonl --pairs 2 --solo --slots 64 --reap inline \
		--rounds 2 --warmup 0 --blocks 2 --order shuffle --sync free --quiet
	status_is 0
	first 3 out.jsonl
	resume out.jsonl --quiet
	status_is 0
	[ "$(steps out.jsonl)" = "$(steps whole.jsonl)" ]
	output_has eff %
}

@test "bytes that are no UTF-8 do not keep a file from being resumed" {
	quick --label $'caf\xe9'
	run "$RINGSCALE" run -o $'out\xe9.jsonl' "${arguments[@]}"
	status_is 0
	sed -i '$d' $'out\xe9.jsonl'
	resume $'out\xe9.jsonl'
	status_is 0
	[ "$(jq -r 'select(.record == "header") | .label' $'out\xe9.jsonl')" = 'caf?' ]
}

@test "axes, method and output are refused by name" {
	local option

	whole
	first 3 out.jsonl
	for option in '--slots 64' '--reap inline' '--rounds 2' '--seed 7' '--solo' '--oversubscribe' \
		'--preset f0' '--label x' '-o new' '--show'; do
		run --separate-stderr "$RINGSCALE" run --resume out.jsonl $option
		status_is 2
		[ "${#stderr_lines[@]}" -eq 1 ]
		option=${option%% *}
		output_has "${option/#-o/--output}" 'leave' resume
	done
	cmp out.jsonl <(head -n 3 whole.jsonl)
}

@test "another boot, program, topology, seed, method or sweep is refused, both values named" {
	whole
	first 3 here.jsonl
	boot=$(cat /proc/sys/kernel/random/boot_id)
	sed 's/"boot_id":"[^"]*"/"boot_id":"of-yesterday"/' here.jsonl >other.jsonl
	refused other.jsonl boot of-yesterday "$boot"
	sed 's/"binary_hash":"[^"]*"/"binary_hash":"fnv1a64:0"/' here.jsonl >other.jsonl
	refused other.jsonl program fnv1a64:0
	sed 's/"boot_id":"[^"]*"/"boot_id":null/' here.jsonl >other.jsonl
	refused other.jsonl boot unknown
	sed 's/type=\\"PU\\" os_index=\\"0\\"/type=\\"PU\\" os_index=\\"7\\"/' here.jsonl >other.jsonl
	! cmp -s here.jsonl other.jsonl
	refused other.jsonl topology 'os_index="7"' 'os_index="0"'
	sed 's/"rounds":3/"rounds":4/' here.jsonl >other.jsonl
	refused other.jsonl method 'rounds 4' 'rounds 3'
	sed '1s/"used":2/"used":5/' here.jsonl >other.jsonl
	refused other.jsonl 'point 2 of 3' 'used 5' 'used 2'
	jq -c 'if .points then del(.points[2]) else . end' here.jsonl >other.jsonl
	refused other.jsonl 'number of points' '2 in the file, 3 now'
	jq -c 'if .seed then .seed = -1 else . end' here.jsonl >other.jsonl
	resume other.jsonl
	status_is 1
	output_has seed
}

@test "remarks and huge pages in the topology make no difference" {
	whole
	first 3 out.jsonl
	sed -i 's/<info name=\\"OSRelease\\" value=\\"[^\\]*/&-changed/; s/<page_type size=\\"4096\\" count=\\"/&1/' out.jsonl
	resume out.jsonl --quiet
	status_is 0
}

@test "another mask is refused" {
	need_pus 2
	whole
	first 3 out.jsonl
	run --separate-stderr taskset -c 0 "$RINGSCALE" run --resume out.jsonl --quiet
	status_is 2
	output_has 'inherited mask' 'in the file, 0 now' taskset
	cmp out.jsonl <(head -n 3 whole.jsonl)
}

@test "a second writer is refused by the lock, of a first run and of a resume" {
	start
	until_true lines_at_least 3 out.jsonl
	resume out.jsonl
	status_is 1
	output_has "'out.jsonl'" locked
	kill -INT "$pid"
	wait "$pid" || [ $? -eq 130 ]
	"$RINGSCALE" run --resume out.jsonl --quiet >stdout 2>stderr 3>&- &
	pid=$!
	until_true lines_at_least $(($(wc -l <out.jsonl) + 2)) out.jsonl
	resume out.jsonl
	status_is 1
	output_has locked
	kill -KILL "$pid"
	wait "$pid" || true
	pid=
	jq -e . out.jsonl >/dev/null
	[ "$(steps out.jsonl | sort | uniq -d | wc -l)" -eq 0 ]
}

@test "what is no result file is refused, the way out named" {
	mkdir folder
	refuses folder file -- run --resume folder
	refuses none 'no such file' -- run --resume none
	refuses regular -- run --resume /dev/null
	: >empty
	echo 'no JSON' >text
	for file in empty text; do
		resume $file
		status_is 1
		output_has "'$file'" 'no header'
	done
	whole
	cat whole.jsonl whole.jsonl >two
	resume two
	status_is 1
	output_has 'several runs'
	jq -c 'if .argv then .argv = ["ringscale run", "--nonsense"] else . end' whole.jsonl >other
	resume other
	status_is 1
	output_has 'cannot be read' nonsense
}

@test "a block of a point that the header does not have is refused" {
	whole
	first 3 out.jsonl
	sed -n 4p whole.jsonl | jq -c '.block = 77' >>out.jsonl
	resume out.jsonl
	status_is 1
	output_has 'block 77'
}

@test "a file that cannot be written to is refused" {
	need_nobody
	whole
	first 3 out.jsonl
	run --separate-stderr as_nobody "$RINGSCALE" run --resume out.jsonl
	status_is 1
	output_has "'out.jsonl'" 'cannot be written to'
	cmp out.jsonl <(head -n 3 whole.jsonl)
}
