#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --profile: where the instructions go, exactly. One pair of kernels is booted for most tests.
load helper

# Sizes that a ring's own cache of nodes (128) holds and does not hold.
sweep=(run --preset f0-paced --slots 64,4096 --cycle fresh,reuse)

# boot NAME KERNELS OPTION...: their result files in NAME, booted once for the tests of this
# file; what was printed in out.txt and err.txt, user time in seconds in time.txt.
boot() {
	local folder=$BATS_FILE_TMPDIR/$1 TIMEFORMAT=%U code=0

	[ -e "$folder/time.txt" ] || {
		rm -rf "$folder"
		{ time "$RINGSCALE" vm --boot-limit 250s --clock path --out "$folder" --kernel "$2" \
			"${@:3}" -- "${sweep[@]}" >out.txt 2>err.txt; } 2>time.txt || code=$?
		cat out.txt err.txt
		echo $code >code.txt
		mv out.txt err.txt code.txt time.txt "$folder"
	}
	ln -sfn "$folder" "$1"
}

pair() {
	need_lab 6.12 sid
	boot pair 6.12,sid --profile
	[ "$(cat pair/code.txt)" -eq 0 ]
}

# says EXPRESSION FOLDER: a Python expression of `boots`: each with `header`, `blocks` and p(cycle,
# slots), the profile of a point, whose part("kernel") and f("name") are per install.
says() {
	python3 - "$1" "$2"/*.jsonl <<'EOF'
import json, sys
class Fill:
    def __init__(self, record):
        self.__dict__.update(record)
    def part(self, mode):
        return self.total[mode]
    def f(self, name):
        return sum(f["instructions"] for f in self.functions if f["function"] == name)
    def calls(self, *names):
        return sum(f["calls"] for f in self.functions if f["function"].startswith(names))
    def first(self):
        return Fill(self.first_fill)
class Boot:
    def __init__(self, path):
        lines = [json.loads(line) for line in open(path)]
        self.header, self.end = lines[0], lines[-1]
        self.blocks = [r for r in lines if r["record"] == "block"]
        self.profiles = [r for r in lines if r["record"] == "profile"]
        self.release = self.header["machine"]["kernel_release"]
    def p(self, cycle, slots):
        return [Fill(r) for r in self.profiles if r["point"]["cycle"] == cycle
                and r["point"]["slots"] == slots][0]
boots = [Boot(path) for path in sys.argv[2:]]
near = lambda a, b, share: abs(a - b) <= share * b
every = [f for b in boots for r in b.profiles for f in r["functions"]]
if not eval(sys.argv[1], globals()):
    sys.exit(f"not so: {sys.argv[1]}\n" + "\n".join(
        f"{b.release} {r['point']} {r['clock']} {r['total']}" for b in boots for r in b.profiles))
EOF
}

@test "a profile for every point; its total is the path that the guest's clock counts" {
	pair
	says 'len(boots) == 2 and all(len(b.profiles) == 4 and b.end["record"] == "end" for b in boots)' pair
	says 'all(near(r["total"]["all"], r["clock"], 0.005) for b in boots for r in b.profiles)' pair
	says 'all(near(sum(f["instructions"] for f in r["functions"]), r["total"]["all"], 1e-9) for b in boots for r in b.profiles)' pair
	says 'all(r["total"]["unattributed"] < 0.01 for b in boots for r in b.profiles)' pair
	says 'all(b.p("fresh", 4096).installs == 15 * 4096 and b.p("fresh", 4096).windows == 15 for b in boots)' pair
	says 'all(b.header["lab"]["profiled"] for b in boots)' pair
	run compgen -G 'pair/*.counts'
	status_is 1
	run compgen -G 'pair/*lab-*'
	status_is 1
	run python3 "$ROOT/tests/validate-schema.py" pair/*.jsonl
	[ "$status" -eq 77 ] || status_is 0
}

@test "the known rows: node and allocation on the newest kernel, none on 6.12" {
	pair
	says 'all(b.p("fresh", 4096).part("user") <= 65 for b in boots)' pair
	says 'boots[0].p("fresh", 4096).f("io_rsrc_node_alloc") == 0' pair
	says 'boots[0].p("fresh", 4096).f("__kmalloc_noprof") == 0' pair
	says 'near(boots[0].p("fresh", 4096).part("kernel"), 770.01, 0.01)' pair
	says 'near(boots[1].p("fresh", 4096).calls("io_rsrc_node_alloc"), 1, 0.001)' pair
	says 'near(boots[1].p("fresh", 4096).calls("__kmalloc", "kmem_cache_alloc"), 1, 0.05)' pair
}

@test "the known figures of 7.2.13" {
	pair
	[ -n "$(compgen -G 'pair/02-B-7.2.13+*.jsonl')" ] || skip 'sid has another kernel now'
	says 'near(boots[1].p("fresh", 4096).part("kernel"), 999.89, 0.01)' pair
	says 'near(boots[1].p("fresh", 4096).f("io_rsrc_node_alloc"), 18, 0.001)' pair
	says 'near(boots[1].p("fresh", 4096).f("__kmalloc_noprof"), 109.24, 0.01)' pair
}

@test "interrupts are told apart: there are some, and functions of theirs are no install's" {
	pair
	says 'any(f["mode"] == "interrupt" and f["function"] == "hrtimer_interrupt" and f["calls"] > 0 for f in every)' pair
	says 'not any(f["mode"] == "kernel" and f["function"] in ("hrtimer_interrupt", "irqentry_exit", "__hrtimer_run_queues") for f in every)' pair
	# One tick is 20000 instructions: much for 960 installs, little for 61440.
	says 'all(r["total"]["interrupt"] < 10 for b in boots for r in b.profiles if r["point"]["slots"] == 4096)' pair
}

@test "the first fill of a ring allocates its nodes, the refill of a warm cache does not" {
	pair
	says 'boots[1].p("reuse", 64).first().calls("__kmalloc", "kmem_cache_alloc") > 0.9' pair
	says 'boots[1].p("reuse", 64).calls("__kmalloc", "kmem_cache_alloc") < 0.05' pair
	says 'boots[1].p("reuse", 64).calls("io_rsrc_node_alloc") > 0.99' pair
	says 'boots[1].p("reuse", 4096).calls("__kmalloc", "kmem_cache_alloc") > 0.9' pair
	says 'all(b.p("fresh", 64).first_fill is None for b in boots)' pair
}

# in_72: the last output has no longer line.
in_72() {
	awk 'length > 72 { print; bad = 1 } END { exit bad }' <<<"$output"
}

@test "one table of kernels; report and compare in 72 columns" {
	pair
	grep 'calls of io_rsrc_node_alloc' pair/out.txt
	grep -E '^B .* 1\.00 +1\.00$' pair/out.txt
	run "$RINGSCALE" compare --profile pair/01-*.jsonl pair/02-*.jsonl
	status_is 0
	output_has io_rsrc_node_alloc 'cycle reuse' 'first fills' interrupt
	in_72
	run "$RINGSCALE" report pair/02-*.jsonl
	status_is 0
	output_has __kmalloc_noprof
	in_72
}

@test "another boot with the same seed gives identical tables" {
	pair
	boot again 6.12 --profile
	[ "$(cat again/code.txt)" -eq 0 ]
	grep '"record":"profile"' pair/01-*.jsonl >first
	grep '"record":"profile"' again/01-*.jsonl >second
	[ -s first ]
	cmp first second
}

@test "a plugin that cannot load: exit 3 with the reason, measured all the same, and four times as fast at most" {
	need_lab 6.12
	boot again 6.12 --profile
	head -c 100 /dev/urandom >broken.so
	boot plain 6.12 --profile --plugin "$PWD/broken.so"
	[ "$(cat plain/code.txt)" -eq 3 ]
	grep 'no profile: QEMU .* does not load the plugin' plain/err.txt
	says 'boots[0].profiles == [] and len(boots[0].blocks) == 4 and all(x["valid"] for x in boots[0].blocks)' plain
	python3 - <<'EOF'
profiled, plain = (float(open(f"{name}/time.txt").read()) for name in ("again", "plain"))
print(profiled, plain)
assert profiled <= 4 * plain
EOF
}

@test "a guest that hides its symbols: exit 3 with the reason, measured all the same" {
	need_lab 6.12
	sweep=(run --preset f0-paced --slots 64 --rounds 1 --warmup 0)
	echo 'echo 2 >/proc/sys/kernel/kptr_restrict' >setup.sh
	boot hidden 6.12 --profile --setup setup.sh
	[ "$(cat hidden/code.txt)" -eq 3 ]
	grep 'no profile: .*kptr_restrict' hidden/err.txt
	says 'boots[0].profiles == [] and all(x["valid"] for x in boots[0].blocks)' hidden
	grep '"no_profile": ".*kptr_restrict' hidden/lab.json
}

@test "a QEMU without plugins: exit 3 with the reason" {
	need_lab 6.12
	mkdir -p bin cache/ringscale
	ln -s "${XDG_CACHE_HOME:-$HOME/.cache}/ringscale/kernels" cache/ringscale/kernels
	cat >bin/qemu-system-x86_64 <<'EOF'
#!/bin/sh
case $* in
*--version*) echo 'QEMU emulator version 9.9' ;;
*-plugin*) echo 'qemu: -plugin: invalid option' >&2; exit 1 ;;
*) echo 'no guests today' >&2; exit 1 ;;
esac
EOF
	chmod +x bin/qemu-system-x86_64
	PATH=$PWD/bin:$PATH XDG_CACHE_HOME=$PWD/cache run --separate-stderr "$RINGSCALE" vm --kernel 6.12 \
		--clock path --profile --out out -- run --preset f0
	status_is 3
	[[ $stderr == *'invalid option'* && $stderr == *'no guests today'* ]]
}
