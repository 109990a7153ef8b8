#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
load helper

switch=/proc/sys/kernel/io_uring_disabled
saved=			# its value, while a test has changed it

teardown() {
	[ -z "$saved" ] || echo "$saved" >$switch
}

# deny ERROR SYSCALL... -- COMMAND...: see deny.c
deny() {
	"$TOOLS/deny" "$@"
}

need_uring() {
	"$RINGSCALE" doctor --quiet >/dev/null 2>&1 || skip 'io_uring is not available here'
}

# set_switch VALUE: one test at a time, put back by teardown.
set_switch() {
	[ -w $switch ] || skip "$switch cannot be written"
	exec 9>"${BATS_RUN_TMPDIR%/*}/ringscale-io_uring_disabled.lock"
	! command -v flock >/dev/null || flock 9
	saved=$(<$switch)
	echo "$1" >$switch 2>/dev/null || { saved=; skip "$switch cannot be written"; }
}

# forbidden TEXT...: the last `run` ended with 3, one line on stderr with each TEXT, and a
# table on stdout that says the same.
forbidden() {
	status_is 3
	[ "${#stderr_lines[@]}" -eq 1 ] || { printf 'not one line:\n%s\n' "$stderr"; return 1; }
	for text; do
		[[ $stderr == *"$text"* ]] || { printf 'no "%s" in: %s\n' "$text" "$stderr"; return 1; }
	done
	[[ $stderr == 'ringscale doctor: '* && $stderr == *'; '* ]]
	[[ $output == *'this machine cannot measure'* ]]
	grep -q '^forbids  io_uring' <<<"$output"
}

@test "a machine that can measure: every check is named, status 0" {
	need_uring
	run --separate-stderr "$RINGSCALE" doctor
	status_is 0
	[ -z "$stderr" ]
	for check in io_uring send-fd 'open files' 'locked memory' PUs governor turbo SMT hypervisor \
		'clock source' load steal audit init_on_alloc 'slab debugging' KFENCE lockdep \
		mitigations preemption 'NUMA balancing' 'memory cgroup'; do
		grep -Eq "^(ok|note|disturbs) +$check " <<<"$output" || { echo "no $check"; return 1; }
	done
	output_has 'this machine can measure' '--slots up to'
	output_lacks forbids
	[ "$(awk '{ print length }' <<<"$output" | sort -n | tail -1)" -le 80 ]
}

@test "what disturbs has a fix, what is ok has none" {
	run --separate-stderr "$RINGSCALE" doctor
	awk '/^(ok|note|disturbs|forbids) / { state = $1; if (bad) exit; bad = state == "disturbs" }
	     /^ +fix: / { if (state == "ok") { bad = 1; exit } bad = 0 }
	     /^$/ { exit }
	     END { exit bad }' <<<"$output"
}

@test "--format json: one object, null where there is no fix" {
	need python3
	run --separate-stderr "$RINGSCALE" doctor --format json
	printf '%s' "$output" >doctor.json
	python3 - <<-'END'
		import json
		d = json.load(open("doctor.json"))
		assert set(d) == {"can_measure", "checks", "limits", "machine"}, d.keys()
		assert d["can_measure"] == all(c["state"] != "forbids" for c in d["checks"])
		for c in d["checks"]:
		    assert set(c) == {"name", "state", "found", "fix"}, c
		    assert c["state"] in ("ok", "note", "disturbs", "forbids"), c
		    assert c["found"] and c["fix"] != "", c
		assert len({c["name"] for c in d["checks"]}) == len(d["checks"])
		assert d["machine"]["kernel_release"] and d["limits"]["open_files"]
		assert "" not in d["machine"].values()
	END
}

@test "colors only where they are asked for" {
	run "$RINGSCALE" doctor
	output_lacks $'\033['
	run "$RINGSCALE" doctor --color always
	output_has $'\033['
	NO_COLOR=1 run "$RINGSCALE" doctor --color auto
	output_lacks $'\033['
}

@test "bad options are refused" {
	refuses --format '"xml"' -- doctor --format xml
	refuses --format '""' -- doctor --format ''
	refuses '"--form"' -- doctor --form json
	refuses --color '"purple"' -- doctor --color purple
	refuses --slots -- doctor --slots 4
	refuses '"now"' -- doctor now
	refuses --format -- doctor --format
	refuses --format twice -- doctor --format text --format json
	refuses --quiet -- doctor --quiet=1
}

@test "seccomp denies io_uring_setup: EPERM, ENOSYS, EOPNOTSUPP" {
	for error in EPERM ENOSYS EOPNOTSUPP; do
		run --separate-stderr deny $error io_uring_setup -- "$RINGSCALE" doctor
		forbidden seccomp "$error" io_uring_setup --security-opt
	done
}

@test "a seccomp filter that kills, and one that denies the other calls" {
	run --separate-stderr deny KILL io_uring_setup -- "$RINGSCALE" doctor
	forbidden seccomp SIGSYS
	run --separate-stderr deny EPERM io_uring_register -- "$RINGSCALE" doctor
	forbidden seccomp io_uring_register
	run --separate-stderr deny ENOSYS io_uring_enter -- "$RINGSCALE" doctor
	forbidden seccomp io_uring_enter
}

@test "the reason is on stderr with --quiet and --format json too" {
	run --separate-stderr deny EPERM io_uring_setup -- "$RINGSCALE" doctor --quiet --format json
	status_is 3
	[[ $stderr == *seccomp* ]]
	[[ $output == *'"can_measure": false'* ]]
}

@test "kernel.io_uring_disabled = 1 forbids an ordinary user, not root" {
	need_nobody
	need_uring
	set_switch 1
	run --separate-stderr as_nobody "$RINGSCALE" doctor
	forbidden 'kernel.io_uring_disabled = 1' io_uring_group 'sysctl kernel.io_uring_disabled=0'
	run --separate-stderr "$RINGSCALE" doctor
	status_is 0
}

@test "kernel.io_uring_disabled = 2 forbids everybody" {
	[ "${RINGSCALE_TEST_GLOBAL:-}" = yes ] ||
		skip 'stops every other program from making rings: RINGSCALE_TEST_GLOBAL=yes allows it'
	need_root
	need_uring
	set_switch 2
	run --separate-stderr "$RINGSCALE" doctor
	forbidden 'kernel.io_uring_disabled = 2' 'sysctl kernel.io_uring_disabled=0'
}

@test "an ordinary user with default limits" {
	need_nobody
	need_uring
	need prlimit
	run --separate-stderr as_nobody prlimit --memlock=8388608 --nofile=1024:4096 \
		"$RINGSCALE" doctor
	status_is 0
	output_has '--slots up to 4096' 'soft 1024' 'RLIMIT_MEMLOCK of 8388608'
}

@test "so little locked memory that no ring fits" {
	need_nobody
	need_uring
	need prlimit
	run --separate-stderr as_nobody prlimit --memlock=4096 "$RINGSCALE" doctor
	# Older kernels charge nothing for a ring.
	[ "$status" -eq 0 ] || forbidden RLIMIT_MEMLOCK 4096
}

@test "a hard limit below the default table" {
	need prlimit
	run --separate-stderr prlimit --nofile=512:512 "$RINGSCALE" doctor
	output_has '--slots up to 512' 'default of 4096'
}

@test "one allowed PU is named" {
	need taskset
	pu=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
	run --separate-stderr taskset -c "$pu" "$RINGSCALE" doctor
	output_has '--reap inline'
}
