/* SPDX-License-Identifier: MIT */
/*
 * write.h: writing a log of stages from the records of another such format.
 *
 * The stages of an instruction are collected until it leaves the pipeline; the style then writes
 * it.  Records that no instruction of the target can have are counted as skipped.
 */
#ifndef SPOOR_FORMATS_STAGES_WRITE_H
#define SPOOR_FORMATS_STAGES_WRITE_H

#include "base/hash_map.h"
#include "formats/format.h"

/* Names of gem5's stages, in the order of its blocks. */
enum stage_of_gem5 {
    STAGE_FETCH,
    STAGE_DECODE,
    STAGE_RENAME,
    STAGE_DISPATCH,
    STAGE_ISSUE,
    STAGE_COMPLETE,
    STAGE_RETIRE,
    STAGE_STORE,
    STAGES_OF_GEM5
};
extern const struct stage_word {
    const char *gem5, *konata; /* "fetch", and as Konata draws it, "F" */
} stage_words[STAGES_OF_GEM5];

/* An instruction between its first and its last record. */
struct stage_flight {
    uint64_t number; /* key: of the source */
    uint64_t pc, id; /* id: the simulator's, or the sequence number */
    uint64_t time[STAGES_OF_GEM5];
    uint32_t has;     /* bit i: time[i] */
    uint32_t written; /* bit i: the style has written it */
    uint32_t micro, thread;
    uint64_t end; /* when it left the pipeline */
    bool squashed;
    char *text;
    size_t size;
};

struct stage_converter {
    struct hash_map flights;       /* struct stage_flight that have not ended */
    struct stage_flight *finished; /* the style's: not yet written completely */
    size_t finished_count, finished_capacity;
    uint64_t ticks;         /* of a cycle; 0: not yet known */
    uint64_t written_until; /* all that happens before has been written */
    uint64_t cycle;         /* Kanata: the file's time */
    uint64_t next, retired; /* Kanata: next id, next order of retirement */
    size_t flush_at;
    bool begun;
};

struct stage_style {
    /* Writes or keeps an instruction, which it owns then. */
    void (*flight)(struct encoder *encoder, struct stage_converter *converter,
                   struct stage_flight *flight, struct text *out);
    /* Writes what was kept; NULL: nothing is. */
    void (*end)(struct encoder *encoder, struct stage_converter *converter, struct text *out);
    /* Writes record `index` of the style's format, and what belongs to it before `to`; returns the
     * next one. */
    size_t (*own)(const struct spoor_batch *batch, size_t index, size_t to, struct text *out);
};
/* Those of Kanata. */
void kanata_put_flight(struct encoder *encoder, struct stage_converter *converter,
                       struct stage_flight *flight, struct text *out);
void kanata_put_end(struct encoder *encoder, struct stage_converter *converter, struct text *out);

/* The write and end functions of a struct spoor_format whose variant is a style. */
void stages_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
                  struct text *out);
void stages_end(struct encoder *encoder, struct text *out);

/* Details by which a Kanata log keeps the ticks of gem5. */
#define LABEL_TICKS "ticks per cycle: "
#define LABEL_TICK " tick: "

#endif
