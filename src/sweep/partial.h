/* SPDX-License-Identifier: MIT */
/*
 * sweep/partial.h: what partial results (partial.c), the tools that make them (folds.c) and their
 * joining (join.c) share.
 */
#ifndef SPOOR_SWEEP_PARTIAL_H
#define SPOOR_SWEEP_PARTIAL_H

#include "base/pack.h"
#include "index/index.h"
#include "spoor/partial.h"

/* A tool whose states can be packed and joined. */
struct partial_fold {
    const char *name; /* that of its verb */
    uint64_t version; /* of its bytes */
    bool several;     /* the parts may be of several traces, of any format */
    bool of_bytes;    /* a part is a range of bytes of the decompressed trace, not of records */
    /* The state that was packed, of the stream that all parts share; NULL: damaged, or memory ran
     * out. */
    void *(*load)(struct unpacker *from, const struct spoor_stream *stream);
    /* Adds the state of the part that follows. */
    enum spoor_status (*merge)(void *state, const void *next, struct spoor_error *error);
    enum spoor_status (*report)(void *state, struct spoor_result *result);
    void (*free)(void *state);
};
/* The fold of that name; NULL: there is none. */
const struct partial_fold *partial_fold_find(const char *name);
/* Results whose counts are added: partial_sums.c; an index: index_parts.c. */
extern const struct partial_fold partial_sums, partial_index;

struct spoor_partial {
    struct spoor_partial_options about; /* its strings lie in `bytes`; before it has a state, they
                                         * are copies of their own: `copies` */
    const char *tool;                   /* name of its fold; NULL: no state yet */
    uint64_t version;                   /* of the fold's bytes */
    struct fingerprint identity;        /* of the trace; its times of change are not stored */
    uint64_t last;                      /* record; UINT64_MAX: to the end of the trace */
    char *name;                         /* in sentences: the path of its file */
    struct unpacker content;            /* the head and the fold's bytes */
    char *bytes;                        /* the whole file */
    size_t size;
    char *copies[3];
    struct text head; /* packed, before it has a state */
};

/* Gives the partial result its state, which the fold packed; a text that is marked failed is
 * SPOOR_ENOMEM. */
enum spoor_status partial_save(struct spoor_partial *partial, const struct partial_fold *fold,
                               const struct text *state, struct spoor_error *error);
/* The way to obtain an index, by a caller's options. */
enum spoor_status index_use_read(struct index_use *use, const struct spoor_index_options *options,
                                 struct spoor_error *error);
/* Of joined parts: the fold, its state, and the parts in their order.  False: they are not joined.
 */
struct joined {
    const struct partial_fold *fold;
    void *state;
    const struct spoor_partial *const *parts;
};
bool join_state(const struct spoor_join *join, struct joined *joined);
/* SPOOR_EINPUT: the content of a part is damaged. */
enum spoor_status partial_damaged(const struct spoor_partial *partial, struct spoor_error *error);

/* The members of an object as bytes, and back. */
void result_pack(struct text *bytes, const struct spoor_result *object);
/* False: the bytes are damaged. */
bool result_unpack(struct unpacker *from, struct spoor_result *object);

#endif
