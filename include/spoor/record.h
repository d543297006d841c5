/* SPDX-License-Identifier: MIT */
/*
 * record.h: the record that every format produces and every tool consumes.
 *
 * A record is 64 bytes, one cache line: a 16-byte head that all kinds share and a 48-byte body by
 * kind.  Absence is a presence bit, never a zero.  Content that does not fit (a 2048-bit register,
 * a number wider than its field) lies in the batch, in a sorted spill list; see batch.h.
 *
 * One record is one line of a text trace or one fixed-size record of a binary trace, in order, and
 * none is left out: comments, blank lines and lines that no rule recognises are NOTE records.
 * Where one line states several events (in a commit log: an instruction, the registers it wrote,
 * its accesses), each event is a record.  The first is the instruction.  The others follow it
 * directly and have SPOOR_CONTINUES.
 */
#ifndef SPOOR_RECORD_H
#define SPOOR_RECORD_H

#include <stdint.h>

#include "names.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The event that a record describes.  Append only: the numbers are stable. */
enum spoor_kind {
    SPOOR_NOTE,    /* text that is not an event of the machine: unknown, blank, comment, trailing
                    * bytes */
    SPOOR_UOP,     /* one micro-op (CIS501) */
    SPOOR_INSN,    /* one instruction, executed or skipped (Tarmac IT/IS, Trace Matcher) */
    SPOOR_FLOW,    /* a branch without its instruction (Tarmac FD/FI/FR, branch traces) */
    SPOOR_REG,     /* a register was written (Tarmac R) or read */
    SPOOR_MEM,     /* the processor read, wrote or atomically updated memory (Tarmac MR/MW/MU) */
    SPOOR_BUS,     /* a transaction at the pins (BYU; Tarmac B), or on a bus (STF) */
    SPOOR_CACHEOP, /* a maintenance operation (Tarmac CACHE MAINTENANCE) */
    SPOOR_CACHE,   /* a line moved into or out of a cache (Tarmac CACHE ... LINE) */
    SPOOR_WALK,    /* a translation table was read or updated (Tarmac TTW/TTU) */
    SPOOR_TLB,     /* a translation was filled or evicted (Tarmac TLB/WALKCACHE) */
    SPOOR_EVENT, /* an exception, an interrupt, a mode change, a signal (Tarmac E, SIGNAL, CADI) */
    SPOOR_KINDS
};

/* Presence bits of the head.  The low eight state which optional parts the record has, the high
 * eight how the record was written in the file. */
enum spoor_has {
    SPOOR_HAS_TIME = 1 << 0,  /* the file states a time; else `time` is that of the last record */
    SPOOR_HAS_CPU = 1 << 1,   /* the file names a processor or agent */
    SPOOR_HAS_VA = 1 << 2,    /* the main address has a virtual part */
    SPOOR_HAS_PA = 1 << 3,    /* the main address has a physical part */
    SPOOR_HAS_PA2 = 1 << 4,   /* FLOW: the target has a physical part */
    SPOOR_HAS_DATA = 1 << 5,  /* data or value is known (WALK: the descriptor; FLOW: the target) */
    SPOOR_HAS_INDEX = 1 << 6, /* INSN, FLOW: the instruction index; EVENT: the number */
    SPOOR_HAS_EXTRA = 1 << 7, /* EVENT: value1; INSN: a mode; WALK, TLB: attributes; FLOW: it is not
                               * stated whether the branch was taken */
    SPOOR_IS_VERBATIM = 1 << 8, /* verbatim: no spelling fits, and the batch holds the source
                                 * bytes */
    SPOOR_IS_SPILLED = 1 << 9,  /* part of the record lies in the batch's spill list */
    SPOOR_EOL_CRLF = 1 << 10,   /* text: the line ends in CR LF */
    SPOOR_EOL_NONE = 1 << 11,  /* text: no newline follows (end of file, or a cut over-long line) */
    SPOOR_IS_FAULTY = 1 << 12, /* the batch has a fault for this record */
    SPOOR_CONTINUES = 1 << 13, /* a further event of the line, or binary record, of the previous
                                * record: it has no line of its own in the file */
    SPOOR_AFTER_GAP = 1 << 14, /* a selection left out instructions of the record's processor before
                                * it: nothing led from the instruction before to this one.  No
                                * format reads or writes it */
};

