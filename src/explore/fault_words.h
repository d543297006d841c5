/* SPDX-License-Identifier: MIT */
/* fault_words.h: what registers of faults say, in words. */
#ifndef SPOOR_EXPLORE_FAULT_WORDS_H
#define SPOOR_EXPLORE_FAULT_WORDS_H

#include "base/text.h"
#include "isa/register.h"

/* The class of a syndrome, bits 31:26 of ESR_ELx; NULL: none is assigned. */
const char *esr_class_words(unsigned class);
/* An exception of RISC-V by its code; NULL: none is assigned. */
const char *riscv_exception_words(uint64_t code);

/* True if a register of this name, in lower case, says something of faults.  Its value in words is
 * appended to `text`, which may be NULL; `main`: of the M profile. */
bool fault_register_words(const char *name, uint64_t value, bool main, struct text *text);
/* The register of the M profile at an address of the system control block: "cfsr"; NULL: none. */
const char *fault_register_at(uint64_t address);

#endif
