# SPDX-License-Identifier: GPL-2.0-or-later
#
# Loaded by every file of command-line tests (`load helper`). Each test starts in a
# folder of its own, where result files may be left.

bats_require_minimum_version 1.5.0

ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
RINGSCALE=${RINGSCALE:-$ROOT/ringscale}		# the program under test
TOOLS=$ROOT/build/cli				# programs made from tests/cli/*.c
SHARED=${RINGSCALE_SHARED:-$ROOT/../shared}	# reference data that may be absent

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# need COMMAND: skips the test where it is not installed.
need() {
	command -v "$1" >/dev/null || skip "$1 is not installed"
}

need_shared() {
	[ -e "$SHARED/$1" ] || skip "no $1 in $SHARED"
}

need_root() {
	[ "$(id -u)" -eq 0 ] || skip 'only root can prepare this'
}

# need_own_tasks: for tests that count them, or limit how many there may be.
need_own_tasks() {
	[ "${RINGSCALE_SANITIZED:-}" != thread ] || skip 'the sanitizer has threads of its own'
}

# The id of an ordinary user; each run of a file has its own, as two files would share a user's
# limits on processes and locked memory.
nobody=$((60000 + BATS_ROOT_PID % 5000))

# as_nobody COMMAND...: by that user, without capabilities.
as_nobody() {
	setpriv --reuid=$nobody --regid=$nobody --clear-groups "$@"
}

# need_nobody: from here on $RINGSCALE is a copy in the test's own folder, and the way there is
# open: the repository may lie where an ordinary user cannot go. A second call changes nothing.
need_nobody() {
	local folder=$PWD

	[ "$RINGSCALE" != "$PWD/program" ] || return 0
	need_root
	need setpriv
	while [[ $folder == "$BATS_RUN_TMPDIR"* ]]; do
		chmod o+x "$folder"
		folder=${folder%/*}
	done
	cp "$RINGSCALE" program
	chmod 755 program .
	RINGSCALE=$PWD/program
	as_nobody test -x "$RINGSCALE" || skip "an ordinary user cannot reach $PWD"
}

# need_pus N: skips the test where fewer PUs are allowed.
need_pus() {
	[ "$(nproc)" -ge "$1" ] || skip "needs $1 PUs, $(nproc) allowed"
}

# status_is N: of the last `run`; shows the output where it is not.
status_is() {
	[ "$status" -eq "$1" ] && return
	printf 'exit status %s, not %s; output:\n%s\n' "$status" "$1" "$output"
	printf '%s\n' "${stderr:-}"
	return 1
}

# output_has TEXT...: the last `run` printed each of them, on either stream.
output_has() {
	local text

	for text; do
		case $output${stderr:-} in
		*"$text"*) ;;
		*)
			printf 'no "%s" in the output:\n%s\n%s\n' "$text" "$output" "${stderr:-}"
			return 1 ;;
		esac
	done
}

output_lacks() {
	case $output${stderr:-} in
	*"$1"*)
		printf '"%s" is in the output:\n%s\n%s\n' "$1" "$output" "${stderr:-}"
		return 1 ;;
	esac
}

# refuses TEXT... -- ARGUMENT...: bad usage: status 2, nothing on stdout, one line on stderr
# with each TEXT in it, no file left behind.
refuses() {
	local texts=()

	while [ "$1" != -- ]; do
		texts+=("$1")
		shift
	done
	shift
	run --separate-stderr "$RINGSCALE" "$@"
	status_is 2
	[ -z "$output" ] || { printf 'on stdout: %s\n' "$output"; return 1; }
	[ "${#stderr_lines[@]}" -eq 1 ] || { printf 'not one line:\n%s\n' "$stderr"; return 1; }
	output_has "${texts[@]}"
	! compgen -G '*.jsonl' >/dev/null
}
