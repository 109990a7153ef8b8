// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A mapped ELF file; nothing in it is trusted to lie inside it. */
struct view {
	const unsigned char *data;
	size_t size;
};

/* Where the file's part that is looked at lies in the guest. */
struct place {
	uint64_t start, offset, size;
};

static const void *at(const struct view *view, uint64_t offset, uint64_t size)
{
	if (offset > view->size || size > view->size - offset)
		return NULL;
	return view->data + offset;
}

static const Elf64_Shdr *section(const struct view *view, const Elf64_Ehdr *header, unsigned i)
{
	return i < header->e_shnum ? at(view, header->e_shoff + i * sizeof(Elf64_Shdr),
					sizeof(Elf64_Shdr)) : NULL;
}

/* Offset in the file of an address that it is linked for; false where the file does not hold it. */
static bool offset_of(const struct view *view, const Elf64_Ehdr *header, uint64_t address,
		      uint64_t *offset)
{
	for (unsigned i = 0; i < header->e_phnum; i++) {
		const Elf64_Phdr *part = at(view, header->e_phoff + i * sizeof(*part),
					    sizeof(*part));

		if (!part || part->p_type != PT_LOAD || address < part->p_vaddr ||
		    address - part->p_vaddr >= part->p_filesz)
			continue;
		*offset = address - part->p_vaddr + part->p_offset;
		return true;
	}
	return false;
}

static void add_table(struct symbols *symbols, const struct view *view, const Elf64_Ehdr *header,
		      const Elf64_Shdr *table, const struct place *place)
{
	const Elf64_Shdr *strings = section(view, header, table->sh_link);
	uint64_t count = table->sh_size / sizeof(Elf64_Sym), offset;

	for (uint64_t i = 0; strings && i < count; i++) {
		const Elf64_Sym *symbol = at(view, table->sh_offset + i * sizeof(*symbol),
					     sizeof(*symbol));
		unsigned type = symbol ? ELF64_ST_TYPE(symbol->st_info) : STT_NOTYPE;
		const char *name;

		/* Of a function chosen at load time the chooser has the name. */
		if (!symbol || type != STT_FUNC || symbol->st_shndx == SHN_UNDEF ||
		    !symbol->st_size || symbol->st_name >= strings->sh_size ||
		    !offset_of(view, header, symbol->st_value, &offset) ||
		    offset < place->offset || offset - place->offset >= place->size)
			continue;
		name = at(view, strings->sh_offset + symbol->st_name, 1);
		if (name && *name && memchr(name, '\0', view->size - (size_t)(name - (const char *)view->data)))
			symbols_add(symbols, place->start + (offset - place->offset),
				    symbol->st_size, name,
				    ELF64_ST_BIND(symbol->st_info) == STB_LOCAL ? 1 : 0);
	}
}

static void add_tables(struct symbols *symbols, const struct view *view, const struct place *place)
{
	const Elf64_Ehdr *header = at(view, 0, sizeof(*header));
	const Elf64_Shdr *dynamic = NULL;
	bool whole = false;

	if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
		return;
	for (unsigned i = 0; i < header->e_shnum; i++) {
		const Elf64_Shdr *table = section(view, header, i);

		if (table && table->sh_type == SHT_SYMTAB) {
			add_table(symbols, view, header, table, place);
			whole = true;
		} else if (table && table->sh_type == SHT_DYNSYM) {
			dynamic = table;
		}
	}
	/* A stripped file still names what it exports. */
	if (!whole && dynamic)
		add_table(symbols, view, header, dynamic, place);
}

void symbols_add_file(struct symbols *symbols, const char *path, uint64_t start, uint64_t offset,
		      uint64_t size)
{
	const struct place place = { start, offset, size };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat stat;
	void *data;

	if (fd < 0)
		return;
	if (!fstat(fd, &stat) && S_ISREG(stat.st_mode) && stat.st_size > 0) {
		data = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (data != MAP_FAILED) {
			add_tables(symbols, &(struct view){ data, (size_t)stat.st_size }, &place);
			munmap(data, (size_t)stat.st_size);
		}
	}
	close(fd);
}
