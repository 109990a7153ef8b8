// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/image.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/list.h"

#define HEAD_SIZE 4096

static uint64_t little(const uint8_t *at, int bytes)
{
	uint64_t value = 0;

	for (int i = bytes; i-- > 0;)
		value = value << 8 | at[i];
	return value;
}

/* Documentation/arch/x86/boot.rst: setup sectors, then syssize paragraphs. */
static const char *judge_x86(const uint8_t *head, uint64_t file_size)
{
	uint64_t setup = head[0x1f1] ? head[0x1f1] : 4;
	uint64_t needed = (setup + 1) * 512 + little(head + 0x1f4, 4) * 16;

	if (little(head + 0x206, 2) < 0x0206)
		return "is a kernel too old for the lab";
	/* What is signed or padded may be longer. */
	return file_size + 16 < needed ? "is torn: shorter than its boot header says" : NULL;
}

const char *image_judge(const uint8_t *head, size_t size, uint64_t file_size, enum vm_arch *arch)
{
	if (size >= 0x260 && !memcmp(head + 0x202, "HdrS", 4)) {
		*arch = VM_X86_64;
		return judge_x86(head, file_size);
	}
	*arch = VM_ARM64;
	if (size >= 64 && !memcmp(head + 0x38, "ARM\x64", 4))
		/* The image size may count memory that is not in the file (.bss): no bound. */
		return NULL;
	/* An EFI image that unpacks itself, and a packed Image: QEMU unpacks both. */
	if (size >= 64 && !memcmp(head, "MZ", 2) && !memcmp(head + 4, "zimg", 4))
		return little(head + 8, 4) + little(head + 12, 4) > file_size
			? "is torn: shorter than its boot header says" : NULL;
	if (size >= 64 && head[0] == 0x1f && head[1] == 0x8b)
		return NULL;
	return "is not a kernel image (no boot header of x86_64 or arm64)";
}

int image_check(const char *path, enum vm_arch *arch, struct error *e)
{
	uint8_t head[HEAD_SIZE];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), result = 0;
	struct stat stat;
	ssize_t size = 0;
	const char *wrong;

	if (fd < 0 || fstat(fd, &stat) < 0) {
		result = error_set(e, ERROR_USAGE, errno, "--kernel %s: %s",
				   list_quote(path).text, strerror(errno));
	} else if (!S_ISREG(stat.st_mode)) {
		result = error_set(e, ERROR_USAGE, EINVAL, "--kernel %s: is not a file",
				   list_quote(path).text);
	} else if ((size = read(fd, head, sizeof(head))) < 0) {
		result = error_set(e, ERROR_USAGE, errno, "--kernel %s: %s",
				   list_quote(path).text, strerror(errno));
	} else {
		wrong = image_judge(head, (size_t)size, (uint64_t)stat.st_size, arch);
		if (wrong)
			result = error_set(e, ERROR_USAGE, EINVAL, "--kernel %s: %s",
					   list_quote(path).text, wrong);
	}
	if (fd >= 0)
		close(fd);
	return result;
}
