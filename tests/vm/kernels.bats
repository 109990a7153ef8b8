#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Kernels from the distribution's packages, and guests that go wrong.
load helper

small=(run --pairs 1 --slots 64 --blocks 1 --rounds 2 --warmup 1 --fills 2 --timeout 20s)

@test "send-fd is valid on 6.1, 6.12 and the newest, each in its role and file" {
	need_lab 6.1 6.12 sid
	vm --kernel 6.1,sid,6.12 -- "${small[@]}" --reap inline,after
	status_is 0
	output_has 'against A %' 'times of an emulator'
	blocks 'len(blocks) == 3 * 2 and all(b["valid"] for b in blocks)'
	python3 - out/*.jsonl <<'EOF'
import json, os, sys
boots = json.load(open("out/lab.json"))
assert [b["role"] for b in boots] == ["A", "B", "C"], boots
assert all(b["whole"] and b["exit_status"] == 0 for b in boots), boots
assert [b["results"] for b in boots] == [[os.path.basename(path)] for path in sys.argv[1:]], boots
headers = [json.loads(open(path).readline()) for path in sys.argv[1:]]
# Each file is named by order, role and kernel, and each kernel says itself which it is.
for path, h, order, role in zip(sys.argv[1:], headers, "123", "ABC"):
    release = h["machine"]["kernel_release"]
    assert os.path.basename(path) == f"0{order}-{role}-{release}.jsonl", (path, release)
    assert h["lab"]["role"] == role and h["lab"]["kernel"] == release, h["lab"]
releases = [tuple(map(int, h["lab"]["kernel"].split("+")[0].split("-")[0].split(".")[:2])) for h in headers]
assert releases[0] == (6, 1) and releases[2] == (6, 12) and releases[1] > (6, 12), releases
assert len({h["machine"]["boot_id"] for h in headers}) == 3
EOF
	valid_by_schema
}

@test "a kernel once fetched is not fetched again" {
	need_lab 6.12
	mkdir bin
	printf '#!/bin/sh\ntouch %s/asked; exit 100\n' "$PWD" >bin/apt-get
	cp bin/apt-get bin/apt-cache
	chmod +x bin/*
	PATH=$PWD/bin:$PATH
	run --separate-stderr "$RINGSCALE" vm --fetch 6.12
	status_is 0
	output_has vmlinuz
	first=$output path=${output#*$'\t'}
	# Its package's name is the same kernel; a file is itself.
	run --separate-stderr "$RINGSCALE" vm --fetch "$(cat "${path%/*}/package")"
	status_is 0
	[ "$output" = "$first" ]
	run --separate-stderr "$RINGSCALE" vm --fetch "$path"
	status_is 0
	output_has "$path"
	[ ! -e asked ]
}

@test "a kernel from a file; the guest's exit status, stdout and stderr are passed on" {
	need_lab 6.1
	fetched 6.1
	cp "${lines[-1]#*$'\t'}" my.kernel
	vm --kernel ./my.kernel --quiet -- run --slots 0
	ls out/01-A-my.kernel.console
	status_is 2
	[ -z "$output" ]
	output_has '--slots' '"0"'
}

@test "taskset in the guest is respected" {
	need_lab 6.1
	script <<<'taskset -p 2 $$ >/dev/null'
	vm --kernel 6.1 --setup setup.sh -- "${small[@]}" --reap inline
	status_is 0
	blocks 'header["inherited"] == "1" and {p[1] for p in pairs} == {1}'
}

@test "a cpuset in the guest is respected" {
	need_lab 6.12
	script <<'EOF'
cd /sys/fs/cgroup
echo +cpuset >cgroup.subtree_control
mkdir one
echo 1 >one/cpuset.cpus
echo $$ >one/cgroup.procs
EOF
	vm --kernel 6.12 --setup setup.sh -- "${small[@]}" --reap inline
	status_is 0
	blocks 'header["candidates"] == "1" and {p[1] for p in pairs} == {1}'
}

@test "a CPU taken offline during a run makes the round invalid, and the exit status 1" {
	need_lab 6.12
	# Between the header and the first round a busy host may let seconds pass; the gaps make the
	# rounds last 20 s.
	script <<'EOF'
(
	while [ ! -s "$(echo /out/*.jsonl)" ]; do sleep 0.1; done
	sleep 8
	echo 0 >/sys/devices/system/cpu/cpu1/online
) &
EOF
	vm --kernel 6.12 --setup setup.sh -- run --slots 64 --blocks 1 --pairs 1 --rounds 100 --warmup 1 \
		--fills 1 --gap 200ms --reap inline --place 1 --timeout 60s
	status_is 1
	output_has invalid
	# Between two fills it is seen by the kernel's count of migrations, in one by where it is.
	blocks 'all(not b["valid"] and ("PU 1" in b["reason"] or "moved to another PU" in b["reason"])
		for b in blocks)'
	blocks 'rounds[0]["valid"] and not rounds[-1]["valid"]'
	valid_by_schema
}

@test "an oops is recognised at once and retried; both consoles and the reason are kept" {
	need_lab 6.1
	script <<<'echo c >/proc/sysrq-trigger'
	vm --kernel 6.1 --setup setup.sh --retries 1 -- topo
	status_is 1
	output_has "the guest's kernel is lost" 'attempt 2'
	ls out/*.attempt1.console out/01-A-*.console
	python3 -c '
import json
boot = json.load(open("out/lab.json"))[0]
assert boot["retries"] == 1 and len(boot["retried_because"]) == 1 and not boot["whole"], boot
# Its limit is 600 s; on a machine that has nothing else to do it takes three.
assert boot["run_s"] < 60, boot'
}

@test "a guest that hangs ends at its limit; one that dies in its run gives no result" {
	need_lab 6.1
	script <<<'sleep 1000'
	vm --kernel 6.1 --setup setup.sh --run-limit 2s -- topo
	status_is 1
	output_has 'did not finish' --run-limit
	# A result file is there, and what is sent is not whole.
	script <<'EOF'
echo '{"record":"header"}' >/out/x.jsonl
(sleep 0.5; poweroff -f) &
sleep 100
EOF
	vm --kernel 6.1 --setup setup.sh --retries 0 -- topo
	status_is 1
	output_has 'not whole'
	[ -z "$(compgen -G 'out/*.jsonl')" ]
}

@test "works as an ordinary user, with what is in the cache" {
	need_lab 6.1
	need_root
	need setpriv
	cache=${XDG_CACHE_HOME:-$HOME/.cache}/ringscale
	mkdir -p user/ringscale user/bin
	cp -r "$cache/kernels" user/ringscale/
	[ ! -d "$cache/qemu" ] || cp -r "$cache/qemu" user/ringscale/
	cp "$RINGSCALE" user/bin/
	cp -r "$ROOT/topologies" user/
	chown -R $nobody:$nobody user
	chmod -R go+rX "$BATS_TEST_TMPDIR" "$BATS_RUN_TMPDIR"
	cd user
	XDG_CACHE_HOME=$PWD run --separate-stderr as_nobody bin/ringscale vm --kernel 6.1 --out out -- topo
	[[ $stderr != *'ermission denied'* ]] || skip 'the tests lie where others cannot read'
	status_is 0
	output_has 'Kinds of cores'
}
