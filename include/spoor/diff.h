/* SPDX-License-Identifier: MIT */
/*
 * diff.h: compare two traces.
 *
 * The unit of comparison is the instruction with its effects: its address, its opcode, the
 * registers that it wrote, the memory that it accessed.  Both traces are read once, in parallel, in
 * bounded memory; the instructions of each processor are matched separately.  Where the traces
 * diverge, the comparison finds the point where they converge again and continues there, so one
 * missing instruction is one gap and not a thousand mismatches.  A wrong value whose sources were
 * right is a root; a wrong value that was computed from wrong values is a consequence of a root.
 *
 * Any readable format can be compared with any other.  Fields that one of the two formats cannot
 * represent are not compared, and the report lists them.  docs/compare.md explains every rule.
 *
 *     spoor_diff_new(&diff, &options, &error);
 *     spoor_diff_rule(diff, "ignore cpsr", &error);
 *     spoor_diff_run(diff, inputs, &error);         left and right
 *     if (spoor_diff_verdict(diff) == SPOOR_VERDICT_DIFFER)
 *         for (size_t i = 0; spoor_diff_difference(diff, i, &difference); i++) ...
 *     spoor_diff_free(diff);
 */
#ifndef SPOOR_DIFF_H
#define SPOOR_DIFF_H

#include "annotate.h"
#include "batch.h"
#include "result.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Differences that may be accepted, each by its name: X(ID, name, what is accepted) */
#define SPOOR_TOLERANCE_TABLE(X)                                                                   \
    X(INITIAL_STATE, "initial-state", "effects printed before the first instruction")              \
    X(UNCHANGED_WRITES, "unchanged-writes",                                                        \
      "a register write on one side only that wrote the value already there")                      \
    X(SPLIT_MEMORY, "split-memory", "one access printed as several (8 bytes as 4 and 4)")          \
    X(MEMORY_ORDER, "memory-order", "accesses of one instruction printed in another order")        \
    X(PAIR_LOADS, "pair-loads", "a load of a pair printed as a write of both (gem5: LDP as MW16)") \
    X(NOT_TAKEN, "not-taken", "whether an instruction's condition failed")                         \
    X(MODE, "mode", "processor mode")                                                              \
    X(PHYSICAL, "physical", "physical addresses")                                                  \
    X(SIGN_EXTENSION, "sign-extension",                                                            \
      "a 32-bit number on one side and the same, sign-extended to 64 bits, on the other")          \
    X(HOST_CALLS, "host-calls",                                                                    \
      "the register in which the host answers a semihosting or system call, on one side only")     \
    X(EVENTS, "events", "exceptions and interrupts that one side does not print")                  \
    X(ONE_SIDED_EVENT, "one-sided-interrupt",                                                      \
      "a stretch that only one side runs, from an interrupt to its return")                        \
    X(MOVED_EVENT, "moved-interrupt", "an interrupt that one side takes some instructions later")  \
    X(TAIL, "longer-tail", "records of the longer trace after the end of the shorter (-sr)")

enum spoor_tolerance {
#define SPOOR_TOLERANCE_ID(id, name, what) SPOOR_TOLERATE_##id,
    SPOOR_TOLERANCE_TABLE(SPOOR_TOLERANCE_ID)
#undef SPOOR_TOLERANCE_ID
        SPOOR_TOLERANCES
};
const char *spoor_tolerance_name(enum spoor_tolerance tolerance); /* "split-memory" */
const char *spoor_tolerance_what(enum spoor_tolerance tolerance); /* what is accepted, one line */

/* The class of a difference: X(ID, name, what differs) */
#define SPOOR_DIFF_CLASS_TABLE(X)                                                         \
    X(FLOW, "flow", "another instruction is executed")                                    \
    X(OPCODE, "opcode", "another opcode at the same place")                               \
    X(MISSING, "missing", "only the left trace has it")                                   \
    X(EXTRA, "extra", "only the right trace has it")                                      \
    X(REGISTER, "register", "the same value went to another register")                    \
    X(VALUE, "value", "a register's value")                                               \
    X(VALUE_SIGN, "value-sign", "a value that differs by sign extension or sign")         \
    X(VALUE_BIT, "value-one-bit", "a value that differs in one bit")                      \
    X(VALUE_UPPER, "value-upper-half", "a value whose lower half is right")               \
    X(VALUE_ENDIAN, "value-endian", "a value with its bytes reversed")                    \
    X(VALUE_STEP, "value-off-by-one", "a value that is one too large or too small")       \
    X(MEMORY_KIND, "memory-kind", "a read against a write")                               \
    X(MEMORY_ADDRESS, "memory-address", "the address of an access")                       \
    X(MEMORY_PHYSICAL, "memory-physical", "the physical address of an access or a fetch") \
    X(MEMORY_SIZE, "memory-size", "the size of an access")                                \
    X(MEMORY_DATA, "memory-data", "the data of an access")                                \
    X(MEMORY_ORDER, "memory-order", "the order of the accesses of one instruction")       \
    X(MODE, "mode", "processor mode")                                                     \
    X(EXECUTED, "executed", "whether the instruction's condition failed")                 \
    X(EVENT, "event", "an exception or interrupt on one side")                            \
    X(FIELD, "field", "another field of the record")                                      \
    X(TIME, "time", "the time")                                                           \
    X(TRUNCATION, "truncation", "one trace ends before the other")                        \
    X(MOVED_EVENT, "moved-interrupt", "one side takes the interrupt later")               \
    X(RETIRED_ORDER, "order", "the same instructions in another order")                   \
    X(DOUBLED, "doubled", "an instruction that one trace has twice in a row")             \
    X(EXCHANGED, "exchanged", "two stores with each other's address and data")

