# SPDX-License-Identifier: GPL-2.0-or-later
#
# Reads what one test program printed in TAP, as cmocka and bats write it. Needs
# -v name=, status= (exit status of the program), limit= (seconds it was given).
# Prints failures and skipped tests with what stood beside them, then, as its last
# line, "= PASSED FAILED SKIPPED".

function detail(text) { printf "          %s\n", text }
function fail(what) { failed++; printf "  FAIL    %s: %s\n", name, what }

# A test's own words come before its line, reports on a failure after it.
function flush_notes(i) {
	for (i = 1; i <= notes; i++)
		detail(note[i])
	notes = 0
}

{ sub(/\r$/, "") }

/^1\.\.[0-9]+$/ { planned += substr($0, 4); notes = 0; next }

/^(not )?ok / {
	seen++
	failing = 0
	title = $0
	sub(/^(not )?ok [0-9]* *(- )?/, "", title)
	# What bats --timing adds.
	sub(/ in [0-9]+ms( |$)/, " ", title)
	sub(/ +$/, "", title)
	if (match($0, /# *[Ss][Kk][Ii][Pp]/)) {
		# cmocka: "# SKIP test"; bats: "test # skip reason"
		reason = substr($0, RSTART + RLENGTH)
		sub(/^ +/, "", reason)
		if (sub(/ *# *[Ss][Kk][Ii][Pp].*/, "", title) && title != "")
			notes = 0
		else {
			title = reason
			reason = notes ? note[notes] : "no reason given"
		}
		skipped++
		printf "  SKIP    %s: %s: %s\n", name, title, reason == "" ? "no reason given" : reason
	} else if (/^not/) {
		fail(title)
		flush_notes()
		failing = 1
	} else
		passed++
	notes = 0
	next
}

/^#/ && failing { detail($0); next }
{ note[++notes] = $0 }

END {
	if (status == 124 || status == 137) {
		fail("timed out after " limit " s")
		seen++
	}
	if (seen < planned) {
		fail((planned - seen) " of " planned " tests never ended, exit status " status)
		failed += planned - seen - 1
		flush_notes()
	} else if (status && !failed) {
		fail("exit status " status " though no test failed")
		flush_notes()
	} else if (!seen)
		fail("no test in it")
	printf "= %d %d %d\n", passed, failed, skipped
}