/* Security of one address, as dialects spell it after a physical address. */
enum spoor_security {
    SPOOR_SEC_NONE,  /* no suffix: Secure where spoor_stream.states_security, else unknown */
    SPOOR_SEC_S,     /* _S */
    SPOOR_SEC_NS,    /* _NS */
    SPOOR_SEC_REALM, /* _RL */
    SPOOR_SEC_ROOT,  /* _RT */
};

/* A range of bytes of a batch: see spoor_batch_bytes().  Size 0 means "absent". */
struct spoor_ref {
    uint32_t at;
    uint32_t size;
};

/* ---- NOTE ---- op: */
enum spoor_note_op {
    SPOOR_NOTE_UNKNOWN,  /* no rule recognises it (a fault names the nearest rule) */
    SPOOR_NOTE_BLANK,    /* white space only */
    SPOOR_NOTE_COMMENT,  /* the format or its users mark it as a comment */
    SPOOR_NOTE_HEADER,   /* a title line of the producer */
    SPOOR_NOTE_TRAILING, /* bytes after the last whole record of a binary trace */
    SPOOR_NOTE_REST,     /* a further part of an over-long line, whose first part is UNKNOWN */
    SPOOR_NOTE_LEFT_OUT, /* a selection left out the record (spoor_cut_mask()), whose place this is.
                          * No format reads or writes it */
};
/* What does not hold after a record that was left out. */
enum spoor_missing {
    SPOOR_MISSING_NOTHING,
    SPOOR_MISSING_FLOW,  /* an instruction: nothing led from the one before to the next one */
    SPOOR_MISSING_STATE, /* registers and memory may have other values, too */
};
struct spoor_note {
    struct spoor_ref text; /* the line without its line end, or the bytes */
};
/* Of LEFT_OUT instead: the record that was left out. */
struct spoor_left_out {
    struct spoor_ref text; /* none */
    spoor_name cpu;        /* 0: none was named */
    uint8_t missing;       /* enum spoor_missing */
    bool is_several;       /* it stands for an unknown number of instructions */
    bool is_insn; /* one instruction; the rest, as in struct spoor_insn, is of a numbered one */
    uint8_t iset; /* 0: it is not numbered */
    uint8_t opcode_size;
    uint32_t opcode;
    uint64_t index, pc;
};

/* ---- UOP ---- op is a set of these bits (CIS501 fields Flags, Branch, Ld/St): */
enum spoor_uop_op {
    SPOOR_UOP_READS_FLAGS = 1 << 0,
    SPOOR_UOP_WRITES_FLAGS = 1 << 1,
    SPOOR_UOP_TAKEN = 1 << 2,
    SPOOR_UOP_NOT_TAKEN = 1 << 3,
    SPOOR_UOP_LOAD = 1 << 4,
    SPOOR_UOP_STORE = 1 << 5,
};
/* Where a number does not fit (a micro-op number or register outside 16 bits, a fall-through over 2
 * GiB away), the record is SPILLED and spoor_uop_of() returns every field in its full range. */
struct spoor_uop {
    uint64_t pc, address, target;
    int64_t immediate;
    int32_t fall;             /* fall-through pc minus pc */
    int16_t src1, src2, dest; /* register numbers; -1 none */
    uint16_t step;            /* the Uop field: counts from 1 within a macro-op */
    spoor_name macro, micro;  /* opcodes */
};
/* All number fields of a micro-op in their full ranges. */
struct spoor_uop_full {
    uint64_t pc, address, fall, target;
    int64_t immediate;
    int32_t step, src1, src2, dest;
};

/* ---- INSN ---- op: */
enum spoor_insn_op {
    SPOOR_INSN_SKIPPED,  /* its condition failed (Tarmac IS) */
    SPOOR_INSN_TAKEN,    /* it was executed (Tarmac IT) */
    SPOOR_INSN_AGAIN,    /* the instruction of the previous INSN record, printed again by another of
                          * the producer's logs, or a further iteration of it (rep of x86), which is
                          * not fetched: not a second instruction */
    SPOOR_INSN_SQUASHED, /* it left the pipeline without retiring: it was not executed */
};
struct spoor_insn {
    uint64_t va, pa;         /* fetch address: presence HAS_VA, HAS_PA */
    uint64_t index;          /* instruction index, HAS_INDEX */
    uint64_t opcode;         /* opcode_size bytes, HAS_DATA */
    struct spoor_ref disasm; /* disassembly as printed */
    spoor_name mode;         /* as printed ("EL3h_s", "svc"), HAS_EXTRA */
    uint8_t iset;            /* letter of Tarmac: 'A' A32, 'T' T32, 'X' T32EE, 'O' A64, 'C' C64 of
                              * Morello, 0 absent; of drmemtrace also 'I' x86 (the first byte of the opcode is
                              * its            highest), 'R' registers and dependences instead of code */
    uint8_t opcode_size;     /* bytes: 2, 4 or 8; x86: 1 to 15, with an opcode up to 8 */
    uint8_t security;        /* enum spoor_security of pa */
    uint8_t reserved[3];
};

