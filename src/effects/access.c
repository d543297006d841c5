/* SPDX-License-Identifier: MIT */
/* access.c: finds the bytes of memory that a record reads or writes, and their values; and those
 * that semihosting calls write. */
#include "effects/machine.h"

#include "model/bus.h"

enum { WORDS_SIZE = 16 };

/* Returns whether the operation reads, writes, or both.  The trace does not state the value that an
 * update writes. */
static uint8_t access_does_of(const struct spoor_record *record)
{
    if (record->mem.attr & SPOOR_MEM_ABORTED) return 0;
    switch ((enum spoor_mem_op)record->op) {
    case SPOOR_MEM_READ: return ACCESS_READS;
    case SPOOR_MEM_FETCH: return (record->has & SPOOR_HAS_DATA) ? ACCESS_FETCHES : 0;
    case SPOOR_MEM_WRITE: return ACCESS_WRITES;
    case SPOOR_MEM_ADD:
    case SPOOR_MEM_BIC:
    case SPOOR_MEM_CAS:
    case SPOOR_MEM_EOR:
    case SPOOR_MEM_ORR:
    case SPOOR_MEM_SMAX:
    case SPOOR_MEM_SMIN:
    case SPOOR_MEM_SWP:
    case SPOOR_MEM_UMAX:
    case SPOOR_MEM_UMIN:
    case SPOOR_MEM_MODIFY: return ACCESS_READS | ACCESS_WRITES;
    default: return 0;
    }
}

bool machine_access(const struct machine *machine, const struct spoor_batch *batch, size_t index,
                    struct access *access)
{
    const struct spoor_record *record = &batch->records[index];
    switch ((enum spoor_kind)record->kind) {
    case SPOOR_MEM: {
        const struct spoor_mem *mem = &record->mem;
        *access = (struct access){
            .va = mem->va,
            .pa = mem->pa,
            .size = mem->size ? mem->size : 1,
            .does = access_does_of(record),
            .space = space_of_security(mem->security),
            .has_va = record->has & SPOOR_HAS_VA,
            .has_pa = record->has & SPOOR_HAS_PA,
            .sized = mem->size > 0,
            .data = (record->has & SPOOR_HAS_DATA) && mem->size &&
                    (record->op == SPOOR_MEM_READ || record->op == SPOOR_MEM_WRITE ||
                     record->op == SPOOR_MEM_FETCH || record->op == SPOOR_MEM_SWP),
        };
        if (!access->does || (!access->has_va && !access->has_pa)) return false;
        access->big = machine->big && !(mem->attr & SPOOR_MEM_GAPS);
        return true;
    }
    case SPOOR_UOP:
        *access = (struct access){
            .va = record->uop.address,
            .size = 1,
            .does = (uint8_t)(((record->op & SPOOR_UOP_LOAD) ? ACCESS_READS : 0) |
                              ((record->op & SPOOR_UOP_STORE) ? ACCESS_WRITES : 0)),
            .has_va = true,
        };
        return access->does;
    case SPOOR_BUS: {
        const unsigned op = record->op;
        const bool reads = op == SPOOR_BUS_READ || op == SPOOR_BUS_READ_INVALIDATE;
        const bool writes = op == SPOOR_BUS_WRITE || op == SPOOR_BUS_WRITEBACK;
        if (!machine->bus) return false;
        *access = (struct access){
            .pa = bus_first_byte(&record->bus),
            .size = record->bus.size ? record->bus.size : 1,
            .does = (uint8_t)((reads ? ACCESS_READS : 0) | (writes ? ACCESS_WRITES : 0)),
            .space = SPACE_PHYSICAL_MEMORY,
            .has_pa = true,
            .sized = record->bus.size > 0,
            .data = (record->has & SPOOR_HAS_DATA) && record->bus.size <= WORDS_SIZE,
        };
        return access->does;
    }
    case SPOOR_WALK: /* hardware writes the entry; the trace does not state its width */
        *access = (struct access){
            .pa = record->walk.pa,
            .size = 8,
            .does = ACCESS_WRITES,
            .space = space_of_security(record->walk.security),
            .has_pa = true,
        };
        return record->op == SPOOR_WALK_UPDATE;
    default: return false;
    }
}

static uint8_t access_word_byte(const uint64_t words[2], uint32_t at)
{
    return (uint8_t)(words[at / 8] >> (8 * (at % 8)));
}

enum byte_known access_byte(const struct spoor_batch *batch, size_t index,
                            const struct access *access, uint32_t at, uint8_t *value)
{
    const struct spoor_record *record = &batch->records[index];
    if (record->kind == SPOOR_BUS && access->data) {
        *value = access_word_byte(record->bus.data, at);
        return BYTE_KNOWN;
    }
    if (record->kind != SPOOR_MEM) return BYTE_UNKNOWN;
    const struct spoor_mem *mem = &record->mem;
    if (access->big && at < access->size) at = access->size - 1 - at;
    if (at < WORDS_SIZE && (mem->unknown >> at & 1))
        return (mem->attr & SPOOR_MEM_GAPS) ? BYTE_UNTOUCHED : BYTE_UNKNOWN;
    if (!access->data) return BYTE_UNKNOWN;
    if (mem->wide.size) {
        if (at >= mem->wide.size) return BYTE_UNKNOWN;
        *value = (uint8_t)spoor_batch_bytes(batch, mem->wide)[at];
        return BYTE_KNOWN;
    }
    if (at >= WORDS_SIZE) return BYTE_UNKNOWN;
    *value = access_word_byte(mem->data, at);
    return BYTE_KNOWN;
}

/* ---- semihosting ---- */

bool hosted_is_call(const struct spoor_record *record, uint8_t *word)
{
    const struct spoor_insn *insn = &record->insn;
    const uint32_t bits = (uint32_t)insn->opcode;
    if (record->kind != SPOOR_INSN || record->op != SPOOR_INSN_TAKEN ||
        !(record->has & SPOOR_HAS_DATA))
        return false;
    *word = insn->iset == 'O' ? 8 : 4;
    switch (insn->iset) {
    case 'O': return bits == 0xD45E0000;
    case 'A': return (bits & 0x0FFFFFFF) == 0x0F123456 || bits == 0xE10F0070;
    case 'T': return bits == 0xDFAB || bits == 0xBEAB || bits == 0xBABC || bits == 0xBABF;
    default: return false;
    }
}

bool hosted_writes(uint64_t operation)
{
    return operation == HOSTED_READ || operation == HOSTED_TMPNAM ||
           operation == HOSTED_GET_CMDLINE || operation == HOSTED_HEAPINFO ||
           operation == HOSTED_ELAPSED;
}

bool hosted_range(const struct hosted_call *call, const uint64_t words[HOSTED_WORDS],
                  uint64_t *address, uint64_t *size)
{
    const bool reads = call->operation == HOSTED_READ;
    switch ((enum hosted_operation)call->operation) {
    case HOSTED_ELAPSED:
        *address = call->block;
        *size = 8;
        break;
    case HOSTED_HEAPINFO:
        *address = words[0];
        *size = 4 * (uint64_t)call->word;
        break;
    case HOSTED_GET_CMDLINE:
        *address = words[0];
        *size = words[1];
        break;
    case HOSTED_READ:
    case HOSTED_TMPNAM:
        *address = words[reads ? 1 : 0];
        *size = words[2];
        break;
    default: return false;
    }
    return *size > 0 && *size <= UINT32_MAX && *address + *size > *address;
}
