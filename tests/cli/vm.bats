#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What `vm` says before anything is booted; guests are in tests/vm.
load helper

# An image that passes for a kernel: a boot header of x86_64, as many bytes as it promises, and at
# its entry a jump to itself.
fake_kernel() {
	head -c 2048 /dev/zero >"$1"
	printf '\x01' | dd of="$1" bs=1 seek=$((0x1f1)) conv=notrunc status=none
	printf '\x40\0\0\0' | dd of="$1" bs=1 seek=$((0x1f4)) conv=notrunc status=none
	printf '\xeb\xfeHdrS\x0f\x02' | dd of="$1" bs=1 seek=$((0x200)) conv=notrunc status=none
	printf '\x01' | dd of="$1" bs=1 seek=$((0x211)) conv=notrunc status=none
	printf '\xff\xff\xff\x7f' | dd of="$1" bs=1 seek=$((0x22c)) conv=notrunc status=none
}

# A cache with nothing in it, and no network: apt finds no sources.
offline() {
	export XDG_CACHE_HOME=$PWD/cache
	mkdir -p bin
	printf '#!/bin/sh\necho "LAB_LIST=\x27/nonexistent\x27"\necho "LAB_PARTS=\x27/nonexistent/\x27"\n' \
		>bin/apt-config
	printf '#!/bin/sh\necho "$0 $*" >>'"$PWD"'/apt.log; exit 100\n' >bin/apt-get
	chmod +x bin/*
	export PATH=$PWD/bin:$PATH
}

# Nothing that the pattern matches, no process with that in its command line. ("! command" in the
# middle of a test would not fail it.)
absent() {
	local found

	found=$(compgen -G "$1") || return 0
	printf 'left behind:\n%s\n' "$found"
	return 1
}
gone() {
	local pids

	pids=$(pgrep -f "$1") || return 0
	printf 'still running: %s\n' "$pids"
	return 1
}

need_qemu() {
	need qemu-system-x86_64
	[ "$(uname -m)" = x86_64 ] || skip 'the test image is for x86_64'
}

@test "bad usage is refused before anything is fetched or booted" {
	offline
	refuses 'no kernel' -- vm -- run
	refuses 'no command' -- vm --kernel 6.12
	refuses 'no command' -- vm --kernel 6.12 --
	refuses '--kernel' -- vm --kernel
	refuses 'vm: a guest boots no guests' -- vm --kernel 6.12 -- vm
	refuses '--shape' '"nosuch"' numa2 -- vm --kernel 6.12 --shape nosuch -- topo
	refuses '--clock' '"cpu"' real -- vm --kernel 6.12 --clock cpu -- run
	refuses '--perturb' '"0"' -- vm --kernel 6.12 --clock path --perturb 0 -- run
	refuses '--perturb' 'path' -- vm --kernel 6.12 --perturb 3 -- run
	refuses '--boot-limit' '"5"' -- vm --kernel 6.12 --boot-limit 5 -- run
	refuses '--run-limit' '"0"' -- vm --kernel 6.12 --run-limit 0 -- run
	refuses '--retries' '"11"' -- vm --kernel 6.12 --retries 11 -- run
	refuses '--setup' '"no.sh"' -- vm --kernel 6.12 --setup no.sh -- run
	refuses '--kernel' '"6.12,,sid"' -- vm --kernel 6.12,,sid -- run
	[ ! -e apt.log ]
}

@test "the path clock takes inline and one vCPU only" {
	offline
	refuses '--reap' '"poll"' inline -- vm --kernel 6.12 --clock path -- run --reap poll
	refuses '--reap' '"inline,after"' -- vm --kernel 6.12 --clock path -- run --reap=inline,after
	refuses oversubscribe -- vm --kernel 6.12 --clock path -- run --oversubscribe
	refuses '--shape "smp2"' 'one vCPU' -- vm --kernel 6.12 --clock path --shape smp2 -- run
	[ ! -e apt.log ]
}

@test "a shape that contradicts itself is refused with its line or PU" {
	offline
	printf 'cores 2\nnode pus 0 memory 512\n' >half.vm
	refuses "'half.vm'" 'PU 1 is in 0 nodes' -- vm --kernel 6.12 --shape ./half.vm -- topo
	printf 'cores 2\ncolour red\n' >odd.vm
	refuses 'line 2' '"colour"' -- vm --kernel 6.12 --shape odd.vm -- topo
	mkdir folder
	refuses 'folder' -- vm --kernel 6.12 --shape ./folder -- topo
}

@test "an image that is none, is torn, or is missing is refused" {
	need_qemu
	offline
	echo 'no kernel' >text
	refuses '--kernel "./text"' 'not a kernel image' -- vm --kernel ./text -- topo
	refuses '--kernel "./missing"' 'No such file' -- vm --kernel ./missing -- topo
	refuses '--kernel "./bin"' 'not a file' -- vm --kernel ./bin -- topo
	fake_kernel torn
	truncate -s 1000 torn
	refuses '--kernel "./torn"' torn -- vm --kernel ./torn -- topo
	fake_kernel good
	refuses '--kernel "./good"' aarch64 -- vm --kernel ./good --shape hybrid-arm -- topo
	[ ! -e apt.log ]
	absent 'ringscale-vm-*'
}

@test "a spec that is none is refused; a kernel that is not to be had is named, with exit 3" {
	need_qemu
	offline
	refuses '--kernel "6.12 "' -- vm --kernel '6.12 ' -- topo
	refuses '--kernel "linux-foo"' -- vm --kernel linux-foo -- topo
	refuses '--kernel "-x"' -- vm --kernel=-x -- topo
	run "$RINGSCALE" vm --kernel 6.12 -- topo
	status_is 3
	output_has "kernel '6.12'" 'not to be had'
	run "$RINGSCALE" vm --fetch sid
	status_is 3
	output_has "kernel 'sid'"
	run "$RINGSCALE" vm --fetch sysroot
	status_is 3
	absent 'ringscale-vm-*'
	absent 'cache/ringscale/tmp-*'
}

@test "a package that does not come over: named, exit 3, and nothing half fetched is left" {
	offline
	. /etc/os-release
	printf 'deb http://host.invalid/debian %s main\n' "$VERSION_CODENAME" >sources.list
	printf '#!/bin/sh\necho "LAB_LIST=\x27%s\x27"\necho "LAB_PARTS=\x27/nonexistent/\x27"\n' \
		"$PWD/sources.list" >bin/apt-config
	printf '#!/bin/sh\necho "linux-image-6.12.9-cloud-%s - Linux"\n' \
		"$(dpkg --print-architecture)" >bin/apt-cache
	printf '#!/bin/sh\ncase " $* " in *" update "*) exit 0 ;; esac\n%s\n' \
		'echo "E: Failed to fetch it: connection failed" >&2; exit 100' >bin/apt-get
	chmod +x bin/*
	run "$RINGSCALE" vm --fetch 6.12
	status_is 3
	output_has "kernel '6.12'" 'not to be had' 'connection failed'
	absent 'cache/ringscale/tmp-*'
	absent 'cache/ringscale/kernels/*/6*'
}

