/* SPDX-License-Identifier: MIT */
/*
 * signal.h: what any signal of a waveform (VCD, FST, GHW) says over time.
 *
 *     struct spoor_signal *stall;
 *     spoor_signal_open(&stall, "dump.fst", "core.stall", &error);
 *     spoor_signal_at(stall, record->time, &bits, &unknown);
 *     spoor_signal_close(stall);
 *
 * Memory: 24 bytes for each change of the signal, of at most 33,554,432.
 */
#ifndef SPOOR_SIGNAL_H
#define SPOOR_SIGNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct spoor_signal;

/* True if a file is a waveform, compressed or not; false, too, if it cannot be read. */
bool spoor_signal_is_in(const char *path);
/* Reads a signal of at most 64 bits by its path or the end of one, "core.stall", or bits of it,
 * "core.pc[11:0]".  On SPOOR_OK the caller owns *signal.  SPOOR_EUSAGE: the file is no waveform, or
 * has no such signal, several, or one of too many changes. */
enum spoor_status spoor_signal_open(struct spoor_signal **signal, const char *path,
                                    const char *name, struct spoor_error *error);
/* The value just before a time, in the unit of the times that the trace of that waveform has, as a
 * register that is clocked then sees it.  Bits that are 1 in *unknown are x or z.  False: nothing
 * is recorded there. */
bool spoor_signal_at(struct spoor_signal *signal, uint64_t time, uint64_t *bits, uint64_t *unknown);
/* The first place of the signal that could not be read; "": none.  Lives as long as the signal. */
const char *spoor_signal_damage(const struct spoor_signal *signal);
void spoor_signal_close(struct spoor_signal *signal);

#ifdef __cplusplus
}
#endif

#endif
