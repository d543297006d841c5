/* SPDX-License-Identifier: MIT */
/* wave/reader.h: what the readers of VCD, FST and GHW share. */
#ifndef SPOOR_WAVE_READER_H
#define SPOOR_WAVE_READER_H

#include "model/error.h"
#include "wave/line.h"
#include "wave/sampler.h"
#include "wave/wave.h"

struct wave_reader {
    struct wave_input input;
    struct wave_variables variables;
    struct wave_sampler sampler;
    int exponent;    /* times count 10^exponent seconds; WAVE_NO_UNIT: nothing says so */
    unsigned damage; /* lines about it so far */
};

enum { WAVE_OUT = 256 << 10 /* bytes of text that a step makes, about */ };

/* A kind of waveform.  `open` reads the variables; `begin` is called when they are bound; `step`
 * makes some text: SPOOR_OK, SPOOR_END or an error. */
struct wave_reader_kind {
    struct wave_reader *(*open)(const struct wave_input *input, struct spoor_error *error);
    enum spoor_status (*begin)(struct wave_reader *reader, struct spoor_error *error);
    enum spoor_status (*step)(struct wave_reader *reader, struct spoor_error *error);
    void (*close)(struct wave_reader *reader);
};
extern const struct wave_reader_kind wave_vcd, wave_fst, wave_ghw;
const struct wave_reader_kind *wave_kind_of(enum wave_kind kind);
/* With the sampler and the variables. */
void wave_reader_close(const struct wave_reader_kind *kind, struct wave_reader *reader);

enum { WAVE_DAMAGE_LINES = 100 /* the others are only counted */ };
#define wave_damage(reader, ...)                               \
    do {                                                       \
        if ((reader)->damage++ < WAVE_DAMAGE_LINES)            \
            wave_line_damage(&(reader)->sampler, __VA_ARGS__); \
    } while (0)

/* ---- unpack.c ---- */

/* Inflates zlib or gzip data whose size is known; false: they are damaged, or this build cannot. */
bool wave_inflate(const void *from, size_t size, void *to, size_t made);
bool wave_unpack_lz4(const void *from, size_t size, void *to, size_t made);
bool wave_unpack_fastlz(const uint8_t *from, size_t size, uint8_t *to, size_t made);
/* Inflates gzip data from `offset` of a file to the end of another one. */
bool wave_inflate_file(int from, uint64_t offset, int to);

#endif
