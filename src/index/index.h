/* SPDX-License-Identifier: MIT */
/*
 * index.h: partial history: where in a trace a question has to be asked.
 *
 * A trace is divided into segments, which can be decoded on their own.  Of each the index knows
 * where it begins and what is carried into it, what it can be about (times, pcs, kinds, processors,
 * lines of memory that are read, written and executed), the last value of every register that it
 * writes, and the open calls at its beginning.  A question selects segments by that and decodes
 * them alone; no value in memory is stored.
 *
 * An index is made in one ordered reading and lies beside its trace, as TRACE.spoor-index, or in
 * the user's cache folder.  It is never believed: it belongs to a trace of the same size, time of
 * change and samples, read with the same options, and every byte of it is under a checksum.
 */
#ifndef SPOOR_INDEX_INDEX_H
#define SPOOR_INDEX_INDEX_H

#include "effects/hosted.h"
#include "effects/registers.h"
#include "index/fold.h"
#include "io/reader.h"
#include "spoor/cut.h"

/* Sets of lines, in the order in which they are packed. */
enum index_set {
    SET_EXECUTED, /* virtual */
    SET_READ,     /* virtual */
    SET_WRITTEN,
    SET_READ_PHYSICAL,
    SET_WRITTEN_PHYSICAL,
    INDEX_SETS
};

/* Bytes of the index that belong together, under one checksum. */
struct section {
    uint64_t offset, size, hash;
};

/* What records a segment has. */
enum segment_flag {
    SEGMENT_FAULTS = 1 << 0,    /* that do not keep the format */
    SEGMENT_TIMED = 1 << 1,     /* that name a time */
    SEGMENT_NO_CPU = 1 << 2,    /* that name no processor, before the first that does */
    SEGMENT_AGENTS = 1 << 3,    /* that name an agent of a bus */
    SEGMENT_ADDRESSES = 1 << 4, /* with addresses that are not in the sets */
};

struct segment {
    struct reader_place place; /* carry.cpu: a name of index->names */
    uint64_t records;
    uint64_t bytes;                 /* of the decompressed trace */
    uint64_t time_first;            /* the time before its first record */
    uint64_t time_highest;          /* the latest time in it or before it */
    uint64_t pc_low, pc_high;       /* of its instructions; low > high: it has none */
    uint64_t time_least, time_most; /* of its records */
    uint64_t cpus;       /* bit c: a record names processor c; bit 63: or any from 63 on */
    uint32_t kinds;      /* bit k: it has records of kind k */
    uint32_t flags;      /* enum segment_flag */
    uint16_t cpu;        /* of records that name none, at its beginning */
    struct section sets; /* INDEX_SETS of them; then pages of which the trace says where they lie */
    struct section state; /* open calls before it; last values of the registers that it writes */
};

/* The bytes of another fold. */
struct extra {
    uint32_t id, version; /* struct index_fold */
    struct section section;
};

/* What an index is of. */
struct fingerprint {
    uint64_t size, seconds, nanoseconds;
    uint64_t samples; /* a hash of some of its bytes */
};

struct index {
    struct fingerprint trace;
    const struct spoor_format *format;
    char *dialect; /* that was asked for; NULL: any */
    bool implicit_thumb;
    enum spoor_isa isa;        /* that was stated */
    bool enterable;            /* a segment can be read without what lies before it */
    bool crowded;              /* a table of names was nearly full: ids depend on what was read */
    char *damage;              /* why the trace could not be read to its end; NULL: it could */
    struct machine machine;    /* names of registers and processors; the instruction set */
    struct spoor_names *names; /* of processors as the format carries them */
    struct segment *segments;
    size_t count, capacity;
    uint64_t records, bytes;        /* of the trace */
    struct checkpoints checkpoints; /* of a compressed trace */
    struct section windows;         /* of them, one after another */
    struct hosted_call *hosted;     /* semihosting calls that write to memory, in order */
    size_t hosted_count, hosted_capacity;
    struct extra *extras; /* in the order of their ids */
    size_t extra_count;
    bool owns_windows; /* they are not in the content */
    uint8_t *content;  /* the file in memory */
    size_t size;
    char *path; /* where it lies; NULL: nowhere */
    bool mapped;
};

