/* SPDX-License-Identifier: MIT */
/*
 * index.h: partial history, which selects the segments of a trace that a query must read.
 *
 * A trace is divided into segments that can be decoded on their own.  For each segment the index
 * stores its position and the state carried into it, the ranges and sets of its content (times,
 * pcs, kinds, processors, lines of memory that are read, written and executed), the last value of
 * every register that it writes, and the open calls at its beginning.  A query selects segments by
 * these and decodes only those.  The index stores no value of memory.
 *
 * An index is built in one ordered reading and stored beside its trace, as TRACE.spoor-index, or in
 * the user's cache folder.  It is verified before use: the trace must have the same size,
 * modification time and samples, and the same reading options; checksums cover every byte of the
 * index.
 */
#ifndef SPOOR_INDEX_INDEX_H
#define SPOOR_INDEX_INDEX_H

#include "effects/machine.h"
#include "effects/registers.h"
#include "index/fold.h"
#include "io/output.h"
#include "io/reader.h"
#include "spoor/cut.h"
#include "spoor/index.h"

/* Sets of lines, in the order in which they are packed; the last two, which a segment has only with
 * SEGMENT_OTHERS, come after the mappings. */
enum index_set {
    SET_EXECUTED, /* virtual */
    SET_READ,     /* virtual */
    SET_WRITTEN,
    SET_READ_PHYSICAL,
    SET_WRITTEN_PHYSICAL,
    ACCESS_SETS,
    SET_OTHER = ACCESS_SETS, /* addresses of records that access no memory: TLBs, caches, events */
    SET_OTHER_PHYSICAL,
    INDEX_SETS
};

/* Bytes of the index under one checksum. */
struct section {
    uint64_t offset, size, hash;
};

/* The properties of the records of a segment. */
enum segment_flag {
    SEGMENT_FAULTS = 1 << 0,    /* that do not keep the format */
    SEGMENT_TIMED = 1 << 1,     /* that name a time */
    SEGMENT_NO_CPU = 1 << 2,    /* that name no processor, before the first that does */
    SEGMENT_AGENTS = 1 << 3,    /* that name an agent of a bus */
    SEGMENT_ADDRESSES = 1 << 4, /* with addresses that are not in the sets */
    SEGMENT_OTHERS = 1 << 5,    /* of kinds that SET_OTHER and SET_OTHER_PHYSICAL are about */
    SEGMENT_GAP = 1 << 6,       /* before which instructions are not in the trace */
};

struct segment {
    struct reader_place place; /* carry.cpu is a name of index->names */
    uint64_t records;
    uint64_t bytes;                      /* of the decompressed trace */
    uint64_t time_first;                 /* the time before its first record */
    uint64_t time_highest;               /* latest time in it or before it */
    uint64_t pc_low, pc_high;            /* of its instructions; low > high: it has none */
    uint64_t time_minimum, time_maximum; /* of its records */
    uint64_t cpus;        /* bit c: a record names processor c; bit 63: or any from 63 on */
    uint32_t kinds;       /* bit k: it has records of kind k */
    uint32_t flags;       /* enum segment_flag */
    uint16_t cpu;         /* processor of the records at its beginning that name none */
    struct section sets;  /* ACCESS_SETS sets; pages with known mappings; SEGMENT_OTHERS: 2 more */
    struct section state; /* open calls before it; last values of the registers that it writes */
};

/* The bytes of another fold. */
struct extra {
    uint32_t id, version; /* struct index_fold */
    struct section section;
};

/* The identity of the indexed trace. */
struct fingerprint {
    uint64_t size, seconds, nanoseconds;
    uint64_t samples;  /* a hash of samples of its bytes */
    uint64_t identity; /* a hash of its inode and of when that was changed, which no program sets */
    uint64_t whole;    /* a hash of all its bytes; 0: not computed, because they are many */
};

