/* SPDX-License-Identifier: MIT */
/*
 * batch.h: a run of records and everything they point at.
 *
 * Work moves in batches: a reader fills one, tools read it, writers print it.  A batch owns its
 * records, the bytes they were decoded from (text of disassembly and notes points straight into
 * them) and an arena for what had to be made.  References are offsets, so a batch can grow.
 */
#ifndef SPOOR_BATCH_H
#define SPOOR_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "names.h"
#include "record.h"

struct spoor_format;
struct line_place;

/* What all batches of one trace share.  Owned by the reader; valid until it is closed. */
/* Instruction sets whose opcodes are understood. */
enum spoor_isa {
    SPOOR_ISA_UNKNOWN,
    SPOOR_ISA_RISCV,   /* 32 and 64 bits, with compressed instructions */
    SPOOR_ISA_AARCH64, /* A64 */
    SPOOR_ISA_AARCH32, /* A32 and T32 */
};

struct spoor_stream {
    const char *path; /* as opened; "-" for standard input */
    const struct spoor_format *format;
    struct spoor_names *names;
    struct spoor_names *spellings; /* the format's own encoding; see spoor_record_unit() */
    enum spoor_isa isa; /* of the instructions, as was stated; UNKNOWN: by letters and opcodes */
    /* Of the format, where it has one; set by spoor_stream_set_format(). */
    uint32_t kinds;                    /* bit k: the format has records of kind k */
    uint32_t record_size, header_size; /* bytes; 0: text, no header */
};

enum spoor_spill_what {
    SPOOR_SPILL_LINE,    /* SPOOR_IS_ODD: the source bytes of the record, line end excluded */
    SPOOR_SPILL_UOP,     /* struct spoor_uop_full */
    SPOOR_SPILL_DATA,    /* BUS: data over 16 bytes, least significant first */
    SPOOR_SPILL_PA2,     /* INSN: uint64_t, physical address of the second halfword */
    SPOOR_SPILL_FIELD,   /* any kind: a format's own extra, e.g. padding bytes that must survive */
    SPOOR_SPILL_MEMTYPE, /* MEM: the memory type and shareability as printed */
    SPOOR_SPILL_ORIGIN,  /* MEM: struct spoor_origin */
};

/* Which instruction an access belongs to, where the trace says so beside the access. */
struct spoor_origin {
    uint64_t pc, index; /* virtual address and number of the instruction */
};

/* Sorted by record, then by what: formats add spills in record order. */
struct spoor_spill {
    uint32_t record;
    uint32_t what;
    struct spoor_ref ref;
};

/* Something in the input that is not as it should be.  Sorted by record. */
struct spoor_fault {
    uint32_t record;        /* index in this batch */
    uint32_t column;        /* 1-based column (text) or byte (binary) within the record, 0: whole */
    const char *rule;       /* the rule that came nearest, a static word: "uop", "tarmac-it" */
    const char *expected;   /* a static phrase */
    struct spoor_ref found; /* the offending bytes (at most a few dozen are of interest) */
};

struct spoor_batch {
    struct spoor_record *records;
    size_t count, room;

    uint64_t first;  /* ordinal of records[0] in its trace, from 0 */
    uint64_t line;   /* text: line number of records[0], from 1; binary, and behind a gap: 0 */
    uint64_t offset; /* offset of the first byte of `text` in the decompressed trace */

    char *text;       /* the bytes that the records were decoded from, and 64 readable zeros */
    void *text_block; /* what `text` lies in; owned.  NULL: `text` itself is */
    size_t text_size, text_room;
    bool continues;  /* the bytes begin inside an over-long line */
    bool unfinished; /* the last line has no newline yet: an over-long line was cut here */
    bool last;       /* nothing follows in this trace */
    bool gap;        /* a part of the trace before this was not read (samples): `first` counts what
                      * was, and times that are sums begin anew */

    struct line_place *lines; /* not NULL: record i was decoded from line i of the text, and is as
                               * it was decoded.  For the library's own use; owned */

    char *arena; /* what had to be made; owned */
    size_t arena_size, arena_room;

    struct spoor_spill *spills;
    size_t spill_count, spill_room;
    struct spoor_fault *faults;
    size_t fault_count, fault_room;
    bool out_of_memory; /* something could not be kept: the reader turns this into an error */

    uint32_t *places; /* formats with several records a line: see spoor_batch_place(); owned */
    size_t place_count, place_room; /* 0: each record is a line of its own */

    bool projected; /* `records` is not filled, for something else was decoded in place of records;
                     * all else is as if it were.  Never so in what spoor_reader_next() gives */
    void *view;     /* that, for the reader's own use; owned */
    size_t view_room;

    const struct spoor_stream *stream;
};

/* A zeroed batch is an empty one.  Clearing keeps the memory for reuse; freeing gives it back. */
void spoor_batch_clear(struct spoor_batch *batch);
void spoor_batch_free(struct spoor_batch *batch);

/* Which line of the batch (binary: which record of the file) record `index` is from, from 0. */
static inline size_t spoor_batch_place(const struct spoor_batch *batch, size_t index)
{
    return index < batch->place_count ? batch->places[index] : index;
}
/* Number the lines by the records' SPOOR_CONTINUES, after decoding or joining; returns how many
 * lines there are. */
