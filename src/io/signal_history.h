/* SPDX-License-Identifier: MIT */
/* io/signal_history.h: all values of one signal of a waveform, compressed or not. */
#ifndef SPOOR_IO_SIGNAL_HISTORY_H
#define SPOOR_IO_SIGNAL_HISTORY_H

#include "spoor/error.h"
#include "wave/history.h"

/* `signal` is a path or the end of one.  On SPOOR_OK the caller frees the history. */
enum spoor_status signal_history_read(const char *path, const char *signal,
                                      struct wave_history *history, struct spoor_error *error);

#endif
