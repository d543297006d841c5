/* SPDX-License-Identifier: MIT */
/*
 * record/capstone.h: the functions of capstone that recording calls.
 *
 * capstone is large: its relocations took half the time of `spoor --version`.  So the program is
 * not linked with it; the recorders that disassemble load it (base/shared_library.h).
 */
#ifndef SPOOR_RECORD_CAPSTONE_H
#define SPOOR_RECORD_CAPSTONE_H

#include <capstone/capstone.h>

#include "spoor/error.h"

struct capstone {
    typeof(cs_open) *open;
    typeof(cs_close) *close;
    typeof(cs_option) *option;
    typeof(cs_malloc) *malloc;
    typeof(cs_free) *free;
    typeof(cs_disasm) *disassemble;
    typeof(cs_disasm_iter) *disassemble_next;
    typeof(cs_regs_access) *accessed_registers;
};

/* Load the library of the version that the headers are of. */
enum spoor_status capstone_load(struct capstone *capstone, struct spoor_error *error);

#endif
