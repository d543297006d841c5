/* SPDX-License-Identifier: MIT */
/* io/signal_history.h: what the signals of a waveform, compressed or not, say over time. */
#ifndef SPOOR_IO_SIGNAL_HISTORY_H
#define SPOOR_IO_SIGNAL_HISTORY_H

#include "base/text.h"
#include "spoor/error.h"
#include "wave/history.h"

/* `signal` is a path or the end of one.  On SPOOR_OK the caller frees the history. */
enum spoor_status signal_history_read(const char *path, const char *signal,
                                      struct wave_history *history, struct spoor_error *error);

/* Appends the lines of a mapping that is proposed for a waveform (wave/propose.h); a file that is
 * none, or that cannot be read twice, leaves *is_waveform false. */
enum spoor_status signals_propose(const char *path, struct text *mapping, double *share,
                                  bool *is_waveform, struct spoor_error *error);

#endif
