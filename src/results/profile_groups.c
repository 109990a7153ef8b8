// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "results/profile.h"

enum group { IO_URING, SLAB, FILES, LOCK, ENTRY, MEMORY, INTERRUPT, OTHER, USER };

const char *const profile_group_names[PROFILE_GROUPS] = {
	"io_uring", "slab", "file", "lock", "entry", "memory", "interrupt", "other", "user",
};

/* The longest prefix that fits decides. Names of Linux 6.1 to 7.x, x86-64 and arm64. */
static const struct {
	const char *prefix;
	enum group group;
} prefixes[] = {
	{ "io_", IO_URING }, { "__io_", IO_URING }, { "_io_", IO_URING },
	{ "__do_sys_io_uring", IO_URING }, { "__se_sys_io_uring", IO_URING },
	{ "__x64_sys_io_uring", IO_URING }, { "__arm64_sys_io_uring", IO_URING },
	{ "__ia32_sys_io_uring", IO_URING }, { "req_", IO_URING }, { "io_schedule", OTHER },
	{ "ioread", OTHER }, { "iowrite", OTHER },

	{ "kmem_cache_", SLAB }, { "__kmem_cache_", SLAB }, { "kmalloc", SLAB },
	{ "__kmalloc", SLAB }, { "krealloc", SLAB }, { "kfree", SLAB }, { "__kfree", SLAB },
	{ "kvmalloc", SLAB }, { "__kvmalloc", SLAB }, { "kvfree", SLAB }, { "kzalloc", SLAB },
	{ "slab_", SLAB }, { "__slab_", SLAB }, { "___slab_", SLAB }, { "build_slab", SLAB },
	{ "new_slab", SLAB }, { "allocate_slab", SLAB }, { "alloc_from_new_slab", SLAB },
	{ "alloc_from_pcs", SLAB }, { "free_to_pcs", SLAB }, { "refill_objects", SLAB },
	{ "__refill_objects", SLAB }, { "refill_sheaf", SLAB }, { "get_partial", SLAB },
	{ "get_from_partial", SLAB }, { "put_cpu_partial", SLAB }, { "__put_partials", SLAB },
	{ "__pcs_", SLAB }, { "barn_", SLAB }, { "shuffle_freelist", SLAB },
	{ "setup_object", SLAB }, { "init_object", SLAB }, { "___cache_free", SLAB },
	{ "memcg_slab", SLAB }, { "__memcg_slab", SLAB }, { "get_any_partial", SLAB },
	{ "__unfreeze_partials", SLAB }, { "should_failslab", SLAB }, { "__ksize", SLAB },
	{ "account_slab", SLAB }, { "discard_slab", SLAB }, { "__free_slab", SLAB },
	{ "next_freelist_entry", SLAB }, { "fixup_red_left", SLAB },

	{ "fget", FILES }, { "__fget", FILES }, { "fput", FILES }, { "__fput", FILES },
	{ "____fput", FILES }, { "fdget", FILES }, { "__fdget", FILES }, { "get_file", FILES },
	{ "file_", FILES }, { "__file_", FILES }, { "files_", FILES }, { "fs_", OTHER },
	{ "security_file", FILES }, { "fsnotify", FILES }, { "alloc_file", FILES },
	{ "alloc_empty_file", FILES }, { "init_file", FILES }, { "rw_verify_area", FILES },
	{ "vfs_", FILES }, { "dput", FILES }, { "mntput", FILES }, { "task_work_", FILES },

	{ "mutex_", LOCK }, { "__mutex_", LOCK }, { "_raw_", LOCK }, { "__raw_", LOCK },
	{ "queued_", LOCK }, { "native_queued_", LOCK }, { "rwsem_", LOCK }, { "down_", LOCK },
	{ "up_", LOCK }, { "__rcu_read_", LOCK }, { "rcu_read_", LOCK }, { "osq_", LOCK },
	{ "percpu_ref_", LOCK }, { "preempt_", LOCK }, { "lock_", LOCK }, { "spin_", LOCK },
	{ "lockref_", LOCK }, { "refcount_", LOCK }, { "__local_bh_", LOCK },
	{ "rcuref_", LOCK }, { "pv_native_", LOCK },

	{ "entry_", ENTRY }, { "do_syscall", ENTRY }, { "x64_sys_call", ENTRY },
	{ "syscall_", ENTRY }, { "__do_syscall", ENTRY }, { "exit_to_", ENTRY },
	{ "arch_exit_to_", ENTRY }, { "arch_do_signal", ENTRY }, { "swapgs_", ENTRY },
	{ "irqentry_", ENTRY }, { "asm_", ENTRY }, { "exc_", ENTRY }, { "error_", ENTRY },
	{ "common_interrupt_return", ENTRY }, { "native_irq_return", ENTRY },
	{ "restore_", ENTRY }, { "sync_regs", ENTRY }, { "fixup_bad_iret", ENTRY },
	{ "__x86_indirect_", ENTRY }, { "__x86_return_", ENTRY }, { "its_", ENTRY },
	{ "srso_", ENTRY }, { "retbleed_", ENTRY }, { "zen_", ENTRY }, { "write_ibpb", ENTRY },
	{ "clear_bhb_", ENTRY }, { "fpregs_", ENTRY }, { "switch_fpu", ENTRY },
	{ "el0", ENTRY }, { "el1", ENTRY }, { "do_el0", ENTRY }, { "do_el1", ENTRY },
	{ "invoke_syscall", ENTRY }, { "vectors", ENTRY }, { "ret_to_", ENTRY },
	{ "tramp_", ENTRY }, { "__pi_", ENTRY }, { "enter_from_", ENTRY },
	{ "raw_irqentry_", ENTRY },

	{ "memset", MEMORY }, { "memcpy", MEMORY }, { "memmove", MEMORY }, { "__mem", MEMORY },
	{ "__pi_mem", MEMORY }, { "__pi_clear_page", MEMORY }, { "clear_page", MEMORY },
	{ "copy_", MEMORY }, { "_copy_", MEMORY }, { "__copy_", MEMORY }, { "rep_", MEMORY },
	{ "__arch_copy_", MEMORY }, { "alloc_pages", MEMORY }, { "__alloc_", MEMORY },
	{ "alloc_frozen_", MEMORY }, { "get_page", MEMORY }, { "rmqueue", MEMORY },
	{ "__rmqueue", MEMORY }, { "free_page", MEMORY }, { "__free_page", MEMORY },
	{ "free_unref", MEMORY }, { "free_frozen", MEMORY }, { "__free_", MEMORY },
	{ "prep_new_page", MEMORY }, { "post_alloc_hook", MEMORY }, { "kernel_init_pages", MEMORY },
	{ "mod_", MEMORY }, { "__mod_", MEMORY }, { "mem_cgroup_", MEMORY },
	{ "__mem_cgroup_", MEMORY }, { "charge_memcg", MEMORY }, { "obj_cgroup", MEMORY },
	{ "refill_stock", MEMORY }, { "try_charge", MEMORY }, { "folio_", MEMORY },
	{ "handle_mm_", MEMORY }, { "__handle_mm_", MEMORY }, { "do_user_addr_fault", MEMORY },
	{ "do_anonymous_page", MEMORY }, { "do_fault", MEMORY }, { "handle_pte_fault", MEMORY },
	{ "mas_", MEMORY }, { "mtree_", MEMORY }, { "find_vma", MEMORY }, { "vma_", MEMORY },
	{ "policy_", MEMORY }, { "zone_", MEMORY }, { "__zone_", MEMORY }, { "pte_", MEMORY },
	{ "expand", MEMORY }, { "memcg_", MEMORY }, { "__memcg_", MEMORY },
};

size_t profile_group(const struct profile_row *row)
{
	enum group group = OTHER;
	size_t longest = 0;

	if (row->mode == PROFILE_USER)
		return USER;
	if (row->mode == PROFILE_INTERRUPT)
		return INTERRUPT;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		size_t length = strlen(prefixes[i].prefix);

		if (length <= longest || strncmp(row->function, prefixes[i].prefix, length))
			continue;
		longest = length;
		group = prefixes[i].group;
	}
	return group;
}
