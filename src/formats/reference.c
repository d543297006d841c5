/* SPDX-License-Identifier: MIT */
/* reference.c: the memory references of a record. */
#include "formats/reference.h"

#include "model/bus.h"

enum {
    LONGEST_INSTRUCTION = 15, /* bytes; micro-ops are of x86 instructions */
    NO_REFERENCE = SPOOR_MEM_OPS,
};

static uint8_t reference_op_of_mem(const struct spoor_record *record)
{
    switch ((enum spoor_mem_op)record->op) {
    case SPOOR_MEM_READ:
    case SPOOR_MEM_MISC: return SPOOR_MEM_READ;
    case SPOOR_MEM_WRITE: return SPOOR_MEM_WRITE;
    case SPOOR_MEM_FETCH: return SPOOR_MEM_FETCH;
    case SPOOR_MEM_COPY_BACK:
    case SPOOR_MEM_INVALIDATE:
    case SPOOR_MEM_TO_COPROCESSOR:
    case SPOOR_MEM_FROM_COPROCESSOR:
    case SPOOR_MEM_PREFETCH:
    case SPOOR_MEM_PREFETCH_CODE:
    case SPOOR_MEM_OPS: return NO_REFERENCE;
    default: return SPOOR_MEM_MODIFY;
    }
}

size_t references_of(const struct spoor_batch *batch, size_t index,
                     struct reference references[MAX_REFERENCES])
{
    const struct spoor_record *record = &batch->records[index];
    const uint8_t has = (uint8_t)(record->has & (SPOOR_HAS_VA | SPOOR_HAS_PA));
    uint8_t op;
    switch ((enum spoor_kind)record->kind) {
    case SPOOR_UOP: {
        const struct spoor_uop_full uop = spoor_uop_of(batch, index);
        const uint64_t length = uop.fall - uop.pc;
        size_t count = 0;
        if (uop.step == 1)
            references[count++] = (struct reference){
                .va = uop.pc,
                .size = length <= LONGEST_INSTRUCTION ? (uint16_t)length : 0,
                .op = SPOOR_MEM_FETCH,
                .has = SPOOR_HAS_VA,
            };
        if (record->op & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE))
            references[count++] = (struct reference){
                .va = uop.address,
                .op = (record->op & SPOOR_UOP_LOAD) ? SPOOR_MEM_READ : SPOOR_MEM_WRITE,
                .has = SPOOR_HAS_VA,
            };
        return count;
    }
    case SPOOR_INSN:
        *references = (struct reference){.va = record->insn.va,
                                         .pa = record->insn.pa,
                                         .size = record->insn.opcode_size,
                                         .op = SPOOR_MEM_FETCH,
                                         .has = has};
        return has != 0 && record->op < SPOOR_INSN_AGAIN;
    case SPOOR_MEM:
        op = reference_op_of_mem(record);
        if (op == NO_REFERENCE || has == 0 || (record->mem.attr & SPOOR_MEM_ABORTED)) return 0;
        *references = (struct reference){.va = record->mem.va,
                                         .pa = record->mem.pa,
                                         .size = record->mem.size,
                                         .op = op,
                                         .has = has};
        return 1;
    case SPOOR_BUS:
        op = SPOOR_MEM_FETCH;
        if (record->op == SPOOR_BUS_READ || record->op == SPOOR_BUS_READ_INVALIDATE)
            op = SPOOR_MEM_READ;
        else if (record->op == SPOOR_BUS_WRITE || record->op == SPOOR_BUS_WRITEBACK)
            op = SPOOR_MEM_WRITE;
        else if (record->op != SPOOR_BUS_FETCH)
            return 0;
        *references = (struct reference){.pa = bus_first_byte(&record->bus),
                                         .size = record->bus.size,
                                         .op = op,
                                         .has = SPOOR_HAS_PA};
        return 1;
    default: return 0;
    }
}
