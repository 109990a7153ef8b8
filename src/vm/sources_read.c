// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/sources.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm/context.h"
#include "vm/process.h"

/* Parses all files that a pattern matches. */
static int read_pattern(struct sources *sources, const char *pattern,
			int (*parse)(struct sources *, const char *))
{
	glob_t found;
	int result = 0;

	if (glob(pattern, 0, NULL, &found))
		return 0;
	for (size_t i = 0; i < found.gl_pathc && !result; i++) {
		char *text = vm_read_file(found.gl_pathv[i]);

		if (text)
			result = parse(sources, text);
		free(text);
	}
	globfree(&found);
	return result;
}

/* The value of `name` in apt-config's NAME='VALUE' lines. */
static void find_value(const char *text, const char *name, char *value, size_t size)
{
	const char *line = strstr(text, name);

	value[0] = '\0';
	if (line) {
		line += strlen(name) + 2;
		snprintf(value, size, "%.*s", (int)strcspn(line, "'"), line);
	}
}

int sources_read(struct sources *sources, int interrupt_fd, struct error *e)
{
	static const char *const argv[] = {
		"apt-config", "shell", "LAB_LIST", "Dir::Etc::sourcelist/f", "LAB_PARTS",
		"Dir::Etc::sourceparts/d", NULL
	};
	char list[PATH_MAX / 2], parts[PATH_MAX / 2], pattern[PATH_MAX];
	char *text = NULL;
	int result = process_run(&(struct process){ .argv = argv }, 30000000000, interrupt_fd,
				 &text, e);

	if (result == -ENOENT) {
		error_clear(e);
		return error_set(e, ERROR_UNAVAILABLE, ENOENT,
				 "no apt here, kernels cannot be fetched; give a local image to "
				 "--kernel");
	}
	if (result)
		return result;
	find_value(text, "LAB_LIST", list, sizeof(list));
	find_value(text, "LAB_PARTS", parts, sizeof(parts));
	free(text);
	result = read_pattern(sources, list, sources_parse_list);
	snprintf(pattern, sizeof(pattern), "%s/*.list", parts);
	if (!result)
		result = read_pattern(sources, pattern, sources_parse_list);
	snprintf(pattern, sizeof(pattern), "%s/*.sources", parts);
	if (!result)
		result = read_pattern(sources, pattern, sources_parse_deb822);
	return result ? error_set(e, ERROR_FAILED, ENOMEM, "no memory for apt's sources") : 0;
}
