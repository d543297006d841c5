/* SPDX-License-Identifier: MIT */
/* kind_order.h: the records of a batch in the order of their kinds. */
#ifndef SPOOR_COLUMNS_KIND_ORDER_H
#define SPOOR_COLUMNS_KIND_ORDER_H

#include "spoor/batch.h"

/* The records to add, and where their presence goes. */
struct rows {
    const struct spoor_batch *batch;
    const uint32_t *indexes;
    size_t count, first; /* first: row of the first one */
    uint16_t any, all;   /* presence bits that some, and that all of them have */
    uint32_t kinds;      /* bit k: some are of kind k */
};

/* What is known of records of all kinds while they are added. */
struct kind_order {
    size_t capacity;
    uint32_t *indexes;              /* of the records in the batch, kind by kind */
    uint32_t *places;               /* their rows, from the first that is added */
    uint8_t *are;                   /* by row, kind after kind: 1 where it is of the kind */
    size_t from[SPOOR_KINDS + 1];   /* where a kind begins in both */
    struct rows rows[SPOOR_KINDS];  /* of each kind */
    uint8_t *present, *hex_present; /* by record, in the same order */
    uint64_t *values, *hex_values;  /* of those that have it */
    uint64_t *by_row, *hex_by_row;
};

/* NULL if memory runs out. */
struct kind_order *kind_order_new(void);
void kind_order_free(struct kind_order *order);
/* Reserves capacity for so many records; false if memory runs out. */
bool kind_order_reserve(struct kind_order *order, size_t count);

#endif
