// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/sources.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "vm/context.h"

/* Fields of one entry, borrowed from the text that is being cut up. */
struct entry {
	const char *types, *uris, *suites, *components, *signed_by;
	bool disabled, trusted;
};

void sources_free(struct sources *sources)
{
	for (size_t i = 0; i < sources->count; i++) {
		struct source *source = &sources->list[i];

		free(source->uri);
		free(source->suite);
		free(source->components);
		free(source->signed_by);
	}
	free(sources->list);
	memset(sources, 0, sizeof(*sources));
}

static int add_source(struct sources *sources, const struct entry *entry, const char *uri,
		      const char *suite)
{
	struct source *list = realloc(sources->list, (sources->count + 1) * sizeof(*list));
	struct source *source;

	if (!list)
		return -ENOMEM;
	sources->list = list;
	source = &list[sources->count++];
	source->uri = strdup(uri);
	source->suite = strdup(suite);
	source->components = strdup(entry->components);
	source->signed_by = entry->signed_by ? strdup(entry->signed_by) : NULL;
	source->trusted = entry->trusted;
	return source->uri && source->suite && source->components &&
	       (source->signed_by || !entry->signed_by) ? 0 : -ENOMEM;
}

static bool has_word(const char *words, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = words; (at = strstr(at, word)) != NULL; at += length) {
		bool begins = at == words || strchr(" \t\n", at[-1]);

		if (begins && (!at[length] || strchr(" \t\n", at[length])))
			return true;
	}
	return false;
}

/* Every URI with every suite. */
static int add_entry(struct sources *sources, const struct entry *entry)
{
	char *uris, *uri, *uri_rest = NULL;
	int result = 0;

	if (entry->disabled || !entry->types || !has_word(entry->types, "deb") || !entry->uris ||
	    !entry->suites || !entry->components || !*entry->components)
		return 0;
	uris = strdup(entry->uris);
	for (uri = uris ? strtok_r(uris, " \t\n", &uri_rest) : NULL; uri && !result;
	     uri = strtok_r(NULL, " \t\n", &uri_rest)) {
		char *suites = strdup(entry->suites), *suite, *rest = NULL;

		for (suite = suites ? strtok_r(suites, " \t\n", &rest) : NULL; suite && !result;
		     suite = strtok_r(NULL, " \t\n", &rest))
			if (suite[strlen(suite) - 1] != '/')
				result = add_source(sources, entry, uri, suite);
		result = suites ? result : -ENOMEM;
		free(suites);
	}
	free(uris);
	return uris ? result : -ENOMEM;
}

/* [ name=value ... ] of a line; returns what is behind it, or NULL where it is not closed. */
static char *read_options(char *text, struct entry *entry)
{
	char *end = strchr(text, ']'), *rest = NULL, *option;

	if (!end)
		return NULL;
	*end = '\0';
	for (option = strtok_r(text, " \t", &rest); option; option = strtok_r(NULL, " \t", &rest)) {
		char *value = strchr(option, '=');

		if (!value)
			continue;
		*value++ = '\0';
		if (!strcmp(option, "signed-by")) {
			/* Commas in this form, blanks in the other. */
			for (char *comma = value; (comma = strchr(comma, ',')) != NULL;)
				*comma = ' ';
			entry->signed_by = value;
		} else if (!strcmp(option, "trusted")) {
			entry->trusted = !strcasecmp(value, "yes");
		}
	}
	return end + 1;
}

/* deb [ options ] uri suite component... */
static int parse_line(struct sources *sources, char *line)
{
	struct entry entry = { .types = "deb" };
	char *rest = NULL;

	line[strcspn(line, "#")] = '\0';
	line += strspn(line, " \t");
	if (strncmp(line, "deb", 3) || !strchr(" \t", line[3]) || !line[3])
		return 0;
	line += 3;
	line += strspn(line, " \t");
	if (*line == '[')
		line = read_options(line + 1, &entry);
	if (!line)
		return 0;
	entry.uris = strtok_r(line, " \t", &rest);
	entry.suites = strtok_r(NULL, " \t", &rest);
	entry.components = rest ? rest + strspn(rest, " \t") : NULL;
	return add_entry(sources, &entry);
}

int sources_parse_list(struct sources *sources, const char *text)
{
	char *copy = strdup(text), *rest = NULL;
	int result = copy ? 0 : -ENOMEM;

	for (char *line = copy ? strtok_r(copy, "\r\n", &rest) : NULL; line && !result;
	     line = strtok_r(NULL, "\r\n", &rest))
		result = parse_line(sources, line);
	free(copy);
	return result;
}

