/* SPDX-License-Identifier: MIT */
/*
 * field.h: the named fields of a record.
 *
 * One table defines every field: --fields, --where, --csv, --jsonl and the report of what a
 * conversion would lose all use it.  Sets of fields are masks of 128 bits.
 */
#ifndef SPOOR_FIELD_H
#define SPOOR_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "batch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(ID, name, what it is).  The order is the order of columns.  Append only; at most 128
 * fields describe content. */
#define SPOOR_FIELD_TABLE(X)                                                                 \
    X(TIME, "time", "absolute time in the trace's unit")                                     \
    X(CPU, "cpu", "processor, agent or component that the record names")                     \
    X(OP, "op", "what happened, in a word: read, write, fetch, taken, fill, alloc, ...")     \
    X(PC, "pc", "virtual address of the instruction")                                        \
    X(PC_PA, "pc_pa", "physical address of the instruction")                                 \
    X(SECURITY, "security", "security of the physical address: s, ns, realm, root")          \
    X(INDEX, "index", "instruction index")                                                   \
    X(OPCODE, "opcode", "instruction bits")                                                  \
    X(OPCODE_SIZE, "opcode_size", "instruction size in bytes")                               \
    X(ISET, "iset", "instruction set letter: A, T, X, O")                                    \
    X(MODE, "mode", "processor mode with security as printed")                               \
    X(DISASM, "disasm", "disassembly")                                                       \
    X(TARGET, "target", "where the branch goes, virtual")                                    \
    X(TARGET_PA, "target_pa", "where the branch goes, physical")                             \
    X(UOP, "uop", "number of the micro-op within its macro-op, from 1")                      \
    X(SRC1, "src1", "first source register, -1 none")                                        \
    X(SRC2, "src2", "second source register, -1 none")                                       \
    X(DEST, "dest", "destination register, -1 none")                                         \
    X(FLAGS, "flags", "condition codes: R read, W written, - neither")                       \
    X(BRANCH, "branch", "T taken, N not taken, - no branch")                                 \
    X(LDST, "ldst", "L load, S store, - neither")                                            \
    X(IMMEDIATE, "imm", "immediate")                                                         \
    X(FALL, "fall", "fall-through pc")                                                       \
    X(MACRO, "macro", "macro opcode")                                                        \
    X(MICRO, "micro", "micro opcode")                                                        \
    X(ADDRESS, "addr", "virtual address of the access (micro-op: address field; bus: none)") \
    X(PA, "pa", "physical address of the access, line, lookup or region")                    \
    X(SIZE, "size", "bytes transferred")                                                     \
    X(DATA, "data", "data transferred, or raw table entry")                                  \
    X(EXCLUSIVE, "exclusive", "exclusive access (Tarmac X)")                                 \
    X(TRANSLATED, "translated", "unprivileged access (T)")                                   \
    X(LOCKED, "locked", "locked access (Tarmac L)")                                          \
    X(PRIVILEGED, "privileged", "privileged access (Trace Matcher X, bus P)")                \
    X(REG, "reg", "register name")                                                           \
    X(VALUE, "value", "value written to the register, or of the event")                      \
    X(BITS, "bits", "width of the register value in bits")                                   \
    X(BANK, "bank", "bank or annotation of the register as printed")                         \
    X(TYPE, "type", "request type or control byte, raw")                                     \
    X(DELTA, "delta", "clock ticks since the last request, raw")                             \
    X(ATTR, "attr", "attribute byte, raw")                                                   \
    X(AGENT, "agent", "processor or agent id")                                               \
    X(ENABLES, "enables", "byte enables, raw: a 0 bit means requested")                      \
    X(CACHED, "cached", "cacheability of the access as printed")                             \
    X(MASTER, "master", "bus master id")                                                     \
    X(SIDE, "side", "data or instruction side")                                              \
    X(OPERATION, "operation", "maintenance operation")                                       \
    X(SCOPE, "scope", "scope of the maintenance operation")                                  \
    X(REGION, "region", "size of the region mapped")                                         \
    X(MEMTYPE, "memtype", "memory type")                                                     \
    X(UNIT, "unit", "cache, TLB or walk cache")                                              \
    X(LINE_ID, "line_id", "line of the cache")                                               \
    X(TABLE_FORMAT, "format", "format of the translation table")                             \
    X(STAGE, "stage", "stage of the walk")                                                   \
    X(LEVEL, "level", "level of the walk")                                                   \
    X(RESULT, "result", "result of the walk")                                                \
    X(ATTRIBUTES, "attributes", "attribute list of a walk or TLB entry")                     \
    X(REGIME, "regime", "translation regime")                                                \
    X(VMID, "vmid", "virtual machine id")                                                    \
    X(ASID, "asid", "address space id of a non-global entry")                                \
    X(NUMBER, "number", "event number")                                                      \
    X(EVENT, "event", "event name")                                                          \
    X(VALUE1, "value1", "second value of the event")                                         \
    X(TEXT, "text", "text of a note, signal or comment; symbol of the address as printed")   \
    X(EXTRA, "extra", "padding or further bytes that only this format has")                  \
    X(TARGET_SECURITY, "target_security", "security of the physical address of the target")  \
    X(REGIME_SECURITY, "regime_security", "security of the virtual address of a mapping")

