/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGSCALE_COMMANDS_COMMAND_H
#define RINGSCALE_COMMANDS_COMMAND_H

/*
 * A command parses its own arguments, calls the layers below and prints. It
 * returns the exit status of DESIGN section 2 and never calls exit().
 *
 * To add one: src/commands/NAME.c with `int command_NAME(int argc, char **argv)`
 * (argv[0] is "ringscale NAME"), a prototype here, a row of the table in main.c, a
 * section of man/ringscale.1, tests/cli/NAME.bats.
 */
struct command {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv);
};

int command_compare(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_plan(int argc, char **argv);
int command_report(int argc, char **argv);
int command_run(int argc, char **argv);
int command_topo(int argc, char **argv);
int command_vm(int argc, char **argv);

#endif
