// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/elf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A mapped file; nothing in it is trusted to lie inside it. */
struct map {
	const unsigned char *data;
	size_t size;
};

static const void *at(const struct map *map, uint64_t offset, uint64_t size)
{
	if (offset > map->size || size > map->size - offset)
		return NULL;
	return map->data + offset;
}

static void copy_text(const struct map *map, uint64_t offset, char *text, size_t size)
{
	const char *from = at(map, offset, 1);

	text[0] = '\0';
	if (from)
		snprintf(text, size, "%.*s", (int)strnlen(from, map->size - offset), from);
}

static const Elf64_Phdr *program_header(const struct map *map, const Elf64_Ehdr *header,
					unsigned i)
{
	return at(map, header->e_phoff + i * sizeof(Elf64_Phdr), sizeof(Elf64_Phdr));
}

/* Where an address of the running program is in the file; 0 where nowhere. */
static uint64_t file_offset(const struct map *map, const Elf64_Ehdr *header, uint64_t address)
{
	for (unsigned i = 0; i < header->e_phnum; i++) {
		const Elf64_Phdr *part = program_header(map, header, i);

		if (part && part->p_type == PT_LOAD && address >= part->p_vaddr &&
		    address - part->p_vaddr < part->p_filesz)
			return address - part->p_vaddr + part->p_offset;
	}
	return 0;
}

static void read_dynamic(struct elf *elf, const struct map *map, const Elf64_Ehdr *header,
			 const Elf64_Phdr *part)
{
	uint64_t count = part->p_filesz / sizeof(Elf64_Dyn), strings = 0;
	const Elf64_Dyn *table = at(map, part->p_offset, part->p_filesz);

	for (uint64_t i = 0; table && i < count; i++)
		if (table[i].d_tag == DT_STRTAB)
			strings = file_offset(map, header, table[i].d_un.d_ptr);
	for (uint64_t i = 0; table && strings && i < count && table[i].d_tag != DT_NULL; i++) {
		if (table[i].d_tag != DT_NEEDED || elf->needed_count == ELF_NEEDED_MAX)
			continue;
		copy_text(map, strings + table[i].d_un.d_val, elf->needed[elf->needed_count],
			  sizeof(elf->needed[0]));
		elf->needed_count++;
	}
}

static int parse(struct elf *elf, const struct map *map)
{
	const Elf64_Ehdr *header = at(map, 0, sizeof(*header));

	if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
		return -ENOEXEC;
	if (header->e_machine == EM_X86_64)
		elf->arch = VM_X86_64;
	else if (header->e_machine == EM_AARCH64)
		elf->arch = VM_ARM64;
	else
		return -ENOEXEC;
	for (unsigned i = 0; i < header->e_phnum; i++) {
		const Elf64_Phdr *part = program_header(map, header, i);

		if (part && part->p_type == PT_INTERP)
			copy_text(map, part->p_offset, elf->interpreter,
				  sizeof(elf->interpreter));
		else if (part && part->p_type == PT_DYNAMIC)
			read_dynamic(elf, map, header, part);
	}
	return 0;
}

int elf_read(struct elf *elf, const char *path, struct error *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), result = 0;
	struct map map = { 0 };
	struct stat stat;
	void *data;

	memset(elf, 0, sizeof(*elf));
	if (fd < 0 || fstat(fd, &stat) < 0) {
		result = error_set(e, ERROR_USAGE, errno, "program '%s': %s", path,
				   strerror(errno));
		goto out;
	}
	data = stat.st_size > 0 ? mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
				: MAP_FAILED;
	if (data != MAP_FAILED) {
		map = (struct map){ data, (size_t)stat.st_size };
		result = parse(elf, &map);
		munmap(data, map.size);
	} else {
		result = -ENOEXEC;
	}
	if (result)
		error_set(e, ERROR_USAGE, ENOEXEC,
			  "'%s' is not a program for x86_64 or arm64", path);
out:
	if (fd >= 0)
		close(fd);
	return result;
}
