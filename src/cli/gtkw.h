/* SPDX-License-Identifier: MIT */
/* cli/gtkw.h: places of a waveform as the named markers of a save file of GTKWave (--gtkw). */
#ifndef SPOOR_CLI_GTKW_H
#define SPOOR_CLI_GTKW_H

#include "base/text.h"
#include "cli/cli.h"

enum { GTKW_MARKS = 26 /* A to Z: GTKWave's own number, unless it is built with more */ };
struct gtkw {
    const char *dump; /* path of the waveform */
    uint64_t step;    /* units of records' times in one of the waveform */
    uint64_t times[GTKW_MARKS];
    struct text names; /* a line for each */
    unsigned count;
};

/* False, after a message: there is not one trace, or it is no file. */
bool gtkw_suits(const char *verb, const char *path);
/* False, after a message: the trace is no waveform. */
bool gtkw_begin(struct gtkw *gtkw, const char *verb, const char *path, uint64_t step);
void gtkw_mark(struct gtkw *gtkw, uint64_t time, const char *name);
/* Writes the file, of the `places` that there are; returns the exit code. */
int gtkw_write(const struct gtkw *gtkw, const char *path, uint64_t places, bool whole,
               const struct settings *settings);
void gtkw_free(struct gtkw *gtkw);

#endif
