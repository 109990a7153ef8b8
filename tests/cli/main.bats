#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
load helper

@test "--help lists every command with what it does, on stdout" {
	run --separate-stderr "$RINGSCALE" --help
	status_is 0
	[ -z "$stderr" ]
	for command in run plan topo doctor; do
		grep -Eq "^  $command +[a-z]" <<<"$output"
	done
	output_has --help --version examples: 'exit status'
	[ "$(awk '{ print length }' <<<"$output" | sort -n | tail -1)" -le 80 ]
}

@test "every listed command has a help of its own with examples" {
	names=$("$RINGSCALE" --help | awk '/^commands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }')
	[ "$(wc -w <<<"$names")" -ge 4 ]
	for command in $names; do
		run --separate-stderr "$RINGSCALE" "$command" --help
		status_is 0
		output_has "ringscale $command"
		grep -qi example <<<"$output"
	done
}

@test "no command: the listing on stderr, status 2" {
	run --separate-stderr "$RINGSCALE"
	status_is 2
	[ -z "$output" ]
	output_has 'no command given' doctor
}

@test "an unknown command is quoted and the known ones named" {
	refuses "unknown command 'rnu'" run plan topo doctor -- rnu
	refuses "unknown command ''" -- ''
	refuses "unknown command 'ru'" -- ru
}

@test "an unknown option is quoted; long options are spelled in full" {
	refuses "unknown option '--frobnicate'" -- --frobnicate
	refuses "unknown option '--vers'" -- --vers
	refuses "unknown option '-'" -- -
}

@test "nothing may follow --help or --version" {
	refuses "'run'" -- --version run
	refuses "'run'" -- --help run
}

@test "--version prints one line" {
	run --separate-stderr "$RINGSCALE" --version
	status_is 0
	[ -z "$stderr" ]
	[[ "$output" =~ ^ringscale\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
}

@test "output that cannot be written is a failure" {
	[ -e /dev/full ] || skip 'no /dev/full'
	for arguments in --help --version 'topo' 'plan --help'; do
		run --separate-stderr sh -c "\"$RINGSCALE\" $arguments >/dev/full"
		status_is 1
		output_has 'cannot write to standard output'
	done
}

@test "closed standard streams do no harm" {
	run sh -c "\"$RINGSCALE\" --version 2>&- <&-"
	status_is 0
	output_has 'ringscale '
	run sh -c "\"$RINGSCALE\" rnu >&- 2>&- <&-"
	status_is 2
}
