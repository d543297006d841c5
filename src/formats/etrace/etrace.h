/* SPDX-License-Identifier: MIT */
/*
 * etrace.h: packets of RISC-V Efficient Trace 2.0 (ratified), as riscv-trace-spec's reference flow
 * writes them.
 *
 * A packet is a byte, length:5 type:2 0:1, and so many bytes of payload: fields one after another,
 * lowest bit first.  What is missing at its end are copies of its highest bit.  Bytes 0 between
 * packets are padding.
 */
#ifndef SPOOR_FORMATS_ETRACE_H
#define SPOOR_FORMATS_ETRACE_H

#include "formats/format.h"
#include "views/packets.h"

enum etrace_kind { /* by format, and of format 3 by subformat */
                   ETRACE_EXTENSION,
                   ETRACE_BRANCH,
                   ETRACE_ADDRESS,
                   ETRACE_START = 4,
                   ETRACE_TRAP,
                   ETRACE_CONTEXT,
                   ETRACE_SUPPORT,
                   ETRACE_KINDS,
};

/* Fields, but for `format` and `subformat`, in the order in which they are sent. */
enum etrace_field {
    ETRACE_F_branches,
    ETRACE_F_branch_map,
    ETRACE_F_branch,
    ETRACE_F_privilege,
    ETRACE_F_context,
    ETRACE_F_ecause,
    ETRACE_F_interrupt,
    ETRACE_F_thaddr,
    ETRACE_F_address,
    ETRACE_F_tval,
    ETRACE_F_notify,
    ETRACE_F_updiscon,
    ETRACE_F_irreport,
    ETRACE_F_ienable,
    ETRACE_F_encoder_mode,
    ETRACE_F_qual_status,
    ETRACE_F_ioptions,
    ETRACE_F_denable,
    ETRACE_F_dloss,
    ETRACE_F_doptions,
    ETRACE_FIELD_COUNT
};

/* What the hardware's parameters say of the sizes of fields. */
struct etrace_sizes {
    unsigned address_bits; /* of code: iaddress_width_p */
    unsigned lowest;       /* bit of an address that is sent: iaddress_lsb_p */
};

struct etrace_packet {
    uint8_t kind;
    uint32_t has; /* bit k: field k */
    uint64_t value[ETRACE_FIELD_COUNT];
    uint8_t bytes; /* of payload; 0: as few as it needs */
};

/* The parameters of a dialect. */
struct etrace_sizes etrace_sizes_of(const struct spoor_decode_options *options);
extern const char *const etrace_dialects[];
/* The name of a packet; NULL: there is none. */
const char *etrace_name(unsigned kind);
/* Reads the payload of a packet; false: its bits are no fields. */
bool etrace_read(struct etrace_packet *packet, const uint8_t *bytes, size_t size,
                 const struct etrace_sizes *sizes);
/* Appends the packet, with its first byte. */
void etrace_put(const struct etrace_packet *packet, const struct etrace_sizes *sizes,
                struct text *out);
/* Appends its fields as text, "branch=0x1 privilege=0x3 ... address=0x10008291"; and the reverse:
 * false: these are none. */
void etrace_put_fields(const struct etrace_packet *packet, const struct etrace_sizes *sizes,
                       struct text *out);
bool etrace_read_fields(struct etrace_packet *packet, struct etrace_sizes *sizes, const char *text,
                        size_t size);

static inline uint64_t etrace_value(const struct etrace_packet *packet, enum etrace_field field)
{
    return packet->value[field];
}

extern const struct packet_decoder etrace_packets;

#endif
