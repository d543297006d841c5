/* SPDX-License-Identifier: MIT */
/*
 * history.h: the state of a program at any moment of its trace, and what wrote it.
 *
 * A history is answered from the index of the trace, which lies beside it or is made by reading it
 * once, and from the few segments of the trace that an answer needs.
 *
 * A moment is "end", a time ("1234"), "record:N" (from 0), "line:N" (from 1), or "pc:ADDR#K", the
 * K-th execution of an address in hexadecimal; it lies after that record or instruction.  A NULL is
 * the end of the trace.
 */
#ifndef SPOOR_HISTORY_H
#define SPOOR_HISTORY_H

#include "reader.h"
#include "result.h"

#ifdef __cplusplus
extern "C" {
#endif

struct spoor_history;

struct spoor_history_options {
    size_t struct_size;                /* sizeof this struct */
    const struct spoor_format *format; /* NULL: detect by content */
    struct spoor_decode_options decode;
    unsigned threads; /* that make an index */
    uint64_t memory;  /* as in spoor_reader_options */
    bool no_index;    /* neither use a stored index nor store one */
};

/* Opens the trace, a file.  An index that is made is stored beside it, unless `no_index` is set or
 * it cannot be stored there.  On SPOOR_OK the caller owns *history. */
enum spoor_status spoor_history_open(struct spoor_history **history, const char *path,
                                     const struct spoor_history_options *options,
                                     struct spoor_error *error);
void spoor_history_close(struct spoor_history *history);

/* Fills an object: `record`, the number of records before the moment; and `cpus`, an array of
 * `name` and `registers`: an object with the value of each register that is known, hexadecimal with
 * '-' for unknown digits.  SPOOR_END, with a sentence: the trace has no such moment. */
enum spoor_status spoor_history_state(struct spoor_history *history, const char *at,
                                      struct spoor_result *result, struct spoor_error *error);

/* Fills an object: `touches`, an array of `record`, `time`, `cpu`, `pc` (null: unknown), `value`
 * (the same) and `access` (read, write or both), in order, of what read or wrote `what` before the
 * moment: a register by its name, or memory as "ADDR" or "ADDR+BYTES" in hexadecimal.  `maximum`:
 * at most the last ones, so many; 0: all. */
enum spoor_status spoor_history_touches(struct spoor_history *history, const char *what,
                                        const char *at, size_t maximum, struct spoor_result *result,
                                        struct spoor_error *error);

#ifdef __cplusplus
}
#endif

#endif
