/* SPDX-License-Identifier: MIT */
/* operands_t32.h: functions that both T32 files use. */
#ifndef SPOOR_ISA_OPERANDS_T32_H
#define SPOOR_ISA_OPERANDS_T32_H

#include "isa/operands.h"

bool t32_operands_of_32_bits(struct isa_operands *operands, uint32_t opcode);
/* LDM, STM, PUSH, POP: bit i of `list` is register i. */
bool t32_load_or_store_list(struct isa_operands *operands, unsigned base, uint32_t list, bool loads,
                            bool updates);

#endif
