/* SPDX-License-Identifier: MIT */
/* interrupt.c: signals and a closed pipe as one file descriptor. */
#include "cli/interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "base/platform.h"
#include "base/wake.h"
#if defined(SPOOR_HAVE_EPOLL) && defined(SPOOR_HAVE_SIGNALFD)
#include <sys/epoll.h>
#include <sys/signalfd.h>
#endif

#if defined(SPOOR_HAVE_EPOLL) && defined(SPOOR_HAVE_SIGNALFD)

/* Nobody reads the signals, so they stay pending and the file stays readable. */
struct interrupt interrupt_open(void)
{
    sigset_t signals;
    struct epoll_event readable = {.events = EPOLLIN}, broken = {.events = EPOLLERR};
    sigemptyset(&signals);
    static const int caught[] = {SIGINT, SIGTERM};
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) {
        struct sigaction action;
        if (sigaction(caught[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(&signals, caught[i]);
    }
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

#else /* a handler writes to a pipe; a closed pipe on standard output shows at the next write */

static struct wake woken = {-1, -1};

static void interrupt_wake(int signal)
{
    (void)signal;
    wake_now(&woken);
}

struct interrupt interrupt_open(void)
{
    if (!wake_open(&woken)) return (struct interrupt){-1, -1};
    static const int caught[] = {SIGINT, SIGTERM};
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) {
        struct sigaction action;
        if (sigaction(caught[i], NULL, &action) != 0 || action.sa_handler == SIG_IGN) continue;
        action = (struct sigaction){.sa_handler = interrupt_wake, .sa_flags = SA_RESTART};
        (void)sigaction(caught[i], &action, NULL);
    }
    return (struct interrupt){woken.file, -1};
}

void interrupt_close(struct interrupt *interrupt)
{
    wake_close(&woken);
    *interrupt = (struct interrupt){-1, -1};
}

#endif
