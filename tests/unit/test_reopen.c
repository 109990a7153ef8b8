// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "writer_folder.h"

static void make(const char *text)
{
	FILE *file = fopen("f.jsonl", "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

/* The file begins with this; returns how many bytes it has more. */
static size_t assert_begins(const char *expected)
{
	char text[400] = "";
	FILE *file = fopen("f.jsonl", "r");
	size_t length;

	assert_non_null(file);
	length = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	assert_memory_equal(text, expected, strlen(expected));
	return length - strlen(expected);
}

/* Reopens a file of `text` and mends it; then one more line is written. */
static void assert_mended(const char *text, size_t lines, enum writer_mended how,
			  const char *expected)
{
	struct error e = ERROR_INIT;
	struct writer writer;
	enum writer_mended mended;

	make(text);
	assert_int_equal(writer_reopen(&writer, "f.jsonl", &e), 0);
	assert_int_equal(writer.torn, how != WRITER_WAS_WHOLE);
	assert_int_equal(assert_begins(text), 0);
	assert_int_equal(writer_mend(&writer, &mended, &e), 0);
	assert_int_equal(mended, how);
	assert_int_equal(writer.lines, lines);
	assert_int_equal(assert_begins(expected), 0);
	assert_int_equal(append_numbered(&writer, 9, &e), 0);
	assert_int_equal(writer_close(&writer, &e), 0);
	assert_true(assert_begins(expected) > 10);
}

static void whole_lines_stay(void **state)
{
	(void)state;
	assert_mended("{\"a\":1}\n{\"b\":2}\n", 2, WRITER_WAS_WHOLE, "{\"a\":1}\n{\"b\":2}\n");
}

static void half_a_line_is_cut(void **state)
{
	(void)state;
	assert_mended("{\"a\":1}\n{\"b\":", 1, WRITER_CUT_LINE, "{\"a\":1}\n");
	assert_mended("{\"a\":1}\n17", 1, WRITER_CUT_LINE, "{\"a\":1}\n");
	assert_mended("{\"a\":", 0, WRITER_CUT_LINE, "");
}

static void a_whole_record_gets_its_line_end(void **state)
{
	(void)state;
	assert_mended("{\"a\":1}\n{\"b\":2}", 2, WRITER_ENDED_LINE, "{\"a\":1}\n{\"b\":2}\n");
}

static void a_lock_is_waited_for_a_moment_only(void **state)
{
	struct error e = ERROR_INIT;
	struct writer writer;
	int fd;

	(void)state;
	make("{\"a\":1}\n");
	fd = open("f.jsonl", O_RDONLY);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_int_equal(writer_reopen(&writer, "f.jsonl", &e), -EWOULDBLOCK);
	assert_int_equal(e.kind, ERROR_FAILED);
	assert_non_null(strstr(e.text, "locked"));
	close(fd);
	error_clear(&e);
	assert_int_equal(writer_reopen(&writer, "f.jsonl", &e), 0);
	/* And it is locked in turn. */
	fd = open("f.jsonl", O_RDONLY);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), -1);
	close(fd);
	assert_int_equal(writer_close(&writer, &e), 0);
}

static void what_is_no_file_is_refused(void **state)
{
	struct writer writer;
	struct error e = ERROR_INIT;

	(void)state;
	assert_int_equal(writer_reopen(&writer, "none", &e), -ENOENT);
	assert_int_equal(e.kind, ERROR_USAGE);
	error_clear(&e);
	assert_int_equal(writer_reopen(&writer, ".", &e), -EISDIR);
	assert_int_equal(e.kind, ERROR_USAGE);
	error_clear(&e);
	assert_int_equal(mkfifo("pipe", 0600), 0);
	assert_int_equal(writer_reopen(&writer, "pipe", &e), -EINVAL);
	assert_int_equal(e.kind, ERROR_USAGE);
	/* Nothing to close. */
	assert_int_equal(writer_close(&writer, &e), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(whole_lines_stay),
		TEST(half_a_line_is_cut),
		TEST(a_whole_record_gets_its_line_end),
		TEST(a_lock_is_waited_for_a_moment_only),
		TEST(what_is_no_file_is_refused),
	};

	if (!getcwd(home, sizeof(home)))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
