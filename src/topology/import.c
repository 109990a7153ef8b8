// SPDX-License-Identifier: GPL-2.0-or-later
#include "topology/import.h"

#include "base/list.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILE_BYTES_MAX (64 << 20)
#define TRIAL_SECONDS 10
/* How far into a file its first tag may begin. */
#define HEAD_BYTES 4096
#define EXAMPLE "such as \"numa:2 core:4 pu:2\""

/* What is imported: bytes of an XML file, or a synthetic text. */
struct import {
	const char *source;
	char *xml;		/* NULL: synthetic */
	int xml_bytes;		/* with the NUL that hwloc wants counted */
};

/* How the trial in the child ended; also its exit status. */
enum trial { TRIAL_GOOD = 0, TRIAL_NOT_TAKEN = 10, TRIAL_NOT_LOADED, TRIAL_TOO_LARGE };

int import_init(hwloc_topology_t *hwloc)
{
	if (hwloc_topology_init(hwloc))
		return -ENOMEM;
	/* PUs that are not allowed are shown too; candidates are found without hwloc's help. */
	hwloc_topology_set_flags(*hwloc, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
	return 0;
}

static enum trial load(const struct import *import, hwloc_topology_t *hwloc)
{
	enum trial result = TRIAL_NOT_TAKEN;
	int rc;

	if (import_init(hwloc))
		return TRIAL_NOT_LOADED;
	rc = import->xml ? hwloc_topology_set_xmlbuffer(*hwloc, import->xml, import->xml_bytes)
			 : hwloc_topology_set_synthetic(*hwloc, import->source);
	if (rc == 0)
		result = hwloc_topology_load(*hwloc) ? TRIAL_NOT_LOADED : TRIAL_GOOD;
	/* Sets without an end cannot be listed. */
	if (result == TRIAL_GOOD &&
	    hwloc_bitmap_weight(hwloc_topology_get_complete_cpuset(*hwloc)) < 0)
		result = TRIAL_NOT_LOADED;
	if (result == TRIAL_GOOD &&
	    hwloc_get_nbobjs_by_type(*hwloc, HWLOC_OBJ_PU) > IMPORT_PUS_MAX)
		result = TRIAL_TOO_LARGE;
	if (result != TRIAL_GOOD)
		hwloc_topology_destroy(*hwloc);
	return result;
}

static void __attribute__((noreturn)) try_in_child(const struct import *import)
{
	static const int fatal[] = { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM };
	struct rlimit none = { 0, 0 };
	hwloc_topology_t hwloc;
	enum trial result;
	sigset_t all;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null >= 0) {
		/* The reader's own complaints: ours is printed instead. */
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
	}
	setrlimit(RLIMIT_CORE, &none);
	for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
		signal(fatal[i], SIG_DFL);
	sigemptyset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	alarm(TRIAL_SECONDS);
	result = load(import, &hwloc);
	if (result == TRIAL_GOOD)
		hwloc_topology_check(hwloc);	/* aborts on a tree that contradicts itself */
	_exit(result);
}

static int refuse_trial(const struct import *import, int status, struct error *e)
{
	const char *what = import->xml ? "is no topology that hwloc can read; make one with "
					 "\"lstopo FILE.xml\" of hwloc 2"
				       : "is no file, and no synthetic description either; give "
					 "an XML file, or levels " EXAMPLE;

	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		what = "takes hwloc too long to read; give a smaller topology";
	else if (WIFSIGNALED(status) && import->xml)
		what = "is damaged: hwloc finds that it contradicts itself; export it again";
	else if (WIFEXITED(status) && WEXITSTATUS(status) == TRIAL_TOO_LARGE)
		what = "has more than 16384 PUs, which hwloc takes too long for; give fewer";
	return error_set(e, ERROR_USAGE, EINVAL, "--topology %s %s",
			 list_quote(import->source).text, what);
}

static int try_import(const struct import *import, struct error *e)
{
	pid_t child = fork();
	pid_t ended;
	int status;

	if (child < 0)
		return error_set(e, ERROR_FAILED, errno, "cannot fork to read %s: %s",
				 import->source, strerror(errno));
	if (child == 0)
		try_in_child(import);
	do
		ended = waitpid(child, &status, 0);
	while (ended < 0 && errno == EINTR);
	if (ended < 0)
		return error_set(e, ERROR_FAILED, errno, "cannot wait for the reader of %s: %s",
				 import->source, strerror(errno));
	if (WIFEXITED(status) && WEXITSTATUS(status) == TRIAL_GOOD)
		return 0;
	return refuse_trial(import, status, e);
}

