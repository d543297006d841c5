/* SPDX-License-Identifier: MIT */
/*
 * ntrace.h: messages of RISC-V N-Trace 1.0 (ratified), a subset of IEEE-ISTO 5001 (Nexus).
 *
 * A byte is MDO:6 MSEO:2.  A message is TCODE:6, with several sources SRC, then fields: those of a
 * fixed size one after another, each of a variable size up to a byte with MSEO 01, the last one to
 * MSEO 11.  Between messages, bytes 0xFF are idle.
 */
#ifndef SPOOR_FORMATS_NTRACE_H
#define SPOOR_FORMATS_NTRACE_H

#include "formats/format.h"
#include "views/packets.h"

enum ntrace_tcode {
    NTRACE_OWNERSHIP = 2,
    NTRACE_DIRECT = 3,
    NTRACE_INDIRECT = 4,
    NTRACE_ERROR = 8,
    NTRACE_SYNC = 9,
    NTRACE_DIRECT_SYNC = 11,
    NTRACE_INDIRECT_SYNC = 12,
    NTRACE_FULL = 27, /* ResourceFull */
    NTRACE_INDIRECT_HISTORY = 28,
    NTRACE_INDIRECT_HISTORY_SYNC = 29,
    NTRACE_REPEAT = 30,
    NTRACE_CORRELATION = 33,
};

enum ntrace_field {
    /* of a fixed size */
    NTRACE_SRC,
    NTRACE_SYNC_REASON,
    NTRACE_BTYPE,
    NTRACE_ETYPE,
    NTRACE_RCODE,
    NTRACE_EVCODE,
    NTRACE_CDF,
    /* of a variable size */
    NTRACE_PROCESS,
    NTRACE_ECODE,
    NTRACE_RDATA,
    NTRACE_HREPEAT,
    NTRACE_BCNT,
    NTRACE_ICNT,
    NTRACE_UADDR,
    NTRACE_FADDR,
    NTRACE_HIST,
    NTRACE_TSTAMP,
    NTRACE_FIELDS,
    NTRACE_VARIABLE = NTRACE_PROCESS,
};

struct ntrace_message {
    uint8_t tcode;
    uint32_t has;                  /* bit k: field k */
    uint64_t value[NTRACE_FIELDS]; /* 0 where it is absent */
    uint8_t bits[NTRACE_FIELDS];   /* of SRC; of a variable field, as it was sent: 0: as few as it
                                    * needs */
};

enum { NTRACE_MOST_SOURCES = 12 /* bits of SRC */, NTRACE_IDLE = 0xFF };

/* The name of a message; NULL: N-Trace does not define it. */
const char *ntrace_name(unsigned tcode);
/* Reads a message of `size` bytes; NULL: it is one, else what was expected. */
const char *ntrace_read(struct ntrace_message *message, const uint8_t *bytes, size_t size,
                        unsigned source_bits);
/* Appends its bytes. */
void ntrace_put(const struct ntrace_message *message, struct text *out);
/* Appends its fields as text, "SYNC=1 ICNT=0x0 FADDR=0x10008291"; and the reverse: false: these are
 * none. */
void ntrace_put_fields(const struct ntrace_message *message, struct text *out);
bool ntrace_read_fields(struct ntrace_message *message, const char *text, size_t size);

static inline bool ntrace_has(const struct ntrace_message *message, enum ntrace_field field)
{
    return message->has >> field & 1;
}

/* Messages of the records of other formats, or of instructions: the format's `configure`; adds a
 * record, false: it cannot be encoded; nothing leads to the next one; ends and frees it. */
enum spoor_status ntrace_encoder_open(struct encoder *encoder, struct spoor_error *error);
bool ntrace_encoder_add(struct encoder *encoder, const struct spoor_batch *batch, size_t index,
                        struct text *out);
void ntrace_encoder_break(struct encoder *encoder, struct text *out);
void ntrace_encoder_close(struct encoder *encoder, struct text *out);

/* The instructions that messages lead along. */
extern const struct packet_decoder ntrace_packets;

#endif
