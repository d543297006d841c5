/* SPDX-License-Identifier: MIT */
/* lines.h: shared by the tests of the Tarmac family: decode one line to a record, and print a
 * record as text. */
#ifndef TESTS_TARMAC_LINES_H
#define TESTS_TARMAC_LINES_H

#include "support/trace.h"

extern const struct spoor_format format_tarmac, format_matcher;

/* Writes the content fields of record `index` in the order of the field table, each as
 * "field=value", after the kind: "mem time=2 cpu=cpu0 op=read addr=11540 size=4 data=13000000".
 * Fields that the table marks as hexadecimal are printed so; a flag is printed as its name.
 * Appended to `out`, which is NUL-terminated after its size. */
void describe(const struct spoor_batch *batch, size_t index, struct text *out);

/* Returns the bytes of a published file under $SPOOR_SHARED or ../shared; NULL if it is absent.
 * The caller frees them. */
char *published(const char *path, size_t *size);

/* True if decoding and writing reproduces the bytes. */
bool comes_back(const struct spoor_format *format, const void *bytes, size_t size);

#endif
