/* SPDX-License-Identifier: MIT */
/* support.h: shared by the tests of the record formats: published files, random numbers, round
 * trips. */
#ifndef TESTS_FORMATS_RECORDS_SUPPORT_H
#define TESTS_FORMATS_RECORDS_SUPPORT_H

#include "support/trace.h"

/* The bytes of a published file, `command` ("xz -dc", NULL: none) applied; NULL where it is absent.
 * Looked for in $SPOOR_SHARED or beside the source root.  The caller frees. */
char *shared_file(const char *path, const char *command, size_t *size);

/* A repeatable sequence of numbers (splitmix64). */
struct numbers {
    uint64_t state;
};
uint64_t numbers_next(struct numbers *numbers);
/* 0 .. limit - 1. */
uint64_t numbers_below(struct numbers *numbers, uint64_t limit);

/* Whether decoding and writing gives the bytes back. */
bool round_trips(const struct spoor_format *format, const void *bytes, size_t size);
/* A line that a format does not understand: where it stops, and what it should have found. */
struct refusal {
    const struct spoor_format *format;
    const char *line;
    uint32_t column;
    const char *expected;
};
/* Each line, alone, becomes a note with just that fault. */
void demand_refusals(const struct refusal *refusals, size_t count);
/* Decode as `from` and write as `to`; the number skipped. */
uint64_t convert(const struct spoor_format *from, const void *bytes, size_t size,
                 const struct spoor_format *to, struct text *out);
/* What `print` gives. */
void print(const struct spoor_format *format, const void *bytes, size_t size, bool time_hex,
           struct text *out);
/* Whether `out` is `expected`; says where it is not. */
bool text_is(const struct text *out, const void *expected, size_t size);

#endif
