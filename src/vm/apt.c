// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/apt.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "vm/process.h"
#include "vm/sources.h"

#define ARGUMENTS_MAX 160
#define OPTION_COUNT 10

/* A command line that grows. */
struct line {
	const char *argv[ARGUMENTS_MAX];
	size_t count;
};

static void add(struct line *line, const char *argument)
{
	if (line->count < ARGUMENTS_MAX - 1)
		line->argv[line->count++] = argument;
}

/* Options that never change. The last three keep apt out of what only root can. */
static const char *const fixed_options[] = {
	"-oAcquire::Languages=none",
	"-oAcquire::Retries=2",
	"-oAcquire::http::Timeout=30",
	"-oAcquire::https::Timeout=30",
	"-oDir::Cache::pkgcache=",
	"-oDir::Cache::srcpkgcache=",
	"-oDir::Etc::SourceParts=/dev/null",
	"-oDir::Etc::Preferences=/dev/null",
	"-oDir::Etc::PreferencesParts=/dev/null",
	"-oAPT::Sandbox::User=",
	"-oAPT::Update::Post-Invoke-Success::=true",
	"-oDebug::NoLocking=1",
	"-qq",
};

static void begin(struct line *line, const struct apt *apt, const char *program)
{
	line->count = 0;
	add(line, program);
	for (size_t i = 0; i < sizeof(fixed_options) / sizeof(fixed_options[0]); i++)
		add(line, fixed_options[i]);
	for (int i = 0; i < OPTION_COUNT && apt->options[i][0]; i++)
		add(line, apt->options[i]);
}

static int run(const struct apt *apt, struct line *line, const char *folder, char **output,
	       struct error *e)
{
	struct process process = {
		.argv = line->argv, .folder = folder, .environment = { "LC_ALL=C" },
	};

	line->argv[line->count] = NULL;
	return process_run(&process, APT_LIMIT_NS, apt->context->interrupt_fd, output, e);
}

static int set_options(struct apt *apt, struct error *e)
{
	const char *folder = apt->folder;
	char path[PATH_MAX];
	int i = 0;

	snprintf(path, sizeof(path), "%s/lists/partial", folder);
	if (vm_make_folder(path, e))
		return -e->code;
	snprintf(path, sizeof(path), "%s/cache/archives/partial", folder);
	if (vm_make_folder(path, e))
		return -e->code;
	snprintf(apt->options[i++], PATH_MAX, "-oDir::State::Lists=%s/lists", folder);
	snprintf(apt->options[i++], PATH_MAX, "-oDir::Cache=%s/cache", folder);
	snprintf(apt->options[i++], PATH_MAX, "-oDir::Etc::SourceList=%s/lab.sources", folder);
	snprintf(apt->options[i++], PATH_MAX, "-oAPT::Architecture=%s", apt->arch);
	snprintf(apt->options[i++], PATH_MAX, "-oAPT::Architectures=%s", apt->arch);
	if (!apt->foreign)
		return 0;
	snprintf(path, sizeof(path), "%s/status", folder);
	snprintf(apt->options[i++], PATH_MAX, "-oDir::State::status=%s/status", folder);
	snprintf(apt->options[i++], PATH_MAX, "-oDir::State::extended_states=%s/extended", folder);
	return vm_write_file(path, "", e);
}

/* Fetches the lists from one source text. */
static int update(const struct apt *apt, const char *text, struct error *e)
{
	char path[PATH_MAX];
	struct line line;

	snprintf(path, sizeof(path), "%s/lab.sources", apt->folder);
	if (vm_write_file(path, text, e))
		return -e->code;
	begin(&line, apt, "apt-get");
	add(&line, "update");
	/* Else a suite that cannot be fetched is a warning, and old lists are taken for it. */
	add(&line, "-oAPT::Update::Error-Mode=any");
	return run(apt, &line, NULL, NULL, e);
}

/* What could not be got. Failures that no other mirror or suite would cure pass as they are. */
static int judge(const struct apt *apt, const char *what, const struct error *failed,
		 struct error *e)
{
	if (failed->kind == ERROR_INTERRUPTED || strstr(failed->text, "No space left") ||
	    failed->code == ENOENT)
		return error_set(e, failed->kind, failed->code, "%s", failed->text);
	return error_set(e, ERROR_UNAVAILABLE, ENOENT, "%s of %s (%s) are not to be had: %.300s",
			 what, apt->suite[0] ? apt->suite : "this machine's own suite", apt->arch,
			 failed->text);
}

/* Tries the sources that may have the suite, one after the other. */
static int update_any(const struct apt *apt, const struct sources *sources, const char *suite,
		      enum apt_scope scope, struct error *e)
{
	struct error failed = ERROR_INIT;
	char codename[64];

