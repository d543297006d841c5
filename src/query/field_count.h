/* SPDX-License-Identifier: MIT */
/* field_count.h: how many of many records say something in a field. */
#ifndef SPOOR_QUERY_FIELD_COUNT_H
#define SPOOR_QUERY_FIELD_COUNT_H

#include "spoor/field.h"

/* How many of the records at `indexes`, `count` of them and all of `kind`, have `field` among their
 * spoor_record_fields(). */
uint64_t field_count(const struct spoor_batch *batch, const uint32_t *indexes, size_t count,
                     enum spoor_kind kind, enum spoor_field field);

#endif
