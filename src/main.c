// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "commands/command.h"
#include "config.h"

/* Dispatch, the listing and --help all come from here. */
static const struct command commands[] = {
	{ "run", "measure a sweep, print its table, write a result file", command_run },
	{ "plan", "show which thread would go to which PU, measure nothing", command_plan },
	{ "topo", "show kinds of cores, SMT, caches, nodes and what is odd", command_topo },
	{ "doctor", "say whether this machine can measure and what disturbs it", command_doctor },
	{ "report", "show where the instructions of an install go, by function", command_report },
	{ "compare", "show the difference of two such profiles", command_compare },
	{ "vm", "run any of these in emulated machines: kernels, shapes, path length", command_vm },
};
#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

/* For the handler at exit, which argp's --help reaches without passing main. */
static int exit_status;

static void print_help(FILE *out)
{
	fputs("usage: ringscale COMMAND [OPTION]...\n"
	      "\n"
	      "Maps what it costs to install a file into another io_uring's table.\n"
	      "\n"
	      "commands:\n", out);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		fprintf(out, "  %-8s  %s\n", commands[i].name, commands[i].summary);
	fputs("\n"
	      "options:\n"
	      "  --help     this text; ringscale COMMAND --help for a command's options\n"
	      "  --version  the program's version\n"
	      "\n"
	      "exit status: 0 measured and valid, 1 failed or a point invalid, 2 bad usage,\n"
	      "3 not available here, 130 interrupted; the highest of 2, 3, 130, 1, 0 wins\n"
	      "\n"
	      "examples:\n"
	      "  ringscale doctor                    can this machine measure?\n"
	      "  ringscale run                       the default sweep\n"
	      "  ringscale run --pairs 1..8x2 --reap poll --slots 64,4096\n"
	      "  ringscale plan --pairs 4 --place spread --reap poll\n", out);
}

static int refuse(const char *what, const char *word)
{
	fprintf(stderr, "ringscale: %s '%s'; the commands are", what, word);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		fprintf(stderr, "%s %s", i ? "," : "", commands[i].name);
	fputs("; see ringscale --help\n", stderr);
	return 2;
}

static int run_command(const struct command *command, int argc, char **argv)
{
	char name[64];

	snprintf(name, sizeof(name), "ringscale %s", command->name);
	argv[0] = name;
	return command->run(argc, argv);
}

static int dispatch(int argc, char **argv)
{
	if (argc < 2) {
		fputs("ringscale: no command given\n\n", stderr);
		print_help(stderr);
		return 2;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "--version")) {
		if (argc > 2)
			return refuse("nothing may follow this option:", argv[2]);
		if (!strcmp(argv[1], "--help"))
			print_help(stdout);
		else
			puts("ringscale " RINGSCALE_VERSION);
		return 0;
	}
	if (argv[1][0] == '-')
		return refuse("unknown option", argv[1]);
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		if (!strcmp(argv[1], commands[i].name))
			return run_command(&commands[i], argc - 1, argv + 1);
	}
	return refuse("unknown command", argv[1]);
}

/* A table that did not reach its reader is a failure, whatever the command said. */
static void close_output(void)
{
	int failed = ferror(stdout);

	errno = 0;
	if (fflush(stdout) || failed) {
		fprintf(stderr, "ringscale: cannot write to standard output: %s\n",
			errno ? strerror(errno) : "an earlier write failed");
		_exit(exit_status_worse(exit_status, 1));
	}
}

/* Started with standard streams closed, the first files opened would take their
 * place, and messages would end in a result file. */
static int fill_standard_streams(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
		if (fd < 0)
			return -errno;
	} while (fd <= STDERR_FILENO);
	close(fd);
	return 0;
}

int main(int argc, char **argv)
{
	if (fill_standard_streams())
		return 1;
	atexit(close_output);
	exit_status = dispatch(argc, argv);
	return exit_status;
}
