/* SPDX-License-Identifier: MIT */
/* projection.h: for tests: what a format projects, against what its records give. */
#ifndef TESTS_SUPPORT_PROJECTION_H
#define TESTS_SUPPORT_PROJECTION_H

#include "formats/format.h"

/* Project `bytes` as one batch in every way that the format can, and by way of records.  NULL where
 * both say the same, with the same count of records and the same faults; else what differs. */
const char *projection_difference(const struct spoor_format *format, const void *bytes,
                                  size_t size);

#endif