/* ---- FLOW ---- op: */
enum spoor_flow_op {
    SPOOR_FLOW_DIRECT,   /* Tarmac FD */
    SPOOR_FLOW_INDIRECT, /* FI */
    SPOOR_FLOW_RETURN,   /* FR */
    SPOOR_FLOW_BRANCH,   /* the file states only where execution continues (ES's BR) */

    /* Branch traces also state the type of a branch and whether it was taken. */
    SPOOR_FLOW_TYPED = 1 << 4,     /* the low four bits are enum spoor_flow_type; without it, see
                                    * above */
    SPOOR_FLOW_NOT_TAKEN = 1 << 5, /* execution continued after the branch, not at the target */
};
/* The low bits of op where it has SPOOR_FLOW_TYPED; no bit: an unconditional direct jump. */
enum spoor_flow_type {
    SPOOR_FLOW_IS_CONDITIONAL = 1 << 0,
    SPOOR_FLOW_IS_INDIRECT = 1 << 1, /* the target comes from a register or memory */
    SPOOR_FLOW_IS_RETURN = 1 << 2,
    SPOOR_FLOW_IS_CALL = 1 << 3,
};
struct spoor_flow {
    uint64_t va, pa;    /* the branch, HAS_VA / HAS_PA */
    uint64_t target;    /* where execution continues when the branch is taken, HAS_DATA */
    uint64_t target_pa; /* HAS_PA2 */
    uint64_t index;     /* HAS_INDEX */
    uint8_t iset;       /* after the branch */
    uint8_t security, target_security;
    uint8_t reserved;
    uint32_t number; /* the file's number in place of an index.  SBBT: instructions since the
                      * previous branch, this one included; BT9: the edge; else 0 */
};

/* ---- REG ---- op: */
enum spoor_reg_op {
    SPOOR_REG_WRITE,
    SPOOR_REG_SYSTEM, /* a system operation (TLBI, DC, IC, AT) */
    SPOOR_REG_READ,   /* the register was read, not written (ChampSim) */
};
struct spoor_reg {
    uint64_t value[2];     /* value[0] the low 64 bits; unused where wide.size is not 0 */
    struct spoor_ref wide; /* over 128 bits: bytes, least significant first */
    uint32_t unknown;      /* bit i: hex digit i (from the lowest) is unknown or not printed */
    spoor_name name;       /* as printed: "X0", "r13_mon", "cpsr" */
    spoor_name note;       /* annotation or bank as printed ("(MSP)", "(USR)"), or none */
    uint16_t bits;         /* width of the value in bits */
    uint16_t low;          /* the lowest bit written, where a bit range is given; else 0 */
    uint16_t high;         /* the highest bit written; 0 with low 0: the whole register */
    uint16_t reserved;
};

