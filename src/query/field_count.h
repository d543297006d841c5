/* SPDX-License-Identifier: MIT */
/* field_count.h: count the records with information in a field. */
#ifndef SPOOR_QUERY_FIELD_COUNT_H
#define SPOOR_QUERY_FIELD_COUNT_H

#include "spoor/field.h"

/* The number of records at `indexes` (`count` of them, all of `kind`) with `field` among their
 * spoor_record_fields(). */
uint64_t field_count(const struct spoor_batch *batch, const uint32_t *indexes, size_t count,
                     enum spoor_kind kind, enum spoor_field field);

#endif
