/* SPDX-License-Identifier: MIT */
/*
 * alignment.h: two traces side by side: which instruction corresponds to which, and where they
 * differ.
 *
 * A thread compares the traces as `spoor diff` does.  Between two differences the instructions of
 * both sides correspond one by one, so their ordinals and the list of differences map each place of
 * a trace to a place of the other.  Ordinals count the instructions of all processors together.
 */
#ifndef SPOOR_BROWSE_ALIGNMENT_H
#define SPOOR_BROWSE_ALIGNMENT_H

#include "spoor/diff.h"
#include "spoor/explore.h"

struct alignment;

/* A difference; side 0 is the left one. */
struct alignment_difference {
    uint64_t record[2];  /* the instruction of each side */
    uint64_t ordinal[2]; /* its number, from 0 */
    uint64_t skipped[2]; /* a gap: instructions that only this side has */
    bool gap, root;
    size_t index;          /* its number in the list, from 0 */
    size_t of;             /* a consequence: 1 + the number of its root; 0: unknown */
    uint64_t consequences; /* of a root: all, also those that are not in the list */
    char words[96];        /* its class */
    /* NULL where memory ran out: the instruction, "pc opcode text"; a line for each field that
     * differs; a line for each row of both sides: its mark, as of spoor_diff_rows(), the left text,
     * a tab and the right one */
    char *instruction, *fields, *rows;
};

/* Starts comparing; NULL if memory runs out. */
struct alignment *alignment_start(const char *const paths[2],
                                  const struct spoor_reader_options *reading);
void alignment_end(struct alignment *alignment);
/* True once the comparison is complete; *news: since the last call.  `error`: why it failed. */
bool alignment_is_there(struct alignment *alignment, bool *news, const char **error);
/* The first error of numbering instructions; its status is SPOOR_OK if there was none. */
const struct spoor_error *alignment_failure(const struct alignment *alignment);
/* Once they are numbered: true if the traces have nothing in common from the last difference on. */
bool alignment_parts(const struct alignment *alignment);
/* Records compared so far, of the left side. */
uint64_t alignment_progress(const struct alignment *alignment);
/* What the comparison says of the whole; once it is there. */
enum spoor_verdict alignment_verdict(const struct alignment *alignment);
/* All differences, in the order of the left side. */
const struct alignment_difference *alignment_differences(const struct alignment *alignment,
                                                         size_t *count);
/* Once it is there and before the functions below: finds the numbers of all differences. */
void alignment_number(struct alignment *alignment, struct spoor_explorer *const explorers[2]);
/* The differences that are not in the list, and the first record of each side that one of them has:
 * from there on, rows that the list does not name may differ. */
uint64_t alignment_unlisted(const struct alignment *alignment, uint64_t first[2]);
/* The number of the instruction that a record of a side belongs to. */
uint64_t alignment_ordinal(struct alignment *alignment, unsigned side,
                           struct spoor_explorer *explorer, uint64_t record);
/* The first record of the instruction with this number; UINT64_MAX: the side has none. */
uint64_t alignment_record(struct alignment *alignment, unsigned side,
                          struct spoor_explorer *explorer, uint64_t ordinal);
/* The record of the other side that corresponds to the instruction with this number. */
uint64_t alignment_other(struct alignment *alignment, unsigned side, uint64_t ordinal,
                         struct spoor_explorer *other);
/* The difference that an instruction is part of; NULL: none. */
const struct alignment_difference *alignment_at(const struct alignment *alignment, unsigned side,
                                                uint64_t ordinal);

#endif
