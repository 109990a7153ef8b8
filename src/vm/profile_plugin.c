// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vm/process.h"
#include "vm/profile.h"
#include "vm/qemu.h"

#define PROBE_LIMIT_NS 20000000000

/* Beside the program: in a source tree, under build/NAME, installed. */
static const char *const places[] = {
	"build/profile.so", "profile.so", "../lib/ringscale/profile.so", NULL
};

static int find_beside(char *found, size_t size, struct error *e)
{
	char folder[PATH_MAX / 2];
	ssize_t length = readlink("/proc/self/exe", folder, sizeof(folder) - 1);

	folder[length > 0 ? length : 0] = '\0';
	if (strrchr(folder, '/'))
		*strrchr(folder, '/') = '\0';
	for (int i = 0; places[i]; i++) {
		snprintf(found, size, "%s/%s", folder, places[i]);
		if (!access(found, R_OK))
			return 0;
	}
	return error_set(e, ERROR_UNAVAILABLE, ENOENT,
			 "no profile: this program was built without its plugin (profile.so); "
			 "configure says why in build/config.log");
}

int profile_find_plugin(const struct vm_context *context, const struct vm_qemu *qemu,
			const char *path, char *found, size_t size, struct error *e)
{
	char *value, *option = NULL;
	struct error failed = ERROR_INIT;
	struct process process = {
		.environment = { qemu->libraries[0] ? qemu->libraries : NULL },
	};
	int result = 0;

	if (path)
		snprintf(found, size, "%s", path);
	else
		result = find_beside(found, size, e);
	if (result)
		return result;
	value = qemu_value(found);
	if (!value || asprintf(&option, "file=%s,probe=on", value) < 0)
		option = NULL;
	if (option) {
		const char *const argv[] = { qemu->program, "-machine", "none", "-nodefaults",
					     "-display", "none", "-plugin", option, NULL };

		process.argv = argv;
		result = process_run(&process, PROBE_LIMIT_NS, context->interrupt_fd, NULL,
				     &failed);
	} else {
		result = error_set(&failed, ERROR_FAILED, ENOMEM, "no memory");
	}
	free(option);
	free(value);
	if (result && failed.kind == ERROR_INTERRUPTED)
		return error_set(e, failed.kind, failed.code, "%s", failed.text);
	return result ? error_set(e, ERROR_UNAVAILABLE, ENOTSUP,
				  "no profile: QEMU %.20s does not load the plugin '%s' (%s); it "
				  "needs QEMU 7.2 to 10 built with plugins", qemu->version, found,
				  failed.text) : 0;
}