static void set_field(struct entry *entry, const char *name, char *value)
{
	value += strspn(value, " \t");
	for (size_t end = strlen(value); end && strchr(" \t\r\n", value[end - 1]); end--)
		value[end - 1] = '\0';
	if (!strcasecmp(name, "Types"))
		entry->types = value;
	else if (!strcasecmp(name, "URIs"))
		entry->uris = value;
	else if (!strcasecmp(name, "Suites"))
		entry->suites = value;
	else if (!strcasecmp(name, "Components"))
		entry->components = value;
	else if (!strcasecmp(name, "Signed-By"))
		entry->signed_by = value;
	else if (!strcasecmp(name, "Enabled"))
		entry->disabled = !strcasecmp(value, "no") || !strcasecmp(value, "false") ||
				  !strcmp(value, "0");
	else if (!strcasecmp(name, "Trusted"))
		entry->trusted = !strcasecmp(value, "yes");
}

/* One stanza, cut at its fields: a line that begins with a blank goes on with the field before. */
static int parse_stanza(struct sources *sources, char *text)
{
	struct entry entry = { 0 };

	while (text && *text) {
		char *end = text, *colon;

		do {
			end = strchr(end, '\n');
			end = end ? end + 1 : NULL;
		} while (end && (*end == ' ' || *end == '\t'));
		if (end)
			end[-1] = '\0';
		colon = strchr(text, ':');
		if (colon) {
			*colon = '\0';
			set_field(&entry, text, colon + 1);
		}
		text = end;
	}
	return add_entry(sources, &entry);
}

/* Comment lines may stand anywhere, also inside a field. */
static char *without_comments(const char *text)
{
	char *copy = malloc(strlen(text) + 2), *to = copy;

	while (copy && *text) {
		size_t length = strcspn(text, "\n");
		size_t kept = length && text[length - 1] == '\r' ? length - 1 : length;

		if (*text != '#') {
			memcpy(to, text, kept);
			to += kept;
			*to++ = '\n';
		}
		text += length + (text[length] == '\n');
	}
	if (copy)
		*to = '\0';
	return copy;
}

int sources_parse_deb822(struct sources *sources, const char *text)
{
	char *copy = without_comments(text), *at = copy;
	int result = copy ? 0 : -ENOMEM;

	while (at && *at && !result) {
		char *end = strstr(at, "\n\n");

		if (end)
			*end = '\0';
		result = parse_stanza(sources, at);
		at = end ? end + 2 : NULL;
	}
	free(copy);
	return result;
}

static bool is_alias(const char *suite)
{
	static const char *const aliases[] = {
		"oldstable", "stable", "testing", "unstable", "sid"
	};

	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (!strcmp(suite, aliases[i]))
			return true;
	return false;
}

static bool is_base(const struct source *source, const char *codename)
{
	return has_word(source->components, "main") && !strcmp(source->suite, codename);
}

/* Sources may name the suite by an alias; then only those do. */
static bool knows(const struct sources *sources, const char *codename)
{
	for (size_t i = 0; i < sources->count; i++)
		if (is_base(&sources->list[i], codename))
			return true;
	return false;
}

/* Whether a source is the distribution's base, or, with `all`, one that goes with it. */
static bool belongs(const struct source *source, const char *codename, bool by_name, bool all)
{
	size_t length = strlen(codename);

	if (!has_word(source->components, "main"))
		return false;
	if (by_name ? is_base(source, codename) : is_alias(source->suite))
		return true;
	return all && length && !strncmp(source->suite, codename, length) &&
	       strchr("-/", source->suite[length]);
}

static void print_source(const struct source *source, const char *suite, const char *arch,
			 FILE *out)
{
	fprintf(out, "Types: deb\nURIs: %s\nSuites: %s\nComponents: main\n"
		"Architectures: %s\nTargets: Packages\n", source->uri, suite, arch);
	if (source->signed_by)
		fprintf(out, "Signed-By: %s\n", source->signed_by);
	if (source->trusted)
		fputs("Trusted: yes\n", out);
	fputc('\n', out);
}

char *sources_text(const struct sources *sources, const char *codename, const char *suite,
		   unsigned nth, const char *arch)
{
	bool by_name = knows(sources, codename);
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	unsigned seen = 0, written = 0;

	for (size_t i = 0; out && i < sources->count; i++) {
		const struct source *source = &sources->list[i];

		if (!belongs(source, codename, by_name, !suite) || (suite && seen++ != nth))
			continue;
		print_source(source, suite ? suite : source->suite, arch, out);
		written++;
	}
	if (out && (fclose(out) || !written)) {
		free(text);
		text = NULL;
	}
	return text;
}

void sources_codename(char *codename, size_t size)
{
	char *text = vm_read_file("/etc/os-release"), *rest = NULL;

	codename[0] = '\0';
	for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (strncmp(line, "VERSION_CODENAME=", 17))
			continue;
		line += 17;
		line += *line == '"';
		snprintf(codename, size, "%.*s", (int)strcspn(line, "\""), line);
	}
	free(text);
}
