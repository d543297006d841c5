/* SPDX-License-Identifier: MIT */
/* operand.h: the registers that an instruction reads, by the names in the trace. */
#ifndef SPOOR_EXPLORE_OPERAND_H
#define SPOOR_EXPLORE_OPERAND_H

#include "explore/explorer.h"
#include "isa/operands.h"

enum { OPERANDS = MAX_ISA_OPERANDS };
/* A register of an instruction, and which bytes of it. */
struct operand {
    spoor_name name;
    uint8_t first; /* byte of the register at which the operand's begins: d1 is a half of q0 */
    struct isa_part part; /* of the operand's */
    bool data;            /* store: this is stored data; other instructions: true for all */
};
struct operand_list {
    bool known;   /* a table knows the opcode */
    bool loads;   /* the value comes from memory */
    bool stores;  /* the value goes to memory */
    bool system;  /* the instruction reads a system register */
    bool special; /* it writes a register without a number, such as PSP */
    bool updates_base;
    bool branch; /* the next instruction may not follow it in memory */
    /* A return from an exception: the status register, and the register that it is set from; none:
     * from the second word that is read (RFE). */
    spoor_name status, saved;
    bool links;  /* a branch: what it writes is where it returns to, and comes from no operand */
    bool copies; /* see isa_parts, and the next two */
    uint8_t row, lane;
    bool unit;        /* see isa_parts */
    unsigned vector;  /* RISC-V: bytes of a vector register; 0: not known, or it has none; */
    unsigned element; /* and of an element of those that it writes; 0: not known */
    uint8_t guards;   /* IT: the next instructions, as many, are conditional */
    bool base_is_sp;  /* AArch32: the base is r13, which traces of the M profile call MSP or PSP */
    spoor_name base;  /* base register of the address, or none */
    spoor_name guard; /* the flags, where an IT instruction makes it conditional */
    struct operand reads[OPERANDS], writes[OPERANDS];
    unsigned count, write_count;
};
/* Lists the operands of an INSN or UOP record. */
void operand_list(struct machine *machine, const struct explorer_visit *visited,
                  struct operand_list *list);
/* Adds the flags, which decide whether the instruction is executed. */
void operand_guard(struct machine *machine, const struct explorer_visit *visited,
                   struct operand_list *list);
/* True if the instruction reads, or writes, a byte of the part. */
bool operand_reads(struct machine *machine, const struct explorer_visit *visited,
                   const struct machine_part *part);
/* Of those that it writes, the first and the last bit are put in *low and *high. */
bool operand_writes(struct machine *machine, const struct explorer_visit *visited,
                    const struct machine_part *part, uint16_t *low, uint16_t *high);
/* The mode that an INSN record states; "": none. */
const char *operand_mode(const struct explorer_visit *visited);
/* True for an instruction of T32. */
bool operand_is_thumb(struct machine *machine, uint8_t iset, uint8_t size);
/* True if the instruction writes this register, but keeps these bytes of it. */
bool operand_keeps(struct machine *machine, const struct call_place *place,
                   const struct machine_part *part);
/* Finds which of the bytes from `*low` up to, not including, `*end` an operand has; false: none.
 * `end` is UINT_MAX for all. */
bool operand_overlap(const struct operand *operand, unsigned *low, unsigned *end);

#endif
