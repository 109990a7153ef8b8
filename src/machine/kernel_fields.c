// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/fields.h"

#include <dirent.h>
#include <linux/audit.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "machine/files.h"

/* Preemption models by what the kernel's configuration calls them. */
static const struct {
	const char *symbol, *name;
} models[] = {
	{ "CONFIG_PREEMPT_RT", "rt" },
	{ "CONFIG_PREEMPT_LAZY", "lazy" },
	{ "CONFIG_PREEMPT_VOLUNTARY", "voluntary" },
	{ "CONFIG_PREEMPT_NONE", "none" },
	{ "CONFIG_PREEMPT", "full" },
};

static const char *configured_model(const char *config)
{
	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++)
		if (kernel_config_enabled(config, models[i].symbol) == 1)
			return models[i].name;
	return NULL;
}

static json_t *preemption_requested(const struct machine *m, const char *argument)
{
	char value[64];

	(void)argument;
	if (kernel_parameter(m->command_line, "preempt", value, sizeof(value)) && *value)
		return json_string(value);
	return field_text(configured_model(m->config));
}

static json_t *preemption_actual(const struct machine *m, const char *path)
{
	char line[256], *open, *close;
	int64_t realtime;

	if (!machine_read_number(m->root, "/sys/kernel/realtime", &realtime) && realtime)
		return json_string("rt");
	/* "none voluntary (full) lazy"; root only. */
	if (machine_read_line_under(m->root, path, line, sizeof(line)) > 0) {
		open = strchr(line, '(');
		close = open ? strchr(open, ')') : NULL;
		if (close) {
			*close = '\0';
			return field_text(open + 1);
		}
	}
	/* Without the dynamic kind, what was built is what there is. */
	if (kernel_config_enabled(m->config, "CONFIG_PREEMPT_DYNAMIC") == 0)
		return field_text(configured_model(m->config));
	return NULL;
}

static json_t *mitigations(const struct machine *m, const char *path)
{
	char folder[512], file[768], line[512];
	struct dirent *entry;
	json_t *all;
	DIR *dir;

	snprintf(folder, sizeof(folder), "%s%s", m->root, path);
	dir = opendir(folder);
	if (!dir)
		return NULL;
	all = json_object();
	while (all && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
		if (machine_read_line_under(m->root, file, line, sizeof(line)) > 0)
			json_object_set_new(all, entry->d_name, json_string(line));
	}
	closedir(dir);
	return all;
}

static json_t *parameter(const struct machine *m, const char *name)
{
	char value[256];

	if (kernel_parameter(m->command_line, name, value, sizeof(value)) != 1)
		return NULL;
	return json_string(*value ? value : "given without a value");
}

/* Asks the kernel; only those who may administer auditing get an answer. */
static json_t *audit_enabled(const struct machine *m, const char *argument)
{
	struct {
		struct nlmsghdr header;
		struct audit_status status;
	} answer = { 0 };
	struct nlmsghdr question = {
		.nlmsg_len = NLMSG_LENGTH(0),
		.nlmsg_type = AUDIT_GET,
		.nlmsg_flags = NLM_F_REQUEST,
	};
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	struct timeval limit = { .tv_usec = 200000 };
	json_t *enabled = NULL;
	ssize_t length;
	int fd;

	(void)argument;
	if (*m->root)
		return NULL;
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_AUDIT);
	if (fd < 0)
		return NULL;
	if (!setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) &&
	    sendto(fd, &question, sizeof(question), 0, (void *)&kernel, sizeof(kernel)) > 0) {
		length = recv(fd, &answer, sizeof(answer), 0);
		if (length >= (ssize_t)(sizeof(answer.header) + 2 * sizeof(__u32)) &&
		    answer.header.nlmsg_type == AUDIT_GET)
			enabled = json_integer(answer.status.enabled);
	}
	close(fd);
	return enabled;
}

const struct field kernel_fields[] = {
	{ "preemption_requested", preemption_requested, NULL },
	{ "preemption_actual", preemption_actual, "/sys/kernel/debug/sched/preempt" },
	{ "clock_source", field_line,
	  "/sys/devices/system/clocksource/clocksource0/current_clocksource" },
	{ "mitigations", mitigations, "/sys/devices/system/cpu/vulnerabilities" },
	{ "audit_parameter", parameter, "audit" },
	{ "audit_enabled", audit_enabled, NULL },
	{ "numa_balancing", field_number, "/proc/sys/kernel/numa_balancing" },
	{ "kernel_tainted", field_number, "/proc/sys/kernel/tainted" },
	{ NULL, NULL, NULL },
};
