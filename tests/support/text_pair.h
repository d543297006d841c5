/* SPDX-License-Identifier: MIT */
/*
 * text_pair.h: for tests: lines of a text format, decoded by its plain rules and by layouts learned
 * from them.
 */
#ifndef TESTS_SUPPORT_TEXT_PAIR_H
#define TESTS_SUPPORT_TEXT_PAIR_H

#include "formats/text/text.h"

/* Returns the formats that have plain rules, one after the other; NULL at the end. */
const struct spoor_format *text_format(size_t index);

/* Decodes the bytes twice, as two batches of one stream.  Returns NULL if both decoders give the
 * same records, faults, spills, names and spellings; else the difference.  For the second one,
 * projections have to equal the records, too. */
const char *text_record_difference(const struct spoor_format *format, const char *bytes,
                                   size_t size);
const char *text_difference(const struct spoor_format *format, const char *bytes, size_t size);

/* Returns how many of the lines are decoded without the rules, in two batches as above. */
size_t text_fast_lines(const struct text_rules *rules, const char *bytes, size_t size);

/* Returns the megabytes that this machine decodes in a second of processor time. */
double text_speed(const struct text_rules *rules, const char *bytes, size_t size);

#endif
