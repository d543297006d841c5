/* SPDX-License-Identifier: MIT */
/*
 * partial.h: partial results: the state of a tool after a part of a trace, as bytes, and one result
 * from those of all parts.
 *
 *     struct spoor_partial *partial;
 *     const struct spoor_partial_options part = {
 *         .struct_size = sizeof part, .trace = path, .format = "tarmac", .first = 1000,
 *         .records = 500,
 *     };
 *     spoor_partial_new(&partial, &part, &error);
 *     spoor_mix_save(mix, partial, &error);   after the batches of these records
 *     bytes = spoor_partial_bytes(partial, &size);   to a file, or to another machine
 *     spoor_partial_free(partial);
 *
 *     struct spoor_join *join;
 *     spoor_join_new(&join, NULL, &error);
 *     for each part, in any order:
 *         spoor_partial_open(&partials[i], file, &error);
 *         spoor_join_feed(join, partials[i], &error);
 *     spoor_join_end(join, &error);
 *     spoor_join_report(join, result);
 *     spoor_join_free(join);
 *
 * The bytes state which tool made them, with which options, of which trace and which records, so
 * that parts are joined only where they fit.  docs/formats/partial.md describes them.  `spoor join`
 * reads them, and --partial-result of the verbs writes them.
 */
#ifndef SPOOR_PARTIAL_H
#define SPOOR_PARTIAL_H

#include "cache.h"
#include "check.h"
#include "coverage.h"
#include "curve.h"
#include "index.h"
#include "info.h"
#include "machine_stats.h"
#include "mix.h"
#include "prediction.h"
#include "profile.h"
#include "result.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- one part ---- */

struct spoor_partial;

/* What a partial result states of its part. */
struct spoor_partial_options {
    size_t struct_size;  /* sizeof this struct */
    const char *trace;   /* path of the trace, a file, whose size and samples of its content are
                          * noted; NULL: no file, and parts are not compared by their trace */
    const char *format;  /* name of the format of the records; NULL: any, where parts may be of
                          * several traces (coverage) */
    const char *options; /* the options that change the result, in the caller's words: parts with
                          * other ones are not joined; NULL: "" */
    uint64_t first;      /* record, counted from 0; of a part of an index: byte */
    uint64_t records;    /* number of records, or bytes; 0: up to the end of the trace */
    const struct spoor_result *head; /* an object: members of the caller, which come before those
                                      * of the tool in a joined result; NULL: none */
    /* The partial result whose state the tool goes on from, which has all records before `first`:
     * then this one states that it has them, too.  NULL: none. */
    const struct spoor_partial *after;
};

/* On SPOOR_OK the caller owns *partial, which has no state yet.  The options are copied.
 * SPOOR_EINPUT: the trace cannot be read.  SPOOR_EUSAGE, with a sentence: `after` is of another
 * trace, was made with other options, or does not end before `first`. */
enum spoor_status spoor_partial_new(struct spoor_partial **partial,
                                    const struct spoor_partial_options *options,
                                    struct spoor_error *error);
/* Reads and verifies a partial result: a file, or bytes, which are copied, of a file or place of
 * this name.  On SPOOR_OK the caller owns *partial.  SPOOR_EINPUT, with a sentence: it cannot be
 * read, is none, is damaged, or has a layout of another version. */
enum spoor_status spoor_partial_open(struct spoor_partial **partial, const char *path,
                                     struct spoor_error *error);
enum spoor_status spoor_partial_read(struct spoor_partial **partial, const void *bytes, size_t size,
                                     const char *name, struct spoor_error *error);
void spoor_partial_free(struct spoor_partial *partial);

/* Returns the whole file; the bytes belong to the partial result.  NULL: it has no state yet. */
const uint8_t *spoor_partial_bytes(const struct spoor_partial *partial, size_t *size);
/* Returns the name of the tool, that of its verb: "mix", "cache --curve"; NULL: no state yet. */
const char *spoor_partial_tool(const struct spoor_partial *partial);
/* Returns what it states of its part; `head` and `after` are NULL.  It lives as long as the partial
 * result, until a state is saved. */
const struct spoor_partial_options *spoor_partial_about(const struct spoor_partial *partial);
/* Adds the members of its head to an object.  SPOOR_EINPUT: they are damaged, or it has no state
 * yet. */
enum spoor_status spoor_partial_head(const struct spoor_partial *partial,
                                     struct spoor_result *result, struct spoor_error *error);

/* ---- its state ---- */

