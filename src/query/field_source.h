/* SPDX-License-Identifier: MIT */
/*
 * field_source.h: the source of each field in a record.
 *
 * Most fields are a member of the record's body with a presence bit, described by a line of a
 * table.  The others (a spilled number, a word made of bits) have a function.
 */
#ifndef SPOOR_QUERY_FIELD_SOURCE_H
#define SPOOR_QUERY_FIELD_SOURCE_H

#include <string.h>

#include "spoor/field.h"

/* The representation of the member. */
enum source_type {
    SOURCE_NONE, /* the kind does not have the field */
    SOURCE_HEX,
    SOURCE_UNSIGNED,
    SOURCE_SIGNED,
    SOURCE_NAME,     /* an id in the stream's table of names; 0 is absent */
    SOURCE_TEXT,     /* a reference to bytes of the batch; an empty reference is absent */
    SOURCE_LETTER,   /* one character; 0 is absent */
    SOURCE_FLAG,     /* the bits `mask` of the member */
    SOURCE_PICK,     /* one of four letters, by the two adjacent bits `mask` of the member */
    SOURCE_AFTER_PC, /* HEX; the micro-op's pc plus the signed member */
    SOURCE_WORD,     /* get() computes it, the same for all records of the kind with the same op */
    SOURCE_CALL,     /* get() computes it */
};

/* When a present value carries no information that a conversion could lose. */
enum source_quiet {
    QUIET_NEVER,
    QUIET_ZERO,      /* micro-op: no address, no target, no immediate */
    QUIET_MINUS_ONE, /* no register */
    QUIET_DASH,      /* neither letter */
    QUIET_ALWAYS,    /* derived from another field */
    QUIET_GIVEN,     /* BUS: derived from another field if bus.given is set */
};

typedef struct spoor_value source_get(const struct spoor_batch *batch, size_t index);

struct field_source {
    source_get *get;
    const char *letters;    /* PICK: letters for none of the bits, the lower, the higher, both */
    uint8_t type, at, size; /* the member: its offset and bytes in struct spoor_record */
    uint8_t plain; /* CALL: type of the member that has the value unless the record is SPILLED;
                    * NONE: no such member */
    uint8_t quiet;
    uint8_t given;       /* BUS: enum spoor_bus_given, one of which must be set; 0: no condition */
    uint16_t needs;      /* presence bits that must all be set */
    uint16_t may;        /* CALL: the field is absent if none of these is set; 0: no condition */
    uint16_t mask;       /* FLAG, PICK */
    bool zero_is_absent; /* the field is absent if the member is 0 */
    bool not_given;      /* CALL: the field is absent in a BUS record if bus.given is set */
};

/* The source of a field in records of a kind; type SOURCE_NONE if the kind does not have it. */
const struct field_source *field_source(unsigned kind, enum spoor_field field);

/* The representation of the field in this record. */
static inline enum source_type field_stored(const struct field_source *source,
                                            const struct spoor_record *record)
{
    const bool plain = source->plain != SOURCE_NONE && !(record->has & SPOOR_IS_SPILLED);
    return (enum source_type)(plain ? source->plain : source->type);
}

/* True if the field may be present. */
static inline bool field_is_there(const struct field_source *source,
                                  const struct spoor_record *record)
{
    return (record->has & source->needs) == source->needs &&
           (!source->may || (record->has & source->may)) &&
           (!source->given || (record->bus.given & source->given)) &&
           !(source->not_given && record->bus.given);
}

/* A member with `above` bits above it in eight bytes, as a signed number. */
static inline int64_t field_signed(uint64_t member, unsigned above)
{
    return (int64_t)(member << above) >> above;
}

/* The raw member, of 1 to 8 bytes, lowest first (field_call.c asserts that). */
static inline uint64_t field_member(const struct field_source *source,
                                    const struct spoor_record *record)
{
    uint64_t value = 0;
    const char *at = (const char *)record + source->at;
    switch (source->size) { /* constant sizes: each a single load */
    case 8: memcpy(&value, at, 8); break;
    case 4: memcpy(&value, at, 4); break;
    case 2: memcpy(&value, at, 2); break;
    default: memcpy(&value, at, 1); break;
    }
    return value;
}
/* The same for many records: located once, then a load, a shift and a mask each. */
struct field_place {
    uint64_t mask;
    uint8_t at, shift; /* position of the eight bytes of the record that hold the member */
    uint8_t above;     /* number of bits above the member in eight bytes */
};
static inline struct field_place field_place(unsigned at, unsigned size)
{
    const unsigned last = sizeof(struct spoor_record) - sizeof(uint64_t);
    const unsigned from = at < last ? at : last;
    const unsigned above = 64 - 8 * size;
    return (struct field_place){UINT64_MAX >> above, (uint8_t)from, (uint8_t)(8 * (at - from)),
                                (uint8_t)above};
}
static inline uint64_t field_load(const struct field_place *place,
                                  const struct spoor_record *record)
{
    uint64_t word;
    memcpy(&word, (const char *)record + place->at, sizeof word);
    return word >> place->shift & place->mask;
}

/* True if the field is present and carries information, which a conversion may lose.  (A false
 * flag, a register -1, a letter '-' and a derived value such as `op` of a UOP carry none.) */
bool field_says(const struct field_source *source, const struct spoor_batch *batch, size_t index);

/* field_count.c: The number of records at `indexes` (`count` of them, all of `kind`) whose
 * `field` carries information. */
uint64_t field_count(const struct spoor_batch *batch, const uint32_t *indexes, size_t count,
                     enum spoor_kind kind, enum spoor_field field);

/* Values of these functions, and of members: no value, texts (an empty one is absent). */
static inline struct spoor_value field_absent(void)
{
    return (struct spoor_value){.type = SPOOR_VALUE_ABSENT};
}
static inline struct spoor_value field_text(const char *bytes, size_t size)
{
    if (size == 0) return field_absent();
    return (struct spoor_value){.type = SPOOR_VALUE_TEXT, .text = {bytes, size}};
}
static inline struct spoor_value field_string(const char *string)
{
    return string ? field_text(string, strlen(string)) : field_absent();
}
static inline struct spoor_value field_name_of(const struct spoor_batch *batch, spoor_name name)
{
    if (name == SPOOR_NO_NAME) return field_absent();
    size_t size;
    const char *bytes = spoor_names_text(batch->stream->names, name, &size);
    return field_text(bytes, size);
}

/* The functions of SOURCE_WORD and SOURCE_CALL. */
source_get op_word, security_word, flow_target_security, tlb_regime_security;
source_get spilled_bytes, symbol_text;
source_get uop_step, uop_src1, uop_src2, uop_dest, uop_fall;
source_get flow_branch, reg_value, mem_data, mem_result, mem_type, mem_pc, mem_index;
source_get bus_cpu, bus_data, bus_side, bus_cached;
source_get cacheop_data, walk_result, tlb_vmid, tlb_asid;

/* The word for a micro-op's op: "load", "store", "conditional", ... */
const char *uop_op_word(unsigned op);

#endif
