/* SPDX-License-Identifier: MIT */
/*
 * memory_strings.h: the text that a program wrote in memory, assembled from its stores over time.
 *
 *     struct spoor_strings *strings;
 *     spoor_strings_new(&strings, &options, &error);
 *     for each batch, in order: spoor_strings_feed(strings, batch, &error);
 *     spoor_strings_end(strings, &error);
 *     spoor_strings_report(strings, result);
 *     spoor_strings_free(strings);
 *
 * A character is a byte from 0x20 to 0x7e, or a tab.  A string is a run of adjacent bytes of which
 * each has a character that a store of the trace gave it, as long as there are such bytes on both
 * sides.  It is found when a store takes a character away that was given to it since a string with
 * that byte was found, or at the end of the trace, if any character was given since.  A store that
 * gives a byte the value that it has already changes nothing, and one whose value the trace does
 * not state takes the characters away.  Bytes are virtual where the trace states virtual addresses.
 *
 * Where instructions are not in the trace, all strings end: what they hold later is not known.
 *
 * Memory grows with the characters that lie in memory at a time, some ten bytes for each, and with
 * the strings that are found, up to `limit`.
 */
#ifndef SPOOR_MEMORY_STRINGS_H
#define SPOOR_MEMORY_STRINGS_H

#include "batch.h"
#include "image.h"
#include "result.h"

#ifdef __cplusplus
extern "C" {
#endif

struct spoor_strings;

enum {
    SPOOR_STRINGS_USUAL_LIMIT = 100000,
    SPOOR_STRINGS_USUAL_LENGTH = 4,
    SPOOR_STRING_TEXT = 4096,
};
struct spoor_strings_options {
    size_t struct_size;          /* sizeof this struct */
    struct spoor_images *images; /* name the functions of writers; NULL: none; must outlive it */
    uint64_t minimum;            /* characters of a string; 0: SPOOR_STRINGS_USUAL_LENGTH */
    uint64_t limit;              /* 0: SPOOR_STRINGS_USUAL_LIMIT */
    bool big_endian; /* data of accesses is a number with its highest byte at the lowest address */
    /* Only the strings of which this processor gave the last character: its name as printed; NULL:
     * all.  Memory is that of all processors. */
    const char *cpu;
};

/* On SPOOR_OK the caller owns *strings.  What the options point at must outlive it. */
enum spoor_status spoor_strings_new(struct spoor_strings **strings,
                                    const struct spoor_strings_options *options,
                                    struct spoor_error *error);
void spoor_strings_free(struct spoor_strings *strings);
/* Adds a batch of the trace; batches come in order.  Then the trace ends. */
enum spoor_status spoor_strings_feed(struct spoor_strings *strings, const struct spoor_batch *batch,
                                     struct spoor_error *error);
enum spoor_status spoor_strings_end(struct spoor_strings *strings, struct spoor_error *error);

/* ---- after the end ---- */

size_t spoor_strings_count(const struct spoor_strings *strings);
/* Those over the limit: the first that were found are kept. */
uint64_t spoor_strings_omitted(const struct spoor_strings *strings);
/* False: no record so far names the processor of the options. */
bool spoor_strings_has_cpu(const struct spoor_strings *strings);
/* Stores so far, and those of which the trace does not state each byte. */
uint64_t spoor_strings_stores(const struct spoor_strings *strings);
uint64_t spoor_strings_unknown(const struct spoor_strings *strings);
/* Into an object: `time_unit`, `count`, `omitted`, `minimum_length`, `writes`, `unknown_writes` and
 * `strings`. */
enum spoor_status spoor_strings_report(const struct spoor_strings *strings,
                                       struct spoor_result *result);

#ifdef __cplusplus
}
#endif

#endif
