#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a pending request keeps, on kernels before and behind the change of Linux 6.13. One boot a
# kernel, in setup_file; the tests read what it left in $BATS_FILE_TMPDIR/KERNEL.
load helper

# In the guest: four times pending; before that (setup) one time with all else, and the pay-off.
sweep=(run -o reclaim.jsonl --workload reclaim --pending normal,fixed --issued before --churn 500
       --hold 200ms,400ms,600ms,800ms --blocks 1 --warmup 0 --timeout 30s --seed 1)

boot_all() {
	local kernel rounds

	cat >removals.sh <<'END'
export LD_LIBRARY_PATH=/lab/lib
once() {
	name=$1
	shift
	/lab/ringscale run -o $name.jsonl --workload reclaim --hold 300ms --blocks 1 --rounds 1 --warmup 0 \
		--timeout 30s "$@" >/out/$name.txt 2>&1
}
once removals --removal sqe,close,replace --pending fixed --issued before --churn 0
once halfway --pending fixed --issued halfway --churn 0
once nothing --pending none --issued before --churn 100
case $(uname -r) in
6.1.*) ;;
*)
	/lab/ringscale run -o payoff.jsonl --preset payoff --pairs 1 --hold 100ms,200ms,300ms,400ms \
		--blocks 1 --rounds 1 --warmup 0 --churn 64 --timeout 30s --slots 64 --used 64 \
		>/out/payoff.txt 2>&1 ;;
esac
END
	for kernel in 6.1 6.12 sid; do
		"$RINGSCALE" vm --fetch "$kernel" >/dev/null 2>&1 || continue
		rounds=2
		[ $kernel != 6.1 ] || rounds=1
		"$RINGSCALE" vm --quiet --out "$BATS_FILE_TMPDIR/$kernel" --kernel "$kernel" \
			--setup removals.sh -- "${sweep[@]}" --rounds $rounds >"$kernel.txt" 2>&1 ||
			cat "$kernel.txt" >&2
	done
}

setup_file() {
	"$RINGSCALE" vm --fetch qemu >/dev/null 2>&1 || true
	command -v qemu-system-x86_64 >/dev/null && command -v busybox >/dev/null || return 0
	[ "$(uname -m)" = x86_64 ] || return 0
	cd "$BATS_FILE_TMPDIR" || return
	boot_all
}

