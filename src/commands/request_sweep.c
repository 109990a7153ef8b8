// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/request.h"

#include "base/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static int no_memory(struct error *e)
{
	return error_set(e, ERROR_FAILED, ENOMEM, "out of memory");
}

/* Never 0, which is "none chosen". */
static uint64_t random_seed(void)
{
	uint32_t seed = 0;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		seed = clock_now_ns();
	return seed ? seed : 1;
}

/* Cuts "--NAME VALUE --FLAG" in place. */
static int apply_words(struct run_request *request, char *words, bool *set, struct error *e)
{
	char *rest;

	for (char *name = strtok_r(words, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
		enum method_option which = method_find(name + 2);
		const char *value = NULL;
		int rc = 0;

		if (which == METHOD_COUNT)
			return error_set(e, ERROR_FAILED, EINVAL, "preset is broken at \"%s\"",
					 name);
		if (method_info(which)->argument)
			value = strtok_r(NULL, " ", &rest);
		set[which] = true;
		if (!request->method_typed[which])
			rc = method_set(&request->method, which, value, e);
		if (rc)
			return rc;
	}
	return 0;
}

/* Lays the preset's method options under the typed ones; set[] tells which it has. */
static int apply_preset_method(struct run_request *request, bool *set, struct error *e)
{
	char *words;
	int rc;

	if (!request->preset->method)
		return 0;
	words = strdup(request->preset->method);
	if (!words)
		return no_memory(e);
	rc = apply_words(request, words, set, e);
	free(words);
	return rc;
}

static void free_products(struct product *products, size_t count)
{
	for (size_t i = 0; i < count; i++)
		product_free(&products[i]);
	free(products);
}

static int make_products(const struct run_request *request, const struct topology *topology,
			 struct product **products, size_t *count, struct error *e)
{
	struct preset_machine machine;
	int rc = preset_machine_init(&machine, topology) ? no_memory(e) : 0;

	if (!rc)
		rc = preset_products(request->preset, &request->typed, &machine, products, count, e);
	preset_machine_free(&machine);
	return rc;
}

/* A workload may have a preset of its own name, which then lies under what was typed. */
static void choose_preset(struct run_request *request)
{
	const struct axis_list *workload = &request->typed.axes[AXIS_WORKLOAD];
	const struct preset *own = workload->count ? preset_find(workload->values[0].text) : NULL;

	if (!request->preset_typed && own)
		request->preset = own;
}

int request_sweep(struct run_request *request, const struct topology *topology,
		  struct sweep *sweep, struct error *e)
{
	bool set[METHOD_COUNT] = { false };
	struct product *products = NULL;
	size_t count = 0;
	int rc;

	choose_preset(request);
	rc = apply_preset_method(request, set, e);
	if (rc)
		return rc;
	if (!request->method.seed)
		request->method.seed = random_seed();
	rc = make_products(request, topology, &products, &count, e);
	if (!rc)
		rc = sweep_build(sweep, products, count, topology, &request->method, false, e);
	free_products(products, count);
	return rc;
}

/* An axis that the preset under the line would set must stand there: typed again without it, the
 * line would mean something else. */
static bool in_preset_below(const struct product *product, enum axis axis)
{
	const struct axis_list *workload = &product->axes[AXIS_WORKLOAD];
	const struct preset *below = workload->count ? preset_find(workload->values[0].text) : NULL;
	char option[AXIS_OPTION_SIZE + 2];

	snprintf(option, sizeof(option), "--%s ", axis_info(axis)->name);
	for (const char *const *text = (below ? below : presets)->products; *text; text++)
		if (strstr(*text, option))
			return true;
	return false;
}

static int show_product(const struct product *product, FILE *out, struct error *e)
{
	for (enum axis axis = 0; axis < AXIS_COUNT; axis++) {
		const struct axis_list *list = &product->axes[axis];
		char *text;

		if (!list->count) {
			if (in_preset_below(product, axis))
				fprintf(out, " --%s %s", axis_info(axis)->name,
					axis_info(axis)->initial);
			continue;
		}
		text = axis_list_text(list);
		if (!text)
			return no_memory(e);
		fprintf(out, " --%s %s", axis_info(axis)->name, text);
		free(text);
	}
	return 0;
}

static void show_method(const struct run_request *request, const bool *set, FILE *out)
{
	for (int i = 0; i < METHOD_COUNT; i++) {
		char buffer[32];
		const char *text = method_text(&request->method, i, buffer, sizeof(buffer));

		if (set[i] || request->method_typed[i])
			fprintf(out, " --%s%s%s", method_info(i)->name, *text ? " " : "", text);
	}
	if (request->kinds)
		fprintf(out, " --kinds %s", request->kinds);
}

int request_show(struct run_request *request, const struct topology *topology, FILE *out,
		 struct error *e)
{
	bool set[METHOD_COUNT] = { false };
	struct product *products = NULL;
	size_t count = 0;
	int rc;

	choose_preset(request);
	rc = apply_preset_method(request, set, e);
	if (!rc)
		rc = make_products(request, topology, &products, &count, e);
	for (size_t i = 0; i < count && !rc; i++) {
		fputs("ringscale run", out);
		rc = show_product(&products[i], out, e);
		show_method(request, set, out);
		fputc('\n', out);
	}
	free_products(products, count);
	return rc;
}
