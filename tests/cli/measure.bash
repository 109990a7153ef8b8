# SPDX-License-Identifier: GPL-2.0-or-later
#
# What tests that really measure share (load helper; load measure).

need_io_uring() {
	local status=0

	"$RINGSCALE" run -o probe.jsonl --slots 1 --rounds 1 --warmup 0 --blocks 1 --reap inline \
		--quiet >/dev/null 2>&1 || status=$?
	rm -f probe.jsonl
	[ $status -ne 3 ] || skip 'io_uring cannot be used here'
}

# What every test that measures begins with; a file with a setup of its own calls it.
measure_setup() {
	cd "$BATS_TEST_TMPDIR" || return
	need jq
	need_io_uring
}

setup() {
	measure_setup
}

# quick ARGUMENT...: sets $arguments to a small and quick run, what is measured
# matters, not how well; ARGUMENTs take the place of these defaults.
quick() {
	local option

	arguments=(--quiet "$@")
	for option in '--slots 64' '--rounds 3' '--warmup 1' '--blocks 1' '--pairs 1' '--reap inline'; do
		case " $* " in
		*" ${option% *} "*) ;;
		*) arguments+=(${option}) ;;
		esac
	done
}

# measure ARGUMENT...: a small run into out.jsonl.
measure() {
	quick "$@"
	run --separate-stderr "$RINGSCALE" run -o out.jsonl "${arguments[@]}"
}

# blocks FILTER: jq over the block records of out.jsonl, a line each.
blocks() {
	jq -c "select(.record == \"block\") | $1" out.jsonl
}

# record NAME FILTER: whether the filter is true for the record of that name in out.jsonl.
record() {
	jq -es ".[] | select(.record == \"$1\") | $2" out.jsonl >/dev/null && return
	jq -c "select(.record == \"$1\")" out.jsonl | cut -c 1-400
	return 1
}

# all FILTER: true for every block, and there is one.
all() {
	local answers

	answers=$(blocks "$1" | sort -u)
	[ "$answers" = true ] && return
	printf '%s is not true for every block:\n' "$1"
	blocks . | cut -c 1-400
	return 1
}

valid_by_schema() {
	local status=0

	/usr/bin/python3 "$ROOT/tests/validate-schema.py" "${1:-out.jsonl}" || status=$?
	[ $status -ne 77 ] || skip 'python3-jsonschema is not installed'
	return $status
}

# start ARGUMENT...: a long run of $BLOCKS blocks of $ROUNDS rounds in the background; its
# process is $pid.
start() {
	local arguments

	quick --slots 4096 --rounds "${ROUNDS:-100}" --blocks "${BLOCKS:-1000}" "$@"
	"$RINGSCALE" run -o out.jsonl "${arguments[@]}" >stdout 2>stderr 3>&- &
	pid=$!
}

# until_true COMMAND...: within half a minute, as the machine may be busy.
until_true() {
	local end=$((SECONDS + 30))

	until "$@"; do
		[ $SECONDS -lt $end ] || { echo "never true: $*"; return 1; }
		sleep 0.05
	done
}

lines_at_least() {
	[ -e "$2" ] && [ "$(wc -l <"$2")" -ge "$1" ]
}

# The process of the block that is being measured. Between two blocks there is none.
block_of() {
	pgrep -P "$1" | head -n 1 | grep .
}

# find_block COORDINATOR: sets $block; asked once, as a second look may find none.
find_block() {
	block=$(block_of "$1")
}

# kill_block COORDINATOR: fails where there was no block to kill.
kill_block() {
	local block

	block=$(block_of "$1") && kill -KILL "$block" 2>/dev/null
}