/* Saves the state of a tool that was given the batches (references, branches) of the part, after
 * its spoor_X_end().  SPOOR_EUSAGE: the partial result has a state already, or its options name no
 * format, which all tools but coverage need.
 *
 * info, mix     nothing else is needed
 * machine_stats made with `mergeable`, else SPOOR_EUSAGE
 * curve         `references`: how many it was given, which the joined result states
 * cache_system  the same.  Counts are added, ratios of counts computed again; the caches of a part
 *               begin empty, so that there are more misses than in the whole
 *               (spoor_cache_system_excess())
 * prediction    `hardest`, `differing`: rows of spoor_prediction_report_hardest() and
 *               spoor_prediction_report_comparison() in the joined result; 0: not reported
 * coverage      `unit`, `missing`: of spoor_coverage_report().  After spoor_coverage_end() the
 *               state is of whole traces, and may be joined with those of others.  Of a part of a
 *               trace, this call takes the place of spoor_coverage_end(); both kinds together are
 *               SPOOR_EUSAGE.  The options' `where` selects the records of the part, and batches
 *               before and after it are fed, too: the processor of a record and the outcome of a
 *               branch may follow from them
 * index_part    what was read last; see below
 * check         with the names of the stream of the trace (spoor_reader_stream()): it is not joined
 *               but continued, see spoor_check_resume() */
enum spoor_status spoor_info_save(const struct spoor_info *info, struct spoor_partial *partial,
                                  struct spoor_error *error);
enum spoor_status spoor_mix_save(const struct spoor_mix *mix, struct spoor_partial *partial,
                                 struct spoor_error *error);
enum spoor_status spoor_machine_stats_save(const struct spoor_machine_stats *stats,
                                           struct spoor_partial *partial,
                                           struct spoor_error *error);
enum spoor_status spoor_curve_save(const struct spoor_curve *curve, uint64_t references,
                                   struct spoor_partial *partial, struct spoor_error *error);
enum spoor_status spoor_cache_system_save(struct spoor_cache_system *system, uint64_t references,
                                          struct spoor_partial *partial, struct spoor_error *error);
enum spoor_status spoor_prediction_save(const struct spoor_prediction *prediction, size_t hardest,
                                        size_t differing, struct spoor_partial *partial,
                                        struct spoor_error *error);
enum spoor_status spoor_coverage_save(struct spoor_coverage *coverage,
                                      enum spoor_coverage_unit unit, bool missing,
                                      struct spoor_partial *partial, struct spoor_error *error);
enum spoor_status spoor_check_save(const struct spoor_check *check,
                                   const struct spoor_stream *stream, struct spoor_partial *partial,
                                   struct spoor_error *error);

/* A trace in parts, checked one by one: a new check gets the rules, counts and state of the saved
 * one before the first batch of `stream`, of which nothing was read.  The state is of one build of
 * the library.  SPOOR_EINPUT: it is damaged, or of another tool or version; the check is only good
 * to be freed then. */
enum spoor_status spoor_check_resume(struct spoor_check *check, const struct spoor_stream *stream,
                                     const struct spoor_partial *before, struct spoor_error *error);

/* ---- a part of a profile ---- */

/* A profile by function is not made from parts, because the callers of a part's first instructions
 * are in the part before it.  A part of a profile begins with the calls that the index of the trace
 * has open there, and keeps the calls and returns of its records, about ten bytes each; the joined
 * result is exact. */
struct spoor_profile_part;

struct spoor_profile_part_options {
    size_t struct_size;              /* sizeof this struct */
    const struct spoor_index *index; /* of the trace, without images; must outlive the part */
    uint64_t first, records;         /* as in struct spoor_partial_options */
    enum spoor_profile_unit unit;    /* of the joined profile: not MISSES, MISPREDICTIONS */
    /* As in struct spoor_profile_options; must outlive the part. */
    const struct spoor_select *where;
    const char *cpu; /* only of this processor, in the joined profile; NULL: all */
    bool edges;      /* with callers and callees: spoor_profile_report() */
};

/* On SPOOR_OK the caller owns *part.  SPOOR_EUSAGE: there is no index, or a unit that parts do not
 * have. */
enum spoor_status spoor_profile_part_new(struct spoor_profile_part **part,
                                         const struct spoor_profile_part_options *options,
                                         struct spoor_error *error);
void spoor_profile_part_free(struct spoor_profile_part *part);
/* Returns the record from which batches must be fed: at or before `first`, where a segment of the
 * index begins. */
