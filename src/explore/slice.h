/* SPDX-License-Identifier: MIT */
/*
 * slice.h: dynamic data flow: the sources of a value, and its uses.
 *
 * A node is a write of a register or of bytes of memory.  The sources of a load are the bytes that
 * it loaded; those of any other instruction are the registers that its opcode reads.  Registers
 * that only form an address are not followed, if the opcode identifies them.
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
};
const char *slice_stop_text(enum slice_stop stop);

enum { SLICE_NODES = 100000 /* maximum number of nodes */ };
struct slice_node {
    struct touch touch; /* the write; record UINT64_MAX: there is none */
    bool is_memory;
    unsigned cpu;
    spoor_name name;        /* name of the register */
    uint64_t address, size; /* of the bytes */
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

enum { GROUP_EFFECTS = 64 };
/* An instruction, and its accesses and register writes. */
struct group {
    struct call_place place;
    struct operand_list operands;
    struct group_effect {
        struct touch touch; /* the write, without a value */
        bool is_memory;
        bool excluded; /* for who selects effects */
        spoor_name name;
        struct access access;
    } effects[GROUP_EFFECTS];
    unsigned count;
    bool failed; /* memory ran out for the value of an effect */
};
/* True if the value that the effect writes comes from memory that the instruction reads; the second
 * function: if it comes from a register, given by its number among the operands. */
bool group_flows_from_memory(const struct group *group, const struct group_effect *effect);
bool group_flows_from(const struct group *group, const struct group_effect *effect,
                      unsigned operand);
/* Adds the record to the group if it is an effect. */
void group_add(struct group *group, struct machine *machine, const struct visited *visited);
/* Returns the bytes of an access. */
struct memory_place access_place(const struct access *access);
/* True if the record begins an instruction of its own. */
bool group_begins(const struct visited *visited);

/* ---- slice_nodes.c, slice_forward.c: for slice.c ---- */

struct slice_node *slice_push(struct slice *slice);
bool slice_link(struct slice *slice, size_t node, size_t from);
enum spoor_status slice_forward(struct explorer *explorer, const struct subject *subject,
                                uint64_t moment, const struct slice_options *options,
                                struct slice *slice, struct spoor_error *error);

#endif
