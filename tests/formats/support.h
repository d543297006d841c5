/* SPDX-License-Identifier: MIT */
/* support.h: shared by the tests of the record formats: published files, random numbers, round
 * trips. */
#ifndef TESTS_FORMATS_RECORDS_SUPPORT_H
#define TESTS_FORMATS_RECORDS_SUPPORT_H

#include "support/trace.h"

/* Returns the bytes of a published file, through `command` ("xz -dc"; NULL: none); NULL if it is
 * absent. The file is searched in $SPOOR_SHARED or beside the source root, unless the path is
 * absolute.  The caller frees the bytes. */
char *shared_file(const char *path, const char *command, size_t *size);

/* A repeatable sequence of numbers (splitmix64). */
struct numbers {
    uint64_t state;
};
uint64_t numbers_next(struct numbers *numbers);
/* 0 .. limit - 1. */
uint64_t numbers_below(struct numbers *numbers, uint64_t limit);

/* True if decoding and writing reproduces the bytes. */
bool round_trips(const struct spoor_format *format, const void *bytes, size_t size);
/* A line that a format does not recognise, the place where decoding stops, and what was expected
 * there. */
struct refusal {
    const struct spoor_format *format;
    const char *line;
    uint32_t column;
    const char *expected;
};
/* Demands that each line, alone, becomes a note with exactly that fault. */
void demand_refusals(const struct refusal *refusals, size_t count);
/* Decodes as `from` and writes as `to`; returns the number of skipped records. */
uint64_t convert(const struct spoor_format *from, const void *bytes, size_t size,
                 const struct spoor_format *to, struct text *out);
/* Writes the output of `print`. */
void print(const struct spoor_format *format, const void *bytes, size_t size, bool time_hex,
           struct text *out);
/* True if `out` equals `expected`; else prints the first difference. */
bool text_is(const struct text *out, const void *expected, size_t size);

#endif
