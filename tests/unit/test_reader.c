// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/reader.h"

#include "results/frame.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#define HEADER "{\"record\":\"header\",\"schema\":1,\"version\":\"0.1\"}\n"
#define ROUND "{\"round\":0,\"valid\":true,\"fill_ns\":500,\"installs\":64,\"exit_ns\":null}"
#define PAIR "{\"sender_pu\":0,\"receiver_pu\":null,\"rounds\":[" ROUND "]}"
#define BLOCK_OF(id, n)                                                     \
	"{\"record\":\"block\",\"id\":\"" id "\",\"point\":{\"slots\":64}," \
	"\"block\":" #n ",\"valid\":true,\"pairs\":[" PAIR "]}\n"
#define BLOCK(n) BLOCK_OF("aa", n)
#define END "{\"record\":\"end\",\"status\":\"complete\"}\n"
#define RESUME "{\"record\":\"resume\",\"blocks_done\":1}\n"

static char path[] = "/tmp/ringscale-test-reader-XXXXXX";

static int make_file(void **state)
{
	int fd;

	(void)state;
	strcpy(path + strlen(path) - 6, "XXXXXX");
	fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static int read_bytes(struct result *result, const char *bytes, size_t size, struct error *e)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fclose(file);
	return result_read(result, path, e);
}

/* Reads `text`, which must succeed with these blocks and this one note (NULL: none). */
static void reads(const char *text, size_t blocks, bool end, const char *note)
{
	struct error e = ERROR_INIT;
	struct result result;

	if (read_bytes(&result, text, strlen(text), &e))
		fail_msg("%s", e.text);
	assert_int_equal(result.block_count, blocks);
	assert_int_equal(!!result.end, end);
	assert_string_equal(result.path, path);
	if (result.note_count != (note ? 1u : 0u))
		fail_msg("%zu notes, the first: %s", result.note_count,
			 result.note_count ? result.notes[0] : "none");
	if (note && strncmp(result.notes[0], note, strlen(note)))
		fail_msg("note '%s', not '%s'", result.notes[0], note);
	result_release(&result);
}

static void fails(const char *text, int code, const char *reason)
{
	struct error e = ERROR_INIT;
	struct result result;

	assert_int_equal(read_bytes(&result, text, strlen(text), &e), -code);
	assert_int_equal(e.kind, ERROR_FAILED);
	if (!strstr(e.text, reason) || !strstr(e.text, path) || !strstr(e.text, "; "))
		fail_msg("'%s' lacks '%s', the file or the way out", e.text, reason);
	result_release(&result);
}

static void whole_files(void **state)
{
	(void)state;
	reads(HEADER, 0, false, NULL);
	reads(HEADER BLOCK(0) BLOCK(1) END, 2, true, NULL);
	reads(HEADER BLOCK(0) BLOCK(1), 2, false, NULL);
	reads(HEADER "\n \r\n" BLOCK(0) "\n", 1, false, NULL);
	reads(HEADER BLOCK(0) BLOCK_OF("bb", 0) BLOCK(1) END, 3, true, NULL);
}

static void no_header(void **state)
{
	(void)state;
	fails("", ENODATA, "no header record, it is empty");
	fails("\n\n", ENODATA, "no header record");
	fails(BLOCK(0), ENODATA, "line 1: a record 'block' before any header");
	fails("point\tround\n", ENODATA, "line 1: no JSON near byte 5");
	fails("{\"record\":\"header\",\"sch", ENODATA, "line 1: torn off after 23 bytes");
	reads(BLOCK(0) HEADER BLOCK(0), 1, false, "line 1: a record 'block' before any header");
}

static void other_schemas(void **state)
{
	(void)state;
	fails("\n{\"record\":\"header\",\"schema\":2,\"version\":\"9.9\"}\n" BLOCK(0), EPROTO,
	      "line 2: header of schema 2, and this program reads 1; "
	      "read it with the ringscale that wrote it (version 9.9)");
	fails("{\"record\":\"header\"}\n", EPROTO, "line 1: header without a schema number");
	fails("{\"record\":\"header\",\"schema\":\"1\"}\n", EPROTO, "without a schema number");
	/* Behind a run that can be read it costs only its own lines. */
	reads(HEADER BLOCK(0) END "{\"record\":\"header\",\"schema\":2}\n" BLOCK(1) END, 1, true,
	      "line 4: a second header of schema 2 (this program reads 1)");
}

static void torn_last_line(void **state)
{
	static const char block[] = BLOCK(1);
	char text[2000];

	(void)state;
	/* Wherever it is torn. */
	for (size_t length = 1; length < strlen(block) - 1; length++) {
		char note[80];

		snprintf(text, sizeof(text), "%s%.*s", HEADER BLOCK(0), (int)length, block);
		snprintf(note, sizeof(note), "line 3: torn off after %zu bytes", length);
		reads(text, 1, false, note);
	}
	snprintf(text, sizeof(text), "%s%.*s", HEADER BLOCK(0), (int)strlen(block) - 1, block);
	reads(text, 2, false, "line 3: the last line has no line end; its record is whole");
}

