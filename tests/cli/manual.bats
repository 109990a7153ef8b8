#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
load helper

page=$BATS_TEST_DIRNAME/../../man/ringscale.1
commands='run plan topo doctor report compare vm'

# The page without fonts and escapes.
plain() {
	sed -E 's/\\-/-/g; s/\\f[BIRP]//g; s/\\\(dq/"/g; s/^\.(B|I|BR|BI|IR|RB|RI|IB) //' "$page"
}

# "--name default" for each option of a command; "-" where there is no default.
help_options() {
	"$RINGSCALE" "$1" --help | awk '
		function flush() {
			if (name == "") return
			value = "-"
			if (match(text, /\(default [^ ):,]+/))
				value = substr(text, RSTART + 9, RLENGTH - 9)
			print name, value
		}
		match($0, /^ +(-[a-zA-Z], )?--[a-z][a-z0-9-]*/) {
			next_name = substr($0, RSTART, RLENGTH)
			flush()
			name = next_name
			sub(/.*--/, "--", name)
			text = $0
			next
		}
		name != "" && /^                    / { sub(/^ +/, " "); text = text $0; next }
		{ flush(); name = "" }
		END { flush() }'
}

@test "every option of every --help stands in the manual, with its default" {
	plain >page.txt
	for command in $commands; do
		help_options "$command" >options.txt
		[ "$(wc -l <options.txt)" -ge 3 ]
		while read -r name default; do
			awk -v name="$name" '
				/^\.(TP|SH|SS)/ { on = 0; head = /^\.TP/; next }
				head { head = 0; on = (" " $0 " ") ~ ("[ \"]" name "[ \"]") }
				on { print; found = 1 }
				END { exit !found }' page.txt >entry.txt ||
				{ echo "$command $name is not in the manual"; return 1; }
			[ "$default" = - ] || tr -d ' \n".' <entry.txt | grep -Fiq "default${default//./}" ||
				{ echo "$command $name: no default $default"; cat entry.txt; return 1; }
		done <options.txt
	done
}

@test "every option in the manual is one of some --help" {
	{ echo --version; for command in $commands; do help_options "$command"; done; } |
		cut -d' ' -f1 | sort -u >known.txt
	plain | grep -oE -- '--[a-z][a-z0-9-]*' | sort -u >named.txt
	[ "$(wc -l <named.txt)" -ge 25 ]
	run comm -13 known.txt named.txt
	[ -z "$output" ] || { echo "not an option: $output"; return 1; }
}

@test "every command and every preset has an entry" {
	plain >page.txt
	for word in $commands quick f0 f0-paced lifecycle scale reclaim payoff; do
		grep -A1 '^\.TP' page.txt | grep -qx "$word"
	done
}

@test "every value that an option names in its help is in the manual" {
	plain >page.txt
	for word in send-fd bare inline poll wait after fresh post skip alloc explicit interleave \
		    shuffle sequential fill free reregister reuse own shared per-slot plain \
		    registered reclaim none normal fixed before halfway register sqe close replace; do
		grep -qw -- "$word" page.txt
	done
}

@test "the page has no formatting warnings" {
	need man
	man --warnings -l "$page" >text.txt 2>warnings.txt </dev/null
	grep -q 'EXIT STATUS' text.txt
	[ ! -s warnings.txt ] || { cat warnings.txt; return 1; }
	! command -v mandoc || mandoc -T lint -W error "$page"
}

@test "no --help is wider than 80 columns" {
	for command in $commands; do
		[ "$("$RINGSCALE" "$command" --help | awk '{ print length }' | sort -n | tail -1)" -le 80 ]
	done
}
