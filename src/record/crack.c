/* SPDX-License-Identifier: MIT */
/* record/crack.c: crack an instruction into micro-ops, by the function of its family. */
#include "record/crack.h"

#include <stdlib.h>
#include <string.h>

#include "record/capstone.h"

struct cracker {
    csh handle;
    cs_insn *insn;
};

enum spoor_status cracker_open(struct cracker **opened, struct spoor_error *error)
{
    struct cracker *cracker = calloc(1, sizeof *cracker);
    *opened = cracker;
    if (!cracker) return spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    const enum spoor_status status = capstone_load(error);
    if (status != SPOOR_OK) return status;
    if (capstone.cs_open(CS_ARCH_X86, CS_MODE_64, &cracker->handle) != CS_ERR_OK)
        return spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    capstone.cs_option(cracker->handle, CS_OPT_DETAIL, CS_OPT_ON);
    cracker->insn = capstone.cs_malloc(cracker->handle);
    return cracker->insn ? SPOOR_OK : spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
}

void cracker_close(struct cracker *cracker)
{
    if (!cracker) return;
    if (cracker->insn) capstone.cs_free(cracker->insn, 1);
    if (cracker->handle) capstone.cs_close(&cracker->handle);
    free(cracker);
}

void crack(struct cracker *cracker, const struct instruction *instruction,
           struct micro_op_list *cracked)
{
    const uint8_t *bytes = instruction->bytes;
    size_t size = instruction->size;
    uint64_t pc = instruction->pc;
    *cracked = (struct micro_op_list){0};
    struct builder builder = {.insn = cracker->insn, .out = cracked};
    if (!capstone.cs_disasm_iter(cracker->handle, &bytes, &size, &pc, cracker->insn)) {
        crack_add(&builder, "UNKNOWN", NO_REGISTER, NO_REGISTER, NO_REGISTER);
        memcpy(cracked->macro, "UNKNOWN", sizeof "UNKNOWN");
        return;
    }
    builder.x86 = &cracker->insn->detail->x86;
    const char *prefixes = strrchr(cracker->insn->mnemonic, ' '); /* "rep movsb", "lock add" */
    builder.name = prefixes ? prefixes + 1 : cracker->insn->mnemonic;
    crack_name(builder.name, false, cracked->macro);
    cracking *family = crack_vector_family(&builder);
    if (!family) family = crack_integer_family(&builder);
    (family ? family : crack_generic)(&builder);
}