static void lines_that_are_no_records(void **state)
{
	(void)state;
	reads(HEADER "nonsense\n" BLOCK(0) END, 1, true, "line 2: no JSON near byte 8: ");
	reads(HEADER "{\"record\":\"block\"\n" BLOCK(0), 1, false, "line 2: no JSON near byte");
	reads(HEADER "[1]\n" BLOCK(0), 1, false, "line 2: JSON, but no object");
	reads(HEADER "{\"n\":1}\n" BLOCK(0), 1, false, "line 2: no \"record\"");
	reads(HEADER "{\"record\":7}\n" BLOCK(0), 1, false, "line 2: no \"record\"");
	reads(HEADER "{\"record\":\"new\\nkind\"}\n" BLOCK(0), 1, false,
	      "line 2: unknown record 'new?kind'");
	reads(HEADER "{\"record\":\"end\",\"record\":\"end\"}\n" BLOCK(0), 1, false,
	      "line 2: no JSON near byte");
	reads(HEADER "{\"record\":\"block\",\"x\":1e999}\n" BLOCK(0), 1, false, "line 2: no JSON");
	reads(HEADER "\xff\xfe\n" BLOCK(0), 1, false, "line 2: no JSON");
	reads(HEADER "\033[2J\n" BLOCK(0), 1, false, "line 2: no JSON");
}

static void nul_bytes(void **state)
{
	static const char text[] = HEADER BLOCK(0) "\0\0\0\0\n" BLOCK(1);
	struct error e = ERROR_INIT;
	struct result result;

	(void)state;
	assert_int_equal(read_bytes(&result, text, sizeof(text) - 1, &e), 0);
	assert_int_equal(result.block_count, 2);
	assert_int_equal(result.note_count, 1);
	assert_non_null(strstr(result.notes[0], "line 3: holds NUL bytes"));
	result_release(&result);
}

static void ends(void **state)
{
	struct error e = ERROR_INIT;
	struct result result;

	(void)state;
	reads(HEADER BLOCK(0) END BLOCK(1), 1, true, "line 4: a block after the end record");
	reads(HEADER BLOCK(0) END END, 1, true, "line 4: a second end record");
	reads(HEADER BLOCK(0) "{\"record\":\"end\"}\n", 1, false, "line 3: an end record without");
	/* A resumed run goes on behind its end, and has no end until it ends again. */
	reads(HEADER BLOCK(0) END RESUME BLOCK(1), 2, false, NULL);
	reads(HEADER BLOCK(0) END RESUME BLOCK(1) END, 2, true, NULL);
	assert_int_equal(read_bytes(&result, HEADER BLOCK(0) RESUME RESUME,
				    strlen(HEADER BLOCK(0) RESUME RESUME), &e),
			 0);
	assert_int_equal(result.resume_count, 2);
	result_release(&result);
}

static void two_runs_in_one_file(void **state)
{
	static const char text[] = HEADER BLOCK(0) END HEADER BLOCK(0) BLOCK(1) END HEADER BLOCK(5);
	struct error e = ERROR_INIT;
	struct result result;

	(void)state;
	assert_int_equal(read_bytes(&result, text, strlen(text), &e), 0);
	assert_int_equal(result.note_count, 2);
	assert_string_equal(result.notes[0], "line 4: a second header: two runs in one file; "
					     "they are kept apart");
	assert_int_equal(result.block_count, 1);
	assert_non_null(result.end);
	assert_non_null(result.next);
	assert_int_equal(result.next->block_count, 2);
	assert_non_null(result.next->header);
	assert_non_null(result.next->end);
	assert_non_null(result.next->next);
	assert_int_equal(result.next->next->block_count, 1);
	assert_null(result.next->next->end);
	assert_null(result.next->next->next);
	result_release(&result);
	assert_null(result.next);
}

static void a_block_twice(void **state)
{
	(void)state;
	reads(HEADER BLOCK(0) BLOCK(1) BLOCK(0), 2, false,
	      "line 4: block 0/aa (block/point) stands on line 2 already");
}

/* Replaces `what` in a good block, which then must be left out for `reason`. */
static void broken(const char *what, const char *with, const char *reason)
{
	static const char block[] = BLOCK(1);
	char text[2000], why[200];
	const char *at = strstr(block, what);
	json_t *record;

	assert_non_null(at);
	snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - block), block, with, at + strlen(what));
	record = json_loads(text, 0, NULL);
	assert_non_null(record);
	assert_false(frame_check_block(record, why, sizeof(why)));
	if (strcmp(why, reason))
		fail_msg("'%s', not '%s'", why, reason);
	json_decref(record);
}