struct index {
    struct fingerprint trace;
    const struct spoor_format *format;
    char *dialect;             /* the requested one; NULL: any */
    const char *const *images; /* as they were requested: of the one who made the index */
    bool implicit_thumb;
    enum spoor_isa isa;         /* that was stated */
    enum spoor_effects effects; /* that was stated, */
    bool effects_first;         /* and found: the places are those of the reordered records */
    bool enterable;             /* a segment can be decoded without the part before it */
    bool crowded;               /* a table of names was nearly full: ids depend on what was read */
    char *damage;               /* why the trace could not be read completely; NULL: it could */
    struct machine machine;     /* names of registers and processors; the instruction set */
    struct spoor_names *names;  /* names of processors as the format states them */
    struct segment *segments;
    size_t count, capacity;
    uint64_t records, bytes;        /* totals of the trace */
    struct checkpoints checkpoints; /* checkpoints of a compressed trace */
    struct section windows;         /* their windows, one after another */
    struct section tables;          /* what the places of segments have as tables, from its begin */
    struct hosted_call *hosted;     /* semihosting calls that write to memory, in order */
    size_t hosted_count, hosted_capacity;
    struct extra *extras; /* in the order of their ids */
    size_t extra_count;
    uint64_t memory; /* for reading the trace: struct index_options; not stored */
    /* The index has only the records of this selection, the others of the trace are notes; it is
     * never stored.  NULL: it has all. */
    struct spoor_cut_options *selection;
    struct spoor_locator locator; /* for the selection's expression; locate NULL: none */
    bool owns_windows;            /* the windows are not part of the content */
    uint8_t *content;             /* the file in memory, from byte `passed` on, which is 0 but */
    uint64_t passed; /* ... while a .spoor file is written, which has the bytes before */
    size_t size;
    char *path; /* path of the file; NULL: not stored */
    bool mapped;
    bool embedded; /* it lies in the trace */
};

struct index_options {
    const struct spoor_format *format; /* NULL: detect */
    struct spoor_decode_options decode;
    unsigned threads;
    uint64_t memory;                 /* struct spoor_reader_options */
    uint64_t segment_bytes;          /* 0: a default */
    bool record_by_record;           /* make no digests; the index is the same, which tests check */
    const struct fingerprint *trace; /* NULL: that which the trace has now */
    bool is_kept;                    /* it is stored: its fingerprint has the hash of the whole */
    /* Whose sections the index must have, NULL at the end of the list; NULL: none. */
    const struct index_fold *const *folds;
    const struct index *before; /* an index of the same trace whose other sections are kept; NULL */
    /* Called with each batch before it is indexed, to change its records; SPOOR_END: no later
     * record is needed.  NULL: the trace is indexed as it is. */
    enum spoor_status (*change)(void *changer, struct spoor_batch *batch,
                                struct spoor_error *error);
    void *changer;
    const struct spoor_locator *locator; /* of the stream; NULL: none */
    /* Called from time to time while the index is built; may be NULL. */
    void (*progress)(void *context, const struct spoor_reader *reader);
    /* Called between batches; true: stop, and fail with SPOOR_EUSAGE.  May be NULL. */
    bool (*stopped)(void *context);
    /* Called with a message that states why an existing index is rebuilt, why a new one is not
     * stored, or what one that is made while its trace is written lacks; may be NULL. */
    void (*tell)(void *context, const char *sentence);
    void *context;
};

/* A struct spoor_index is a struct index: its content is the library's. */
static inline struct index *index_of(struct spoor_index *index)
{
    return (struct index *)(void *)index;
}
static inline const struct index *index_seen(const struct spoor_index *index)
{
    return (const struct index *)(const void *)index;
}
static inline struct spoor_index *index_public(struct index *index)
{
    return (struct spoor_index *)(void *)index;
}

/* Reads the trace and builds its index in memory.  SPOOR_OK also if the trace is damaged: the index
 * then covers the readable part and states this. */
enum spoor_status index_build(struct index **index, const char *path,
                              const struct index_options *options, struct spoor_error *error);
void index_free(struct index *index);

/* ---- the file ---- */

/* Computes the fingerprint of the file. */
enum spoor_status fingerprint_of(struct fingerprint *fingerprint, const char *path,
                                 struct spoor_error *error);
/* Adds the hash of the whole file, unless it is larger than 1 GiB, or a directory.  False: it
 * cannot be read. */
bool fingerprint_add_whole(struct fingerprint *fingerprint, const char *path);
/* True if both are of one file that nobody has written to meanwhile. */
bool fingerprint_same(const struct fingerprint *one, const struct fingerprint *other);
/* True if the trace at `path`, which has the fingerprint `now`, has the content that an index was
 * made of: it is the same file, or each byte is the same. */
bool fingerprint_fits(const struct fingerprint *indexed, const struct fingerprint *now,
                      const char *path);

/* Parses and verifies the bytes of a whole index; false, with a message, if they are not an index
 * or are damaged.  The content must be malloc'ed or mapped; the index takes ownership. */
bool index_parse(struct index *index, uint8_t *content, size_t size, bool mapped,
                 struct spoor_error *error);

/* True if the index was found or built. */
enum index_origin { INDEX_FOUND, INDEX_MADE };
/* The way to obtain the index of a trace. */
struct index_use {
    struct index_options options;
    bool anew;    /* ignore a stored index */
    bool nowhere; /* neither load nor store an index (--no-index) */
    bool beside;  /* store it beside the trace (the verb index); else in the cache folder */
};
/* Finds and verifies the index of a trace; builds and stores one if none fits. */
enum spoor_status index_open(struct index **index, const char *path, const struct index_use *use,
                             enum index_origin *origin, struct spoor_error *error);
