/* SPDX-License-Identifier: MIT */
/*
 * batch.h: consecutive records and everything that they refer to.
 *
 * Work moves in batches: a reader fills one, tools read it, writers print it.  A batch owns its
 * records, the bytes that they were decoded from (references of disassembly and notes point into
 * these bytes) and an arena for bytes that are not in the text.  References are offsets, so a batch
 * can grow.
 */
#ifndef SPOOR_BATCH_H
#define SPOOR_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "error.h"
#include "names.h"
#include "record.h"

#ifdef __cplusplus
extern "C" {
#endif

struct spoor_format;

/* Instruction sets whose opcodes are understood. */
enum spoor_isa {
    SPOOR_ISA_UNKNOWN,
    SPOOR_ISA_RISCV,     /* 32 and 64 bits, with compressed instructions */
    SPOOR_ISA_AARCH64,   /* A64 */
    SPOOR_ISA_AARCH32,   /* A32 and T32 */
    SPOOR_ISA_MIPS,      /* MIPS32, releases 1 to 5 */
    SPOOR_ISA_LOONGARCH, /* of 32 and 64 bits */
};

/* The function and line of an address, for the fields `function`, `source`, ...; strings live as
 * long as the locator. */
struct spoor_location {
    const char *function; /* NULL: unknown, as all below */
    uint64_t offset;      /* offset of the address in the function */
    const char *source;   /* "file:line" */
    const char *inlined;  /* functions inlined there, the innermost first, joined by " < " */
    const char *text;     /* the line itself */
};
/* The requested part: each value includes the ones before and costs more. */
enum spoor_locate { SPOOR_LOCATE_FUNCTION, SPOOR_LOCATE_LINE, SPOOR_LOCATE_TEXT };
/* Finds the function and line of addresses; image.h makes one. */
struct spoor_locator {
    bool (*locate)(void *context, uint64_t pc, enum spoor_locate how, struct spoor_location *);
    void *context;
};

/* An instruction as the program has it at an address. */
enum { SPOOR_PROGRAM_TEXT = 96 };
struct spoor_program_insn {
    uint64_t opcode;     /* as in struct spoor_insn; of one of more than 8 bytes 0 */
    uint64_t target;     /* of a direct branch */
    uint8_t size;        /* bytes */
    uint8_t iset;        /* as in struct spoor_insn */
    bool branches;       /* it is a branch: */
    uint8_t branch_type; /* enum spoor_branch_type, of view.h */
    bool repeats;   /* it may run several times (rep of x86), each of which a trace may count */
    uint8_t guards; /* this many instructions after it are conditional (T32's IT) */
    uint8_t text_size;
    char text[SPOOR_PROGRAM_TEXT]; /* disassembly, or the mnemonic alone */
};
/* The code of the program that a trace is of, for records that state only addresses; image.h makes
 * one. */
struct spoor_program {
    /* False: no code is known at the address. */
    bool (*find)(void *context, uint64_t pc, struct spoor_program_insn *insn);
    void *context;
    enum spoor_isa isa; /* of the opcodes; UNKNOWN: letters and opcodes decide */
};

/* Special registers of a format that names registers by number; NULL if it has none. */
struct spoor_special_registers {
    const char *flags, *instruction_pointer, *stack_pointer;
};

/* Data that all batches of one trace share.  Owned by the reader; valid until it is closed. */
struct spoor_stream {
    const char *path;                     /* the path passed to open; "-" for standard input */
    const struct spoor_format *format;    /* of the records */
    const struct spoor_format *container; /* of the file, where it holds records of another format;
                                           * NULL: `format` */
    void *container_state;                /* for the library's use */
    struct spoor_names *names;
    struct spoor_names *spellings; /* the format's own encoding; see spoor_record_unit() */
    enum spoor_isa isa; /* as the user stated it, else what letters and opcodes of the first batch
                         * with instructions show; UNKNOWN: they show nothing, */
    bool isa_decided;   /* or, where this is false, there was no such batch yet */
    /* Properties of `format`; spoor_stream_set_format() sets them. */
    uint32_t kinds;                    /* bit k: the format has records of kind k */
    uint32_t record_size, header_size; /* bytes; 0: text, no header */
    /* Of the first record of these bytes; NULL: all have record_size.  For the library's use */
    size_t (*length)(const struct spoor_stream *stream, const char *at, size_t size);
    const struct spoor_locator *locator;           /* NULL: addresses have no names */
    const struct spoor_special_registers *special; /* NULL: registers have their usual names */
    bool cpu_is_of_insn;  /* only instructions name their processor, and what follows one has it */
    bool states_security; /* the trace shows security states, and its format adds nothing to an
                           * address that is Secure: SPOOR_SEC_NONE is Secure */
    bool effects_first; /* the file has the effects of an instruction before it, as RTL prints them.
                         * In batches they come after it, and keep their lines; numbers of records
                         * count in this order */
};

enum spoor_spill_what {
    SPOOR_SPILL_LINE,    /* SPOOR_IS_VERBATIM: the source bytes of the record, line end excluded */
    SPOOR_SPILL_UOP,     /* struct spoor_uop_full */
    SPOOR_SPILL_DATA,    /* BUS: data over 16 bytes, least significant first */
    SPOOR_SPILL_PA2,     /* INSN: uint64_t, physical address of the second halfword */
    SPOOR_SPILL_FIELD,   /* any kind: a format's own extra, e.g. padding bytes that must survive */
    SPOOR_SPILL_MEMTYPE, /* MEM: the memory type and shareability as printed */
    SPOOR_SPILL_ORIGIN,  /* MEM: struct spoor_origin */
    SPOOR_SPILL_SYMBOL,  /* "FUNCTION+0xOFFSET (FILE)" of the main address, as printed */
    SPOOR_SPILL_TARGET_SYMBOL, /* FLOW: the same of the target */
    SPOOR_SPILLS
};

/* The instruction that made an access, where the trace states it with the access. */
struct spoor_origin {
    uint64_t pc, index; /* virtual address and number of the instruction */
};

/* Sorted by record, then by `what`: formats add spills in record order. */
struct spoor_spill {
    uint32_t record;
    uint32_t what;
    struct spoor_ref ref;
};

/* A place where the input breaks its format.  Sorted by record. */
struct spoor_fault {
    uint32_t record;        /* index in this batch */
    uint32_t column;        /* 1-based column (text) or byte (binary) within the record, 0: whole */
    const char *rule;       /* the nearest rule, a static string: "uop", "tarmac-it" */
    const char *expected;   /* what was expected, a static string */
    struct spoor_ref found; /* the offending bytes (a few dozen suffice) */
};

/* The members are public because tools read every record; spoor_batch_push(), spoor_batch_bytes()
 * and spoor_batch_place() are inline because formats and tools call them for every record. */
enum { SPOOR_BATCH_OWN = 9 };
struct spoor_batch {
    struct spoor_record *records;
    size_t count, capacity;

    uint64_t first;  /* ordinal of records[0] in its trace, from 0 */
    uint64_t line;   /* text: line number of records[0], from 1; binary, and after a gap: 0 */
    uint64_t offset; /* offset of the first byte of `text` in the decompressed trace */

    char *text; /* the bytes that the records were decoded from, and 64 readable zeros; owned */
    size_t text_size;
    bool continues;  /* the bytes begin inside an over-long line */
    bool unfinished; /* the last line has no newline: an over-long line was cut here */
    bool last;       /* the last batch of the trace */
    bool gap;        /* part of the trace before this batch was not read (samples): `first` counts
                      * the records that were read, and times that are sums of deltas restart */

    char *arena; /* bytes that are not in `text`; owned */
    size_t arena_size;

    struct spoor_spill *spills;
    size_t spill_count;
    struct spoor_fault *faults;
    size_t fault_count;
    bool out_of_memory; /* memory ran out while the batch was filled: the reader turns this into an
                         * error */

    uint32_t *places;   /* multi-record formats (several records per line): see spoor_batch_place();
                         * owned */
    size_t place_count; /* 0: one record per line */

    bool projected; /* a projection was decoded instead of records, so `records` is not filled; all
                     * other members are as if it were.  Never true in a batch from
                     * spoor_reader_next() */

    const struct spoor_stream *stream;

    union { /* the library's own: capacities, and what it knows of the text */
        void *alignment;
        unsigned char bytes[SPOOR_BATCH_OWN * sizeof(void *)];
    } own;
};

/* A zeroed batch is empty.  Clearing keeps the memory for reuse; freeing releases it. */
void spoor_batch_clear(struct spoor_batch *batch);
void spoor_batch_free(struct spoor_batch *batch);

/* The line of the batch (binary: the record of the file) that record `index` was decoded from, from
 * 0. */
static inline size_t spoor_batch_place(const struct spoor_batch *batch, size_t index)
{
    return index < batch->place_count ? batch->places[index] : index;
}
/* The record's line in its trace, from 1; 0 where it is unknown, and in a binary trace. */
uint64_t spoor_batch_line(const struct spoor_batch *batch, size_t index);
/* Offset of the record's first byte in a decompressed binary trace; 0 in a text trace. */
uint64_t spoor_batch_offset(const struct spoor_batch *batch, size_t index);

/* True if record `index` is the header of a binary trace.  Its content follows from the records, so
 * a conversion to a format without a header loses nothing. */
bool spoor_batch_is_header(const struct spoor_batch *batch, size_t index);

/* Appends a zeroed record and returns it.  The pointer is valid until the next push.  Never NULL:
 * when memory runs out, the batch is marked out_of_memory and a scratch record is returned. */
struct spoor_record *spoor_batch_push_slow(struct spoor_batch *batch);
static inline struct spoor_record *spoor_batch_push(struct spoor_batch *batch)
{
    if (batch->count == batch->capacity) return spoor_batch_push_slow(batch);
    struct spoor_record *record = &batch->records[batch->count++];
    memset(record, 0, sizeof *record);
    return record;
}

/* Ensures capacity for `more` records after the last and returns a pointer to the first of them;
 * the caller fills them and raises `count`.  NULL if memory runs out: the batch is then marked
 * out_of_memory. */
struct spoor_record *spoor_batch_reserve(struct spoor_batch *batch, size_t more);

/* The bytes that a reference points at: in `text`, or in `arena` where the top bit is set.  Never
 * NULL: an absent reference gives an empty string, also in a batch that has no bytes. */
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
    const struct spoor_ref ref = {(uint32_t)(bytes - batch->text), (uint32_t)size};
    return ref;
}

