/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_TESTS_WRITER_FOLDER_H
#define RINGSCALE_TESTS_WRITER_FOLDER_H

/* What the tests of the writer share: a folder of its own for each test, and a record to write. */
#include "results/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char home[4096]; /* folder that the program was started in */
static char folder[64]; /* where each test works */

static int enter_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/ringscale-test-writer-XXXXXX");
	return !mkdtemp(folder) || chdir(folder) ? -1 : 0;
}

static int leave_folder(void **state)
{
	char command[128];

	(void)state;
	if (chdir(home))
		return -1;
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}

static json_t *numbered(int n)
{
	return json_pack("{s:s, s:i, s:s}", "record", "block", "n", n, "text",
			 "line\nend \xc2\xb5");
}

static int append_numbered(struct writer *writer, int n, struct error *e)
{
	json_t *record = numbered(n);
	int result = writer_append(writer, record, e);

	json_decref(record);
	return result;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

#endif
