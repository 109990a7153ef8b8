#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
load helper

# on MACHINE ARGUMENT...: a plan on a synthetic machine.
on() {
	run --separate-stderr "$RINGSCALE" plan --topology "$@"
}

@test "plan shows every thread's PU" {
	on 'core:4 pu:1' --pairs 2 --reap poll --slots 64
	status_is 0
	[ -z "$stderr" ]
	output_has 'pairs 2' 'slots 64' 'reap poll' 'batch 64' '1 point, 5 blocks'
	grep -Eq '^ *pair +sender +receiver' <<<"$output"
	[ "$(grep -Ec '^ +[01] +[0-3] +[0-3]' <<<"$output")" -eq 2 ]
	# Four threads on four PUs.
	[ "$(awk '/^ +[01] +[0-3] +[0-3]/ { print $2; print $3 }' <<<"$output" | sort -u | wc -l)" -eq 4 ]
}

@test "explicit places are taken as they are" {
	on 'core:4 pu:1' --pairs 2 --reap poll --slots 64 --place 3:0+1:2
	status_is 0
	grep -Eq '^ +0 +3 +0' <<<"$output"
	grep -Eq '^ +1 +1 +2' <<<"$output"
}

@test "the default sweep: axes that vary are columns, what cannot be placed is named" {
	on 'core:2 pu:1'
	status_is 0
	[ -z "$stderr" ]
	output_has '6 points, 30 blocks' pairs slots reap inline poll after
	on 'core:1 pu:1'
	status_is 0
	output_has 'pairs=1 reap=poll: needs 2 PUs, 1 available' 'pairs=1 reap=after' '2 points'
	[ "${#stderr_lines[@]}" -eq 2 ]
	on 'core:1 pu:1' --quiet
	[ -z "$stderr" ]
}

@test "siblings are used last, and flagged" {
	on 'core:2 pu:2' --pairs 2 --slots 64 --reap inline
	status_is 0
	output_lacks smt
	on 'core:2 pu:2' --pairs 4 --slots 64 --reap inline
	status_is 0
	[ "$(grep -c ' smt$' <<<"$output")" -eq 4 ]
}

@test "each makes a point of every ordered pair" {
	on 'core:3 pu:1' --place each --pairs 1 --slots 64 --reap poll
	status_is 0
	output_has '6 points' 0:1 1:0 0:2 2:0 1:2 2:1
	on 'core:3 pu:1' --place each --pairs 1 --slots 64 --reap inline
	output_has '3 points'
}

@test "what cannot be placed is refused" {
	refuses 'needs 8 PUs, 4 available' -- plan --topology 'core:4 pu:1' --pairs 4 --reap poll
	refuses 'E' -- plan --topology 'core:4 pu:1' --pairs 1 --reap poll --place P:E
	refuses 'needs 2 PUs, 1 available' 'inline' -- \
		plan --topology 'core:1 pu:1' --pairs 1 --reap poll --slots 64
	refuses '--topology' -- plan --topology 'no such machine'
	refuses '--kinds' -- plan --topology 'core:4 pu:1' --kinds P=0-9
}

@test "JSON has the points, their axes and their PUs" {
	need python3
	run "$RINGSCALE" plan --topology 'core:4 pu:1' --pairs 2 --reap inline,poll --slots 64 \
		--used 50% --format json
	status_is 0
	python3 - "$output" <<-'END'
	import json, sys
	plan = json.loads(sys.argv[1])
	assert plan["blocks"] == 10 and plan["dropped"] == [] and plan["preset"] == "quick"
	inline, poll = plan["points"]
	assert inline["point"]["reap"] == "inline" and poll["point"]["reap"] == "poll"
	assert inline["point"]["used"] == 32 and inline["point"]["slots"] == 64
	assert poll["point"]["cq"] == 512 and poll["point"]["fills"] == 32
	assert [pair["receiver_pu"] for pair in inline["pairs"]] == [None, None]
	pus = [pair[end] for pair in poll["pairs"] for end in ("sender_pu", "receiver_pu")]
	assert sorted(pus) == [0, 1, 2, 3]
	assert len(inline["id"]) == 16 and inline["id"] != poll["id"]
	assert inline["flags"] == [] and inline["solo"] is False
	END
	refuses --format '"xml"' text json -- plan --format xml
}

