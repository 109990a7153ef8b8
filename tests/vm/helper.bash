# SPDX-License-Identifier: GPL-2.0-or-later
#
# Loaded by every file of tests that boot guests. What is fetched stays in the user's cache.

load ../cli/helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	need python3
}

# need_lab SPEC...: skips where QEMU, busybox or one of these kernels is not to be had.
need_lab() {
	local spec

	[ "$(uname -m)" = x86_64 ] || skip 'shapes of x86_64 are booted on x86_64 only'
	need qemu-system-x86_64
	need busybox
	for spec; do
		fetched "$spec"
	done
}

# A QEMU without the faults of 7.2, where there is one.
setup_file() {
	"$RINGSCALE" vm --fetch qemu >/dev/null 2>&1 || true
}

# fetched SPEC [OPTION...]: exit 3 is a skip with the reason, anything else but 0 a failure. What is
# not to be had is asked for once a file.
fetched() {
	local absent=$BATS_FILE_TMPDIR/absent-${*//[^a-z0-9.]/-}

	[ ! -e "$absent" ] || skip "$(cat "$absent")"
	run "$RINGSCALE" vm --fetch "$@"
	if [ "$status" -eq 3 ]; then
		printf '%s\n' "${lines[-1]}" >"$absent"
		skip "${lines[-1]}"
	fi
	status_is 0
}

# vm ARGUMENT...: runs it into ./out, anew, and keeps its output for output_has. How long a guest needs
# to its init is the host's load, not the guest's fault: the limit is tested with guests of its own.
vm() {
	rm -rf out
	run --separate-stderr "$RINGSCALE" vm --boot-limit 400s --out out "$@"
}

# measured NAME ARGUMENT...: what vm brings and prints for them, booted once for the tests of a file. Any
# of them may be the first or the only one.
measured() {
	local kept=$BATS_FILE_TMPDIR/measured-$1

	if [ ! -e "$kept/printed" ]; then
		vm "${@:2}"
		status_is 0
		rm -rf "$kept"
		cp -r out "$kept"
		printf '%s\n' "$output" >"$kept/printed"
	fi
	rm -rf out
	cp -r "$kept" out
	output=$(cat out/printed) stderr='' status=0
}

# blocks EXPRESSION: a Python expression of `blocks`, `header` and `end` of the only result file.
blocks() {
	python3 - "$1" out/*.jsonl <<'EOF'
import json, sys
lines = [json.loads(line) for path in sys.argv[2:] for line in open(path)]
header = [r for r in lines if r["record"] == "header"][0]
blocks = [r for r in lines if r["record"] == "block"]
end = [r for r in lines if r["record"] == "end"][-1]
pairs = {(b["point"]["place"], p["sender_pu"], p["receiver_pu"]) for b in blocks for p in b["pairs"]}
rounds = [r for b in blocks for p in b["pairs"] for r in p["rounds"]]
cost = [r["fill_ns"] / r["installs"] for r in rounds]
if not eval(sys.argv[1]):
    sys.exit(f"not so: {sys.argv[1]}\n{pairs}\n{[(b['valid'], b['reason']) for b in blocks]}")
EOF
}

valid_by_schema() {
	run python3 "$ROOT/tests/validate-schema.py" out/*.jsonl
	[ "$status" -eq 77 ] || status_is 0
}

# topology EXPRESSION: a Python expression of `t`, what `topo --format json` said in the guest.
topology() {
	printf '%s' "$output" >topology.json
	python3 - "$1" <<'EOF'
import json, sys
t = json.load(open("topology.json"))
if not eval(sys.argv[1]):
    sys.exit(f"not so: {sys.argv[1]}\n{json.dumps(t, indent=1)[:6000]}")
EOF
}

# A script for the guest, from standard input.
script() {
	cat >setup.sh
}
