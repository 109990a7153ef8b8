#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The build system, tried on a small tree of its own that has the real configure,
# Makefile, build.mk and test runner.
load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	# What the make that runs these tests hands down is not for those they run.
	unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES JOBS V CC CFLAGS CPPFLAGS LDFLAGS
	unset BUILD SANITIZE WERROR TESTS DESTDIR PREFIX
	cp "$ROOT/configure" "$ROOT/Makefile" "$ROOT/build.mk" .
	mkdir -p tests/unit tests/cli tools src/base src/engine man
	cp "$ROOT"/tests/run.sh "$ROOT"/tests/tap.awk "$ROOT"/tests/check-layers.sh tests
	cp "$ROOT/tools/deps.sh" tools
	echo '.TH RINGSCALE 1' >man/ringscale.1
	echo 'int one(void);' >src/base/one.h
	printf '%s\n' '#include "base/one.h"' 'int one(void) { return 1; }' >src/base/one.c
	echo 'int two(void);' >src/engine/two.h
	printf '%s\n' '#include "engine/two.h"' '#include "base/one.h"' \
		'int two(void) { return 2 * one(); }' >src/engine/two.c
	printf '%s\n' '#include <stdio.h>' '#include "engine/two.h"' '#include "config.h"' \
		'int main(void) { return !printf("%s %d\n", RINGSCALE_VERSION, two()); }' >src/main.c
}

# compiler_without TEXT...: ./cc fails on every source that holds one of TEXT.
compiler_without() {
	local text

	{
		echo '#!/bin/sh'
		echo 'for word; do case $word in *.c) source=$word ;; esac; done'
		for text; do
			echo "grep -q '$text' \"\$source\" && echo \"no $text here\" >&2 && exit 1"
		done
		echo 'exec gcc "$@"'
	} >cc
	chmod +x cc
}

@test "configure --help names every option and exits 0" {
	run --separate-stderr ./configure --help
	status_is 0
	[ -z "$stderr" ]
	output_has --prefix= --cc= --host= --sysroot= --sanitize= --werror --packages= --help
	[ ! -e build ]
}

@test "configure refuses what it does not know, quoting it" {
	run --separate-stderr ./configure --frobnicate
	status_is 2
	output_has "unknown option '--frobnicate'" --help
	for bad in --sanitize=memory --prefix=here "--prefix=/it's" --packages=gentoo/run \
			--sysroot=/no/such/folder --cc= --host --sanitize; do
		run --separate-stderr ./configure "$bad"
		status_is 2
		output_has "${bad%=}"
	done
	[ ! -e build/config.mk ]
}

@test "configure names all missing libraries at once, for three distributions" {
	compiler_without liburing.h gsl/
	run --separate-stderr ./configure --cc=./cc
	status_is 1
	output_has 'missing: liburing GSL' \
		'Debian: apt-get install libgsl-dev liburing-dev' \
		'Fedora: dnf install gsl-devel liburing-devel' \
		'Arch:   pacman -S gsl liburing' 'make deps'
	grep -q '^hwloc  *yes' <<<"$output"
	grep -q 'no liburing.h here' build/config.log
	[ ! -e build/config.mk ]
}

@test "configure names the packages of each library that is missing" {
	while read -r library header debian fedora arch; do
		compiler_without "$header"
		run --separate-stderr ./configure --cc=./cc
		status_is 1
		output_has "missing: $library;" "apt-get install $debian" "dnf install $fedora" \
			"pacman -S $arch"
	done <<-EOF
		liburing liburing.h liburing-dev liburing-devel liburing
		hwloc hwloc.h libhwloc-dev hwloc-devel hwloc
		libnuma numa.h libnuma-dev numactl-devel numactl
		jansson jansson.h libjansson-dev jansson-devel jansson
		GSL gsl_ libgsl-dev gsl-devel gsl
		argp argp.h libc6-dev glibc-devel glibc
	EOF
}