@test "--solo adds every pair alone, once" {
	on 'core:4 pu:1' --pairs 2,4 --reap inline --slots 64 --solo
	status_is 0
	output_has '6 points'
	[ "$(grep -c ' solo$' <<<"$output")" -eq 4 ]
}

@test "identities do not depend on how a point was asked for" {
	need python3
	ids() {
		"$RINGSCALE" plan --topology 'core:2 pu:1' --pairs 1 --reap inline --format json "$@" |
			python3 -c 'import json, sys; print(*[p["id"] for p in json.load(sys.stdin)["points"]])'
	}
	[ "$(ids --slots 64 --place 0)" = "$(ids --slots 64 --used 64 --fills 32 --place 0)" ]
	[ "$(ids --slots 64 --place 0)" != "$(ids --slots 64 --place 1)" ]
	[ "$(ids --slots 64 --used all,64 --place 0 | wc -w)" -eq 1 ]
}

@test "--show prints command lines that mean the same sweep" {
	on 'core:4 pu:1' --show
	status_is 0
	[ "${#lines[@]}" -eq 2 ]
	[ "${lines[0]}" = 'ringscale run --pairs 1,2,4 --slots 64,4096 --reap inline' ]
	[ "${lines[1]}" = 'ringscale run --pairs 1 --slots 4096 --reap poll,after' ]
	on 'core:4 pu:1' --show --preset f0 --gap 1ms --solo
	[ "${#lines[@]}" -eq 1 ]
	output_has '--fills 1' '--gap 1ms' '--rounds 15 --warmup 3 --blocks 1' --solo '--ring 256'
	# Typed again it shows itself.
	shown=$output
	read -ra words <<<"${output#ringscale run}"
	on 'core:4 pu:1' --show "${words[@]}"
	[ "$output" = "$shown" ]
}

@test "presets bring their method, which typed options overrule" {
	on 'core:2 pu:1' --preset f0
	output_has '1 point, 1 block' 'fills 1' 'gap 0'
	on 'core:2 pu:1' --preset f0-paced --blocks 3
	output_has '1 point, 3 blocks' 'gap 50ms'
}

@test "taskset narrows the choice" {
	need taskset
	need_pus 2
	last=$(taskset -pc $$ | sed 's/.*[ ,-]//')
	run --separate-stderr taskset -c "$last" "$RINGSCALE" plan --pairs 1 --reap inline --slots 64
	status_is 0
	grep -Eq "^ +0 +$last( |\$)" <<<"$output"
	run taskset -c "$last" "$RINGSCALE" plan --pairs 2 --reap inline
	status_is 2
	output_has 'needs 2 PUs, 1 available'
}

@test "512 pairs on 2048 PUs: under a second and 200 MB" {
	[ -z "${RINGSCALE_SANITIZED:-}" ] || skip 'a sanitizer is several times slower'
	need python3
	run python3 - "$RINGSCALE" <<-'END'
	import resource, subprocess, sys, time
	limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (10, 10))
	start = time.monotonic()
	out = subprocess.run([sys.argv[1], "plan", "--topology", "numa:16 core:64 pu:2", "--pairs", "512",
	    "--reap", "poll", "--slots", "64", "--place", "cross-numa"], stdout=subprocess.PIPE,
	    check=True, text=True, preexec_fn=limit).stdout
	spent = time.monotonic() - start
	usage = resource.getrusage(resource.RUSAGE_CHILDREN)
	rows = [l for l in out.splitlines() if l.split()[:1] and l.split()[0].isdigit()
		and "cross-numa" in l]
	assert len(rows) == 512, len(rows)
	cpu = usage.ru_utime + usage.ru_stime
	print(f"{spent:.2f} s, {cpu:.2f} s CPU, {usage.ru_maxrss} kB")
	# CPU time: neighbours of a test run do not count.
	assert cpu < 1.0
	assert usage.ru_maxrss < 200 * 1024
	END
	echo "$output"
	status_is 0
}

@test "a plan measures nothing and leaves no file" {
	run "$RINGSCALE" plan
	status_is 0
	[ -z "$(ls)" ]
}
