/* SPDX-License-Identifier: MIT */
/* record/capstone.c: loading capstone. */
#include "record/capstone.h"

#include "base/shared_library.h"

#define TEXT_OF(number) #number
#define SONAME(major) "libcapstone.so." TEXT_OF(major)

enum spoor_status capstone_load(struct capstone *capstone, struct spoor_error *error)
{
    const struct shared_function functions[] = {
        {"cs_open", &capstone->open},
        {"cs_close", &capstone->close},
        {"cs_option", &capstone->option},
        {"cs_malloc", &capstone->malloc},
        {"cs_free", &capstone->free},
        {"cs_disasm", &capstone->disassemble},
        {"cs_disasm_iter", &capstone->disassemble_next},
        {"cs_regs_access", &capstone->accessed_registers},
    };
    const char *reason;
    if (shared_library_load(SONAME(CS_API_MAJOR), functions, sizeof functions / sizeof *functions,
                            &reason))
        return SPOOR_OK;
    return spoor_error_set(error, SPOOR_EUSAGE,
                           "the disassembler capstone cannot be loaded (%s): install it again",
                           reason);
}
