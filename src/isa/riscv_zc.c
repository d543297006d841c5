/* SPDX-License-Identifier: MIT */
/* riscv_zc.c: tells c.fsdsp from Zcmp and Zcmt by what an instruction wrote. */
#include "isa/riscv_zc.h"

#include <string.h>

#include "isa/encoding.h"

bool riscv_zc_shares(uint64_t opcode, unsigned size)
{
    enum { FSDSP_MASK = 0xE003, FSDSP = 0xA002 };
    return size == 2 && (opcode & FSDSP_MASK) == FSDSP &&
           encoding_find(&encodings_riscv_zc, (uint32_t)opcode)->name;
}

enum riscv_zc riscv_zc_of_effects(bool writes_integer, bool writes_memory)
{
    if (writes_integer) return RISCV_ZC_OTHER;
    return writes_memory ? RISCV_ZC_FSDSP : RISCV_ZC_UNKNOWN;
}

enum riscv_zc riscv_zc_of(const struct spoor_batch *batch, size_t index)
{
    bool integer = false, memory = false;
    for (size_t i = index + 1; i < batch->count; i++) {
        const struct spoor_record *record = &batch->records[i];
        if (record->kind == SPOOR_INSN) break;
        memory |= record->kind == SPOOR_MEM && record->op == SPOOR_MEM_WRITE;
        if (record->kind != SPOOR_REG || record->op != SPOOR_REG_WRITE) continue;
        struct register_name name;
        size_t size;
        const char *text = spoor_names_text(batch->stream->names, record->reg.name, &size);
        register_canonical(text, size, ISA_RISCV, &name);
        const int number = isa_register_number(ISA_RISCV, &name);
        integer |= number > 0 && number < ISA_VECTOR;
    }
    return riscv_zc_of_effects(integer, memory);
}

const char *riscv_zc_names(uint64_t opcode)
{
    static const char *const both[] = {
        "c.fsdsp|cm.jt",   "c.fsdsp|cm.jalt", "c.fsdsp|cm.mvsa01",  "c.fsdsp|cm.mva01s",
        "c.fsdsp|cm.push", "c.fsdsp|cm.pop",  "c.fsdsp|cm.popretz", "c.fsdsp|cm.popret"};
    const char *name = encoding_find(&encodings_riscv_zc, (uint32_t)opcode)->name;
    for (size_t i = 0; name && i < sizeof both / sizeof *both; i++)
        if (strcmp(strchr(both[i], '|') + 1, name) == 0) return both[i];
    return NULL;
}