enum spoor_diff_class {
#define SPOOR_DIFF_CLASS_ID(id, name, what) SPOOR_DIFF_##id,
    SPOOR_DIFF_CLASS_TABLE(SPOOR_DIFF_CLASS_ID)
#undef SPOOR_DIFF_CLASS_ID
        SPOOR_DIFF_CLASSES
};
const char *spoor_diff_class_name(enum spoor_diff_class difference);
const char *spoor_diff_class_what(enum spoor_diff_class difference);

enum spoor_verdict {
    SPOOR_VERDICT_EQUAL,
    SPOOR_VERDICT_DIFFER,
    SPOOR_VERDICT_LOST,    /* the traces diverged and did not converge again within the lookahead */
    SPOOR_VERDICT_NOTHING, /* nothing was compared */
    SPOOR_VERDICT_UNDECIDED, /* no difference was found, but parts of the traces, which are not the
                              * same on both sides, could not be read, or what a side states later
                              * only was not compared */
};
/* "equal", "differ", "lost-sync", ... */
const char *spoor_verdict_name(enum spoor_verdict verdict);

struct spoor_diff_options {
    size_t struct_size;    /* sizeof this struct */
    uint64_t window;       /* number of units within which equal units may come in another order; 0,
                            * 1: none */
    uint64_t window_ticks; /* the same in units of the traces' time; 0: none */
    uint64_t lookahead;    /* maximum number of units searched for the point where the traces
                            * converge; 0: 65,536 */
    uint64_t skip;         /* instructions at the beginning of both traces that are not compared */
    bool has_start;        /* both traces begin at the instruction at address `start` */
    uint64_t start;
    bool by_record;    /* compare record by record, not instruction by instruction */
    bool no_omissions; /* instructions that a format omits by its nature are gaps, too */
    bool first_only;   /* stop at the first difference */
    bool no_repeats;   /* ignore records that differ from the previous one only in time */
    bool compare_time; /* compare the time too */
    uint64_t retained; /* number of roots, and of consequences, that the report details; 0: 20 */
    spoor_disassemble *disassemble; /* for instructions whose text the trace lacks; NULL: none */
    void *context;                  /* its first argument */
    bool omits[2]; /* left, right: the trace is incomplete: what it omits is no difference */
    /* left, right: what spoor_diff_stated() of a comparison of these traces returned; 0: what a
     * trace states at its beginning decides what is compared */
    uint32_t stated[2];
};

/* The source of a side's batches: spoor_reader_next() or a function around it. */
struct spoor_diff_input {
    enum spoor_status (*next)(void *context, const struct spoor_batch **batch,
                              struct spoor_error *error);
    void *context;
    const struct spoor_stream *stream;
};

struct spoor_diff;

/* On SPOOR_OK the caller owns *diff. */
enum spoor_status spoor_diff_new(struct spoor_diff **diff, const struct spoor_diff_options *options,
                                 struct spoor_error *error);
/* Adds a rule.  If it is invalid, `error` has a message.  Blank lines and lines that begin with #
 * are ignored.
 *
 *   tolerate NAME            accept a tolerance
 *   ignore REGISTER          do not compare the register, those that match a pattern ("m*"), or
 *                            those of a group: csr, fcsr
 *   mask REGISTER HEX        compare only these bits of the register
 *   volatile REGISTER        values read from it may differ, and values computed from those
 *   volatile HEX:HEX         the same for memory, both ends included
 *   cpu LEFT=RIGHT           compare processor LEFT of the left trace with RIGHT of the right one;
 *                            processors that no such rule names are not compared
 *   waive KEY=VALUE... [# reason]
 *                            accept differences that match every key: class=, pc=HEX[:HEX], reg=,
 *                            mem=HEX[:HEX], opcode=MNEMONIC, record=N[:N] (of the left trace) */
enum spoor_status spoor_diff_rule(struct spoor_diff *diff, const char *rule,
                                  struct spoor_error *error);
/* Compares both traces to their ends; call it once.  SPOOR_OK for any verdict. */
enum spoor_status spoor_diff_run(struct spoor_diff *diff, const struct spoor_diff_input inputs[2],
                                 struct spoor_error *error);
