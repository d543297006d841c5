/* SPDX-License-Identifier: MIT */
/*
 * record/signals.h: the signals that end a recording, taken one by one at places of the program's
 * choice.
 */
#ifndef SPOOR_RECORD_SIGNALS_H
#define SPOOR_RECORD_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

struct signals {
    int file;        /* readable if there is a signal; -1: the system has no such file */
    sigset_t before; /* the mask outside the recording, which the recorded program gets */
};

/* From now on the signals wait.  Closing delivers those that were not taken. */
void signals_open(struct signals *signals);
void signals_close(struct signals *signals);

/* True if a signal to end waits; it is not taken. */
bool signals_any(void);
/* Waits for a signal, or for the end of a child, at most `milliseconds` (-1: without limit); may
 * return earlier. */
void signals_wait(const struct signals *signals, int milliseconds);
/* Takes the next signal to end; false if none waits.  `shared`: the terminal sent it to all
 * programs that run there. */
bool signals_next(const struct signals *signals, int *number, bool *shared);

#endif
