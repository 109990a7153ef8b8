// SPDX-License-Identifier: GPL-2.0-or-later
#include "results/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
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

#define NOBODY 65534

static char *contents(const char *path, size_t *size)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t room = 0;
	ssize_t length;

	assert_non_null(file);
	length = getdelim(&text, &room, EOF, file);
	fclose(file);
	if (length < 0) {
		free(text);
		text = strdup("");
		length = 0;
	}
	*size = (size_t)length;
	return text;
}

static void refused(const char *path, enum error_kind kind, int code, const char *reason)
{
	struct error e = ERROR_INIT;
	struct writer writer;

	assert_int_equal(writer_create(&writer, path, &e), -code);
	assert_int_equal(e.kind, kind);
	assert_int_equal(e.code, code);
	if (!strstr(e.text, reason) || !strstr(e.text, "; "))
		fail_msg("'%s' lacks '%s' or the way out", e.text, reason);
	assert_null(strchr(e.text, '\n'));
	assert_null(writer.path);
	assert_int_equal(writer_close(&writer, &e), 0);
}

static void a_record_is_a_line(void **state)
{
	struct error e = ERROR_INIT;
	struct writer writer;
	size_t size;
	char *text;

	(void)state;
	assert_int_equal(writer_create(&writer, "out.jsonl", &e), 0);
	assert_true(fcntl(writer.fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(append_numbered(&writer, 1, &e), 0);
	assert_int_equal(append_numbered(&writer, 2, &e), 0);
	assert_int_equal(writer.lines, 2);
	text = contents("out.jsonl", &size);
	assert_int_equal(writer.good_bytes, size);
	assert_string_equal(text,
			    "{\"record\":\"block\",\"n\":1,\"text\":\"line\\nend \xc2\xb5\"}\n"
			    "{\"record\":\"block\",\"n\":2,\"text\":\"line\\nend \xc2\xb5\"}\n");
	free(text);
	assert_int_equal(writer_close(&writer, &e), 0);
	assert_int_equal(e.kind, ERROR_NONE);
	/* Closing twice, or what was never opened, does nothing - least of all close stdin. */
	assert_int_equal(writer_close(&writer, &e), 0);
	writer = (struct writer){ 0 };
	assert_int_equal(writer_close(&writer, &e), 0);
	assert_true(fcntl(0, F_GETFD) >= 0);
}

static void numbers_read_back_as_they_were(void **state)
{
	static const double values[] = { 0.1, 1.0 / 3, 136.97265625, 1e-300, 879.00000000000011 };
	struct error e = ERROR_INIT;
	struct writer writer;
	json_t *record = json_object(), *array = json_array(), *back;
	size_t size;
	char *text;

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		json_array_append_new(array, json_real(values[i]));
	json_object_set_new(record, "values", array);
	json_object_set_new(record, "big", json_integer(INT64_MAX));
	assert_null(json_real(NAN)); /* what the promise of no NaN in the file rests on */
	assert_int_equal(writer_create(&writer, "out.jsonl", &e), 0);
	assert_int_equal(writer_append(&writer, record, &e), 0);
	assert_int_equal(writer_close(&writer, &e), 0);
	text = contents("out.jsonl", &size);
	back = json_loads(text, 0, NULL);
	assert_true(json_equal(record, back));
	json_decref(back);
	json_decref(record);
	free(text);
}

static void no_object_is_no_record(void **state)
{
	struct error e = ERROR_INIT;
	struct writer writer;
	json_t *array = json_array();

	(void)state;
	assert_int_equal(writer_create(&writer, "out.jsonl", &e), 0);
	assert_true(writer_append(&writer, array, &e) < 0);
	error_clear(&e);
	assert_true(writer_append(&writer, NULL, &e) < 0);
	error_clear(&e);
	assert_int_equal(append_numbered(&writer, 1, &e), 0);
	/* The first failure is told again at the end. */
	assert_true(writer_close(&writer, &e) < 0);
	assert_int_equal(e.kind, ERROR_FAILED);
	json_decref(array);
}

static void default_name(void **state)
{
	struct error e = ERROR_INIT;
	struct writer writer;
	regex_t pattern;
	char pid[32];

	(void)state;
	assert_int_equal(writer_create(&writer, NULL, &e), 0);
	assert_int_equal(regcomp(&pattern,
				 "^ringscale-[A-Za-z0-9.-]+-[0-9]{8}T[0-9]{6}Z-[0-9]+"
				 "\\.jsonl$",
				 REG_EXTENDED | REG_NOSUB),
			 0);
	assert_int_equal(regexec(&pattern, writer.path, 0, NULL, 0), 0);
	regfree(&pattern);
	snprintf(pid, sizeof(pid), "-%ld.jsonl", (long)getpid());
	assert_non_null(strstr(writer.path, pid));
	assert_int_equal(access(writer.path, F_OK), 0);
	assert_int_equal(append_numbered(&writer, 1, &e), 0);
	assert_int_equal(writer_close(&writer, &e), 0);
}

static void what_is_there_is_never_overwritten(void **state)
{
	char long_name[300];
	size_t size;
	char *text;
	int fd = open("there", O_WRONLY | O_CREAT, 0600);

	(void)state;
	assert_int_equal(write(fd, "mine\n", 5), 5);
	close(fd);
	assert_int_equal(mkdir("sub", 0700), 0);
	assert_int_equal(symlink("nowhere", "link"), 0);
	assert_int_equal(mkfifo("fifo", 0600), 0);
	refused("there", ERROR_USAGE, EEXIST, "-o 'there': exists");
	refused("sub", ERROR_USAGE, EISDIR, "-o 'sub': is a folder");
	refused("new/", ERROR_USAGE, EISDIR, "-o 'new/'");
	refused("link", ERROR_USAGE, EEXIST, "is a symbolic link");
	refused("fifo", ERROR_USAGE, EEXIST, "is a device, pipe or socket");
	refused("/dev/null", ERROR_USAGE, EEXIST, "is a device, pipe or socket");
	refused("/dev/full", ERROR_USAGE, EEXIST, "is a device, pipe or socket");
	refused("", ERROR_USAGE, ENOENT, "-o ''");
	refused("no/such/out", ERROR_USAGE, ENOENT, "there is no folder 'no/such'");
	refused("there/out", ERROR_USAGE, ENOTDIR, "there is no folder 'there'");
	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	refused(long_name, ERROR_USAGE, ENAMETOOLONG, "too long");
	refused("a\nb/c", ERROR_USAGE, ENOENT, "there is no folder 'a?b'");
	text = contents("there", &size);
	assert_string_equal(text, "mine\n");
	free(text);
	assert_int_equal(access("nowhere", F_OK), -1);
}

static void no_permission(void **state)
{
	bool root = geteuid() == 0;

	(void)state;
	assert_int_equal(chmod(".", 0555), 0);
	if (root)
		assert_int_equal(seteuid(NOBODY), 0);
	refused("out.jsonl", ERROR_FAILED, EACCES, "no permission");
	if (root)
		assert_int_equal(seteuid(0), 0);
	assert_int_equal(chmod(".", 0755), 0);
}

static void locked_while_open(void **state)
{
	struct error e = ERROR_INIT;
	struct writer writer;
	int fd;

	(void)state;
	assert_int_equal(writer_create(&writer, "out.jsonl", &e), 0);
	fd = open("out.jsonl", O_RDWR);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), -1);
	assert_int_equal(errno, EWOULDBLOCK);
	assert_int_equal(append_numbered(&writer, 1, &e), 0);
	assert_int_equal(writer_close(&writer, &e), 0);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
	close(fd);
}

