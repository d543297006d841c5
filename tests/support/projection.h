/* SPDX-License-Identifier: MIT */
/* projection.h: for tests: the projections of a format, against its records. */
#ifndef TESTS_SUPPORT_PROJECTION_H
#define TESTS_SUPPORT_PROJECTION_H

#include "formats/format.h"

/* Decodes `bytes` as one batch with every projection of the format, and to records.  Returns NULL
 * if both give the same references, number of records and faults; else a description of the
 * difference. */
const char *projection_difference(const struct spoor_format *format, const void *bytes,
                                  size_t size);

#endif