/*
 * The number of PUs that a synthetic text describes, at least: the product of its counts,
 * without what stands in brackets and parentheses. Stops above the limit.
 */
static long synthetic_pus(const char *text)
{
	long pus = 1;
	int depth = 0;

	for (const char *at = text; *at && pus <= IMPORT_PUS_MAX; at++) {
		bool begins = at == text || at[-1] == ':' || at[-1] == ' ';

		if (*at == '(' || *at == '[')
			depth++;
		else if (*at == ')' || *at == ']')
			depth--;
		else if (depth == 0 && begins && *at >= '0' && *at <= '9') {
			unsigned long count = strtoul(at, NULL, 10);

			pus = count > IMPORT_PUS_MAX ? IMPORT_PUS_MAX + 1 : pus * (long)count;
		}
	}
	return pus;
}

static int refuse_file(const char *source, int code, const char *reason, struct error *e)
{
	return error_set(e, ERROR_USAGE, code, "--topology %s %s; give an XML file of lstopo, or "
			 "levels " EXAMPLE, list_quote(source).text, reason);
}

/* Version 3 of the format, <topology version="3.0">, is to hwloc 2 only unreadable. */
static bool is_version_3(const char *xml)
{
	const char *tag = strstr(xml, "<topology");
	const char *end = tag ? strchr(tag, '>') : NULL;
	const char *version = tag ? strstr(tag, "version=") : NULL;

	if (!end || !version || version > end || tag - xml > HEAD_BYTES)
		return false;
	version += strlen("version=");
	if (*version != '"' && *version != '\'')
		return false;
	return version[1] >= '3' && version[1] <= '9';
}

static int read_bytes(struct import *import, int fd, size_t size, struct error *e)
{
	size_t got = 0;

	import->xml = malloc(size + 1);
	if (!import->xml)
		return error_set(e, ERROR_FAILED, ENOMEM, "out of memory");
	while (got < size) {
		ssize_t count = read(fd, import->xml + got, size - got);

		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return refuse_file(import->source, errno, strerror(errno), e);
		if (count == 0)
			break;
		got += (size_t)count;
	}
	import->xml[got] = '\0';
	import->xml_bytes = (int)got + 1;
	return 0;
}

/* Reads the file, if there is one. */
static int read_file(struct import *import, struct error *e)
{
	struct stat status;
	int rc = 0;
	int fd;

	if (stat(import->source, &status)) {
		if (errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG)
			return 0;
		return refuse_file(import->source, errno, strerror(errno), e);
	}
	/* Opening a pipe would wait for its writer. */
	if (S_ISDIR(status.st_mode))
		return refuse_file(import->source, EISDIR, "is a directory", e);
	if (!S_ISREG(status.st_mode))
		return refuse_file(import->source, EINVAL, "is not a regular file", e);
	if (status.st_size == 0)
		return refuse_file(import->source, EINVAL, "is empty", e);
	if (status.st_size > FILE_BYTES_MAX)
		return refuse_file(import->source, EFBIG, "is larger than 64 MiB", e);
	fd = open(import->source, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return refuse_file(import->source, errno,
				   errno == EACCES ? "cannot be read: permission denied"
						   : strerror(errno), e);
	rc = read_bytes(import, fd, (size_t)status.st_size, e);
	close(fd);
	if (!rc && is_version_3(import->xml))
		rc = error_set(e, ERROR_USAGE, EINVAL, "--topology %s was written by hwloc 3, this "
			       "program reads version 2; export it with "
			       "\"lstopo --export-xml-flags v2 FILE.xml\"",
			       list_quote(import->source).text);
	return rc;
}

int import_load(const char *source, hwloc_topology_t *hwloc, char *name, size_t size,
		struct error *e)
{
	struct import import = { .source = source };
	int rc = 0;

	if (!*source)
		return error_set(e, ERROR_USAGE, EINVAL,
				 "--topology \"\" is empty; give an XML file "
				 "of lstopo, or levels " EXAMPLE);
	rc = read_file(&import, e);
	if (!rc && !import.xml && synthetic_pus(source) > IMPORT_PUS_MAX)
		rc = error_set(e, ERROR_USAGE, EINVAL, "--topology %s describes more than %d PUs, "
			       "which hwloc takes too long for; give fewer",
			       list_quote(source).text, IMPORT_PUS_MAX);
	if (!rc)
		rc = try_import(&import, e);
	if (!rc && load(&import, hwloc) != TRIAL_GOOD)
		rc = error_set(e, ERROR_FAILED, EIO, "cannot read %s a second time", source);
	if (!rc)
		snprintf(name, size, "%s%s", import.xml ? "" : "synthetic ", source);
	free(import.xml);
	return rc;
}
