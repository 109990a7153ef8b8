// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/lab_clock.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/files.h"

bool lab_clock_counts(void)
{
	char *command_line = machine_read_all("", "/proc/cmdline"), value[16] = "";
	bool counts = command_line &&
		      kernel_parameter(command_line, LAB_CLOCK_PARAMETER, value, sizeof(value)) &&
		      !strcmp(value, "path");

	free(command_line);
	return counts;
}

/* RR, not FIFO: a coordinator that wants to end a thread that spins gets its turn. */
int lab_clock_claim_cpu(void)
{
	const struct sched_param param = { .sched_priority = 1 };

	return sched_setscheduler(0, SCHED_RR, &param) < 0 ? -errno : 0;
}

void lab_clock_leave_map(void)
{
	char *map = machine_read_all("", "/proc/self/maps");
	FILE *out = map ? fopen(LAB_MAP_PATH, "we") : NULL;

	if (out) {
		fputs(map, out);
		fclose(out);
	}
	free(map);
}
