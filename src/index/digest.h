/* SPDX-License-Identifier: MIT */
/*
 * digest.h: what a batch of micro-ops contributes to its segment, made by the thread that decoded
 * it, while the records are in its cache.
 *
 * A digest depends on the records of its batch alone: it lists what they touch, the last writer of
 * each register, and the taken branches, of which some call and return.  The ordered stage adds
 * digests to the segment, and looks at no record but those branches.  A batch with anything else
 * than plain micro-ops has no digest and is added record by record, with the same result.
 */
#ifndef SPOOR_INDEX_DIGEST_H
#define SPOOR_INDEX_DIGEST_H

#include "index/lines.h"
#include "spoor/batch.h"

enum { DIGEST_REGISTERS = 256, DIGEST_FLAGS = DIGEST_REGISTERS /* number of the flags */ };

/* In batch->view. */
struct digest {
    bool whole;               /* all records are in it; else it has nothing */
    bool addresses;           /* some name an address without an access */
    uint64_t pc_low, pc_high; /* low > high: there are no records */
    /* Registers in the order of their first writes, and their last writers. */
    uint16_t registers[DIGEST_REGISTERS + 1];
    uint32_t writers[DIGEST_REGISTERS + 1]; /* by number: index of the record, plus 1; 0: none */
    uint32_t register_count;
    /* Pages with the lines that are executed, read and written; a page may come several times. */
    struct line_page *executed, *read, *written;
    size_t executed_count, read_count, written_count;
    uint32_t *taken; /* indexes of branches that are taken */
    size_t taken_count;
};

/* Make the batch's digest; batch->out_of_memory is set if memory runs out. */
void digest_batch(struct spoor_batch *batch);

#endif