	sources_codename(codename, sizeof(codename));
	error_set(&failed, ERROR_FAILED, EIO, "apt's configuration names no source of this "
		  "distribution with component main");
	for (unsigned nth = 0; suite || !nth; nth++) {
		char *text = sources_text(sources, codename, suite, nth, apt->arch);
		char *own = text && scope == APT_BESIDE
			? sources_text(sources, codename, NULL, 0, apt->arch) : NULL;
		char *both = NULL;
		int result;

		if (text && asprintf(&both, "%s%s", text, own ? own : "") < 0)
			both = NULL;
		free(text);
		free(own);
		if (!both)
			break;
		error_clear(&failed);
		result = update(apt, both, &failed);
		free(both);
		if (!result)
			return 0;
		if (failed.kind == ERROR_INTERRUPTED)
			break;
	}
	return judge(apt, "package lists", &failed, e);
}

int apt_open(struct apt *apt, const struct vm_context *context, const char *arch,
	     const char *suite, enum apt_scope scope, struct error *e)
{
	struct sources sources = { 0 };
	int result;

	memset(apt, 0, sizeof(*apt));
	apt->context = context;
	apt->foreign = scope == APT_FOREIGN;
	snprintf(apt->arch, sizeof(apt->arch), "%s", arch);
	snprintf(apt->suite, sizeof(apt->suite), "%s", suite ? suite : "");
	snprintf(apt->folder, sizeof(apt->folder), "%s/apt/%s-%s", context->cache, arch,
		 suite ? suite : "own");
	result = sources_read(&sources, context->interrupt_fd, e);
	if (!result)
		result = set_options(apt, e);
	if (!result) {
		vm_say(context, "getting package lists of %s (%s)",
		       suite ? suite : "this machine's suite", arch);
		result = update_any(apt, &sources, suite, scope, e);
	}
	/* Nothing worth keeping of a suite that is not there. */
	if (result)
		vm_remove(apt->folder);
	sources_free(&sources);
	return result;
}

int apt_names(const struct apt *apt, const char *pattern, char **names, struct error *e)
{
	struct line line;

	begin(&line, apt, "apt-cache");
	add(&line, "search");
	add(&line, "--names-only");
	add(&line, pattern);
	return run(apt, &line, NULL, names, e);
}

int apt_download(const struct apt *apt, const char *const *packages, const char *folder,
		 struct error *e)
{
	struct error failed = ERROR_INIT;
	struct line line;

	begin(&line, apt, "apt-get");
	add(&line, "download");
	for (; *packages; packages++)
		add(&line, *packages);
	return run(apt, &line, folder, NULL, &failed) ? judge(apt, "packages", &failed, e) : 0;
}

/* A file name's "%3a" is ':'. */
static void put_unescaped(FILE *out, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		unsigned value;

		if (text[i] == '%' && i + 2 < length && sscanf(text + i + 1, "%2x", &value) == 1) {
			fputc((int)value, out);
			i += 2;
		} else {
			fputc(text[i], out);
		}
	}
}

/* 'URI' NAME_VERSION_ARCH.deb SIZE HASH */
static void put_package(FILE *out, const char *line)
{
	const char *file = line[0] == '\'' ? strstr(line + 1, "' ") : NULL;
	size_t length, name, version;

	if (!file)
		return;
	file += 2;
	length = strcspn(file, " \n");
	name = strcspn(file, "_ \n");
	if (name >= length)
		return;
	version = strcspn(file + name + 1, "_ \n");
	if (name + 1 + version >= length)
		return;
	fwrite(file, 1, name, out);
	fputc('=', out);
	put_unescaped(out, file + name + 1, version);
	fputc('\n', out);
}

char *apt_parse_uris(const char *text)
{
	char *list = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&list, &size);

	if (!out)
		return NULL;
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
		put_package(out, line);
	return fclose(out) ? NULL : list;
}

int apt_closure(const struct apt *apt, const char *const *packages, const char *release,
		char **list, struct error *e)
{
	struct line line;
	char *text = NULL;
	int result;

	begin(&line, apt, "apt-get");
	add(&line, "install");
	add(&line, "--print-uris");
	add(&line, "-y");
	add(&line, "--no-install-recommends");
	if (release) {
		add(&line, "-t");
		add(&line, release);
	}
	for (; *packages; packages++)
		add(&line, *packages);
	result = run(apt, &line, NULL, &text, e);
	if (result)
		return result;
	*list = apt_parse_uris(text);
	free(text);
	return *list ? 0 : error_set(e, ERROR_FAILED, ENOMEM, "no memory for a package list");
}

int apt_unpack(const struct vm_context *context, const char *from, const char *to,
	       struct error *e)
{
	char pattern[PATH_MAX];
	glob_t found;
	int result = vm_make_folder(to, e);

	snprintf(pattern, sizeof(pattern), "%s/*.deb", from);
	if (result || glob(pattern, 0, NULL, &found))
		return result ? result : error_set(e, ERROR_FAILED, ENOENT,
						   "no package came to '%s'", from);
	for (size_t i = 0; i < found.gl_pathc && !result; i++) {
		const char *const argv[] = { "dpkg-deb", "-x", found.gl_pathv[i], to, NULL };

		result = process_run(&(struct process){ .argv = argv }, APT_LIMIT_NS,
				     context->interrupt_fd, NULL, e);
		remove(found.gl_pathv[i]);
	}
	globfree(&found);
	return result;
}