/* The index of a trace if one that fits is there; else NULL. */
struct index *index_find(const char *path, const struct index_use *use);
/* Checks the index that is there against a new one: SPOOR_OK; SPOOR_END, with what is wrong, where
 * there is none or it differs; else why it cannot be checked.  The options' folds are all that are
 * known: the sections of those that the index has are checked, too. */
enum spoor_status index_verify(const char *path, const struct index_use *use,
                               struct spoor_error *error);

/* ---- queries ---- */

/* The bytes of a fold, which live as long as the index; NULL: it has no such section. */
const uint8_t *index_section(const struct index *index, uint32_t id, uint32_t version,
                             size_t *size);
/* True if the index has a section of each, in its version. */
bool folds_present(const struct index_fold *const *list, const struct index *index);
/* Returns the maximum number of bytes that are inflated to reach a segment; 0 for a plain file. */
uint64_t index_entry_cost(const struct index *index);
/* Returns the segment that contains a record, or the last one. */
size_t index_segment_of(const struct index *index, uint64_t record);
/* True if a segment may read, write or execute a byte of the range, both ends included. */
bool index_touches(const struct index *index, size_t segment, enum index_set set, uint64_t first,
                   uint64_t last);
/* Calls the function for every run of lines of memory that the trace reads or writes by virtual
 * addresses, in order.  Stops, with false, if the function returns false or memory runs out. */
bool index_each_range(const struct index *index,
                      bool (*function)(void *context, uint64_t address, uint64_t size),
                      void *context);
/* The selection; NULL, or not given: all. */
struct index_selection {
    struct spoor_span records, time;
    const char *cpu;
    const struct spoor_select *where;
};
/* True if a segment may have a record that all of them select.  Those that do not keep the format
 * are not looked at. */
bool index_selects(const struct index *index, size_t segment,
                   const struct index_selection *selection);
/* True if segments of the trace can be passed over, so that what is read of it is as it would be
 * had they been read. */
bool index_is_skippable(const struct index *index);
/* Computes the registers before a segment, from the writes of the segments before it.  False:
 * memory ran out, or `*damaged`: the index has not what its checksums were made of. */
bool index_registers(const struct index *index, size_t segment, struct registers *registers,
                     bool *damaged);
/* True if a segment writes the register. */
bool index_writes(const struct index *index, size_t segment, unsigned cpu, spoor_name name);
/* Returns the open calls before a segment.  NULL: memory ran out, or `*damaged`. */
struct calls *index_calls(const struct index *index, size_t segment, bool *damaged);
/* The mapping of a virtual page of 4 KiB to a physical one, as stated in or before a segment.
 * False if the trace does not state it. */
struct index_tie {
    uint64_t page; /* physical address / 4096 */
    uint8_t space; /* space as in struct access */
};
bool index_tie(const struct index *index, size_t segment, uint64_t virtual_page,
               struct index_tie *tie);

/* ---- the index of a .spoor file, made in the same pass that writes it (index_writer.c) ---- */

struct spoor_index_writer;
/* The options' folds and decode are used.  NULL if memory runs out. */
struct spoor_index_writer *index_writer_new(const struct index_options *options);
/* After the writer was closed. */
void index_writer_free(struct spoor_index_writer *writing);
/* After the writer was closed: true if memory ran out, and the file has no index. */
bool index_writer_failed(const struct spoor_index_writer *writing);
/* For writer_watch(). */
const struct writer_watch *index_writer_watch(const struct spoor_index_writer *writing);
/* Before the first batch of a reader, all of whose batches are written: its threads digest them. */
void index_writer_reads(struct spoor_index_writer *writing, struct spoor_reader *reader);

/* ---- skipper.c ----
 *
 * Moves a reader over the segments of its trace that a selection excludes.
 *
 * The reader decodes on several threads where many segments in a row are wanted, and on the
 * caller's where few are. */

enum { SKIPPER_RUN = 8 /* segments: fewer are decoded by one thread */ };

struct skipper {
    const struct index *index; /* that index_is_skippable() */
    struct index_selection selection;
    bool with_faults; /* segments with faulty lines are never excluded */
    size_t segment;   /* that begins with the next batch, or after it */
    bool passed;      /* segments were excluded; the caller resets it */
};

/* The number of segments that are wanted. */
size_t skipper_count_wanted(const struct skipper *skipper);
/* Before each batch: the reader continues at the next segment that is wanted; SPOOR_END: there is
 * none. */
enum spoor_status skipper_ahead(struct skipper *skipper, struct spoor_reader *reader,
                                struct spoor_error *error);

#endif
