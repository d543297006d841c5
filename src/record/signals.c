/* SPDX-License-Identifier: MIT */
/* record/signals.c: signals by signalfd, or by asking for pending ones every few milliseconds. */
#include "record/signals.h"

#include <fcntl.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "base/platform.h"
#ifdef SPOOR_HAVE_SIGNALFD
#include <sys/signalfd.h>
#endif

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

void signals_open(struct signals *signals)
{
    sigset_t watched;
    sigemptyset(&watched);
    for (unsigned i = 0; i < NUMBERS; i++) sigaddset(&watched, numbers[i]);
#ifdef SPOOR_HAVE_SIGNALFD
    sigaddset(&watched, SIGCHLD);
    sigprocmask(SIG_BLOCK, &watched, &signals->before);
    signals->file = signalfd(-1, &watched, SFD_NONBLOCK | SFD_CLOEXEC);
#else
    sigprocmask(SIG_BLOCK, &watched, &signals->before);
    signals->file = -1;
#endif
}

void signals_close(struct signals *signals)
{
    if (signals->file >= 0) close(signals->file);
    signals->file = -1;
    sigprocmask(SIG_SETMASK, &signals->before, NULL);
}

bool signals_any(void)
{
    sigset_t waiting;
    if (sigpending(&waiting) != 0) return false;
    for (unsigned i = 0; i < NUMBERS; i++)
        if (sigismember(&waiting, numbers[i]) == 1) return true;
    return false;
}

#ifdef SPOOR_HAVE_SIGNALFD

void signals_wait(const struct signals *signals, int milliseconds)
{
    struct pollfd descriptor = {.fd = signals->file, .events = POLLIN};
    (void)poll(&descriptor, 1, milliseconds);
}

bool signals_next(const struct signals *signals, int *number, bool *shared)
{
    struct signalfd_siginfo signal;
    while (read(signals->file, &signal, sizeof signal) == (ssize_t)sizeof signal) {
        if (signal.ssi_signo == SIGCHLD) continue;
        *number = (int)signal.ssi_signo;
        *shared = signal.ssi_code == SI_KERNEL;
        return true;
    }
    return false;
}

#else

void signals_wait(const struct signals *signals, int milliseconds)
{
    enum { INTERVAL = 10 };
    const struct timespec pause = {0, INTERVAL * 1000000L};
    (void)signals;
    if (milliseconds != 0 && !signals_any()) nanosleep(&pause, NULL);
}

/* True if a key of the terminal signals this process: its group is in the foreground there. */
static bool in_foreground(void)
{
    const int terminal = open("/dev/tty", O_RDONLY | O_CLOEXEC);
    const bool is = terminal >= 0 && tcgetpgrp(terminal) == getpgrp();
    if (terminal >= 0) close(terminal);
    return is;
}

bool signals_next(const struct signals *signals, int *number, bool *shared)
{
    sigset_t waiting, one;
    (void)signals;
    if (sigpending(&waiting) != 0) return false;
    for (unsigned i = 0; i < NUMBERS; i++) {
        if (sigismember(&waiting, numbers[i]) != 1) continue;
        sigemptyset(&one);
        sigaddset(&one, numbers[i]);
        if (sigwait(&one, number) != 0) return false;
        *shared = (*number == SIGINT || *number == SIGQUIT) && in_foreground();
        return true;
    }
    return false;
}

#endif