@test "configure works without pkg-config, and without cmocka" {
	PKG_CONFIG=/nonexistent run --separate-stderr ./configure
	status_is 0
	grep -q '^LIBRARY_LIBS = .*-luring' build/config.mk
	compiler_without cmocka.h
	run --separate-stderr ./configure --cc=./cc
	status_is 0
	grep -q '^CMOCKA_LIBS = *$' build/config.mk
}

@test "configure says when there is no compiler, naming its packages" {
	run --separate-stderr ./configure --cc=/nonexistent/cc
	status_is 1
	output_has 'missing: compiler' 'gcc libc6-dev' 'tried /nonexistent/cc'
	run --separate-stderr ./configure --host=none-such-triplet
	status_is 1
	output_has 'tried none-such-triplet-gcc'
}

@test "configure's answers reach the build" {
	run ./configure --prefix=/opt/x --werror --sanitize=address,undefined
	status_is 0
	grep -qx 'PREFIX = /opt/x' build/config.mk
	grep -qx 'WERROR = yes' build/config.mk
	run make V=1
	status_is 0
	output_has -Werror -fsanitize=address,undefined -std=gnu11
	run ./ringscale
	[[ "$output" =~ ^[0-9.]+\ 2$ ]]
}

@test "a changed configure is replayed with its arguments and environment" {
	CFLAGS='-O1 -DPLACE=here' ./configure '--prefix=/opt/a  "folder"' --werror
	cp build/config.mk before
	make check-headers
	cmp build/config.mk before
	sed -i 's/^version=.*/version=9.8.7/' configure
	touch -d '+2 seconds' configure
	run make check-headers
	output_has 'compiler '
	cmp build/config.mk before
	grep -q '"9.8.7"' build/config.h
}

@test "make configures by itself; a second make does nothing; V=1 shows commands" {
	run make
	status_is 0
	output_has 'CC      src/base/one.c' 'LINK    ringscale'
	output_lacks -std=gnu11
	run make
	status_is 0
	[ -z "$output" ]
	touch src/main.c
	run make V=1
	output_has -std=gnu11
	output_lacks src/base/one.c
}

@test "changed flags rebuild everything, a changed header what includes it" {
	make
	run make CFLAGS=-O1
	output_has src/base/one.c src/engine/two.c src/main.c
	run make CFLAGS=-O1
	[ -z "$output" ]
	touch src/engine/two.h
	run make CFLAGS=-O1
	output_has src/engine/two.c src/main.c
	output_lacks src/base/one.c
}

@test "a removed header does not stop the build, a removed source leaves the library" {
	echo 'int three(void) { return 3; }' >src/base/three.c
	sed -i 1i'int three(void);' src/base/three.c
	make
	ar t build/libringscale.a | grep -qx three.o
	rm src/base/three.c
	printf '%s\n' 'int two(void);' 'int two(void) { return 2; }' >src/engine/two.c
	echo 'int two(void); int main(void) { return two(); }' >src/main.c
	rm src/engine/two.h
	make
	! ar t build/libringscale.a | grep -qx three.o
}

@test "install honours prefix and DESTDIR, clean leaves the configuration" {
	./configure '--prefix=/opt/a b'
	run make install DESTDIR="$PWD/stage"
	status_is 0
	[ -x 'stage/opt/a b/bin/ringscale' ]
	[ -f 'stage/opt/a b/share/man/man1/ringscale.1' ]
	make clean
	[ ! -e ringscale ] && [ ! -e build/src ] && [ -e build/config.mk ]
}

@test "goals run in order even with -j, and one that fails ends it" {
	run make -j4 clean all
	status_is 0
	[ -x ringscale ]
	output_lacks jobserver
	echo '#error broken' >>src/base/one.c
	run make all install DESTDIR="$PWD/stage"
	[ "$status" -ne 0 ]
	[ ! -e stage ]
}

