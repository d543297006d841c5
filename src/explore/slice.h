/* SPDX-License-Identifier: MIT */
/*
 * slice.h: where a value comes from, and where it goes: dynamic data flow.
 *
 * A node is a write: of a register, or of bytes of memory.  It comes from what its instruction
 * read: a load from the bytes that it loaded, everything else from the registers that its opcode
 * names. The registers of which an address is made are not followed, as far as the opcode tells
 * which they are.
 */
#ifndef SPOOR_EXPLORE_SLICE_H
#define SPOOR_EXPLORE_SLICE_H

#include "explore/explorer.h"
#include "explore/operand.h"

/* Why a node comes from nothing. */
enum slice_stop {
    SLICE_GOES_ON,
    SLICE_CONSTANT, /* its instruction reads no register and no memory */
    SLICE_START,    /* nothing writes it before: it was there when the trace began, or is input */
    SLICE_OPCODE,   /* no table knows the opcode */
    SLICE_INSTRUCTION, /* the write belongs to no instruction */
    SLICE_SYSTEM,      /* a system register is read */
    SLICE_ACCESS,      /* a load, whose access the trace does not have */
    SLICE_DEPTH,       /* the depth that was asked for, or too many nodes */
    SLICE_EXCLUDED,    /* the options' expression does not accept it */
};
const char *slice_stop_text(enum slice_stop stop);

enum { SLICE_NODES = 100000 /* at most */ };
struct slice_node {
    struct touch touch; /* the write; record UINT64_MAX: there is none */
    bool is_memory;
    unsigned cpu;
    spoor_name name;        /* of the register */
    uint64_t address, size; /* of the bytes */
    bool physical;          /* address is */
    uint8_t stop;           /* enum slice_stop */
    unsigned depth;
    size_t *from; /* nodes */
    size_t from_count, from_capacity;
};
struct slice {
    struct slice_node *nodes; /* the first is what was asked about */
    size_t count, capacity;
};

struct slice_options {
    unsigned depth; /* 0: as deep as it goes */
    bool forward;
    /* Follow only writes that it accepts, or the instruction of which; NULL: all.  What was asked
     * about is followed in any case. */
    const struct spoor_select *where;
};
/* The flow behind the subject's value at a moment, or, forward, from it on.  The caller frees. */
enum spoor_status explorer_slice(struct explorer *explorer, const struct subject *subject,
                                 uint64_t moment, const struct slice_options *options,
                                 struct slice *slice, struct spoor_error *error);
void slice_free(struct slice *slice);

/* ---- instructions with what they do ---- */

enum { GROUP_EFFECTS = 64 };
/* An instruction, and the accesses and register writes that belong to it. */
struct group {
    struct call_place place;
    struct operand_list operands;
    struct group_effect {
        struct touch touch; /* without a value */
        bool is_memory;
        bool excluded; /* for who selects effects */
        spoor_name name;
        struct access access;
    } effects[GROUP_EFFECTS];
    unsigned count;
};
/* Whether what the effect writes comes from memory that the instruction reads, and whether it comes
 * from a register, by its number among the operands. */
bool group_flows_from_memory(const struct group *group, const struct group_effect *effect);
bool group_flows_from(const struct group *group, const struct group_effect *effect,
                      unsigned operand);
/* The record, if it is an effect, joins the group. */
void group_add(struct group *group, struct machine *machine, const struct visited *visited);
/* The bytes of an access. */
struct memory_place access_place(const struct access *access);
/* The record begins an instruction of its own. */
bool group_begins(const struct visited *visited);

/* ---- slice_nodes.c, slice_forward.c: for slice.c ---- */

struct slice_node *slice_push(struct slice *slice);
bool slice_link(struct slice *slice, size_t node, size_t from);
enum spoor_status slice_forward(struct explorer *explorer, const struct subject *subject,
                                uint64_t moment, const struct slice_options *options,
                                struct slice *slice, struct spoor_error *error);

#endif
