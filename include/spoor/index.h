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
 *
 * An index divides its trace into segments and states what each one has: times, processors, kinds
 * of records, lines of memory.  So it also tells which segments a selection excludes:
 *
 *     spoor_skipper_open(&skipper, reader, index, &selection, &error);
 *     while (spoor_skipper_skip(skipper, &error) == SPOOR_OK &&
 *            spoor_reader_next(reader, &batch, &error) == SPOOR_OK) ...
 *     spoor_skipper_close(skipper);
 */
#ifndef SPOOR_INDEX_H
#define SPOOR_INDEX_H

#include "annotate.h"
#include "call_tree.h"
#include "calls.h"
#include "coverage.h"
#include "cut.h"
#include "exceptions.h"
#include "profile.h"
#include "reader.h"
#include "result.h"
#include "select.h"
#include "view.h"
#include "writer.h"

#ifdef __cplusplus
extern "C" {
#endif

struct spoor_index;

/* What an index must have; one that lacks it is made again, and keeps what it had. */
enum spoor_index_needs {
    SPOOR_INDEX_ALL,      /* segments, calls and counts */
    SPOOR_INDEX_SEGMENTS, /* what each segment has: for explorers and skippers */
    SPOOR_INDEX_CALLS,    /* and calls: for profile, call_tree, exceptions */
    SPOOR_INDEX_COUNTS    /* segments and counts of instructions: for coverage, annotate */
};

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
    enum spoor_index_needs needs;
    bool anew;   /* make the index although one that fits is there */
    bool beside; /* store it as TRACE.spoor-index; else in the user's cache folder alone */
    uint64_t segment_bytes; /* of the decompressed trace, when one is made; 0: a default */
    /* Functions that spoor_index_open() and spoor_index_verify() call, with `context`; each may be
     * NULL.  While a .spoor file is written, `tell` states what its index lacks. */
    /* States in a sentence why an index is made again, or not stored. */
    void (*tell)(void *context, const char *sentence);
    /* Called now and then, for progress display. */
    void (*progress)(void *context, const struct spoor_reader *reader);
    /* Called between batches; true: stop, and return SPOOR_EUSAGE. */
    bool (*stopped)(void *context);
    void *context;
    /* The index has only these records, each with its number in the trace, and is not stored: an
     * explorer of it answers as of a trace that has no others.  The expression must outlive the
     * index and its explorers.  NULL: all records. */
    const struct spoor_cut_options *selection;
};

/* Opens the index of a trace, a file, or makes it.  On SPOOR_OK, which it returns for a damaged
 * trace, too, the caller owns *index. */
enum spoor_status spoor_index_open(struct spoor_index **index, const char *path,
                                   const struct spoor_index_options *options,
                                   struct spoor_error *error);
void spoor_index_close(struct spoor_index *index);
/* The index of a trace if one that fits the trace and the options is there; none is made.
 * SPOOR_END: there is none.  On SPOOR_OK the caller owns *index. */
enum spoor_status spoor_index_find(struct spoor_index **index, const char *path,
                                   const struct spoor_index_options *options,
                                   struct spoor_error *error);
/* Compares the index that is there with a new one.  SPOOR_END, with a sentence: there is none, or
 * it differs. */
enum spoor_status spoor_index_verify(const char *path, const struct spoor_index_options *options,
                                     struct spoor_error *error);
/* The number of records of the trace, or of what could be read of it. */
uint64_t spoor_index_records(const struct spoor_index *index);
/* Bytes of the decompressed trace, or of what could be read of it. */
uint64_t spoor_index_bytes(const struct spoor_index *index);
/* The format of the trace's records. */
const struct spoor_format *spoor_index_format(const struct spoor_index *index);
/* The sentence that states why the trace could not be read to its end; NULL: it could. */
const char *spoor_index_damage(const struct spoor_index *index);
/* True if a record breaks the rules of its format, or has a name beyond those that a trace can have
 * (65,534). */
bool spoor_index_has_faults(const struct spoor_index *index);
/* True if it keeps calls whose functions are symbols of these images (NULL: addresses). */
bool spoor_index_has_calls(const struct spoor_index *index, struct spoor_images *images);
/* Adds the functions that the records of the trace name, as spoor_images_add_trace() does, without
 * reading the trace. */
enum spoor_status spoor_images_add_index(struct spoor_images *images, const char *trace,
                                         const struct spoor_index *index,
                                         struct spoor_error *error);
/* True if it keeps calls, and an instruction ran; `unit` becomes the unit of their times, "" if it
 * is not known. */
bool spoor_index_ran(const struct spoor_index *index, char unit[16]);
/* The file that the index is in, which lives as long as the index; NULL: it could not be stored, or
 * was not to be. */
const char *spoor_index_path(const struct spoor_index *index);
/* True if that is the trace itself, a .spoor file. */
bool spoor_index_is_embedded(const struct spoor_index *index);
/* Fills an object: index (its path), format, records, bytes (of the decompressed trace), segments,
 * how the trace can be entered, names, `size` (bytes of the index and of its parts), and
 * `segments_with` records of each kind. */
enum spoor_status spoor_index_report(const struct spoor_index *index, struct spoor_result *result);

/* ---- segments: the parts of the trace that are read at a time ---- */

