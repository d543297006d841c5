/* SPDX-License-Identifier: MIT */
/*
 * field_source.h: where in a record each field comes from.
 *
 * Most fields are a member of the record's body with a presence bit: a line of a table says which.
 * What needs a thought (a spilled number, a word made of bits) has a function.
 */
#ifndef SPOOR_MODEL_FIELD_SOURCE_H
#define SPOOR_MODEL_FIELD_SOURCE_H

#include "spoor/field.h"

/* How the member is stored. */
enum source_type {
    SOURCE_NONE, /* the kind does not have the field */
    SOURCE_HEX,
    SOURCE_UNSIGNED,
    SOURCE_SIGNED,
    SOURCE_NAME,   /* an id in the stream's table of names; 0 is absent */
    SOURCE_TEXT,   /* a reference to bytes of the batch; none is absent */
    SOURCE_LETTER, /* one character; 0 is absent */
    SOURCE_FLAG,   /* the bits `mask` of the member */
    SOURCE_CALL,   /* get() says it */
};

/* When a value that is present still says nothing that a conversion could lose. */
enum source_quiet {
    QUIET_NEVER,
    QUIET_ZERO,      /* micro-op: no address, no target, no immediate */
    QUIET_MINUS_ONE, /* no register */
    QUIET_DASH,      /* neither letter */
    QUIET_ALWAYS,    /* derived from another field */
};

typedef struct spoor_value source_get(const struct spoor_batch *batch, size_t index);

struct field_source {
    source_get *get;
    uint8_t type, at, size; /* of the member: offset and bytes in struct spoor_record */
    uint8_t quiet;
    uint16_t needs; /* presence bits that must all be set */
    uint16_t mask;  /* FLAG */
    bool zero_is_absent;
    uint8_t given; /* BUS: enum spoor_bus_given, one of which must be set; 0: none is needed */
};

/* The source of a field in records of a kind; type SOURCE_NONE where the kind does not have it. */
const struct field_source *field_source(unsigned kind, enum spoor_field field);

/* The functions of SOURCE_CALL. */
source_get op_word, security_word, spilled_bytes;
source_get uop_step, uop_src1, uop_src2, uop_dest, uop_fall, uop_flags, uop_branch, uop_ldst;
source_get flow_branch, reg_value, mem_data, mem_result, mem_type, mem_pc, mem_index;
source_get bus_data, bus_side, bus_cached;
source_get cacheop_data, walk_result, tlb_vmid, tlb_asid;

/* The word that a micro-op's op stands for: "load", "store", "conditional", ... */
const char *uop_op_word(unsigned op);

#endif
