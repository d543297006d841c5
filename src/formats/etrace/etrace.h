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

enum etrace_kind {               /* by format, and of format 3 by subformat */
                   ETRACE_COUNT, /* of format 0, subformat 0 */
                   ETRACE_BRANCH,
                   ETRACE_ADDRESS,
                   ETRACE_START = 4,
                   ETRACE_TRAP,
                   ETRACE_CONTEXT,
                   ETRACE_SUPPORT,
                   ETRACE_INDEX, /* of format 0, subformat 1 */
                   ETRACE_KINDS,
};

/* Fields, but for `format` and `subformat`, in the order in which they are sent. */
enum etrace_field {
    ETRACE_F_branch_count,
    ETRACE_F_branch_fmt,
    ETRACE_F_index,
    ETRACE_F_branches,
    ETRACE_F_branch_map,
    ETRACE_F_branch,
    ETRACE_F_privilege,
    ETRACE_F_time,
    ETRACE_F_context,
    ETRACE_F_ecause,
    ETRACE_F_interrupt,
    ETRACE_F_thaddr,
    ETRACE_F_address,
    ETRACE_F_tval,
    ETRACE_F_notify,
    ETRACE_F_updiscon,
    ETRACE_F_irreport,
    ETRACE_F_irdepth,
    ETRACE_F_ienable,
    ETRACE_F_encoder_mode,
    ETRACE_F_qual_status,
    ETRACE_F_ioptions,
    ETRACE_F_denable,
    ETRACE_F_dloss,
    ETRACE_F_doptions,
    ETRACE_FIELD_COUNT
};

/* The parameters of the hardware that decide the sizes of fields and what an encoder remembers, by
 * their names in the document without "_p". */
enum etrace_parameter {
    ETRACE_P_iaddress_width,
    ETRACE_P_iaddress_lsb,
    ETRACE_P_privilege_width,
    ETRACE_P_time_width,    /* 0: no time (notime_p) */
    ETRACE_P_context_width, /* 0: no context (nocontext_p) */
    ETRACE_P_ecause_width,
    ETRACE_P_return_stack_size,
    ETRACE_P_call_counter_size,
    ETRACE_P_bpred_size,
    ETRACE_P_cache_size,
    ETRACE_P_f0s_width,
    ETRACE_P_sijump, /* there is an option for sequentially inferable jumps, the sixth */
    ETRACE_PARAMETERS
};
struct etrace_sizes {
    uint8_t of[ETRACE_PARAMETERS];
};
extern const struct etrace_sizes etrace_default_sizes;
extern const struct etrace_limits {
    const char *name;
    uint8_t most, least;
} etrace_limits[ETRACE_PARAMETERS];

/* The options of the reference flow, in a support packet, and one more. */
enum etrace_option {
    ETRACE_IMPLICIT_RETURN = 1,
    ETRACE_IMPLICIT_EXCEPTION = 2,
    ETRACE_FULL_ADDRESS = 4,
    ETRACE_JUMP_CACHE = 8,
    ETRACE_PREDICTION = 16,
    ETRACE_SIJUMP = 32, /* where the parameter is 1 */
};
/* qual_status */
enum etrace_status {
    ETRACE_NO_CHANGE,
    ETRACE_ENDED_REPORTED,
    ETRACE_LOST,
    ETRACE_ENDED_UNREPORTED
};

static inline unsigned etrace_address_bits(const struct etrace_sizes *sizes)
{
    return sizes->of[ETRACE_P_iaddress_width];
}
/* An address of so many bits. */
static inline uint64_t etrace_width(const struct etrace_sizes *sizes, uint64_t address)
{
    const unsigned bits = etrace_address_bits(sizes);
    return bits < 64 ? address & ((UINT64_C(1) << bits) - 1) : address;
}

struct etrace_packet {
    uint8_t kind;
    uint32_t has; /* bit k: field k */
    uint64_t value[ETRACE_FIELD_COUNT];
    uint8_t bytes; /* of payload; 0: as few as it needs */
};

/* The parameters that a dialect names; false: it is none.  The dialects "rv32", "rv64", with
 * "-lsb0"; after a colon, or alone, "KEY=N,KEY=N"; or the text of a parameters file of the
 * reference flow, lines "KEY_p=N". */
bool etrace_read_dialect(struct etrace_sizes *sizes, const char *dialect);
extern const char *const etrace_dialects[];
/* Packets of two optional kinds need a bit that says of which. */
void etrace_complete_sizes(struct etrace_sizes *sizes);
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

/* ---- what the encoder and the decoder both remember ---- */

enum { ETRACE_MAP = 31 /* branches of a full map */, ETRACE_MOST_PREDICTED = 1 << 24 };

struct etrace_memory {
    uint64_t *returns; /* the stack of return addresses */
    unsigned depth, room;
    uint8_t *predictions;
    uint64_t *targets; /* of jumps: 1: there is none */
    struct etrace_sizes sizes;
};
/* False: memory ran out.  Forgets all where the sizes are others. */
bool etrace_memory_size(struct etrace_memory *memory, const struct etrace_sizes *sizes);
void etrace_memory_free(struct etrace_memory *memory);
/* As a packet that synchronises says. */
void etrace_memory_forget(struct etrace_memory *memory);
void etrace_push_return(struct etrace_memory *memory, uint64_t address);
static inline uint64_t etrace_pop_return(struct etrace_memory *memory)
{
    return memory->returns[--memory->depth];
}
/* What is predicted of the branch at an address, and what it did. */
bool etrace_predict(const struct etrace_memory *memory, uint64_t pc);
void etrace_learn(struct etrace_memory *memory, uint64_t pc, bool taken);
/* The entry of a target in the cache of targets. */
uint64_t *etrace_target(struct etrace_memory *memory, uint64_t address, uint64_t *index);

/* Packets of the records of other formats, or of instructions: as in ntrace.h. */
enum spoor_status etrace_encoder_open(struct encoder *encoder, struct spoor_error *error);
bool etrace_encoder_add(struct encoder *encoder, const struct spoor_batch *batch, size_t index,
                        struct text *out);
void etrace_encoder_break(struct encoder *encoder, struct text *out);
void etrace_encoder_close(struct encoder *encoder, struct text *out);

/* The bit that precedes a field, which says something where it has another value: of notify,
 * updiscon, irreport. */
unsigned etrace_bit_before(const struct etrace_packet *packet, enum etrace_field field);

extern const struct packet_decoder etrace_packets;

#endif