static void without_a_line_no_file_stays(void **state)
{
	struct error e = ERROR_INIT;
	struct writer writer;

	(void)state;
	assert_int_equal(writer_create(&writer, "out.jsonl", &e), 0);
	assert_int_equal(writer_close(&writer, &e), 0);
	assert_int_equal(access("out.jsonl", F_OK), -1);
	/* But not what took its place. */
	assert_int_equal(writer_create(&writer, "out.jsonl", &e), 0);
	assert_int_equal(rename("out.jsonl", "moved"), 0);
	close(open("out.jsonl", O_WRONLY | O_CREAT, 0600));
	assert_int_equal(writer_close(&writer, &e), 0);
	assert_int_equal(access("out.jsonl", F_OK), 0);
}

static void deleted_meanwhile(void **state)
{
	struct error e = ERROR_INIT;
	struct writer writer;

	(void)state;
	assert_int_equal(writer_create(&writer, "out.jsonl", &e), 0);
	assert_int_equal(append_numbered(&writer, 1, &e), 0);
	assert_int_equal(unlink("out.jsonl"), 0);
	assert_int_equal(append_numbered(&writer, 2, &e), -ENOENT);
	assert_non_null(strstr(e.text, "deleted"));
	error_clear(&e);
	assert_int_equal(writer_close(&writer, &e), -ENOENT);
	assert_non_null(strstr(e.text, "deleted"));
	/* Behind the last append: told at the end. */
	error_clear(&e);
	assert_int_equal(writer_create(&writer, "out.jsonl", &e), 0);
	assert_int_equal(append_numbered(&writer, 1, &e), 0);
	assert_int_equal(unlink("out.jsonl"), 0);
	assert_int_equal(writer_close(&writer, &e), -ENOENT);
	assert_int_equal(e.kind, ERROR_FAILED);
}

static void changed_meanwhile(void **state)
{
	struct error e = ERROR_INIT;
	struct writer writer;

	(void)state;
	assert_int_equal(writer_create(&writer, "out.jsonl", &e), 0);
	assert_int_equal(append_numbered(&writer, 1, &e), 0);
	assert_int_equal(truncate("out.jsonl", 5), 0);
	assert_int_equal(append_numbered(&writer, 2, &e), -ESTALE);
	assert_non_null(strstr(e.text, "another program changed it"));
	error_clear(&e);
	assert_int_equal(writer_close(&writer, &e), -ESTALE);
}

static void a_device_that_is_full(void **state)
{
	struct error e = ERROR_INIT;
	struct writer writer = { .fd = open("/dev/full", O_WRONLY), .path = strdup("x") };

	(void)state;
	assert_int_equal(append_numbered(&writer, 1, &e), -ENOSPC);
	assert_non_null(strstr(e.text, "'x': the disk is full; no line of it is kept"));
	assert_true(writer.torn);
	error_clear(&e);
	assert_true(append_numbered(&writer, 2, &e) < 0); /* not behind half a line */
	assert_non_null(strstr(e.text, "cannot be cut off"));
	error_clear(&e);
	assert_int_equal(writer_close(&writer, &e), -ENOSPC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_record_is_a_line),
		TEST(numbers_read_back_as_they_were),
		TEST(no_object_is_no_record),
		TEST(default_name),
		TEST(what_is_there_is_never_overwritten),
		TEST(no_permission),
		TEST(locked_while_open),
		TEST(without_a_line_no_file_stays),
		TEST(deleted_meanwhile),
		TEST(changed_meanwhile),
		TEST(a_device_that_is_full),
	};

	if (!getcwd(home, sizeof(home)))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
