/* SPDX-License-Identifier: MIT */
/* packets.h: shared by the formats of packets that a trace encoder sends. */
#ifndef SPOOR_FORMATS_PACKETS_H
#define SPOOR_FORMATS_PACKETS_H

#include "formats/format.h"

/* Prints record `index`: a packet by its name and fields, notes of bytes (`blank`: what those
 * between packets are), and what packets became with the code of the program. */
void packets_print(const struct spoor_batch *batch, size_t index, const char *blank,
                   const char *name, struct text *out);

/* Pushes a NOTE of bytes that are no packet; with a rule (else NULL), a fault. */
void packets_push_note(struct spoor_batch *batch, enum spoor_note_op op, const char *at,
                       size_t size, const char *rule, const char *expected);
/* Pushes the event of a packet, SPOOR_EVENT_STATE, with its fields as text. */
struct spoor_record *packets_push(const struct decoder *decoder, struct spoor_batch *batch,
                                  unsigned number, const char *name, const struct text *fields);
/* How a format of packets is written. */
struct packet_writing {
    /* Appends a packet; false: it is none. */
    bool (*put)(unsigned number, const char *fields, size_t size, struct text *out);
    /* Encodes a record that is no packet; false: it is not in the trace. */
    bool (*add)(struct encoder *encoder, const struct spoor_batch *batch, size_t index,
                struct text *out);
    /* Nothing leads from the records before to the next one. */
    void (*seam)(struct encoder *encoder, struct text *out);
};
/* Writes the format's own packets and the bytes of its notes, and encodes other records. */
void packets_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
                   struct text *out, const struct packet_writing *writing);
/* True of a record where packets may be missing: bytes that are none, records that a selection left
 * out. */
static inline bool packets_are_missing(const struct spoor_record *record)
{
    return record->kind == SPOOR_NOTE && record->op != SPOOR_NOTE_BLANK &&
           record->op != SPOOR_NOTE_COMMENT;
}
/* Adds an event; `value`: NULL: it has none. */
void packets_put_event(const struct packet_sink *sink, enum spoor_event_op op, const char *name,
                       const uint64_t *value, const char *text);

/* What such a format states; instructions and branches come with the code of the program. */
#define PACKETS_FIELDS                                                                            \
    {                                                                                             \
        [SPOOR_INSN] = SPOOR_FIELD_BIT(CPU) | SPOOR_FIELD_BIT(OP) | SPOOR_FIELD_BIT(PC) |         \
                       SPOOR_FIELD_BIT(OPCODE) | SPOOR_FIELD_BIT(OPCODE_SIZE),                    \
        [SPOOR_FLOW] = SPOOR_FIELD_BIT(CPU) | SPOOR_FIELD_BIT(OP) | SPOOR_FIELD_BIT(BRANCH) |     \
                       SPOOR_FIELD_BIT(PC) | SPOOR_FIELD_BIT(TARGET),                             \
        [SPOOR_EVENT] = SPOOR_FIELD_BIT(TIME) | SPOOR_FIELD_BIT(CPU) | SPOOR_FIELD_BIT(OP) |      \
                        SPOOR_FIELD_BIT(NUMBER) | SPOOR_FIELD_BIT(EVENT) |                        \
                        SPOOR_FIELD_BIT(VALUE) | SPOOR_FIELD_BIT(VALUE1) | SPOOR_FIELD_BIT(TEXT), \
    }

#endif
