/* SPDX-License-Identifier: MIT */
/*
 * sweep/partial.h: partial results: the state of a fold over a part of a trace, in a file.
 *
 * A file states which fold made it, with which options, of which trace and which records, so that
 * parts are joined only where they fit.  docs/formats/partial.md describes its bytes.
 */
#ifndef SPOOR_SWEEP_PARTIAL_H
#define SPOOR_SWEEP_PARTIAL_H

#include "base/pack.h"
#include "index/index.h"
#include "spoor/result.h"

/* What a partial result says about itself. */
struct partial_head {
    const char *fold;            /* name of its fold */
    uint64_t version;            /* of the fold's bytes */
    const char *trace;           /* path, as it was given */
    const char *format;          /* name of the records' format */
    const char *options;         /* those that change the result, one after another */
    struct fingerprint identity; /* its times of change are not stored */
    uint64_t first, last;        /* records, both included; UINT64_MAX: to the end of the trace */
};

struct partial {
    struct partial_head head; /* its strings lie in `bytes` */
    const char *path;         /* of the file */
    struct unpacker content;  /* the fold's bytes */
    char *bytes;
    size_t size;
};

/* Appends a whole file: the head and the fold's bytes.  If memory runs out, it is marked failed. */
void partial_pack(struct text *file, const struct partial_head *head, const struct text *content);
/* Reads and verifies a file.  `path` must outlive it; call partial_free() even after an error. */
enum spoor_status partial_read(struct partial *partial, const char *path,
                               struct spoor_error *error);
void partial_free(struct partial *partial);
/* Sorts partial results by trace and records.  SPOOR_EUSAGE, with the two that do not fit, if they
 * are not the whole of one trace, or of several where the fold allows it, by one fold with the same
 * options. */
enum spoor_status partials_order(struct partial *partials, size_t count, struct spoor_error *error);

/* A fold whose states can be joined. */
struct partial_fold {
    const char *name; /* that of its verb */
    uint64_t version;
    bool several; /* the parts may be of several traces, of any format */
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

/* Joins partial results in order and adds what the verb would have reported to an object. */
enum spoor_status partials_join(const struct partial *partials, size_t count,
                                struct spoor_result *result, struct spoor_error *error);

/* The members of an object as bytes, and back. */
void result_pack(struct text *bytes, const struct spoor_result *object);
/* False: the bytes are damaged. */
bool result_unpack(struct unpacker *from, struct spoor_result *object);

/* ---- what the verbs store ---- */

/* Contents begin with the members of the result that come before those of the fold. */
struct spoor_info;
struct spoor_mix;
struct spoor_curve;
struct spoor_prediction;
struct spoor_coverage;
extern const struct partial_fold partial_info, partial_mix, partial_curve, partial_prediction,
    partial_coverage, partial_cache, partial_stats, partial_profile;
/* The content of partial_cache: a result whose counts are added. */
void partial_sums_pack(const struct spoor_result *result, struct text *bytes);
/* The curve's content has the number of references; the prediction's what is listed of it. */
void partial_curve_pack(const struct spoor_curve *curve, uint64_t references, struct text *bytes);
struct partial_listing {
    bool hardest, compare;
    uint64_t top;
    const char *defaults; /* of the predictors; NULL: none */
};
void partial_prediction_pack(const struct spoor_prediction *prediction,
                             const struct partial_listing *listing, struct text *bytes);
/* The coverage's content has what is listed of it: `unit` is an enum spoor_coverage_unit. */
void partial_coverage_pack(struct spoor_coverage *coverage, unsigned unit, bool missing,
                           bool begins, struct text *bytes);

#endif
