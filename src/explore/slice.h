/* SPDX-License-Identifier: MIT */
/*
 * slice.h: dynamic data flow: the sources of a value, and its uses.
 *
 * A node is a write of bytes of memory, of a register, or of bytes of a vector register.  The
 * sources of a load are the bytes that it loaded, those of any other instruction the registers that
 * its opcode reads: the word of each register in a list, the bytes of a scalar or an element, the
 * lanes at the same place.  Registers that only form an address are not followed, if the opcode
 * identifies them.
 */
#ifndef SPOOR_EXPLORE_SLICE_H
#define SPOOR_EXPLORE_SLICE_H

#include "explore/explorer.h"
#include "explore/operand.h"

/* The reason why a node has no sources. */
enum slice_stop {
    SLICE_GOES_ON,
    SLICE_CONSTANT,    /* its instruction reads neither a register nor memory */
    SLICE_START,       /* nothing writes it before: it existed when the trace began, or is input */
    SLICE_OPCODE,      /* no table lists the opcode */
    SLICE_INSTRUCTION, /* the write belongs to no instruction */
    SLICE_SYSTEM,      /* the instruction reads a system register */
    SLICE_ACCESS,      /* a load whose access the trace does not state */
    SLICE_DEPTH,       /* the requested depth, or the maximum number of nodes */
    SLICE_EXCLUDED,    /* the options' expression does not accept it */
    SLICE_UNSTATED,    /* a register that the trace never states */
    SLICE_EXCEPTION,   /* the entry of an exception set it */
    SLICE_UNSEARCHED,  /* a register that the trace never states; its writer may be further back
                        * than explorer_last_unstated() searches */
    SLICE_GAP,         /* before the last gap: what wrote it then may not be in the trace */
    SLICE_FOREIGN,     /* a general register that the opcode of its instruction does not write */
};

enum { SLICE_NODES = 100000 /* maximum number of nodes */ };
struct slice_node {
    struct touch touch; /* the write; record UINT64_MAX: there is none */
    bool is_memory;
    unsigned cpu;
    spoor_name name;        /* name of the register */
    uint16_t low;           /* first byte of it */
    uint64_t address, size; /* of the bytes; size 0: the whole register */
    bool physical;          /* `address` is physical */
    uint8_t stop;           /* enum slice_stop */
    unsigned depth;
    size_t *from; /* nodes */
    size_t from_count, from_capacity;
};
struct slice {
    struct slice_node *nodes; /* the first node is the subject of the query */
    size_t count, capacity;
};

struct slice_options {
    unsigned depth; /* 0: unlimited */
    bool forward;
    /* Follow only writes that it accepts, or the instruction of which; NULL: all.  What was asked
     * about is followed in any case. */
    const struct spoor_select *where;
};
/* Computes the flow into the subject's value at a moment, or, forward, out of it from then on.  The
 * caller frees it. */
enum spoor_status explorer_slice(struct explorer *explorer, const struct subject *subject,
                                 uint64_t moment, const struct slice_options *options,
                                 struct slice *slice, struct spoor_error *error);
void slice_free(struct slice *slice);

/* ---- instructions with their effects ---- */

enum { GROUP_EFFECTS = 128, GROUP_FRAME = 33 };
/* An instruction, and its accesses and register writes. */
struct group {
    struct call_place place;
    struct operand_list operands;
    struct group_effect {
        struct touch touch; /* the write, without a value */
        bool is_memory;
        bool excluded; /* for who selects effects */
        spoor_name name;
        bool is_sp, is_process; /* MSP or PSP; PSP */
        bool unlisted;     /* a general register that is none of those that the opcode writes */
        uint8_t low, size; /* bytes of a register with parts; size 0: of another */
        struct access access;
    } effects[GROUP_EFFECTS];
    unsigned count;
    unsigned guarded; /* instructions after it that are conditional by IT */
    /* An exception after it: its entry has the effects from `taken` on, from `changed` on if the
     * mode changed before; UINT_MAX: there is none. */
    unsigned taken, changed;
    bool has_frames;                          /* of the M profile, */
    bool in_handler;                          /* where it may return by unstacking */
    struct machine_part stacked[GROUP_FRAME]; /* the registers of a stack frame, by words */
    size_t stacked_of;                        /* as of so many names of registers */
    bool failed;                              /* memory ran out for the value of an effect */
};
/* A source of what an effect writes: bytes of a register, or of memory that the instruction reads.
 */
struct flow_source {
    const struct access *access; /* NULL: a register */
    spoor_name name;
    unsigned low, size; /* bytes of the register, size 0: all; or of the access */
};
typedef void flow_function(void *context, const struct flow_source *source);
/* Calls the function for each source of bytes of what the effect writes, from byte `low` of the
 * register or of the access on; size 0: all.  Returns their number. */
unsigned group_sources(const struct group *group, const struct group_effect *effect, unsigned low,
                       unsigned size, flow_function *function, void *context);
/* True if the entry of an exception set what the effect writes. */
bool group_set_by_exception(const struct group *group, const struct group_effect *effect);
/* True for a general register that the opcode does not write: the trace states it elsewhere than
 * after the instruction that wrote it, or nothing in the trace did. */
bool group_is_foreign(const struct group *group, const struct group_effect *effect);
/* Why an effect has no source. */
enum slice_stop group_stop(const struct group *group, const struct group_effect *effect);
/* Adds the record to the group if it is an effect. */
void group_add(struct group *group, struct machine *machine, const struct explorer_visit *visited);
/* The address under which its bytes are known: the virtual one if the trace has it. */
static inline uint64_t access_address(const struct access *access)
{
    return access->has_va ? access->va : access->pa;
}
/* Returns the bytes of an access. */
struct memory_place access_place(const struct access *access);
/* True if the record begins an instruction of its own. */
bool group_begins(const struct explorer_visit *visited);

#endif
