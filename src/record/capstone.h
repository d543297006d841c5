/* SPDX-License-Identifier: MIT */
/*
 * record/capstone.h: the functions of capstone that recording calls.
 *
 * capstone is large: its relocations took half of the time of `spoor --version`.  So the program is
 * not linked with it; the recorders that disassemble load it (base/shared_library.h).
 */
#ifndef SPOOR_RECORD_CAPSTONE_H
#define SPOOR_RECORD_CAPSTONE_H

#include <capstone/capstone.h>

#include "spoor/error.h"

struct capstone {
    __typeof__(cs_open) *open;
    __typeof__(cs_close) *close;
    __typeof__(cs_option) *option;
    __typeof__(cs_malloc) *malloc;
    __typeof__(cs_free) *free;
    __typeof__(cs_disasm) *disassemble;
    __typeof__(cs_disasm_iter) *disassemble_next;
    __typeof__(cs_regs_access) *accessed_registers;
};

/* Loads the library of the headers' version. */
enum spoor_status capstone_load(struct capstone *capstone, struct spoor_error *error);

#endif
