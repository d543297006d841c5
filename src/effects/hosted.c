/* SPDX-License-Identifier: MIT */
/* hosted.c: which instructions are semihosting calls, and what those write. */
#include "effects/hosted.h"

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