enum spoor_field {
#define SPOOR_FIELD_ID(id, name, what) SPOOR_FIELD_##id,
    SPOOR_FIELD_TABLE(SPOOR_FIELD_ID)
#undef SPOOR_FIELD_ID
        SPOOR_FIELDS,
    /* these are not content and are never lost: */
    SPOOR_FIELD_RECORD = SPOOR_FIELDS, /* "record": ordinal in the trace, from 0 */
    SPOOR_FIELD_LINE,                  /* "line": line number, from 1 */
    SPOOR_FIELD_KIND,                  /* "kind": uop, insn, mem, ... */
    /* not in the trace: found by the stream's locator from the pc, or from a fetched address */
    SPOOR_FIELD_FUNCTION,    /* "function": its name */
    SPOOR_FIELD_OFFSET,      /* "offset": of the pc in the function */
    SPOOR_FIELD_SOURCE,      /* "source": "file:line" */
    SPOOR_FIELD_INLINED,     /* "inlined": functions inlined there, the innermost first */
    SPOOR_FIELD_SOURCE_TEXT, /* "source_text": the line itself */
    SPOOR_FIELDS_ALL
};

#define SPOOR_FIRST_LOCATED SPOOR_FIELD_FUNCTION /* these and all after it need a locator */

/* Bit i: field i.  Sets combine with & | ~ as numbers do. */
__extension__ typedef unsigned __int128 spoor_field_set;
#define SPOOR_FIELD_BIT(id) ((spoor_field_set)1 << SPOOR_FIELD_##id)
/* The first field of a set that is not empty, and how many it has. */
static inline enum spoor_field spoor_field_first(spoor_field_set set)
{
    const uint64_t low = (uint64_t)set;
    return (enum spoor_field)(low ? __builtin_ctzll(low)
                                  : 64 + __builtin_ctzll((uint64_t)(set >> 64)));
}
static inline unsigned spoor_field_count(spoor_field_set set)
{
    return (unsigned)(__builtin_popcountll((uint64_t)set) +
                      __builtin_popcountll((uint64_t)(set >> 64)));
}

/* A field's value.  ABSENT is not zero.  A field that the record's kind has, but this record does
 * not have, is ABSENT too.  The flags of a kind are always present, true or false. */
enum spoor_value_type {
    SPOOR_VALUE_ABSENT,
    SPOOR_VALUE_UNSIGNED, /* a count or id: printed in decimal */
    SPOOR_VALUE_SIGNED,
    SPOOR_VALUE_HEX, /* an address or bit pattern: printed in hexadecimal */
    SPOOR_VALUE_BOOL,
    SPOOR_VALUE_TEXT,  /* bytes, not NUL-terminated; owned by the batch or its stream */
    SPOOR_VALUE_BYTES, /* a number of any width, least significant byte first */
};
struct spoor_value {
    enum spoor_value_type type;
    uint32_t unknown; /* HEX, BYTES: bit i: hex digit i, from the lowest, is unknown */
    union {
        uint64_t number;         /* UNSIGNED, HEX, BOOL */
        int64_t signed_number;   /* SIGNED */
        struct spoor_slice text; /* TEXT, BYTES */
    };
};

const char *spoor_field_name(enum spoor_field field);
const char *spoor_field_what(enum spoor_field field);
/* The field of that name, or -1. */
int spoor_field_find(const char *name, size_t size);
/* Field `field` of record `index`; its type is ABSENT if the record does not have it. */
struct spoor_value spoor_field_get(const struct spoor_batch *batch, size_t index,
                                   enum spoor_field field);
/* The type of a field where it is present (HEX stands for BYTES too); never ABSENT. */
enum spoor_value_type spoor_field_type(enum spoor_field field);
/* The fields that a record of this kind can have. */
spoor_field_set spoor_kind_fields(enum spoor_kind kind);

#ifdef __cplusplus
}
#endif

#endif