/* Copies `size` bytes into the arena and returns a reference to them; an absent one if memory runs
 * out: the batch is then marked out_of_memory. */
struct spoor_ref spoor_batch_keep(struct spoor_batch *batch, const void *bytes, size_t size);

/* Adds a spill for the record pushed last; sets SPOOR_IS_SPILLED, or SPOOR_IS_VERBATIM for
 * SPOOR_SPILL_LINE. */
void spoor_batch_spill(struct spoor_batch *batch, enum spoor_spill_what what, struct spoor_ref ref);
/* Finds a spill of record `index`; false if it has none of this kind. */
bool spoor_batch_find_spill(const struct spoor_batch *batch, size_t index,
                            enum spoor_spill_what what, struct spoor_ref *ref);

/* The bytes that a fault found, quoted, with unprintable bytes as \xNN, truncated to a readable
 * length, or "the end of the line" where no bytes were left.  `words` is the caller's buffer for
 * the text. */
enum { SPOOR_FOUND_CAPACITY = 208 };
const char *spoor_fault_found(const struct spoor_batch *batch, const struct spoor_fault *fault,
                              char words[SPOOR_FOUND_CAPACITY]);

/* Makes *to a batch without records at the place of `from`, whose text and arena it quotes: for
 * records that a program selects of `from` or makes of them.  `to->records`, `to->spills` and
 * `to->faults` are NULL; the caller sets them to arrays of its own.  *to is valid as long as `from`
 * and is not freed. */