/* A side ended before the end of its trace, which could not be read: the verdict is UNDECIDED where
 * it would be EQUAL.  Call it after spoor_diff_run().  (Faults of batches need no call.) */
void spoor_diff_doubt(struct spoor_diff *diff);
enum spoor_verdict spoor_diff_verdict(const struct spoor_diff *diff);
/* What a side, 0 (left) or 1 (right), states later only, and what was not compared for that reason:
 * the verdict is UNDECIDED where it would be EQUAL.  Another comparison whose options have it
 * compares it, too.  0: there is nothing like that. */
uint32_t spoor_diff_stated(const struct spoor_diff *diff, unsigned side);
/* Fills a tree: verdict, compared, mismatches, roots, consequences, gaps, first, differences,
 * by_class, by_opcode, waived, tolerances, rules and what was not compared.  Before
 * spoor_diff_run(), nothing was. */
enum spoor_status spoor_diff_report(const struct spoor_diff *diff, struct spoor_result *result);
void spoor_diff_free(struct spoor_diff *diff);

/* ---- the differences, one by one ---- */

/* A difference that the comparison retained.  Arrays have the left side and the right side. */
struct spoor_difference {
    size_t struct_size;         /* sizeof this struct; 0: as in version 0.1 */
    enum spoor_diff_class kind; /* of several fields, that of the first */
    bool gap;                   /* instructions of one side, or of both, that have no partner */
    bool consequence; /* of a wrong value that was computed before; else the difference is a root */
    const char *cpu;  /* the processor's name, which the comparison owns; NULL: there is one only */
    uint64_t record[2];  /* the first record of the instruction, from 0; of a gap, its beginning */
    uint64_t line[2];    /* text: the line of that record, from 1; binary: 0 */
    bool ended[2];       /* the trace of the side has no instruction there any more */
    bool has_pc[2];      /* the instruction has an address: */
    uint64_t pc[2];      /* ... this one */
    uint64_t skipped[2]; /* gap: number of instructions without a partner */
    unsigned fields;     /* number of fields that differ; 0 in a gap */
    bool has_time[2];    /* the instruction has a time: */
    uint64_t time[2];    /* ... this one */
    bool has_root;       /* of a consequence; of several wrong sources, the root found first: */
    size_t root;         /* ... the index of this difference, which comes before it */
    uint64_t consequences; /* of a root: all that have it, retained or not */
};
/* The number of differences that were not retained, and the first record of each side that one of
 * them has. */
uint64_t spoor_diff_unretained(const struct spoor_diff *diff, uint64_t first[2]);
/* Fills in difference `index`, from 0, in the order of their finding; false: there is none.  At
 * most `retained` of the options roots were retained, and as many consequences. */
bool spoor_diff_difference(const struct spoor_diff *diff, size_t index,
                           struct spoor_difference *difference);

enum { SPOOR_DIFF_WORDS = 160, SPOOR_DIFF_FIELDS = 16 };
/* A field that differs. */
struct spoor_difference_field {
    size_t struct_size; /* sizeof this struct; 0: as in version 0.1 */
    enum spoor_diff_class kind;
    bool control;                 /* a control register of RISC-V, by its name */
    char name[SPOOR_DIFF_WORDS];  /* "x8", "pc", "read" */
    char words[SPOOR_DIFF_WORDS]; /* "x8: 0x1f against 0x1e, bits 0x1 differ" */
};
/* Fills in field `number`, from 0, of difference `index`; false: there is none.  The first
 * SPOOR_DIFF_FIELDS fields are known. */
bool spoor_diff_field(const struct spoor_diff *diff, size_t index, unsigned number,
                      struct spoor_difference_field *field);
/* Writes the instruction of a side, 0 (left) or 1 (right), of difference `index` to `words`, and
 * returns them: "80000004 00b50533 add a0,a0,a1"; "" where the side has none. */
const char *spoor_diff_instruction(const struct spoor_diff *diff, size_t index, unsigned side,
                                   char words[SPOOR_DIFF_WORDS]);

/* A row of both sides next to each other.  The texts last until the call returns. */
struct spoor_diff_row {
    const char *sides[2]; /* an instruction or one of its effects; "": the side has none */
    bool effect;          /* of the instruction in a row above */
    char mark;            /* ' ' equal, or not compared; '|' they differ; '<' only left; '>' only
                           * right; '~' they look different, and that is accepted */
};
typedef void spoor_diff_show(void *context, const struct spoor_diff_row *row);
/* Calls `show` for each row of difference `index`, in order: instructions that agree share a row,
 * and so do effects on the same register, field or access.  The first difference has up to four
 * instructions before and after it.  Nothing if there is no such difference. */
void spoor_diff_rows(const struct spoor_diff *diff, size_t index, spoor_diff_show *show,
                     void *context);

#ifdef __cplusplus
}
#endif

#endif
