/* SPDX-License-Identifier: MIT */
/* riscv_zc.c: tells c.fsdsp from Zcmp and Zcmt by what an instruction wrote. */
#include "isa/riscv_zc.h"

#include <stdio.h>
#include <string.h>

#include "isa/encoding.h"
#include "isa/riscv_text.h"

enum riscv_zc riscv_zc_of_effects(uint64_t opcode, bool writes_integer, bool writes_memory,
                                  bool states_registers)
{
    if (writes_integer) return RISCV_ZC_OTHER;
    const struct encoding *other = encoding_find(&encodings_riscv_zc, (uint32_t)opcode);
    const bool must_write = states_registers && other->writes[0];
    return writes_memory || must_write ? RISCV_ZC_FSDSP : RISCV_ZC_UNKNOWN;
}

/* The integer register that a record writes; 0: none. */
static int riscv_zc_written_integer(const struct spoor_batch *batch,
                                    const struct spoor_record *record)
{
    struct register_name name;
    size_t size;
    if (record->kind != SPOOR_REG || record->op != SPOOR_REG_WRITE) return 0;
    const char *text = spoor_names_text(batch->stream->names, record->reg.name, &size);
    register_canonical(text, size, ISA_RISCV, &name);
    const int number = isa_register_number(ISA_RISCV, &name);
    return number > 0 && number < ISA_VECTOR ? number : 0;
}

enum riscv_zc riscv_zc_of(const struct spoor_batch *batch, size_t index)
{
    enum { NEAR = 64 };
    bool integer = false, memory = false, registers = false;
    for (size_t i = index + 1; i < batch->count && batch->records[i].kind != SPOOR_INSN; i++) {
        const struct spoor_record *record = &batch->records[i];
        memory |= record->kind == SPOOR_MEM && record->op == SPOOR_MEM_WRITE;
        integer |= riscv_zc_written_integer(batch, record) != 0;
    }
    for (size_t i = index > NEAR ? index - NEAR : 0; i < index + NEAR && i < batch->count; i++)
        registers |= riscv_zc_written_integer(batch, &batch->records[i]) != 0;
    return riscv_zc_of_effects(batch->records[index].insn.opcode, integer, memory, registers);
}

void riscv_zc_text(uint64_t pc, uint64_t opcode, enum riscv_zc which, char *text, size_t capacity)
{
    char texts[2][80] = {"", ""};
    riscv_text(pc, opcode, texts[0], sizeof texts[0]);
    riscv_text(pc, opcode | RISCV_ZC, texts[1], sizeof texts[1]);
    if (which == RISCV_ZC_UNKNOWN)
        snprintf(text, capacity, "%s|%s", texts[0], texts[1]);
    else
        snprintf(text, capacity, "%s", texts[which == RISCV_ZC_OTHER]);
}

const char *riscv_zc_name(uint64_t opcode, enum riscv_zc which)
{
    static const char *const both[] = {
        "c.fsdsp|cm.jt",   "c.fsdsp|cm.jalt", "c.fsdsp|cm.mvsa01",  "c.fsdsp|cm.mva01s",
        "c.fsdsp|cm.push", "c.fsdsp|cm.pop",  "c.fsdsp|cm.popretz", "c.fsdsp|cm.popret"};
    const char *name = encoding_find(&encodings_riscv_zc, (uint32_t)opcode)->name;
    if (which != RISCV_ZC_UNKNOWN)
        return isa_opcode_name(ISA_RISCV, riscv_zc_decide(opcode, which));
    for (size_t i = 0; name && i < sizeof both / sizeof *both; i++)
        if (strcmp(strchr(both[i], '|') + 1, name) == 0) return both[i];
    return NULL;
}
