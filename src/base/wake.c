/* SPDX-License-Identifier: MIT */
/* wake.c: a wake by eventfd or by a pipe. */
#include "base/wake.h"

#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

#include "base/platform.h"
#ifdef SPOOR_HAVE_EVENTFD
#include <sys/eventfd.h>
#endif

bool wake_open(struct wake *wake)
{
    int ends[2];
#ifdef SPOOR_HAVE_EVENTFD
    ends[0] = ends[1] = eventfd(0, EFD_CLOEXEC);
    const bool made = ends[0] >= 0;
#else
    const bool made = pipe(ends) == 0;
    for (unsigned i = 0; made && i < 2; i++) (void)fcntl(ends[i], F_SETFD, FD_CLOEXEC);
#endif
    *wake = made ? (struct wake){ends[0], ends[1]} : (struct wake){-1, -1};
    return made;
}

void wake_now(const struct wake *wake)
{
    const uint64_t one = 1; /* what an eventfd takes; any bytes for a pipe */
    if (wake->signal >= 0) (void)!write(wake->signal, &one, sizeof one);
}

void wake_close(struct wake *wake)
{
    if (wake->signal >= 0 && wake->signal != wake->file) close(wake->signal);
    if (wake->file >= 0) close(wake->file);
    *wake = (struct wake){-1, -1};
}
