/* SPDX-License-Identifier: MIT */
/*
 * classes.h: sorts the records of a block by kind and presence bits.
 *
 * The rules state by them which records they examine.  A trace has a few such classes, so the
 * records of a rule are the union of a few sets of bits.
 */
#ifndef SPOOR_CHECK_CLASSES_H
#define SPOOR_CHECK_CLASSES_H

#include "check/findings.h"

enum { CLASSES = 64, CLASS_SLOTS = 256, SPELLING_SLOTS = 64 };

/* The records of the block with this kind and these presence bits. */
struct class
{
    uint8_t kind;
    uint16_t has;
    uint64_t records[BLOCK_WORDS]; /* bit i: record i of the block */
};

struct classes {
    size_t count;
    struct class items[CLASSES];
    uint8_t slots[CLASS_SLOTS];    /* by hash: the index of a class that was found there */
    uint32_t seen[SPELLING_SLOTS]; /* by hash: a class and a spelling of the block */
    uint64_t spelled[BLOCK_WORDS]; /* bit i: record i may be the first one of its class with its
                                    * spelling; those of other records are not new */
    bool one_cpu;   /* INSN, REG and MEM records of the block are all of this processor: */
    spoor_name cpu; /* expected: that of the block before */
};

/* Adds a block's records to their classes, at most BLOCK_RECORDS.  Returns how many were added:
 * fewer if there are more classes than the table has, at least one if it was empty. */
size_t classes_sort(struct classes *classes, const struct spoor_record *records, size_t count);
/* Removes all records, and all classes if the table is full: then true. */
bool classes_clear(struct classes *classes);

#endif
