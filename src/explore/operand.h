/* SPDX-License-Identifier: MIT */
/* operand.h: the registers that an instruction reads, by the names in the trace. */
#ifndef SPOOR_EXPLORE_OPERAND_H
#define SPOOR_EXPLORE_OPERAND_H

#include "explore/explorer.h"

enum { OPERANDS = 40 };
struct operand_list {
    bool known;  /* a table knows the opcode */
    bool loads;  /* the value comes from memory */
    bool stores; /* the value goes to memory */
    bool system; /* the instruction reads a system register */
    bool updates_base;
    spoor_name base; /* base register of the address, or none */
    spoor_name names[OPERANDS];
    bool data[OPERANDS]; /* store: this is stored data; other instructions: true for all */
    unsigned count;
};
/* Lists the operands of an INSN or UOP record. */
void operand_list(struct machine *machine, const struct visited *visited,
                  struct operand_list *list);
bool operand_reads(struct machine *machine, const struct visited *visited, spoor_name name);

#endif
