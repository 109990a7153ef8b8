#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tests/run.sh [NAME...]: what `make check` does once the program is built. NAME
# picks what is run: check-headers, check-layers, warnings, unit, cli, vm, address,
# thread, or one of them: unit/test_list, cli/main, address/unit/test_list.
# Closes with one line of totals; fails if anything failed.

cd "$(dirname "$0")/.." || exit 2
root=$PWD
make=${MAKE:-make}
selection=("$@")
passed=0 failed=0 skipped=0

unit_limit=${RINGSCALE_UNIT_LIMIT:-60}		# seconds a unit test program may take
cli_limit=${RINGSCALE_CLI_LIMIT:-60}		# seconds a command-line test may take
file_limit=${RINGSCALE_FILE_LIMIT:-600}		# seconds a file of them may take
vm_limit=${RINGSCALE_VM_LIMIT:-1800}		# seconds a test that boots guests may take
vm_file_limit=${RINGSCALE_VM_FILE_LIMIT:-3600}	# seconds a file of them may take

# Command-line tests that the whole check runs with the sanitizers' programs too. Named (make check
# TESTS="address thread") a sanitizer runs all but `build`, which makes programs of its own.
address_cli=(main plan topo doctor run cycles vm)
thread_cli=(run cycles patterns)
# Files of command-line tests that look at how long threads ran together.
measuring=(run cycles patterns reclaim updates)

# Reports get an exit status that the program itself never has, so that no test that
# expects a failure takes one for it.
export ASAN_OPTIONS=exitcode=99:detect_stack_use_after_return=1
export UBSAN_OPTIONS=exitcode=99:print_stacktrace=1
export TSAN_OPTIONS=exitcode=99

