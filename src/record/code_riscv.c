/* SPDX-License-Identifier: MIT */
/* record/code_riscv.c: RISC-V instructions as text, by the library's own tables. */
#include <stdio.h>

#include "record/code.h"

size_t code_put_riscv(const struct spoor_code_bytes *code, char *text, size_t capacity)
{
    struct spoor_program_insn insn;
    if (!spoor_code_decode(code, &insn) || !insn.text_size) return 0;
    snprintf(text, capacity, "%.*s", (int)insn.text_size, insn.text);
    return insn.size;
}