struct spoor_segment {
    size_t struct_size;             /* sizeof this struct; 0: as in version 0.1 */
    uint64_t from, end;             /* its records, by number from 0: up to before `end` */
    uint64_t offset, bytes;         /* its part of the decompressed trace */
    uint64_t line;                  /* of its first record, from 1; 0: the trace is binary */
    uint64_t time;                  /* before its first record, in the unit of the trace */
    uint64_t pc_lowest, pc_highest; /* of its instructions; lowest > highest: it has none */
    uint32_t kinds;                 /* bit k: it has records of kind k (enum spoor_kind) */
    bool names_cpus;                /* all its records name a processor, or one did before them */
};
size_t spoor_index_segment_count(const struct spoor_index *index);
/* Fills in a segment, by number from 0; false past the last one. */
bool spoor_index_segment(const struct spoor_index *index, size_t number,
                         struct spoor_segment *segment);
/* The number of the segment that has a record, or of the last one; 0 where there is none. */
size_t spoor_index_segment_of(const struct spoor_index *index, uint64_t record);
/* False: no record of the segment executes a byte from virtual address `first` to `last`, both
 * included. */
bool spoor_index_may_execute(const struct spoor_index *index, size_t number, uint64_t first,
                             uint64_t last);

/* ---- passing over what a selection excludes ---- */

struct spoor_skipper;

/* The selection: a record that meets every condition that is given is not passed over.  As in
 * spoor_cut_options. */
struct spoor_skipper_options {
    size_t struct_size; /* sizeof this struct */
    struct spoor_span records, time;
    const char *cpu;                  /* NULL: any */
    const struct spoor_select *where; /* NULL: all */
};

/* False: the segment has no record of the selection, and can be passed over. */
bool spoor_index_may_select(const struct spoor_index *index, size_t number,
                            const struct spoor_skipper_options *selection);
/* Before the first batch of a reader of the index's trace: makes a skipper of the segments that
 * have no record of the selection.  Segments with records that break the rules of their format are
 * never passed over.  The reader, the index and all that the options point at must outlive the
 * skipper.  NULL in place of an index: a range of records is found by the table of a .spoor file.
 * SPOOR_END: nothing can be passed over; read the trace without a skipper. */
enum spoor_status spoor_skipper_open(struct spoor_skipper **skipper, struct spoor_reader *reader,
                                     const struct spoor_index *index,
                                     const struct spoor_skipper_options *options,
                                     struct spoor_error *error);
void spoor_skipper_close(struct spoor_skipper *skipper); /* NULL is allowed */
/* Before each batch (references, branches): moves the reader to the next segment that is wanted.
 * SPOOR_END: there is none.  The numbers of records are those of the whole trace. */
enum spoor_status spoor_skipper_skip(struct spoor_skipper *skipper, struct spoor_error *error);
/* True if segments were passed over since the last call; then, for spoor_cut_skip(): *cpu is the
 * processor that was named last before the next batch (NULL: none was), which lives as long as the
 * index, and *timed whether a record before it states a time. */
bool spoor_skipper_passed(struct spoor_skipper *skipper, const char **cpu, bool *timed);

/* ---- the index of a .spoor file, made while the file is written ---- */

struct spoor_index_writer;

/* Begins an index, by the options' `decode`.  It has calls and counts unless they are more than
 * half as large as the file, or take more than 16 MiB of memory, which `tell` (its context must
 * live until the writer is closed) states; spoor_index_open() makes them then.  On SPOOR_OK the
 * caller owns *writing. */
enum spoor_status spoor_index_writer_open(struct spoor_index_writer **writing,
                                          const struct spoor_index_options *options,
                                          struct spoor_error *error);
/* Before the first put to a writer of a .spoor file: the writer stores the index when it is closed.
 * Writers of other formats have no place for one. */
void spoor_index_writer_watch(struct spoor_index_writer *writing, struct spoor_writer *writer);
/* Before the first batch of a reader, all of whose batches are put: the reader's threads do a part
 * of the work.  The index is the same. */
void spoor_index_writer_reads(struct spoor_index_writer *writing, struct spoor_reader *reader);
/* After the writer was closed: frees it (NULL is allowed).  SPOOR_ENOMEM: memory ran out, and the
 * file has no index. */
enum spoor_status spoor_index_writer_close(struct spoor_index_writer *writing,
                                           struct spoor_error *error);

/* ---- tools that are answered from an index ---- */

/* Adds the whole trace to a tool that was given no batch of it; call its function for the end next.
 * The index must outlive that.  SPOOR_EUSAGE, with a sentence: the index does not keep what the
 * options of the tool ask for, such as records that match an expression.  Of exceptions, all that
 * is reported is kept; of calls all but instructions and lines: of a moment, `record` and `time`
 * are known, of `before` nothing.  Tools of libspoor-tools declare such a function beside the
 * others. */
enum spoor_status spoor_exceptions_use_index(struct spoor_exceptions *exceptions,
                                             const struct spoor_index *index,
                                             struct spoor_error *error);
enum spoor_status spoor_calls_use_index(struct spoor_calls *calls, const struct spoor_index *index,
                                        struct spoor_error *error);

#ifdef __cplusplus
}
#endif

#endif
