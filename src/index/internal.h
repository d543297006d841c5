/* SPDX-License-Identifier: MIT */
/* internal.h: what the files of the index share. */
#ifndef SPOOR_INDEX_INTERNAL_H
#define SPOOR_INDEX_INTERNAL_H

#include "index/index.h"

#define INDEX_MAGIC "spoor index 1\n\r\n"
enum {
    INDEX_MAGIC_SIZE = 16,
    INDEX_TRAILER_SIZE = 40,
    WHOLE_EVERY = 64, /* segments: the open calls are packed without what was packed before */
};

/* An index of nothing; NULL if memory runs out. */
struct index *index_new(void);
/* The sections are in `content`: put the table and the trailer after them, and let the index have
 * the bytes.  False if memory runs out. */
bool index_finish(struct index *index, struct text *content);

#endif
