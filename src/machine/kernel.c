// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel's command line and configuration: the two texts with a grammar. */
#include "machine/files.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool same_name(const char *word, size_t length, const char *name)
{
	if (length != strlen(name))
		return false;
	for (size_t i = 0; i < length; i++) {
		char a = word[i] == '-' ? '_' : word[i];
		char b = name[i] == '-' ? '_' : name[i];

		if (a != b)
			return false;
	}
	return true;
}

/* Length of the word at `text`; double quotes hold blanks together, as in the kernel's parser. */
static size_t word_length(const char *text)
{
	bool quoted = false;
	size_t i;

	for (i = 0; text[i]; i++) {
		if (text[i] == '"')
			quoted = !quoted;
		else if (!quoted && isspace((unsigned char)text[i]))
			break;
	}
	return i;
}

static void copy_value(const char *value, size_t length, char *buffer, size_t size)
{
	size_t used = 0;

	for (size_t i = 0; i < length && used + 1 < size; i++)
		if (value[i] != '"')
			buffer[used++] = value[i];
	buffer[used] = '\0';
}

int kernel_parameter(const char *command_line, const char *name, char *buffer, size_t size)
{
	const char *word = command_line;
	int given = 0;

	while (word && *word) {
		size_t length, name_length;

		while (isspace((unsigned char)*word))
			word++;
		length = word_length(word);
		if (!length || (length == 2 && !strncmp(word, "--", 2)))
			break;
		for (name_length = 0; name_length < length; name_length++)
			if (word[name_length] == '=')
				break;
		if (same_name(word, name_length, name)) {
			bool bare = name_length == length;

			copy_value(word + name_length + !bare, length - name_length - !bare,
				   buffer, size);
			given = 1;
		}
		word += length;
	}
	return given;
}

int kernel_bool(const char *text)
{
	switch (tolower((unsigned char)text[0])) {
	case 'y':
	case 't':
	case '1':
		return 1;
	case 'n':
	case 'f':
	case '0':
		return 0;
	case 'o':
		if (tolower((unsigned char)text[1]) == 'n')
			return 1;
		if (tolower((unsigned char)text[1]) == 'f')
			return 0;
	}
	return -1;
}

int kernel_config_enabled(const char *config, const char *symbol)
{
	size_t length = strlen(symbol);

	if (!config)
		return -1;
	for (const char *line = config; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, symbol, length) && line[length] == '=')
			return line[length + 1] == 'y' || line[length + 1] == 'm';
	}
	return 0;
}

/* What gzip makes of a file: only it knows the format, and every distribution has it. */
static char *read_gzip(const char *path)
{
	char *arguments[] = { (char *)"gzip", (char *)"-dc", (char *)path, NULL };
	posix_spawn_file_actions_t actions;
	int ends[2], status = 0, result;
	char *text = NULL;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC))
		return NULL;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	result = posix_spawnp(&child, "gzip", &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	if (!result) {
		text = machine_read_fd(ends[0]);
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
	}
	close(ends[0]);
	if (text && *text && !status)
		return text;
	free(text);
	return NULL;
}

char *kernel_config_read(const char *root, const char *release)
{
	char path[512], *text;
	int length = snprintf(path, sizeof(path), "%s/proc/config.gz", root);

	if (length > 0 && (size_t)length < sizeof(path) && !access(path, R_OK)) {
		text = read_gzip(path);
		if (text)
			return text;
	}
	snprintf(path, sizeof(path), "/boot/config-%s", release);
	text = machine_read_all(root, path);
	if (text)
		return text;
	snprintf(path, sizeof(path), "/lib/modules/%s/config", release);
	return machine_read_all(root, path);
}
