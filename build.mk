# SPDX-License-Identifier: GPL-2.0-or-later
#
# The build itself; Makefile is the front that configures first and calls this.
#
#   BUILD=DIR      where objects go; other than "build", the program goes there too
#   SANITIZE=LIST  address,undefined or thread
#   WERROR=yes     warnings are errors
#   V=1            whole command lines

include build/config.mk

BUILD := build
PROGRAM := $(if $(filter build,$(BUILD)),ringscale,$(BUILD)/ringscale)
LIBRARY := $(BUILD)/libringscale.a
# What the emulator loads, in a process of its own; without the program's sanitizers.
PLUGIN_SOURCES := $(sort $(wildcard src/vm/plugin/*.c))
PLUGIN_FILE := $(if $(and $(filter yes,$(PLUGIN)),$(PLUGIN_SOURCES)),$(BUILD)/profile.so)
PLUGIN_OBJECTS := $(PLUGIN_SOURCES:%.c=$(BUILD)/%.o)

WARNINGS := -Wall -Wextra -Wshadow -Wmissing-prototypes -Wstrict-prototypes -Wpointer-arith \
	-Wwrite-strings -Wvla $(if $(filter yes,$(WERROR)),-Werror)
# An exit status of their own, see tests/run.sh; recovery would hide the first report.
SANITIZERS := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all \
	-fno-omit-frame-pointer)
COMPILE := $(CC) -std=gnu11 -D_GNU_SOURCE -Isrc -Ibuild $(CPPFLAGS) $(LIBRARY_CFLAGS) \
	$(CFLAGS) -pthread $(WARNINGS) $(SANITIZERS)
LINK := $(CC) $(CFLAGS) -pthread $(SANITIZERS) $(LDFLAGS)

SOURCES := $(sort $(wildcard src/*/*.c))
HEADERS := $(sort $(wildcard src/*/*.h src/*/*/*.h))
OBJECTS := $(SOURCES:%.c=$(BUILD)/%.o)
UNIT_SOURCES := $(sort $(wildcard tests/unit/*.c))
UNIT_TESTS := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(filter tests/unit/test_%,$(UNIT_SOURCES)))
UNIT_HELPERS := $(patsubst %.c,$(BUILD)/%.o,$(filter-out tests/unit/test_%,$(UNIT_SOURCES)))
CLI_TOOLS := $(patsubst tests/%.c,$(BUILD)/%,$(sort $(wildcard tests/cli/*.c)))
BENCHES := $(patsubst tests/%.c,$(BUILD)/%,$(sort $(filter-out %/support.c,$(wildcard tests/bench/*.c))))
BENCH_HELPERS := $(BUILD)/tests/bench/support.o

ifeq ($(V),1)
say = @:
Q :=
else
say = @printf '  %-7s %s\n' $(1) $(2)
Q := @
endif

all: $(PROGRAM) $(PLUGIN_FILE)
compiled: $(OBJECTS) $(PLUGIN_OBJECTS) $(BUILD)/src/main.o \
	$(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/unit/*.c tests/cli/*.c tests/bench/*.c))
units: $(UNIT_TESTS) ; @:
tools: $(CLI_TOOLS) ; @:
benches: $(BENCHES) ; @:
check-headers: $(HEADERS:%.h=$(BUILD)/%.h.ok)
.PHONY: all compiled units tools benches check-headers install FORCE
.DELETE_ON_ERROR:
.SECONDARY:

# $(call stamp,TEXT): rewrites the target only if TEXT is not what it holds, so that
# what depends on it is made again exactly when TEXT changes.
quoted = '$(subst ','\'',$(1))'
stamp = @mkdir -p $(@D); printf '%s\n' $(call quoted,$(1)) | cmp -s - $@ || \
	printf '%s\n' $(call quoted,$(1)) >$@

$(BUILD)/flags: FORCE
	$(call stamp,$(COMPILE) $(LINK) $(LIBRARY_LIBS) $(AR))
$(BUILD)/objects: FORCE
	$(call stamp,$(OBJECTS))

$(BUILD)/tests/%.o: COMPILE += $(CMOCKA_CFLAGS)
$(BUILD)/%.o: %.c $(BUILD)/flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -MMD -MP -c -o $@ $<

# The object list is a prerequisite so that a removed source leaves the archive too.
$(LIBRARY): $(OBJECTS) $(BUILD)/objects
	$(call say,AR,$@)
	$(Q)rm -f $@; $(AR) rcs $@ $(OBJECTS)

$(PROGRAM): $(BUILD)/src/main.o $(LIBRARY)
	$(call say,LINK,$@)
	$(Q)$(LINK) -o $@ $^ $(LIBRARY_LIBS)

$(BUILD)/unit/%: $(BUILD)/tests/unit/%.o $(UNIT_HELPERS) $(LIBRARY)
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(LINK) -o $@ $^ $(CMOCKA_LIBS) $(LIBRARY_LIBS)

$(BENCHES): $(BENCH_HELPERS)
$(CLI_TOOLS) $(BENCHES): $(BUILD)/%: $(BUILD)/tests/%.o $(LIBRARY)
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(LINK) -o $@ $(filter %.o,$^) $(LIBRARY) $(LIBRARY_LIBS)

$(PLUGIN_OBJECTS): COMPILE := $(filter-out $(SANITIZERS),$(COMPILE)) -fPIC -fvisibility=hidden
$(BUILD)/profile.so: LINK := $(filter-out $(SANITIZERS),$(LINK))
$(BUILD)/profile.so: $(PLUGIN_OBJECTS)
	$(call say,LINK,$@)
	$(Q)$(LINK) -shared -o $@ $^

# Whether programs link at all, and then start: tests/run.sh asks before the sanitizers.
$(BUILD)/probe: $(BUILD)/flags
	$(Q)echo 'int main(void) { return 0; }' | $(LINK) -o $@ -x c -

# Every header compiles alone: included twice, as the first line of an empty program.
$(BUILD)/%.h.ok: %.h $(BUILD)/flags
	$(call say,HEADER,$<)
	@mkdir -p $(@D)
	$(Q)printf '#include "%s"\n#include "%s"\n' $(<:src/%=%) $(<:src/%=%) | \
		$(COMPILE) -Werror -MMD -MP -MF $(@:.ok=.d) -MT $@ -x c -fsyntax-only -
	@touch $@

install: $(PROGRAM) $(PLUGIN_FILE)
	$(call say,INSTALL,$(DESTDIR)$(PREFIX))
	$(Q)install -d '$(DESTDIR)$(PREFIX)/bin' '$(DESTDIR)$(PREFIX)/share/man/man1'
	$(Q)install -m 755 $(PROGRAM) '$(DESTDIR)$(PREFIX)/bin/ringscale'
	$(Q)install -m 644 man/ringscale.1 '$(DESTDIR)$(PREFIX)/share/man/man1/ringscale.1'
	$(if $(PLUGIN_FILE),$(Q)install -d '$(DESTDIR)$(PREFIX)/lib/ringscale' && \
		install -m 755 $(PLUGIN_FILE) '$(DESTDIR)$(PREFIX)/lib/ringscale/profile.so')
	$(Q)install -d '$(DESTDIR)$(PREFIX)/share/ringscale/topologies'
	$(Q)for shape in $(wildcard topologies/*.vm topologies/*.xml); do \
		install -m 644 "$$shape" '$(DESTDIR)$(PREFIX)/share/ringscale/topologies/' || exit; \
	done

-include $(shell find $(BUILD)/src $(BUILD)/tests -name '*.d' 2>/dev/null)
