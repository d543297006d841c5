/* SPDX-License-Identifier: MIT */
/*
 * wave/wave.h: a waveform as the text of a trace.
 *
 * VCD, FST and GHW hold the values of signals over time.  By a mapping (mapping.h), the signals of
 * a core are sampled before each edge of its clock, and each instruction that retires becomes a
 * line of text, which the described format `waveform` reads: a waveform is to spoor what a
 * compression is, another form of the bytes of a trace.
 */
#ifndef SPOOR_WAVE_WAVE_H
#define SPOOR_WAVE_WAVE_H

#include "spoor/error.h"
#include "wave/mapping.h"

enum wave_kind { WAVE_NONE, WAVE_VCD, WAVE_FST, WAVE_GHW };
/* By the first bytes of a file; 64 suffice. */
enum wave_kind wave_recognise(const void *bytes, size_t size);

/* Where the bytes of the file come from. */
struct wave_input {
    const char *path;
    /* Fills `capacity` bytes.  SPOOR_OK: all of them; else *size are before the end (SPOOR_END) or
     * the error. */
    enum spoor_status (*read)(void *context, void *to, size_t capacity, size_t *size,
                              struct spoor_error *error);
    void *context;
    int file; /* the file, to be read at any place; -1: it can only be read on */
};

struct wave;
/* `mappings`: those to try, in order; `named`: the caller named the only one.  NULL: `error` is
 * filled. */
struct wave *wave_open(enum wave_kind kind, const struct wave_input *input,
                       const struct wave_mapping *const *mappings, size_t count, bool named,
                       struct spoor_error *error);
/* Fills `capacity` bytes with text, as wave_input.read does.  Damage of the waveform is a line that
 * begins with "! ", and what can be read is read. */
enum spoor_status wave_read(struct wave *wave, void *to, size_t capacity, size_t *size,
                            struct spoor_error *error);
/* Of the mapping that was chosen. */
const char *wave_mapping_name(const struct wave *wave);
/* Times of lines are those of the waveform times this. */
uint64_t wave_time_factor(const struct wave *wave);
void wave_close(struct wave *wave);

/* Reads all values of one signal, of a path or the end of one. */
struct wave_history;
enum spoor_status wave_read_history(enum wave_kind kind, const struct wave_input *input,
                                    const char *path, struct wave_history *history,
                                    struct spoor_error *error);

#endif
