// SPDX-License-Identifier: GPL-2.0-or-later
#include "topology_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

char *support_read(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t room = 0;

	if (!file)
		return NULL;
	if (getdelim(&text, &room, '\0', file) < 0) {
		free(text);
		text = strdup("");
	}
	fclose(file);
	return text;
}

static char path[64];

static void remove_written(void)
{
	if (path[0])
		unlink(path);
}

const char *support_write(const char *bytes, size_t size)
{
	int fd;

	if (path[0])
		unlink(path);
	else
		atexit(remove_written);
	strcpy(path, "/tmp/ringscale-test-topology-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
	return path;
}

static void load(struct topology *topology, const char *source, const char *kinds)
{
	struct error e = ERROR_INIT;

	if (topology_load(topology, source, kinds, &e))
		fail_msg("%s: %s", source, e.text);
}

void support_load(struct topology *topology, const char *name, const char *kinds)
{
	char file[128];

	snprintf(file, sizeof(file), "topologies/%s.xml", name);
	load(topology, access(file, R_OK) == 0 ? file : name, kinds);
}

void support_load_changed(struct topology *topology, const char *name, const char *from,
			  const char *to)
{
	char file[128];
	char *text, *at, *changed = NULL;
	size_t size;
	FILE *out = open_memstream(&changed, &size);

	snprintf(file, sizeof(file), "topologies/%s.xml", name);
	text = support_read(file);
	assert_non_null(text);
	assert_non_null(strstr(text, from));
	for (char *rest = text; rest; rest = at ? at + strlen(from) : NULL) {
		at = strstr(rest, from);
		fprintf(out, "%.*s%s", at ? (int)(at - rest) : (int)strlen(rest), rest,
			at ? to : "");
	}
	fclose(out);
	load(topology, support_write(changed, size), NULL);
	free(changed);
	free(text);
}

int support_kind(const struct topology *topology, const char *name)
{
	for (int i = 0; i < topology->kind_count; i++)
		if (strcmp(topology->kinds[i].name, name) == 0)
			return i;
	fail_msg("no kind %s, but %s", name, topology->kinds[0].name);
	return -1;
}

void support_has_kind(const struct topology *topology, const char *name, const char *pus,
		      int available)
{
	const struct kind *kind = &topology->kinds[support_kind(topology, name)];
	char *list = NULL;

	hwloc_bitmap_list_asprintf(&list, kind->cpus);
	assert_string_equal(list, pus);
	free(list);
	assert_int_equal(hwloc_bitmap_weight(kind->candidates), available);
}

int support_is_odd(const struct topology *topology, const char *text)
{
	for (int i = 0; i < topology->odd_count; i++)
		if (strstr(topology->odd[i], text))
			return 1;
	return 0;
}