# result KERNEL FILE EXPRESSION: a Python expression of rounds(pending, issued, hold), the measures of
# those rounds, of slope(pending, issued), and of blocks. None of the three filters where None.
result() {
	need_lab "$1"
	python3 - "$3" "$BATS_FILE_TMPDIR/$1"/*"$2.jsonl" <<'END'
import json, sys
blocks = [r for r in map(json.loads, open(sys.argv[2])) if r["record"] == "block"]
HOLDS = {"200ms": .2, "400ms": .4, "600ms": .6, "800ms": .8, "300ms": .3}
def rounds(pending=None, issued=None, hold=None, removal=None):
    found = []
    for b in blocks:
        p = b["point"]
        if all(want in (None, p[key]) for key, want in (("pending", pending), ("issued", issued),
                                                         ("hold", hold), ("removal", removal))):
            for r in b["pairs"][0]["rounds"]:
                m = {name: v["value"] for name, v in r["measures"].items()}
                found.append(dict(m, unregister=r["unregister_ns"] / 1e9 / HOLDS[p["hold"]]))
    assert found, (pending, issued, hold, removal)
    return found
def slope(pending, issued):
    xy = [(r["pending"], r["release_delay_mean"]) for r in rounds(pending, issued)]
    mx, my = (sum(v) / len(xy) for v in zip(*xy))
    return sum((x - mx) * (y - my) for x, y in xy) / sum((x - mx) ** 2 for x, y in xy)
def every(f, *which, **named):
    return all(f(r) for r in rounds(*which, **named))
def released(count, *which, **named):
    return every(lambda r: r["released_pending"] == count, *which, **named)
def most(f, *which):
    found = [f(r) for r in rounds(*which)]
    return 2 * sum(found) > len(found)
valid = all(b["valid"] for b in blocks)
if not eval(sys.argv[1]):
    for b in blocks:
        print({k: b["point"][k] for k in ("pending", "issued", "hold", "removal")}, b["valid"], b["reason"],
              [[(n, v["value"]) for n, v in r["measures"].items()] + [r["unregister_ns"]]
               for p in b["pairs"] for r in p["rounds"]])
    sys.exit(f"not so: {sys.argv[1]}")
END
}

@test "6.12: all valid, so all 64 are released in the end, and by the schema" {
	result 6.12 reclaim 'valid and len(blocks) == 8'
	run python3 "$ROOT/tests/validate-schema.py" "$BATS_FILE_TMPDIR"/6.12/*.jsonl
	[ "$status" -eq 77 ] || status_is 0
}

@test "6.12: with a fixed read pending 0 of 64 are released before it completes" {
	result 6.12 reclaim 'released(0, "fixed", "before")'
}

@test "6.12: with nothing or a normal read pending, all at once" {
	result 6.12 reclaim 'released(64, "normal")'
	result 6.12 nothing 'valid and released(64, "none")'
}

@test "6.12: a read issued halfway keeps the 32 that follow" {
	result 6.12 halfway 'valid and released(32, "fixed", "halfway")'
}

@test "6.12: the delay follows the time that a fixed read is pending: slope 1; a normal one's not" {
	result 6.12 reclaim '0.85 < slope("fixed", "before") < 1.15'
	result 6.12 reclaim 'abs(slope("normal", "before")) < 0.15'
}

@test "6.12: unregister waits for a fixed read, and for no other" {
	result 6.12 reclaim 'every(lambda r: r["unregister"] > 0.9, "fixed")'
	result 6.12 reclaim 'most(lambda r: r["unregister"] < 0.5, "normal")'
	result 6.12 nothing 'every(lambda r: r["unregister"] < 0.5, "none")'
}

@test "6.12: replaced files stay alive, one for each, while a fixed read is pending" {
	result 6.12 reclaim 'every(lambda r: 0.9 < r["live_files"] < 1.1 and r["replaced"] > 20, "fixed")'
	result 6.12 reclaim 'every(lambda r: abs(r["live_files"]) < 0.1, "normal")'
	result 6.12 reclaim 'most(lambda r: r["slab_bytes"] > 64, "fixed", "before", "800ms")'
}

@test "6.12: the same through FILES_UPDATE, close-direct and replacement" {
	result 6.12 removals 'valid and released(0, "fixed", removal="sqe") and released(0, "fixed", removal="close")'
	result 6.12 removals 'released(0, "fixed", removal="replace")'
}

@test "the newest: all 64 at once, whatever is pending, however they are removed" {
	result sid reclaim 'valid and len(blocks) == 8 and released(64)'
	result sid halfway 'valid and released(64)'
	result sid nothing 'valid and released(64)'
	result sid removals 'valid and len(blocks) == 3 and released(64)'
}

@test "the newest: the delay does not follow the time pending" {
	result sid reclaim 'abs(slope("fixed", "before")) < 0.15 and abs(slope("normal", "before")) < 0.15'
}

@test "the newest: unregister does not wait" {
	result sid reclaim 'most(lambda r: r["unregister"] < 0.5, "fixed", "before")'
	result sid reclaim 'most(lambda r: r["unregister"] < 0.2, "fixed", "before", "800ms")'
}

@test "the newest: no replaced file stays alive" {
	result sid reclaim 'every(lambda r: abs(r["live_files"]) < 0.1)'
}

@test "6.1: nothing is released at once, all a second later, and a fixed read delays that" {
	result 6.1 reclaim 'valid and released(0, "normal") and released(0, "fixed")'
	result 6.1 nothing 'valid and released(0, "none") and every(lambda r: 0.9e9 < r["release_delay_p50"], "none")'
	result 6.1 reclaim 'every(lambda r: r["release_delay_p50"] > 0.9e9 + r["pending"], "fixed", "before")'
}

@test "payoff's table tells 6.12 from the newest" {
	need_lab 6.12 sid
	run cat "$BATS_FILE_TMPDIR"/6.12/*payoff.txt
	output_has 'A fill alone cannot show the pay-off' 'install, reuse, ns'
	[[ $output =~ 'fixed pending: released meanwhile, %'\ +0\.0 ]]
	[[ $output =~ 'fixed pending: delay / time pending'\ +(0\.[89]|1\.[0-3]) ]]
	run cat "$BATS_FILE_TMPDIR"/sid/*payoff.txt
	[[ $output =~ 'fixed pending: released meanwhile, %'\ +100\.0 ]]
	[[ $output =~ 'fixed pending: delay / time pending'\ +-?0\.[01] ]]
}
