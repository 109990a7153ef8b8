// SPDX-License-Identifier: GPL-2.0-or-later
#include "topology/place_refuse.h"

#include "base/list.h"
#include "topology/odd.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int refuse_place(const struct place *place, struct error *e, const char *format, ...)
{
	char reason[520];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	return error_set(e, ERROR_USAGE, EINVAL, "--place %s: %s", list_quote(place->text).text,
			 reason);
}

int refuse_kind(const struct topology *topology, const struct place *place, const char *name,
		const struct kind *kind, struct error *e)
{
	char list[300] = "";
	size_t used = 0;

	if (kind)
		return refuse_place(place, e,
				    "kind %s has 0 available of %d PUs: none is online, allowed "
				    "by the cgroup and in the inherited mask",
				    name, hwloc_bitmap_weight(kind->cpus));
	for (int i = 0; i < topology->kind_count && used < sizeof(list) - 1; i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s (%s)",
					 i ? ", " : "", topology->kinds[i].name,
					 topology->kinds[i].told_by);
	return refuse_place(
		place, e, "no kind %s here, but %s; --kinds %s=LIST tells it", name, list,
		strcmp(name, "little") == 0 || strcmp(name, "big") == 0 ? "k0=LIST,k1" : name);
}

/* How many pairs another relation between the same kinds would give. */
static int possible_with(const struct topology *topology, const struct wish *wish,
			 enum relation_term relation)
{
	struct wish other = *wish;
	struct pool pool;
	int possible;

	other.relation = relation;
	possible = pool_init(&pool, topology, &other) ? 0 : pool.possible;
	pool_release(&pool);
	return possible;
}

int refuse_pairs(const struct topology *topology, const struct place *place,
		 const struct wish *wish, int pairs, int possible, struct error *e)
{
	static const char *const lack[RELATION_TERM_COUNT] = {
		[RELATION_ANY] = "too few PUs may be used",
		[RELATION_SMT] = "no core has two PUs that may be used",
		[RELATION_L2] = "no two cores that may be used are known to share an L2",
		[RELATION_L3] =
			"no two PUs that may be used are known to share an L3 and not an L2",
		[RELATION_NUMA] =
			"no two PUs that may be used are known to share a node and not an L3",
		[RELATION_CROSS_NUMA] = "no two PUs that may be used are known to be on two nodes",
		[RELATION_CROSS_PACKAGE] =
			"no two PUs that may be used are known to be in two packages",
	};
	char reason[200], others[160] = "";
	size_t used = 0;

	for (int term = RELATION_SMT; term < RELATION_TERM_COUNT; term++) {
		int other = possible_with(topology, wish, term);

		if (term != (int)wish->relation && other > 0)
			used += (size_t)snprintf(others + used, sizeof(others) - used, "%s%s %d",
						 used ? ", " : "; other relations: ",
						 relation_term_name(term), other);
	}
	if (possible)
		snprintf(reason, sizeof(reason), "at most %d pair%s can be given", possible,
			 possible == 1 ? "" : "s");
	else
		snprintf(reason, sizeof(reason), "at most 0 pairs: %s%s", lack[wish->relation],
			 wish->kinds[0] >= 0 ? " in these kinds" : "");
	return refuse_place(place, e, "%d pair%s asked for, %s%s", pairs, pairs == 1 ? "" : "s",
			    reason, others);
}

int refuse_pu(const struct topology *topology, const struct place *place, int pu,
	      struct error *e)
{
	const char *reason = "not online, or not there";
	char *list = odd_list(topology->candidates);
	int rc;

	if (topology_pu(topology, pu)) {
		bool allowed = hwloc_bitmap_isset(
			hwloc_topology_get_allowed_cpuset(topology->hwloc), (unsigned)pu);

		reason = allowed ? "not in the mask that the program inherited (taskset)"
				 : "not allowed by the cgroup's cpuset";
	}
	rc = refuse_place(place, e, "PU %d is %s; available: %.200s", pu, reason, list ? list : "");
	free(list);
	return rc;
}