/* ---- MEM ---- op: */
enum spoor_mem_op {
    SPOOR_MEM_READ,
    SPOOR_MEM_WRITE,
    /* Atomic updates (Tarmac MU), at a physical address: */
    SPOOR_MEM_ADD,
    SPOOR_MEM_BIC,
    SPOOR_MEM_CAS,
    SPOOR_MEM_EOR,
    SPOOR_MEM_ORR,
    SPOOR_MEM_SMAX,
    SPOOR_MEM_SMIN,
    SPOOR_MEM_SWP,
    SPOOR_MEM_UMAX,
    SPOOR_MEM_UMIN,
    SPOOR_MEM_FETCH,      /* din, lackey: instruction fetch */
    SPOOR_MEM_MODIFY,     /* lackey: read and write of the same bytes */
    SPOOR_MEM_MISC,       /* extended din 'm': an access of unspecified kind */
    SPOOR_MEM_COPY_BACK,  /* extended din 'c': copy a dirty line back; a request, not a reference */
    SPOOR_MEM_INVALIDATE, /* extended din 'v': invalidate a line; a request, not a reference */
    SPOOR_MEM_TO_COPROCESSOR, /* Tarmac MCW ... TRANSFER: a register transfer, without an address */
    SPOOR_MEM_FROM_COPROCESSOR, /* Tarmac MCR ... TRANSFER */
    SPOOR_MEM_PREFETCH,         /* drmemtrace: a software prefetch of data; moves none to the cpu */
    SPOOR_MEM_PREFETCH_CODE,    /* the same of instructions */
    SPOOR_MEM_OPS
};
enum spoor_mem_attr {
    SPOOR_MEM_EXCLUSIVE = 1 << 0,  /* Tarmac X */
    SPOOR_MEM_TRANSLATED = 1 << 1, /* T: unprivileged access */
    SPOOR_MEM_LOCKED = 1 << 2,     /* Tarmac L */
    SPOOR_MEM_PRIVILEGED = 1 << 3, /* Trace Matcher X */
    SPOOR_MEM_ABORTED = 1 << 4,    /* the access failed: no data */
    SPOOR_MEM_GAPS = 1 << 5,       /* bytes between the first and the last were not accessed:
                                    * `unknown` includes them */
};
struct spoor_mem {
    uint64_t va, pa;       /* HAS_VA, HAS_PA */
    uint64_t data[2];      /* as a number, data[0] the low half; HAS_DATA; unused where wide */
    struct spoor_ref wide; /* over 16 bytes: least significant byte first */
    uint16_t size;         /* bytes; 0: the trace does not state it */
    uint16_t unknown;      /* bit i: byte i (from the lowest) is unknown or not accessed */
    uint8_t attr;          /* enum spoor_mem_attr */
    uint8_t security;
    uint16_t data_digits; /* text: hex digits that the data was written with; else 0 */
};

/* ---- BUS ---- op (the union of all formats' operations): */
enum spoor_bus_op {
    SPOOR_BUS_UNDEFINED, /* the format's document does not define this code: see `code` */
    SPOOR_BUS_FETCH,
    SPOOR_BUS_READ,
    SPOOR_BUS_READ_INVALIDATE,
    SPOOR_BUS_WRITE,
    SPOOR_BUS_WRITEBACK,
    SPOOR_BUS_IO_READ,
    SPOOR_BUS_IO_WRITE,
    SPOOR_BUS_DEFER_REPLY,
    SPOOR_BUS_INT_ACK,
    SPOOR_BUS_AGENT,
    SPOOR_BUS_BRANCH_TRACE,
    SPOOR_BUS_SPECIAL,
    SPOOR_BUS_SHUTDOWN,
    SPOOR_BUS_FLUSH,
    SPOOR_BUS_HALT,
    SPOOR_BUS_SYNC,
    SPOOR_BUS_FLUSH_ACK,
    SPOOR_BUS_STOPCLK_ACK,
    SPOOR_BUS_SMI_ACK,
    SPOOR_BUS_OPS
};
/* attr: BYU 12-byte: the attribute byte, raw (two low bits: 0 uncacheable, 1 write through,
 * 2 write protect, 3 write back).  BYU 6-byte: BUS_NONCACHEABLE.  Tarmac B: the rest. */
enum spoor_bus_attr {
    SPOOR_BUS_NONCACHEABLE = 1 << 8, /* 6-byte: NC_I_FETCH, NC_D_READ */
    SPOOR_BUS_OPCODE_FETCH = 1 << 9, /* Tarmac I (else D) */
    SPOOR_BUS_LOCKED = 1 << 10,      /* Tarmac L */
    SPOOR_BUS_EXCLUSIVE = 1 << 11,   /* Tarmac X */
    SPOOR_BUS_PRIVILEGED = 1 << 12,  /* Tarmac P */
    SPOOR_BUS_SECURE = 1 << 13,      /* Tarmac S (else N) */
};
/* Which fields the record has, of those that logic analysers write (STF: delta and enables). */
enum spoor_bus_given {
    SPOOR_BUS_GIVEN_TYPE = 1 << 0,      /* code is a request type of the 12-byte record */
    SPOOR_BUS_GIVEN_CONTROL = 1 << 1,   /* code is a control byte of the 6-byte record */
    SPOOR_BUS_GIVEN_ENABLES = 1 << 2,   /* enables */
    SPOOR_BUS_GIVEN_DELTA = 1 << 3,     /* delta */
    SPOOR_BUS_GIVEN_ATTRIBUTE = 1 << 4, /* low byte of attr */
    SPOOR_BUS_GIVEN_AGENT = 1 << 5,     /* agent */
    SPOOR_BUS_GIVEN_CYCLE = 1 << 6,     /* a cycle of RTL (BNR4___I): attr has the fetch bit only */
};
/* Cacheability of Tarmac B, one bit for each letter that is printed (W R C B S): five bits for the
 * inner attributes (low) and five for the outer ones (shifted by 5). */