size_t spoor_batch_number(struct spoor_batch *batch);
/* The record's line in its trace, from 1; 0 where that is not known, and in a binary trace. */
uint64_t spoor_batch_line(const struct spoor_batch *batch, size_t index);
/* Offset of the record's first byte in a decompressed binary trace; 0 in one of text. */
uint64_t spoor_batch_offset(const struct spoor_batch *batch, size_t index);

/* Whether record `index` is the header of a binary trace: what it states follows from the records,
 * so nothing is lost where another format has none. */
bool spoor_batch_is_header(const struct spoor_batch *batch, size_t index);

/* A new record at the end, zeroed; never NULL (without memory the batch is marked out_of_memory and
 * a scratch record is returned).  The pointer is valid until the next push. */
struct spoor_record *spoor_batch_push_slow(struct spoor_batch *batch);
static inline struct spoor_record *spoor_batch_push(struct spoor_batch *batch)
{
    if (batch->count == batch->room) return spoor_batch_push_slow(batch);
    struct spoor_record *record = &batch->records[batch->count++];
    *record = (struct spoor_record){0};
    return record;
}

/* Make room for `more` records behind the last, so that they can be filled in place and counted;
 * NULL without memory, and the batch is marked out_of_memory. */
struct spoor_record *spoor_batch_reserve(struct spoor_batch *batch, size_t more);

/* The bytes behind a reference: into `text`, or into `arena` where the top bit is set.  Never NULL:
 * "nothing" is an empty string, also in a batch that has no bytes. */
#define SPOOR_REF_ARENA UINT32_C(0x80000000)
static inline const char *spoor_batch_bytes(const struct spoor_batch *batch, struct spoor_ref ref)
{
    if (ref.size == 0) return "";
    return (ref.at & SPOOR_REF_ARENA) ? batch->arena + (ref.at & ~SPOOR_REF_ARENA)
                                      : batch->text + ref.at;
}

/* A reference to `size` bytes at `bytes`, which must lie within batch->text. */
static inline struct spoor_ref spoor_batch_refer(const struct spoor_batch *batch, const char *bytes,
                                                 size_t size)
{
    return (struct spoor_ref){(uint32_t)(bytes - batch->text), (uint32_t)size};
}

/* A copy of `size` bytes in the arena. */
struct spoor_ref spoor_batch_keep(struct spoor_batch *batch, const void *bytes, size_t size);

/* Spill for the record pushed last: sets SPOOR_IS_SPILLED (SPOOR_IS_ODD for SPOOR_SPILL_LINE). */
void spoor_batch_spill(struct spoor_batch *batch, enum spoor_spill_what what, struct spoor_ref ref);
/* Find a spill of record `index`; false where there is none. */
bool spoor_batch_find_spill(const struct spoor_batch *batch, size_t index,
                            enum spoor_spill_what what, struct spoor_ref *ref);

/* Note a fault of the record pushed last; sets SPOOR_IS_FAULTY. */
void spoor_batch_fault(struct spoor_batch *batch, const char *rule, uint32_t column,
                       const char *expected, struct spoor_ref found);

/* What a fault found, quoted, with unprintable bytes as \xNN, cut to a readable length; `words` is
 * the caller's room for it.  "the end of the line" where nothing was left. */
enum { SPOOR_FOUND_ROOM = 208 };
const char *spoor_fault_found(const struct spoor_batch *batch, const struct spoor_fault *fault,
                              char words[SPOOR_FOUND_ROOM]);

/* Append a copy of record `index` of `from`, with all it points at; names and spellings move to the
 * tables of `to->stream`.  Used to join traces. */
enum spoor_status spoor_batch_append(struct spoor_batch *to, const struct spoor_batch *from,
                                     size_t index, struct spoor_error *error);

/* The numbers of a micro-op as far as its record holds them: all of them, where none is spilled. */
static inline struct spoor_uop_full spoor_uop_held(const struct spoor_uop *uop)
{
    return (struct spoor_uop_full){
        .pc = uop->pc,
        .address = uop->address,
        .fall = uop->pc + (uint64_t)(int64_t)uop->fall,
        .target = uop->target,
        .immediate = uop->immediate,
        .step = uop->step,
        .src1 = uop->src1,
        .src2 = uop->src2,
        .dest = uop->dest,
    };
}
/* Every number of a micro-op in its full range, spilled or not. */
struct spoor_uop_full spoor_uop_spilled(const struct spoor_batch *batch, size_t index);
static inline struct spoor_uop_full spoor_uop_of(const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    return record->has & SPOOR_IS_SPILLED ? spoor_uop_spilled(batch, index)
                                          : spoor_uop_held(&record->uop);
}

/* The unit of the record's time ("clk", "ps"): its spelling's, else its format's; "" if none. */
const char *spoor_record_unit(const struct spoor_batch *batch, const struct spoor_record *record);

/* Step through an attribute list "KEY=VALUE KEY =VALUE ...": returns false at its end; else points
 * *key and *value at the next pair and moves *at.  A word without '=' has an empty value. */
struct spoor_slice {
    const char *bytes;
    size_t size;
};
bool spoor_attributes_next(struct spoor_slice list, size_t *at, struct spoor_slice *key,
                           struct spoor_slice *value);

/* Bytes of a region size as Tarmac prints it ("4K", "64K", "2M", "1G", "512"); 0 if it is none. */
uint64_t spoor_region_bytes(struct spoor_slice text);

#endif
