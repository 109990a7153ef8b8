# SPDX-License-Identifier: GPL-2.0-or-later
#
# A thin front: configures when needed and calls build.mk, which does the work on
# all CPUs. Goals run one after the other, so that `make deps run` is what it says.

.NOTPARALLEL:

# Under an outer -j the inner make takes part in its job server.
JOBS = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc 2>/dev/null || echo 1))
BUILD_MK = +@$(MAKE) --no-print-directory $(JOBS) -f build.mk
CONFIGURED = build/config.mk

# ARGS: what follows "ringscale run", as in make run ARGS="--pairs 2".
ARGS =

all: $(CONFIGURED)
	$(BUILD_MK) all

help:
	@echo 'goals: all (default), deps, run, check, check-headers, check-layers, bench,'
	@echo '       install, clean; several may be given: make deps run, make deps check'
	@echo 'variables: V=1, CC, CFLAGS, LDFLAGS, DESTDIR, ARGS (of run), TESTS (of check)'

# What `run` needs, and with `check` among the goals what the tests need.
deps:
	@tools/deps.sh $(if $(filter check,$(MAKECMDGOALS)),check,run)

run: all
	./ringscale run $(ARGS)

check: all
	+@MAKE='$(MAKE)' JOBS='$(JOBS)' tests/run.sh $(TESTS)

check-headers: $(CONFIGURED)
	$(BUILD_MK) check-headers

check-layers:
	@tests/check-layers.sh

bench: $(CONFIGURED)
	$(BUILD_MK) benches
	build/bench/floor
	build/bench/requests

install: $(CONFIGURED)
	$(BUILD_MK) install

# Leaves the configuration: ./configure makes a new one.
clean:
	@rm -f ringscale
	@if [ -d build ]; then find build -mindepth 1 -maxdepth 1 ! -name 'config.*' \
		-exec rm -rf {} +; fi

# A changed configure is replayed with the arguments it was given. Installing
# packages, where that is a goal, comes before looking for them.
$(CONFIGURED): configure $(if $(filter deps,$(MAKECMDGOALS)),| deps)
	@if [ -x build/config.status ]; then build/config.status; else ./configure; fi

.PHONY: all help deps run check check-headers check-layers bench install clean
