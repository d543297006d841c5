/* SPDX-License-Identifier: MIT */
/*
 * exec.h: a line of gem5's Exec text, taken apart.
 *
 *     [TICK: ] [FLAG: ] CPU[:] [A<asid> ] [T<thread> : ] 0xPC [@SYMBOL[+N]] [.UPC] : TEXT
 *         [ : [CLASS : ] [Predicated False] [ D=0xVALUE] [ A=0xADDRESS] [  FetchSeq=N]
 *         [  CPSeq=N] [  flags=(A|B)]]
 *
 * Which parts there are depends on the Exec flags of the run.  In the dialect of 2014 no colon
 * follows the cpu, and @SYMBOL stands in place of the pc.
 */
#ifndef SPOOR_FORMATS_GEM5_EXEC_H
#define SPOOR_FORMATS_GEM5_EXEC_H

#include <stdbool.h>
#include <stdint.h>

#include "spoor/batch.h"

/* What a line says of its instruction, from its flags or its class. */
enum exec_property {
    EXEC_LOAD = 1 << 0,
    EXEC_STORE = 1 << 1,
    EXEC_ATOMIC = 1 << 2,
    EXEC_CONTROL = 1 << 3,
    EXEC_CONDITIONAL = 1 << 4,
    EXEC_INDIRECT = 1 << 5,
    EXEC_CALL = 1 << 6,
    EXEC_RETURN = 1 << 7,
};

/* The parts, in the order of the line; an absent one has size 0. */
struct exec_line {
    struct spoor_slice tick, cpu, thread, pc, symbol, micro;
    struct spoor_slice macro, text; /* the macro-operation before the text of a micro-operation */
    struct spoor_slice class, value, address, fetched, committed, flags;
    bool has_tail;       /* the instruction ran: a class, values or flags may follow its text */
    bool predicated;     /* not executed because of its condition */
    unsigned properties; /* by the flags, or the class: enum exec_property */
};

enum exec_found {
    EXEC_LINE,
    EXEC_OTHER,  /* a line of another debug flag: "TICK: OBJECT: text" */
    EXEC_NEITHER /* *at is where the line differs from both */
};
enum exec_found exec_split(const char *begin, const char *end, struct exec_line *line,
                           const char **at);

/* What the text of an instruction says. */
struct exec_insn {
    struct spoor_slice target; /* the register that the value belongs to; size 0: unknown */
    uint8_t size;              /* of the instruction in bytes; 0: unknown */
    uint8_t access;            /* bytes of its access; 0: unknown */
    bool stores;               /* the value is what it stores */
    unsigned properties;       /* enum exec_property */
};
struct exec_insn exec_insn_of(const struct exec_line *line);

#endif