enum spoor_bus_cacheability {
    SPOOR_BUS_W = 1 << 4,
    SPOOR_BUS_R = 1 << 3,
    SPOOR_BUS_C = 1 << 2,
    SPOOR_BUS_B = 1 << 1,
    SPOOR_BUS_S = 1 << 0,
};
struct spoor_bus {
    uint64_t address;      /* physical, as the file has it */
    uint64_t data[2];      /* HAS_DATA, as a little-endian number; over 16 bytes: spilled */
    uint64_t delta;        /* clock ticks since the last request, raw (BYU: first FFFFFFFF) */
    spoor_name master;     /* Tarmac B: master id as printed; STF: the source */
    uint16_t attr;         /* enum spoor_bus_attr, low byte: BYU attribute byte */
    uint16_t size;         /* bytes; with byte enables: number of enabled lanes */
    uint16_t cacheability; /* Tarmac B */
    uint8_t code;          /* BYU: request type (12-byte) or control byte (6-byte), raw */
    uint8_t enables;       /* 6-byte, STF: byte enables, raw: a 0 bit means requested */
    uint8_t agent;         /* BYU 12-byte: processor or agent id */
    uint8_t given;         /* enum spoor_bus_given */
    uint16_t data_digits;  /* text: hex digits that the data was written with; else 0 */
    uint8_t reserved[2];
};

/* ---- CACHEOP ---- side, operation and scope as printed, each one or more words */
struct spoor_cacheop {
    uint64_t va, pa; /* by address: HAS_VA, HAS_PA; by set/way or all: va is raw data */
    spoor_name side, operation, scope;
    spoor_name region, memory_type; /* size of the region, type of memory; none if absent */
    uint8_t security;
    uint8_t reserved[21];
};

/* ---- CACHE ---- op: */
enum spoor_cache_op {
    SPOOR_CACHE_ALLOC,
    SPOOR_CACHE_INVAL,
    SPOOR_CACHE_DIRTY,
    SPOOR_CACHE_CLEAN,
    SPOOR_CACHE_FILL,
    SPOOR_CACHE_EVICT,
    SPOOR_CACHE_OPS
};
struct spoor_cacheline {
    uint64_t pa;     /* HAS_PA */
    uint64_t line;   /* identifier of the line within its cache */
    spoor_name unit; /* which cache, as printed */
    uint8_t security;
    uint8_t reserved[29];
};

/* ---- WALK ---- op: */
enum spoor_walk_op { SPOOR_WALK_READ /* TTW */, SPOOR_WALK_UPDATE /* TTU */ };
enum spoor_walk_result {
    SPOOR_WALK_ABORTED,
    SPOOR_WALK_FAULT,
    SPOOR_WALK_RESERVED,
    SPOOR_WALK_TABLE,
    SPOOR_WALK_BLOCK,
    SPOOR_WALK_SUPERSECTION,
    SPOOR_WALK_SECTION,
    SPOOR_WALK_PAGETABLE,
    SPOOR_WALK_LARGEPAGE,
    SPOOR_WALK_SMALLPAGE,
    SPOOR_WALK_RESULTS
};
struct spoor_walk {
    uint64_t pa;                   /* physical address of the lookup */
    uint64_t entry;                /* raw descriptor, HAS_DATA */
    struct spoor_ref attributes;   /* "KEY=VALUE KEY=VALUE ..." as printed */
    spoor_name side, table_format; /* "ITLB", "LPAE" */
    uint8_t stage, level, result;
    uint8_t security;
    uint8_t reserved[16];
};

/* ---- TLB ---- op: */
enum spoor_tlb_op { SPOOR_TLB_FILL, SPOOR_TLB_EVICT, SPOOR_WALKCACHE_FILL, SPOOR_WALKCACHE_EVICT };
struct spoor_tlb {
    uint64_t va, pa;             /* pa: HAS_PA (fills) */
    struct spoor_ref attributes; /* as WALK */
    spoor_name unit;             /* "cpu.cpu0.DTLB" */
    spoor_name region;           /* size of the region as printed ("64K") */
    spoor_name regime;           /* "EL1_n", or none */
    spoor_name memory_type;      /* as printed, or none */
    uint32_t vmid;               /* SPOOR_NO_VMID where absent */
    uint16_t asid;               /* where non_global */
    uint8_t non_global;          /* nG */
    uint8_t security, va_security;
    uint8_t reserved[7];
};
#define SPOOR_NO_VMID UINT32_MAX

