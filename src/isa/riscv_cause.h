/* SPDX-License-Identifier: MIT */
/* riscv_cause.h: the names of RISC-V's exceptions and interrupts, as its model in Sail prints them,
 * by the number of mcause (The RISC-V Instruction Set Manual, Volume II). */
#ifndef SPOOR_ISA_RISCV_CAUSE_H
#define SPOOR_ISA_RISCV_CAUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The value of a cause register of `bits` bits: its number without the bit of interrupts. */
struct riscv_cause {
    uint32_t number;
    bool interrupt;
};
struct riscv_cause riscv_cause_of(uint64_t value, unsigned bits);
/* The name of a cause; "exception" or "interrupt" if it has none. */
const char *riscv_cause_name(struct riscv_cause cause);
/* Finds the cause of a name; false: it has none. */
bool riscv_cause_find(const char *name, size_t size, struct riscv_cause *cause);

#endif
