/* SPDX-License-Identifier: MIT */
/*
 * index.h: the index of a trace, and tools that are answered from it instead of from the trace.
 *
 *     struct spoor_index *index;
 *     spoor_index_open(&index, path, &options, &error);
 *     spoor_profile_new(&profile, &profile_options, &error);
 *     spoor_profile_use_index(profile, index, &error);     // instead of spoor_profile_feed()
 *     spoor_profile_end(profile, &error);
 *     ...
 *     spoor_profile_free(profile);
 *     spoor_index_close(index);
 *
 * An index lies beside its trace, as TRACE.spoor-index, or in the user's cache folder.  One that is
 * not there, or not of the trace as it is now, is made by reading the trace once.  It takes less
 * than a hundredth of the trace and keeps the calls of its program and how often each instruction
 * ran.  Memory does not grow with the trace.
 */
#ifndef SPOOR_INDEX_H
#define SPOOR_INDEX_H

#include "annotate.h"
#include "call_tree.h"
#include "coverage.h"
#include "exceptions.h"
#include "profile.h"
#include "reader.h"

#ifdef __cplusplus
extern "C" {
#endif

struct spoor_index;

struct spoor_index_options {
    size_t struct_size;                /* sizeof this struct */
    const struct spoor_format *format; /* NULL: detect by content */
    struct spoor_decode_options decode;
    unsigned threads; /* that make an index */
    uint64_t memory;  /* as in spoor_reader_options */
    bool no_index;    /* neither use a stored index nor store one */
    /* Functions of calls are symbols of these images; NULL: addresses.  The options of a tool that
     * uses the index must have the same. */
    struct spoor_images *images;
};

/* Opens the index of a trace, a file, or makes it.  On SPOOR_OK, which it returns for a damaged
 * trace, too, the caller owns *index. */
enum spoor_status spoor_index_open(struct spoor_index **index, const char *path,
                                   const struct spoor_index_options *options,
                                   struct spoor_error *error);
void spoor_index_close(struct spoor_index *index);
/* The number of records of the trace, or of what could be read of it. */
uint64_t spoor_index_records(const struct spoor_index *index);
/* The sentence that states why the trace could not be read to its end; NULL: it could. */
const char *spoor_index_damage(const struct spoor_index *index);

/* Adds the whole trace to a tool that was given no batch of it; call its function for the end next.
 * The index must outlive that.  SPOOR_EUSAGE, with a sentence: the index does not keep what the
 * options of the tool ask for, such as records that match an expression.
 *
 * profile     by function, of instructions or time
 * call_tree   without arguments
 * exceptions  all
 * coverage    all
 * annotate    all
 */
enum spoor_status spoor_profile_use_index(struct spoor_profile *profile,
                                          const struct spoor_index *index,
                                          struct spoor_error *error);
enum spoor_status spoor_call_tree_use_index(struct spoor_call_tree *tree,
                                            const struct spoor_index *index,
                                            struct spoor_error *error);
enum spoor_status spoor_exceptions_use_index(struct spoor_exceptions *exceptions,
                                             const struct spoor_index *index,
                                             struct spoor_error *error);
enum spoor_status spoor_coverage_use_index(struct spoor_coverage *coverage,
                                           const struct spoor_index *index,
                                           struct spoor_error *error);
enum spoor_status spoor_annotate_use_index(struct spoor_annotate *annotate,
                                           const struct spoor_index *index,
                                           struct spoor_error *error);

#ifdef __cplusplus
}
#endif

#endif
