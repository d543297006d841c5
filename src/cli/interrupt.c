/* SPDX-License-Identifier: MIT */
/* interrupt.c: signals and a closed pipe as one file descriptor. */
#include "cli/interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

static void add_unless_ignored(sigset_t *signals, int signal)
{
    struct sigaction action;
    if (sigaction(signal, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
        sigaddset(signals, signal);
}

/* Nobody reads the signals, so they stay pending and the file stays readable. */
struct interrupt interrupt_open(void)
{
    sigset_t signals;
    struct epoll_event readable = {.events = EPOLLIN}, broken = {.events = EPOLLERR};
    sigemptyset(&signals);
    add_unless_ignored(&signals, SIGINT);
    add_unless_ignored(&signals, SIGTERM);
    struct interrupt interrupt = {epoll_create1(EPOLL_CLOEXEC),
                                  signalfd(-1, &signals, SFD_CLOEXEC)};
    if (interrupt.file < 0 || interrupt.signals < 0 ||
        epoll_ctl(interrupt.file, EPOLL_CTL_ADD, interrupt.signals, &readable) != 0 ||
        pthread_sigmask(SIG_BLOCK, &signals, NULL) != 0) {
        interrupt_close(&interrupt);
        return interrupt;
    }
    /* refused if standard output is a regular file, which cannot break */
    (void)epoll_ctl(interrupt.file, EPOLL_CTL_ADD, STDOUT_FILENO, &broken);
    return interrupt;
}

void interrupt_close(struct interrupt *interrupt)
{
    if (interrupt->signals >= 0) close(interrupt->signals);
    if (interrupt->file >= 0) close(interrupt->file);
    *interrupt = (struct interrupt){-1, -1};
}
