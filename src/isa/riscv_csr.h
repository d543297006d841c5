/* SPDX-License-Identifier: MIT */
/* riscv_csr.h: the names of RISC-V's control and status registers, by number (The RISC-V
 * Instruction Set Manual, Volume II, "CSR Listing"). */
#ifndef SPOOR_ISA_RISCV_CSR_H
#define SPOOR_ISA_RISCV_CSR_H

#include <stddef.h>

enum { MAX_RISCV_CSR_NAME = 16 /* with its NUL */ };

/* Writes the name of a register, "csr_0x7c0" if the manual names none; returns its size. */
size_t riscv_csr_name(unsigned number, char name[MAX_RISCV_CSR_NAME]);
/* The number of a register by its name; -1: it is none. */
int riscv_csr_number(const char *name, size_t size);

#endif