void spoor_batch_quote(struct spoor_batch *to, const struct spoor_batch *from);
/* Appends the spills and the faults of the records `begin` to `end` - 1 of `from` to a batch that
 * quotes it, as those of the records from `to->count` on, which the caller appends.  `to->spills`
 * and `to->faults` have capacity for them. */
void spoor_batch_quote_lists(struct spoor_batch *to, const struct spoor_batch *from, size_t begin,
                             size_t end);

/* The numbers of a micro-op that the record itself holds; these are all of them if none is
 * spilled. */
static inline struct spoor_uop_full spoor_uop_held(const struct spoor_uop *uop)
{
    struct spoor_uop_full full;
    memset(&full, 0, sizeof full);
    full.pc = uop->pc;
    full.address = uop->address;
    full.fall = uop->pc + (uint64_t)(int64_t)uop->fall;
    full.target = uop->target;
    full.immediate = uop->immediate;
    full.step = uop->step;
    full.src1 = uop->src1;
    full.src2 = uop->src2;
    full.dest = uop->dest;
    return full;
}
/* Every number of a micro-op in its full range, spilled or not. */
struct spoor_uop_full spoor_uop_spilled(const struct spoor_batch *batch, size_t index);
static inline struct spoor_uop_full spoor_uop_of(const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    return record->has & SPOOR_IS_SPILLED ? spoor_uop_spilled(batch, index)
                                          : spoor_uop_held(&record->uop);
}

/* The unit of the record's time ("clk", "ps"): that of its spelling, else of its format; "" if
 * none. */
const char *spoor_record_unit(const struct spoor_batch *batch, const struct spoor_record *record);

/* True if record `index` is the INSN with which the log of a pipeline states that an instruction
 * retired or was squashed: the record after it is its last stage, and continues it. */
static inline bool spoor_record_ends_stages(const struct spoor_batch *batch, size_t index)
{
    if (index + 1 >= batch->count || batch->records[index].kind != SPOOR_INSN) return false;
    const struct spoor_record *next = &batch->records[index + 1];
    return (next->has & SPOOR_CONTINUES) && next->kind == SPOOR_EVENT &&
           next->op == SPOOR_EVENT_STAGE;
}

/* Some bytes, not NUL-terminated. */
struct spoor_slice {
    const char *bytes;
    size_t size;
};

#ifdef __cplusplus
}
#endif

#endif