@test "without QEMU: exit 3, and the package to install" {
	[ "$(uname -m)" = x86_64 ] || skip 'the test image is for x86_64'
	fake_kernel kernel
	mkdir empty
	XDG_CACHE_HOME=$PWD/cache PATH=$PWD/empty run "$RINGSCALE" vm --kernel ./kernel -- topo
	status_is 3
	output_has qemu-system-x86_64 'not installed' 'install Debian'
	absent 'ringscale-vm-*'
}

@test "a folder that exists is never written to" {
	need_qemu
	offline
	fake_kernel kernel
	mkdir there
	refuses '--out "there"' exists -- vm --kernel ./kernel --out there -- topo
	ln -s nowhere link
	refuses '--out "link"' exists -- vm --kernel ./kernel --out link -- topo
	refuses '--out "no/such"' -- vm --kernel ./kernel --out no/such -- topo
	rmdir there
}

@test "a full disk under the cache: said, and nothing half fetched is left" {
	need_root
	need unshare
	offline
	# Lists that do not fit.
	printf '#!/bin/sh\nfor a; do case $a in *State::Lists=*) head -c 4000000 /dev/zero >"${a#*Lists=}/x" ||
		{ echo "E: Write error - write (28: No space left on device)" >&2; exit 100; } ;; esac; done\n' \
		>bin/apt-get
	mkdir -p cache etc
	printf 'deb http://host.invalid/debian %s main\n' "$(. /etc/os-release; echo "$VERSION_CODENAME")" \
		>etc/sources.list
	printf '#!/bin/sh\necho "LAB_LIST=\x27%s\x27"\necho "LAB_PARTS=\x27/nonexistent/\x27"\n' \
		"$PWD/etc/sources.list" >bin/apt-config
	run unshare -m sh -c 'mount -t tmpfs -o size=1m tmpfs cache && "$0" vm --fetch 6.12; s=$?
		ls cache/ringscale/kernels cache/ringscale/tmp-* 2>/dev/null; exit $s' "$RINGSCALE"
	[[ $output != *mount:* && $output != *unshare:* ]] || skip 'cannot mount a tmpfs here'
	status_is 1
	output_has 'No space left'
	output_lacks tmp-
}

