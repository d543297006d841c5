/* SPDX-License-Identifier: MIT */
/*
 * findings.h: the findings of a block of records.
 *
 * The rules examine a block one after another, so their findings come by rule.  They are passed to
 * the sink by record, and those of a record in the order of the rules.
 */
#ifndef SPOOR_CHECK_FINDINGS_H
#define SPOOR_CHECK_FINDINGS_H

#include "spoor/check.h"

/* Records are examined in blocks, so that they stay in the cache from rule to rule. */
enum { BLOCK_RECORDS = 256, BLOCK_WORDS = BLOCK_RECORDS / 64 };

struct pending_finding {
    struct spoor_finding finding;
    uint32_t next; /* 1 + the index of the next finding of the record; 0: none */
};

struct findings {
    spoor_finding_sink *sink;
    void *context;
    uint64_t maximum;             /* findings of a rule that are reported; 0: all */
    struct spoor_finding finding; /* being made */
    bool placed;                  /* its place is stated: that of an earlier record */
    bool out_of_memory;
    struct pending_finding *pending; /* those of the block */
    size_t count, capacity;
    uint32_t first[BLOCK_RECORDS],
        last[BLOCK_RECORDS]; /* 1 + the indices of a record's findings; 0: none */
};

/* Adds the finding that was made, of a record of the block. */
void findings_add(struct findings *findings, size_t record);
/* Passes the findings of the block to the sink, and forgets them. */
void findings_deliver(struct findings *findings);
void findings_free(struct findings *findings);

#endif