wanted() {
	local name

	[ ${#selection[@]} -eq 0 ] && return 0
	for name in "${selection[@]}"; do
		case $1/ in "$name"/*) return 0 ;; esac
		case $name/ in "$1"/*) return 0 ;; esac
	done
	return 1
}

say() { printf '  %-7s %s\n' "$1" "$2"; }
pass() { passed=$((passed + 1)); say PASS "$1"; }
fail() { failed=$((failed + 1)); say FAIL "$1${2:+: $2}"; }
skip() { skipped=$((skipped + 1)); say SKIP "$1: $2"; }

lanes=2	# programs that are many tests run so many at a time
[ "$(nproc)" -ge 2 ] && [ "${RINGSCALE_TEST_GLOBAL:-}" != yes ] || lanes=1
declare -A names=() limits=() logs=() began=()	# of those that run, by process
trap '[ ${#names[@]} -eq 0 ] || kill "${!names[@]}"; exit 130' INT TERM

# build DIR SANITIZE GOAL [VARIABLE=VALUE...]
build() {
	$make --no-print-directory $JOBS -f build.mk BUILD="$1" SANITIZE="$2" "${@:3}"
}

# one_check NAME COMMAND...: a command that is one test.
one_check() {
	wanted "$1" || return
	if "${@:2}"; then pass "$1"; else fail "$1"; fi
}

# count NAME LIMIT LOG STATUS SECONDS: adds up what such a program wrote.
count() {
	local summary counts

	summary=$(awk -v name="$1" -v status="$4" -v limit="$2" -f tests/tap.awk "$3")
	read -ra counts <<<"${summary##*= }"
	passed=$((passed + counts[0]))
	failed=$((failed + counts[1]))
	skipped=$((skipped + counts[2]))
	say TEST "$1 ($((counts[0] + counts[1] + counts[2]))), $5 s"
	[ -n "${V:-}" ] && cat "$3"
	sed '/^= [0-9 ]*$/d' <<<"$summary" | sed '/^$/d'
}

# reap: waits for one of those that run, and counts it.
reap() {
	local id= status

	wait -n -p id "${!names[@]}" 2>/dev/null
	status=$?
	if [ -z "$id" ]; then	# one that a signal ended is known to `wait ID` alone
		for id in "${!names[@]}"; do
			kill -0 "$id" 2>/dev/null || break
		done
		wait "$id"
		status=$?
	fi
	count "${names[$id]}" "${limits[$id]}" "${logs[$id]}" $status $((SECONDS - began[$id]))
	unset "names[$id]"
}

# drain: waits for all that run.
drain() {
	while [ ${#names[@]} -gt 0 ]; do reap; done
}

# tap NAME LIMIT LOG COMMAND...: begins a program that is many tests once a lane is free.
tap() {
	while [ ${#names[@]} -ge $lanes ]; do reap; done
	mkdir -p "$(dirname "$3")"
	timeout -k 5 "$2" "${@:4}" >"$3" 2>&1 </dev/null &
	names[$!]=$1 limits[$!]=$2 logs[$!]=$3 began[$!]=$SECONDS
}

# What the programs of a build directory are started with.
wrapper=()

# unit_tests PREFIX DIR: each program of tests/unit, built in DIR.
unit_tests() {
	local source test

	for source in tests/unit/test_*.c; do
		test=$(basename "$source" .c)
		[ -e "$source" ] && wanted "$1unit/$test" || continue
		if [ -x "$2/unit/$test" ]; then
			CMOCKA_MESSAGE_OUTPUT=TAP tap "$1unit/$test" "$unit_limit" \
				"$2/logs/unit/$test" "${wrapper[@]}" "$2/unit/$test"
		else
			fail "$1unit/$test" "does not build"
		fi
	done
}

# bats_tests PREFIX DIR FOLDER PROGRAM NAME...: files of tests/FOLDER against PROGRAM.
bats_tests() {
	local prefix=$1 dir=$2 folder=$3 program=$4 test

	for test in "${@:5}"; do
		[ -e "tests/$folder/$test.bats" ] && wanted "$prefix$folder/$test" || continue
		if ! command -v bats >/dev/null; then
			fail "$prefix$folder/$test" "bats is missing; run make deps check"
			continue
		fi
		RINGSCALE=$program BATS_TEST_TIMEOUT=$test_limit \
			tap "$prefix$folder/$test" "$file_limit" "$dir/logs/$folder/$test" \
			"${wrapper[@]}" bats --tap --timing "tests/$folder/$test.bats"
	done
}

# cli_tests PREFIX DIR PROGRAM NAME...: files of tests/cli, first those whose outcome no other
# program can change, then those that need the machine for themselves.
cli_tests() {
	local test beside=() alone=() test_limit=$cli_limit

	for test in "${@:4}"; do
		case " ${measuring[*]} " in
		*" $test "*) alone+=("$test") ;;
		*) beside+=("$test") ;;
		esac
	done
	bats_tests "$1" "$2" cli "$3" "${beside[@]}"
	local lanes=1
	bats_tests "$1" "$2" cli "$3" "${alone[@]}"
	drain
}

# Names of the .bats files in a folder.
bats_files() {
	local file

	for file in "tests/$1"/*.bats; do
		[ ! -e "$file" ] || basename "$file" .bats
	done
}

warnings() {
	local compiler

	for compiler in gcc clang; do
		wanted "warnings/$compiler" || continue
		if ! command -v $compiler >/dev/null; then
			skip "warnings/$compiler" "$compiler is missing; run make deps check"
		elif build "build/$compiler" '' compiled CC=$compiler WERROR=yes; then
			pass "warnings/$compiler"
		else
			fail "warnings/$compiler"
		fi
	done
}

# sanitized NAME SANITIZE CLI-FILE...: unit and command-line tests with a sanitizer's programs, which
# are several times slower.
sanitized() {
	local name=$1 dir=build/$1 cli_limit=$((5 * cli_limit)) file_limit=$((2 * file_limit))
	local files=("${@:3}")

	wanted "$name" || return
	if ! build "$dir" "$2" "$dir/probe" >"$dir.log" 2>&1; then
		skip "$name" "the compiler cannot link -fsanitize=$2; $dir.log says why"
		return
	fi
	wrapper=()
	# The thread sanitizer of older compilers dies where addresses are very random.
	if ! "$dir/probe" 2>/dev/null; then
		wrapper=(setarch -R)
		if ! "${wrapper[@]}" "$dir/probe" 2>/dev/null; then
			skip "$name" "programs with -fsanitize=$2 do not start on this kernel"
			return
		fi
	fi
	build "$dir" "$2" all units -k || fail "$name" "does not build"
	export RINGSCALE_SANITIZED=$2
	unit_tests "$name/" "$dir"
	[ ${#selection[@]} -eq 0 ] || mapfile -t files < <(bats_files cli | grep -vx build)
	[ ! -x "$dir/ringscale" ] ||
		cli_tests "$name/" "$dir" "$root/$dir/ringscale" "${files[@]}"
	drain
	unset RINGSCALE_SANITIZED
	wrapper=()
}

# cmocka may have come after the tree was configured. Whatever is selected: units are built for the
# command line's tests and with every sanitizer too.
has_cmocka() { grep -q '^CMOCKA_LIBS = .' build/config.mk; }
has_cmocka || build/config.status >/dev/null
! wanted unit || has_cmocka || fail unit 'cmocka is missing; run make deps check'

one_check check-headers build build '' check-headers
one_check check-layers tests/check-layers.sh
warnings

if wanted unit || wanted cli || wanted vm || wanted address/cli || wanted thread/cli; then
	sanitize=$(sed -n 's/^SANITIZE = //p' build/config.mk)
	build build "$sanitize" units tools -k || fail tests "some do not build"
fi
unit_tests '' build
mapfile -t files < <(bats_files cli)
cli_tests '' build "$root/ringscale" "${files[@]}"
sanitized address address,undefined "${address_cli[@]}"
sanitized thread thread "${thread_cli[@]}"
test_limit=$vm_limit file_limit=$vm_file_limit
mapfile -t files < <(bats_files vm)
bats_tests '' build vm "$root/ringscale" "${files[@]}"
drain

echo "total: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ $((passed + skipped)) -gt 0 ]