uint64_t spoor_profile_part_begin(const struct spoor_profile_part *part);
/* Adds a batch, in order; records after the part are ignored.  Then the part ends. */
enum spoor_status spoor_profile_part_feed(struct spoor_profile_part *part,
                                          const struct spoor_batch *batch,
                                          struct spoor_error *error);
enum spoor_status spoor_profile_part_end(struct spoor_profile_part *part,
                                         struct spoor_error *error);
enum spoor_status spoor_profile_part_save(const struct spoor_profile_part *part,
                                          struct spoor_partial *partial, struct spoor_error *error);

/* ---- a part of an index ---- */

/* The index of a trace (index.h) is made of parts, each a range of bytes of the decompressed trace:
 * it has the records of the batches (1 MiB at most) that begin there.  A part keeps what was
 * digested of its batches and some of their records, so that spoor_join_index() makes the index
 * that one reading of the trace makes (with SPOOR_INDEX_SEGMENTS), byte for byte.  In the partial
 * result of such a part `first` and `records` of struct spoor_partial_options count bytes. */
struct spoor_index_part;

/* Opens the trace, a file; of the options only format, decode, threads, memory, segment_bytes and
 * progress are used, and their context, which must outlive the part.  On SPOOR_OK the caller owns
 * *part.  SPOOR_EUSAGE: a .spoor file, which has its index in itself. */
enum spoor_status spoor_index_part_open(struct spoor_index_part **part, const char *path,
                                        const struct spoor_index_options *options,
                                        struct spoor_error *error);
void spoor_index_part_close(struct spoor_index_part *part); /* NULL is allowed */
/* Reads the range that begins with byte `first` and has so many bytes (0: up to the end of the
 * trace); a further call reads the range after it, and forgets this one.  SPOOR_OK also if the
 * trace is damaged: the joined index states it. */
enum spoor_status spoor_index_part_read(struct spoor_index_part *part, uint64_t first,
                                        uint64_t bytes, struct spoor_error *error);
/* The format of the trace's records. */
const struct spoor_format *spoor_index_part_format(const struct spoor_index_part *part);
/* Saves the range that was read last, as the functions above do. */
enum spoor_status spoor_index_part_save(const struct spoor_index_part *part,
                                        struct spoor_partial *partial, struct spoor_error *error);
/* The bytes of a decompressed trace, which ranges divide: the size of a file that is not
 * compressed, else what it has when it is decompressed. */
enum spoor_status spoor_index_part_measure(uint64_t *bytes, const char *path,
                                           const struct spoor_index_options *options,
                                           struct spoor_error *error);

/* ---- one result from all parts ---- */

struct spoor_join;

struct spoor_join_options {
    size_t struct_size; /* sizeof this struct */
};

/* On SPOOR_OK the caller owns *join. */
enum spoor_status spoor_join_new(struct spoor_join **join, const struct spoor_join_options *options,
                                 struct spoor_error *error);
void spoor_join_free(struct spoor_join *join);
/* Adds a part, in any order; it must outlive the join.  SPOOR_EUSAGE: it has no state. */
enum spoor_status spoor_join_feed(struct spoor_join *join, const struct spoor_partial *partial,
                                  struct spoor_error *error);
/* All parts were added: merges them in the order of their records.  SPOOR_EUSAGE, with a sentence
 * that names the two that do not fit: they are not the whole of one trace, or of several where the
 * tool allows it, by one tool with the same options; SPOOR_EINPUT: a part is damaged, or of another
 * version. */
enum spoor_status spoor_join_end(struct spoor_join *join, struct spoor_error *error);
/* Fills an object with the head of the first part and what the tool reports of the whole; call it
 * once, after the end (before it: SPOOR_EUSAGE).  The comment of the tool's spoor_X_merge() states
 * what is not exact. */
enum spoor_status spoor_join_report(struct spoor_join *join, struct spoor_result *result);
/* Of parts of an index, which have no report (SPOOR_EUSAGE): makes and stores the index of the
 * trace at `path`, which must have the size and the samples of that of the parts, as
 * spoor_index_open() does; of the options memory, no_index, tell and context are used.  On SPOOR_OK
 * the caller owns *index.  SPOOR_EUSAGE: these are no parts of an index, of another trace, or one
 * does not go on as the one before it ends, where what records inherit lies far back;
 * SPOOR_EINPUT: a part is damaged, or the trace cannot be read. */
enum spoor_status spoor_join_index(const struct spoor_join *join, struct spoor_index **index,
                                   const char *path, const struct spoor_index_options *options,
                                   struct spoor_error *error);

#ifdef __cplusplus
}
#endif

#endif