/* ---- EVENT ---- op: */
enum spoor_event_op {
    SPOOR_EVENT_E,
    SPOOR_EVENT_SIGNAL,
    SPOOR_EVENT_CADI,
    SPOOR_EVENT_DEBUG,     /* E name value */
    SPOOR_EVENT_EXCEPTION, /* EXC [number] name */
    SPOOR_EVENT_REASON,    /* INFO_EXCEPTION_REASON: text */
    /* Of traces that a profiler took (perf): */
    SPOOR_EVENT_SAMPLE, /* where the processor was: value; value1 is the period */
    SPOOR_EVENT_FRAME,  /* a caller of the sample before, the innermost first: value */
    SPOOR_EVENT_BEGIN,  /* tracing begins: value is the next instruction */
    SPOOR_EVENT_END,    /* tracing ends: value is the last instruction; value1, where it is there:
                         * execution goes on at it, outside of the trace */
    SPOOR_EVENT_LOST,   /* part of the trace is lost: value is the last known address, text why */
    SPOOR_EVENT_STATE,  /* clock, power or another state of the machine: text */
    /* Of logs of a pipeline (O3PipeView, Kanata); value1 is the number of the instruction: */
    SPOOR_EVENT_STAGE,       /* it enters the stage `name` of the lane `mode`; without a time it did
                              * not.  The first: value is the pc, number that of the micro-op, text
                              * the disassembly.  The last ("retire", "flush"): value is its order */
    SPOOR_EVENT_STAGE_END,   /* it leaves the stage */
    SPOOR_EVENT_INSTRUCTION, /* it begins, on processor cpu: value is the id in the simulator */
    SPOOR_EVENT_LABEL,       /* text about it, of type `number`: 0 name, 1 detail, 2 of the stage;
                              * value is the pc that a name begins with */
    SPOOR_EVENT_DEPENDENCE,  /* it depends on instruction `value`, in the way `number`; STF: so does
                              * a transaction */
    SPOOR_EVENT_MARKER,      /* drmemtrace: what the tracer states: name, number, value */
    SPOOR_EVENT_REPEATED,    /* the instruction before was executed value1 times in all, of which
                              * the trace prints one */
    SPOOR_EVENT_OPS
};
struct spoor_event {
    uint64_t value, value_pa; /* HAS_VA, HAS_PA: an address, a SWI number or a mode by number */
    uint64_t value1;          /* HAS_EXTRA */
    struct spoor_ref text;    /* SIGNAL, CADI, REASON: the text after the keyword */
    uint32_t number;          /* HAS_INDEX: event number */
    spoor_name mode, name;    /* mode being entered, or none; event name */
    uint8_t security;
    uint8_t reserved[7];
};

struct spoor_record {
    uint64_t time;       /* in the trace's own unit, absolute; BYU: sum of deltas */
    uint8_t kind;        /* enum spoor_kind */
    uint8_t op;          /* by kind: enum spoor_note_op, spoor_uop_op, ... */
    uint16_t has;        /* enum spoor_has */
    spoor_name cpu;      /* HAS_CPU */
    spoor_name spelling; /* id in the stream's table of spellings; 0: the format's canonical one */
    union {
        struct spoor_note note;
        struct spoor_left_out left_out;
        struct spoor_uop uop;
        struct spoor_insn insn;
        struct spoor_flow flow;
        struct spoor_reg reg;
        struct spoor_mem mem;
        struct spoor_bus bus;
        struct spoor_cacheop cacheop;
        struct spoor_cacheline cache;
        struct spoor_walk walk;
        struct spoor_tlb tlb;
        struct spoor_event event;
        uint64_t word[6];
    };
};

/* "uop", "insn", ...: the kind's name in reports and expressions; "?" for a number out of range. */
const char *spoor_kind_name(enum spoor_kind kind);
/* The name of the record's op ("read", "fetch", "fill"); "" for kinds whose op is a set of bits. */
const char *spoor_op_name(const struct spoor_record *record);

#ifdef __cplusplus
}
#endif

#endif