static void broken_blocks(void **state)
{
	(void)state;
	reads(HEADER BLOCK(0) "{\"record\":\"block\"}\n" BLOCK(1), 2, false,
	      "line 3: a block that cannot be used is left out: no \"id\"");
	broken("\"id\":\"aa\"", "\"id\":5", "\"id\" is not a text");
	broken("\"point\":{\"slots\":64}", "\"point\":null", "\"point\" is not an object");
	broken("\"block\":1", "\"block\":-1", "\"block\" is not a count");
	broken("\"block\":1", "\"block\":1.5", "\"block\" is not a count");
	broken("\"valid\":true,\"pairs\"", "\"valid\":1,\"pairs\"",
	       "\"valid\" is not true or false");
	broken("\"pairs\":[", "\"pairs\":[3,", "pairs[0]: is no object");
	broken("\"sender_pu\":0", "\"sender_pu\":null", "pairs[0]: \"sender_pu\" is not a count");
	broken("\"receiver_pu\":null", "\"receiver_pu\":-1",
	       "pairs[0]: \"receiver_pu\" is not a count or null");
	broken("\"receiver_pu\":null,", "", "pairs[0]: no \"receiver_pu\"");
	broken("\"rounds\":[", "\"rounds\":[" ROUND ",[],", "pairs[0].rounds[1]: is no object");
	broken("\"round\":0,", "", "pairs[0].rounds[0]: no \"round\"");
	broken("\"exit_ns\":null", "\"exit_ns\":\"5\"",
	       "pairs[0].rounds[0]: \"exit_ns\" is neither an integer nor null");
	broken("\"fill_ns\":500", "\"fill_ns\":0",
	       "pairs[0].rounds[0]: valid, but \"fill_ns\" is not above 0");
	broken("\"fill_ns\":500", "\"fill_ns\":null",
	       "pairs[0].rounds[0]: valid, but \"fill_ns\" is not above 0");
	broken("\"installs\":64,", "",
	       "pairs[0].rounds[0]: valid, but \"installs\" is not above 0");
}

static void long_lines_and_many_notes(void **state)
{
	enum { PADDING = 3000000, LINES = 250 };
	struct error e = ERROR_INIT;
	struct result result;
	FILE *file = fopen(path, "w");

	(void)state;
	fputs(HEADER, file);
	fprintf(file, "{\"pad\":\"%*s\",%s", PADDING, "", &BLOCK(0)[1]);
	for (int i = 0; i < LINES; i++)
		fputs("rubbish\n", file);
	fputs(BLOCK(1), file);
	fclose(file);
	assert_int_equal(result_read(&result, path, &e), 0);
	assert_int_equal(result.block_count, 2);
	assert_int_equal(result.note_count, RESULT_NOTES_MAX + 1);
	assert_string_equal(result.notes[RESULT_NOTES_MAX],
			    "and 150 more lines with something amiss");
	result_release(&result);
}

static void files_that_cannot_be_read(void **state)
{
	static const struct {
		const char *path, *reason;
		int code;
	} cases[] = {
		{ "/no/such/file", "cannot be opened: No such file", ENOENT },
		{ "", "cannot be opened", ENOENT },
		{ "/tmp", "is a folder", EISDIR },
		{ "/dev/zero", "is a device", EINVAL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct error e = ERROR_INIT;
		struct result result;

		assert_int_equal(result_read(&result, cases[i].path, &e), -cases[i].code);
		assert_int_equal(e.kind, ERROR_FAILED);
		assert_non_null(strstr(e.text, cases[i].reason));
		result_release(&result);
		result_release(&result);
	}
}

static void a_pipe(void **state)
{
	struct error e = ERROR_INIT;
	struct result result;
	char name[64];
	int ends_of_pipe[2];

	(void)state;
	assert_int_equal(pipe(ends_of_pipe), 0);
	assert_int_equal(write(ends_of_pipe[1], HEADER BLOCK(0), strlen(HEADER BLOCK(0))),
			 strlen(HEADER BLOCK(0)));
	close(ends_of_pipe[1]);
	snprintf(name, sizeof(name), "/dev/fd/%d", ends_of_pipe[0]);
	assert_int_equal(result_read(&result, name, &e), 0);
	assert_int_equal(result.block_count, 1);
	result_release(&result);
	close(ends_of_pipe[0]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_file, remove_file)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(whole_files),
		TEST(no_header),
		TEST(other_schemas),
		TEST(torn_last_line),
		TEST(lines_that_are_no_records),
		TEST(nul_bytes),
		TEST(ends),
		TEST(two_runs_in_one_file),
		TEST(a_block_twice),
		TEST(broken_blocks),
		TEST(long_lines_and_many_notes),
		TEST(files_that_cannot_be_read),
		TEST(a_pipe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