struct index_options {
    const struct spoor_format *format; /* NULL: detect */
    struct spoor_decode_options decode;
    unsigned threads;
    uint64_t segment_bytes; /* 0: a good size */
    /* Whose sections the index must have, NULL at the end of the list; NULL: none. */
    const struct index_fold *const *folds;
    const struct index *before; /* an index of the same trace whose other sections are kept; NULL */
    /* Told now and then while the index is made; may be NULL. */
    void (*progress)(void *context, const struct spoor_reader *reader);
    void *context;
};

/* Read the trace and make its index, in memory.  SPOOR_OK also where the trace is damaged: the
 * index is of what can be read then, and says so. */
enum spoor_status index_build(struct index **index, const char *path,
                              const struct index_options *options, struct spoor_error *error);
void index_free(struct index *index);

/* ---- the file ---- */

/* The fingerprint of the file as it is now. */
enum spoor_status fingerprint_of(struct fingerprint *fingerprint, const char *path,
                                 struct spoor_error *error);
bool fingerprint_same(const struct fingerprint *one, const struct fingerprint *other);

/* The bytes of an index, whole and checked: false, with a sentence, where they are not an index, or
 * a damaged one.  The content must be malloc'ed or mapped and is the index's from then on. */
bool index_parse(struct index *index, uint8_t *content, size_t size, bool mapped,
                 struct spoor_error *error);

/* Where an index came from. */
enum index_origin { INDEX_FOUND, INDEX_MADE };
/* How to come by the index of a trace. */
struct index_use {
    struct index_options options;
    bool anew;    /* do not look for one */
    bool nowhere; /* neither look for one nor store one (--no-index) */
    /* Told a sentence: why an index that is there is made anew, or why it is not stored; may be
     * NULL. */
    void (*tell)(void *context, const char *sentence);
};
/* Find the index of a trace and check it; make and store it where there is none that fits. */
enum spoor_status index_open(struct index **index, const char *path, const struct index_use *use,
                             enum index_origin *origin, struct spoor_error *error);
/* The index of a trace if one that fits is there; else NULL. */
struct index *index_find(const char *path, const struct index_use *use);
/* Check the index that is there against a new one: SPOOR_OK, SPOOR_END where there is none, or
 * SPOOR_EINPUT with what is wrong.  The options' folds are all that are known: the sections of
 * those that the index has are checked, too. */
enum spoor_status index_verify(const char *path, const struct index_use *use,
                               struct spoor_error *error);

/* ---- asking ---- */

/* The bytes of a fold, which live as long as the index; NULL: it has no such section. */
const uint8_t *index_section(const struct index *index, uint32_t id, uint32_t version,
                             size_t *size);
/* The segment that has a record, or the last one. */
size_t index_segment_of(const struct index *index, uint64_t record);
/* Whether a segment may read, write or execute a byte of the range, both ends included. */
bool index_touches(const struct index *index, size_t segment, enum index_set set, uint64_t first,
                   uint64_t last);
/* Every run of lines of memory that the trace reads or writes by virtual addresses, in order; false
 * ends, or memory ran out. */
bool index_each_range(const struct index *index,
                      bool (*function)(void *context, uint64_t address, uint64_t size),
                      void *context);
/* What is selected; NULL, or not given: all. */
struct index_selection {
    struct spoor_span records, time;
    const char *cpu;
    const struct spoor_select *where;
};
/* Whether a segment may have a record that all of them select.  Those that do not keep the format
 * are not looked at. */
bool index_selects(const struct index *index, size_t segment,
                   const struct index_selection *selection);
/* Whether segments of the trace can be passed over, so that what is read of it is as it would be
 * had they been read. */
bool index_is_skippable(const struct index *index);
/* The state that registers have before a segment, from what the segments before it wrote. */
bool index_registers(const struct index *index, size_t segment, struct registers *registers);
/* The newest segment before `segment` that writes the register, and the record that does so last;
 * false: there is none. */
bool index_writer(const struct index *index, size_t segment, unsigned cpu, spoor_name name,
                  uint64_t *record);
/* Whether a segment writes it. */
bool index_writes(const struct index *index, size_t segment, unsigned cpu, spoor_name name);
/* The open calls before a segment; NULL if memory runs out. */
struct calls *index_calls(const struct index *index, size_t segment);
/* Pages of 4 KiB that the trace ties together in or before a segment: where the virtual page lies
 * in physical memory.  False: the trace does not say. */
struct index_tie {
    uint64_t page; /* physical, address / 4096 */
    uint8_t space; /* as struct access */
};
bool index_tie(const struct index *index, size_t segment, uint64_t virtual_page,
               struct index_tie *tie);

#endif
