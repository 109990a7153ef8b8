// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/interrupt.h"

#include <errno.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* A SIGHUP that is ignored stays so, as nohup wants it: blocked it would come all the same. */
static void ending_signals(sigset_t *set)
{
	struct sigaction hangup;

	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	if (sigaction(SIGHUP, NULL, &hangup) || hangup.sa_handler != SIG_IGN)
		sigaddset(set, SIGHUP);
}

int interrupt_open(struct interrupt *interrupt)
{
	sigset_t set;

	interrupt->signal = 0;
	interrupt->fd = -1;
	ending_signals(&set);
	if (sigprocmask(SIG_BLOCK, &set, &interrupt->before) < 0)
		return -errno;
	interrupt->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (interrupt->fd < 0) {
		int result = -errno;

		sigprocmask(SIG_SETMASK, &interrupt->before, NULL);
		return result;
	}
	return 0;
}

bool interrupt_came(struct interrupt *interrupt)
{
	struct signalfd_siginfo info;

	while (read(interrupt->fd, &info, sizeof(info)) == sizeof(info))
		if (!interrupt->signal)
			interrupt->signal = (int)info.ssi_signo;
	return interrupt->signal != 0;
}

void interrupt_close(struct interrupt *interrupt)
{
	if (interrupt->fd < 0)
		return;
	interrupt_came(interrupt);
	close(interrupt->fd);
	interrupt->fd = -1;
	sigprocmask(SIG_SETMASK, &interrupt->before, NULL);
}