@test "check-headers catches a header that does not compile alone" {
	make check-headers
	echo 'size_t late(void);' >src/base/late.h
	run make check-headers
	[ "$status" -ne 0 ]
	output_has late.h size_t
}

@test "check-layers passes the project and catches each way to break it" {
	"$ROOT/tests/check-layers.sh" "$ROOT"
	while read -r folder include; do
		mkdir -p "src/$folder"
		printf '\n#include "%s"\n' "$include" >"src/$folder/bad.c"
		run make check-layers
		[ "$status" -ne 0 ]
		output_has "src/$folder/bad.c:2: " "$include"
		rm "src/$folder/bad.c"
		run make check-layers
		status_is 0
	done <<-EOF
		base machine/limits.h
		machine topology/topology.h
		stats results/writer.h
		workloads engine/point.h
		engine commands/command.h
		engine vm/vm.h
		vm engine/point.h
		engine two.h
		engine ../base/one.h
		oddfolder base/one.h
	EOF
	for folder in engine commands; do
		mkdir -p "src/$folder"
		printf '#include "base/one.h"\n#include "config.h"\n' >"src/$folder/good.c"
	done
	run make check-layers
	status_is 0
}

# unit_test NAME BODY: a program of one group: a test that passes, then BODY.
unit_test() {
	cat >"tests/unit/test_$1.c" <<-EOF
		#include <stdarg.h>
		#include <stddef.h>
		#include <stdint.h>
		#include <setjmp.h>
		#include <cmocka.h>
		#include <stdlib.h>
		#include <unistd.h>
		#include "engine/two.h"
		static void good(void **state) { (void)state; assert_int_equal(two(), 2); }
		static void other(void **state) { (void)state; $2; }
		int main(void)
		{
			const struct CMUnitTest tests[] = {
				cmocka_unit_test(good), cmocka_unit_test(other) };
			return cmocka_run_group_tests(tests, NULL, NULL) $3;
		}
	EOF
}

@test "make check adds up what passed, failed and was skipped" {
	unit_test pass 'assert_true(1)'
	run make check TESTS='unit check-layers check-headers'
	status_is 0
	[ "${lines[-1]}" = 'total: 4 passed, 0 failed, 0 skipped' ]
	unit_test skip 'print_message("no such data here\n"); skip()'
	run make check TESTS=unit
	status_is 0
	output_has 'SKIP    unit/test_skip: other: no such data here'
	grep -qx 'total: 3 passed, 0 failed, 1 skipped' <<<"$output"
	unit_test fail 'assert_int_equal(1, 77)'
	run make check TESTS=unit
	[ "$status" -ne 0 ]
	output_has 'FAIL    unit/test_fail: other' 0x4d
	grep -qx 'total: 4 passed, 1 failed, 1 skipped' <<<"$output"
	[ "$(grep -c ' passed, ' <<<"$output")" -eq 1 ]
}

@test "a test program that crashes, hangs, lies or does not build has failed" {
	unit_test abort 'abort()'
	unit_test exit '_exit(0)'
	unit_test late 'assert_true(1)' '+ 99'
	unit_test hang 'for (;;) pause()'
	unit_test broken 'this is not C'
	RINGSCALE_UNIT_LIMIT=1 run make check TESTS=unit
	[ "$status" -ne 0 ]
	output_has 'unit/test_abort: 1 of 2 tests never ended' 'unit/test_exit: 1 of 2 tests never' \
		'unit/test_late: exit status 99 though no test failed' \
		'unit/test_hang: timed out after 1 s' 'unit/test_broken: does not build'
	grep -Eqx 'total: 5 passed, [6-9] failed, 0 skipped' <<<"$output"
}

# outside COMMAND...: as if no bats were around it, for one that starts another.
outside() {
	local name words=()

	for name in $(compgen -e BATS_); do
		words+=(-u "$name")
	done
	env "${words[@]}" PATH="$(sed 's/[^:]*bats-core:*//g' <<<"$PATH")" "$@"
}

