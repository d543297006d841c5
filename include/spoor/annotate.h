/* SPDX-License-Identifier: MIT */
/*
 * annotate.h: the instructions and source lines of functions, with how often each ran.
 *
 *     struct spoor_annotate *annotate;
 *     spoor_annotate_new(&annotate, &options, &error);
 *     for each batch, in order: spoor_annotate_feed(annotate, batch, &error);
 *     spoor_annotate_end(annotate, &error);
 *     struct spoor_annotated_function function;
 *     if (spoor_annotate_function(annotate, 0, &function))  // the hottest
 *         lines = spoor_annotate_lines(annotate, 0, &count);
 *     spoor_annotate_free(annotate);
 *
 * Counts are as in coverage.h.  A function is one of the images.  Outside of them, it begins where
 * a call went and ends before the next one, or before 4 KiB without an instruction that ran.  With
 * an image, instructions that never ran are there, too.
 */
#ifndef SPOOR_ANNOTATE_H
#define SPOOR_ANNOTATE_H

#include "batch.h"
#include "image.h"
#include "select.h"

#ifdef __cplusplus
extern "C" {
#endif

struct spoor_annotate;
struct spoor_index;

struct spoor_annotate_options {
    size_t struct_size;               /* sizeof this struct */
    struct spoor_images *images;      /* NULL: none */
    const struct spoor_select *where; /* count only these instructions; NULL: all */
    const char *cpu;                  /* those of one processor; NULL: of all */
    spoor_disassemble *disassemble;   /* NULL: only what the trace prints */
    void *context;
    /* spoor_annotate_report(): adds members to the row of an instruction; NULL: none */
    void (*put)(void *put_context, uint64_t pc, struct spoor_result *row);
    void *put_context;
    size_t maximum; /* addresses: of a trace with more there are no functions; 0: no limit */
};

/* On SPOOR_OK the caller owns *annotate.  What the options point at must outlive it. */
enum spoor_status spoor_annotate_new(struct spoor_annotate **annotate,
                                     const struct spoor_annotate_options *options,
                                     struct spoor_error *error);
void spoor_annotate_free(struct spoor_annotate *annotate);
/* Adds a batch of the trace; batches come in order.  Then the trace ends. */
enum spoor_status spoor_annotate_feed(struct spoor_annotate *annotate,
                                      const struct spoor_batch *batch, struct spoor_error *error);
/* The whole trace from an index (index.h, whose rules hold), instead of spoor_annotate_feed(). */
enum spoor_status spoor_annotate_use_index(struct spoor_annotate *annotate,
                                           const struct spoor_index *index,
                                           struct spoor_error *error);
enum spoor_status spoor_annotate_end(struct spoor_annotate *annotate, struct spoor_error *error);

struct spoor_annotated_function {
    const char *name;          /* NULL: no image has it */
    const char *file;          /* NULL: unknown */
    uint32_t line;             /* 0: unknown */
    uint64_t address, size;    /* up to the end of its last instruction that ran, or of the image's
                                * function */
    uint64_t count, all_count; /* instructions that it, and the whole trace, executed */
    uint64_t calls;
};
/* The n-th function, those that executed most first; false past the end. */
bool spoor_annotate_function(const struct spoor_annotate *annotate, size_t n,
                             struct spoor_annotated_function *function);
/* The function of that name, as in spoor_images_find(), or that has the address (hexadecimal, with
 * or without 0x).  False: none that ran. */
bool spoor_annotate_find(const struct spoor_annotate *annotate, const char *words, size_t *n);

struct spoor_annotated_line {
    uint64_t pc, count;
    uint64_t taken, not_taken; /* of a conditional branch */
    bool branch;
    const char *text;   /* the instruction; "" where it is not known */
    const char *file;   /* of its source line; NULL: unknown */
    uint32_t line;      /* 0: unknown */
    const char *source; /* the source line itself; NULL where the file is not there */
};
/* The instructions of the n-th function, by address; they last until the next call. */
const struct spoor_annotated_line *spoor_annotate_lines(struct spoor_annotate *annotate, size_t n,
                                                        size_t *count);
/* Into an object: `function`, `pc`, `file`, `line`, `calls`, `count` and `count_ratio` of the n-th
 * function, and its `instructions`: `pc`, `count`, `count_ratio`, `taken` and `not_taken` of a
 * branch, `instruction`, `file`, `line`, `source`.  Nothing past the last function. */
enum spoor_status spoor_annotate_report(struct spoor_annotate *annotate, size_t n,
                                        struct spoor_result *result);

#ifdef __cplusplus
}
#endif

#endif