@test "a full disk under the results: said, and no half result is left" {
	need_qemu
	need_root
	need unshare
	export XDG_CACHE_HOME=$PWD/cache
	fake_kernel kernel
	mkdir small
	run unshare -m sh -c 'mount -t tmpfs -o size=1m tmpfs small &&
		"$0" vm --kernel ./kernel --out small/result -- topo; s=$?
		ls small/result 2>/dev/null; exit $s' "$RINGSCALE"
	[[ $output != *mount:* && $output != *unshare:* ]] || skip 'cannot mount a tmpfs here'
	[[ $output != *'no static busybox'* ]] || skip 'no static busybox here'
	status_is 1
	output_has 'cannot write' 'No space left'
	output_lacks jsonl
	gone "$PWD/kernel"
}

@test "a kernel that never reaches init ends at its limit, and QEMU with it" {
	need_qemu
	export XDG_CACHE_HOME=$PWD/cache
	fake_kernel kernel
	run "$RINGSCALE" vm --kernel ./kernel --boot-limit 2s --out result -- topo
	[[ $output != *'no static busybox'* ]] || skip 'no static busybox here'
	status_is 1
	output_has 'did not reach its init' --boot-limit
	[ -e result/lab.json ]
	absent 'result/*.jsonl'
	absent 'result/*.transfer'
	gone "$PWD/kernel"
}

# begin DIR: a guest that spins, in the background as $pid, and QEMU seen.
begin() {
	"$RINGSCALE" vm --kernel ./kernel --out "$1" -- topo 2>err 3>&- &
	pid=$!
	for _ in $(seq 50); do
		pgrep -f "$PWD/kernel" >/dev/null && return
		sleep 0.1
	done
	! grep -q 'no static busybox' err || skip 'no static busybox here'
	cat err
	return 1
}

@test "Ctrl-C ends it within a second, with 130 and no QEMU left; so does SIGKILL" {
	need_qemu
	need pgrep
	export XDG_CACHE_HOME=$PWD/cache
	fake_kernel kernel
	for signal in INT TERM; do
		begin "out-$signal"
		start=$(date +%s%N)
		kill -$signal $pid
		status=0
		wait $pid || status=$?
		[ $(($(date +%s%N) - start)) -lt 1000000000 ]
		status_is 130
		gone "$PWD/kernel"
		grep -q interrupted err
	done
	begin out-KILL
	kill -KILL $pid
	wait $pid || true
	sleep 0.3
	gone "$PWD/kernel"
}