@test "command-line tests count too, with their reasons for skipping" {
	printf '%s\n' '@test "a" { "$RINGSCALE"; }' '@test "b" { skip "too hot"; }' \
		'@test "c" { echo words; false; }' >tests/cli/some.bats
	run outside make check TESTS=cli
	[ "$status" -ne 0 ]
	output_has 'SKIP    cli/some: b: too hot' 'FAIL    cli/some: c' words
	grep -qx 'total: 1 passed, 1 failed, 1 skipped' <<<"$output"
	printf '%s\n' '@test "a" { sleep 30; }' '@test "b" { true; }' >tests/cli/some.bats
	RINGSCALE_CLI_LIMIT=1 run outside make check TESTS=cli
	[ "$status" -ne 0 ]
	grep -qx 'total: 1 passed, 1 failed, 0 skipped' <<<"$output"
}

@test "the sanitizers' builds catch what the plain one does not" {
	unit_test overrun 'char *p = malloc(4); assert_non_null(p); p[two() * 2]++; free(p)'
	run make check TESTS='unit address'
	[ "$status" -ne 0 ]
	output_has 'FAIL    address/unit/test_overrun' 'exit status 99' test_overrun.c:10
	grep -qx 'total: 3 passed, 1 failed, 0 skipped' <<<"$output"
	[ -x build/address/ringscale ] && [ -x ringscale ]
}

@test "deps asks for what goals need; without root and sudo it prints the line" {
	mkdir bin
	for tool in sh env dirname grep sed tr sort cat; do
		ln -s "$(command -v $tool)" bin
	done
	printf '#!/bin/sh\necho "apt-get $*" >>calls\n' >bin/apt-get
	printf '#!/bin/sh\ncat state\n' >bin/dpkg-query
	printf '#!/bin/sh\necho "$uid"\n' >bin/id
	chmod +x bin/*

	echo -n installed >state
	uid=1000 PATH=$PWD/bin run tools/deps.sh check
	status_is 0
	[ ! -e calls ]

	echo -n not-installed >state
	uid=1000 PATH=$PWD/bin run tools/deps.sh run
	status_is 1
	output_has 'neither root nor sudo' 'apt-get update && apt-get install' liburing-dev pkg-config
	output_lacks bats
	[ ! -e calls ]

	uid=0 PATH=$PWD/bin run tools/deps.sh check
	status_is 0
	grep -qx 'apt-get update' calls
	grep -q 'install -y --no-install-recommends .*bats.*libcmocka-dev' calls

	rm calls
	printf '#!/bin/sh\necho sudo >>calls\nexec "$@"\n' >bin/sudo
	chmod +x bin/sudo
	uid=1000 PATH=$PWD/bin run tools/deps.sh run
	status_is 0
	[ "$(grep -c sudo calls)" -eq 2 ]

	printf '#!/bin/sh\nexit 100\n' >bin/apt-get
	uid=0 PATH=$PWD/bin run tools/deps.sh run
	status_is 1
	output_has 'installing failed'
}

@test "cmocka is used by a tree that was configured without it, whatever is selected" {
	mkdir bin
	printf '#!/bin/sh\necho -n installed\n' >bin/dpkg-query
	printf '#!/bin/sh\nexit 0\n' >bin/apt-get
	chmod +x bin/*
	unit_test one 'assert_int_equal(one(), 1)'
	printf '%s\n' '@test "a" { true; }' '@test "b" { true; }' >tests/cli/some.bats
	for goals in 'deps check TESTS=unit' 'check deps TESTS=unit' 'deps check TESTS=cli'; do
		compiler_without cmocka.h
		run ./configure --cc="$PWD/cc"
		status_is 0
		grep -q '^CMOCKA_LIBS = $' build/config.mk
		compiler_without 'nothing at all'
		PATH=$PWD/bin:$PATH run outside make $goals
		status_is 0
		grep -qx 'total: 2 passed, 0 failed, 0 skipped' <<<"$output"
	done
}
