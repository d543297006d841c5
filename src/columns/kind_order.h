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
    size_t capacity;                /* of the arrays that are filled for each call */
    size_t group_rows;              /* and of `are`: the rows of all calls until they are cleared */
    size_t before[SPOOR_KINDS];     /* rows of each kind before those that are added */
    uint32_t *indexes;              /* of the records in the batch, kind by kind */
    uint32_t *places;               /* their rows, from the first that is added */
    uint8_t *are;                   /* by row of all, kind after kind: 1 where it is of the kind */
    size_t from[SPOOR_KINDS + 1];   /* where a kind begins in both */
    struct rows rows[SPOOR_KINDS];  /* of each kind */
    uint8_t *present, *hex_present; /* by record, in the same order */
    uint64_t *values, *hex_values;  /* of those that have it */
    uint64_t *by_row, *hex_by_row;
};

/* For up to `group_rows` rows; NULL if memory runs out. */
struct kind_order *kind_order_new(size_t group_rows);
void kind_order_free(struct kind_order *order);
/* Reserves capacity for so many records; false if memory runs out. */
bool kind_order_reserve(struct kind_order *order, size_t count);
/* Forgets all rows, of which there were `rows`. */
void kind_order_clear(struct kind_order *order, size_t rows);

/* Counts the records of each kind: fills order->rows but for the indexes.  Returns the same of all
 * records. */
struct rows kind_order_survey(struct kind_order *order, const struct spoor_batch *batch,
                              const uint32_t *indexes, size_t count, size_t first);
/* Puts the records that were surveyed into the order of their kinds. */
void kind_order_sort(struct kind_order *order, const struct rows *all);

/* By row of all: 1 where it is of the kind. */
static inline uint8_t *kind_order_are(const struct kind_order *order, unsigned kind)
{
    return order->are + kind * order->group_rows;
}

#endif
