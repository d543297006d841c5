/* SPDX-License-Identifier: MIT */
/* internal.h: functions that the files of the index share. */
#ifndef SPOOR_INDEX_INTERNAL_H
#define SPOOR_INDEX_INTERNAL_H

#include "index/index.h"

#define INDEX_MAGIC_ANY "spoor index " /* of this or another build */
/* Another one where what an index stores is read or computed in another way: also where a fault in
 * the following of calls was mended. */
#define INDEX_VERSION "4"
#define INDEX_MAGIC INDEX_MAGIC_ANY "v" INDEX_VERSION "\r\n"
enum {
    INDEX_MAGIC_SIZE = 16,
    INDEX_TRAILER_SIZE = 40,
    WHOLE_EVERY = 64, /* segments from one complete pack of the open calls to the next */
};
/* Kinds of records that may have an address without an access. */
enum {
    OTHER_VIRTUAL = 1U << SPOOR_CACHEOP | 1U << SPOOR_TLB,
    OTHER_PHYSICAL =
        OTHER_VIRTUAL | 1U << SPOOR_BUS | 1U << SPOOR_CACHE | 1U << SPOOR_WALK | 1U << SPOOR_EVENT,
};

/* Returns an empty index; NULL if memory runs out. */
struct index *index_new(void);
/* Appends the tables of places, the table and the trailer to the sections in `content`, and passes
 * the bytes to the index. False if memory runs out. */
bool index_finish(struct index *index, const struct text *tables, struct text *content);

/* Folds that are fed while an index is made. */
struct folds {
    const struct index_fold **list;
    void **states;
    size_t count;
    struct call_listener listener; /* passes calls on to them */
};
/* False: memory ran out; folds_free() also then.  The listener refers to `folds`. */
bool folds_begin(struct folds *folds, const struct index_fold *const *list);
bool folds_add(struct folds *folds, struct machine *machine, const struct spoor_batch *batch,
               const struct digest *digest);
/* Appends their sections to the content, and those of other folds that `before` (may be NULL) has;
 * false: memory ran out. */
bool folds_end(const struct folds *folds, const struct calls *calls, struct index *index,
               const struct index *before, struct text *content);
/* Forgets a fold that takes more bytes of memory than this, so that it has no section; returns it,
 * or NULL if none does. */
const struct index_fold *folds_limit(struct folds *folds, size_t maximum);
void folds_free(struct folds *folds);

#endif
