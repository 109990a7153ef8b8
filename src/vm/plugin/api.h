/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_VM_PLUGIN_API_H
#define RINGSCALE_VM_PLUGIN_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The few functions of QEMU's plugin interface that are used, as QEMU's
 * docs/devel/tcg-plugins.rst describes them; distributions do not package the header. They are
 * the same from version 1 (QEMU 7.2) to version 4 (QEMU 10.0), but for qemu_plugin_insn_data.
 */
struct qemu_plugin_tb;
struct qemu_plugin_insn;

struct qemu_plugin_version {
	int min, cur;
};
struct qemu_plugin_info {
	const char *target_name;
	struct qemu_plugin_version version;
	bool system_emulation;
	/* More follows. */
};

/* Registers are neither read nor written in a callback. */
#define QEMU_PLUGIN_NO_REGS 0

#define QEMU_PLUGIN_EXPORT __attribute__((visibility("default")))

typedef void (*qemu_plugin_translated)(uint64_t id, struct qemu_plugin_tb *tb);
typedef void (*qemu_plugin_executed)(unsigned vcpu, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, qemu_plugin_translated callback);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_plugin_executed callback,
					  int flags, void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    qemu_plugin_executed callback, int flags, void *data);
void qemu_plugin_register_atexit_cb(uint64_t id, void (*callback)(uint64_t id, void *data),
				    void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
/* From version 3 on it copies; before, it has the first argument only and returns a pointer. */
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to, size_t size);
/* There from version 2 on. */
void *qemu_plugin_scoreboard_new(size_t size) __attribute__((weak));

#endif
