/* SPDX-License-Identifier: MIT */
/* uop.c: the branch of a micro-op: the x86 opcode names distinguish calls, returns and indirect
 * branches.
 */
#include "views/uop.h"

#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "spoor/view.h"

/* The properties of a name, cached at its first use. */
enum name_says {
    NAME_ASKED = 1 << 0,
    NAME_X86_BRANCH = 1 << 1, /* macro: a jump, call or return of x86 */
    NAME_CALL = 1 << 2,
    NAME_RETURN = 1 << 3,
    NAME_DIRECT = 1 << 4, /* micro */
    NAME_INDIRECT = 1 << 5,
};

static bool uop_name_is(const char *text, size_t size, const char *word)
{
    return size == strlen(word) && memcmp(text, word, size) == 0;
}

/* 0 if memory runs out. */
static uint8_t uop_name_says(struct uop_opcodes *opcodes, const struct spoor_names *names,
                             spoor_name name)
{
    if (!array_reserve_zeroed(&opcodes->says, &opcodes->capacity, name + (size_t)1)) return 0;
    if (!(opcodes->says[name] & NAME_ASKED)) {
        size_t size;
        const char *text = spoor_names_text(names, name, &size);
        unsigned says = NAME_ASKED;
        if (ascii_some_begins(text, size, "CALL")) says |= NAME_X86_BRANCH | NAME_CALL;
        if (ascii_some_begins(text, size, "RET")) says |= NAME_X86_BRANCH | NAME_RETURN;
        if (uop_name_is(text, size, "J") || uop_name_is(text, size, "JMP") ||
            uop_name_is(text, size, "LOOP"))
            says |= NAME_X86_BRANCH;
        if (uop_name_is(text, size, "JMP_IMM")) says |= NAME_DIRECT;
        if (uop_name_is(text, size, "JMP_REG")) says |= NAME_INDIRECT;
        opcodes->says[name] = (uint8_t)says;
    }
    return opcodes->says[name];
}

bool uop_tell_branch(struct spoor_branch *branch, struct uop_opcodes *opcodes,
                     const struct spoor_names *names, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    const struct spoor_uop_full uop = spoor_uop_of(batch, index);
    const uint8_t macro = uop_name_says(opcodes, names, record->uop.macro);
    const uint8_t micro = uop_name_says(opcodes, names, record->uop.micro);
    *branch = (struct spoor_branch){
        .pc = uop.pc,
        .target = uop.target,
        .fall = uop.fall,
        .type = uop_is_conditional(record) ? SPOOR_BRANCH_CONDITIONAL : 0,
        .has = (uint8_t)(SPOOR_BRANCH_HAS_FALL | SPOOR_BRANCH_HAS_CONDITION |
                         ((record->op & SPOOR_UOP_TAKEN) ? SPOOR_BRANCH_TAKEN : 0) |
                         (uop.target ? SPOOR_BRANCH_HAS_TARGET : 0)),
    };
    branch->type |= (uint8_t)(((macro & NAME_CALL) ? SPOOR_BRANCH_CALL : 0) |
                              ((macro & NAME_RETURN) ? SPOOR_BRANCH_RETURN : 0) |
                              ((micro & NAME_INDIRECT) ? SPOOR_BRANCH_INDIRECT : 0));
    if ((macro & NAME_X86_BRANCH) && (micro & (NAME_DIRECT | NAME_INDIRECT)))
        branch->has |= SPOOR_BRANCH_HAS_TYPE;
    return macro && micro;
}

/* ---- where in a trace the instructions begin ---- */

size_t spoor_instruction_count_find(struct spoor_instruction_count *so_far,
                                    const struct spoor_batch *batch, size_t from, size_t to,
                                    uint64_t number)
{
    for (; from < to; from++) {
        const struct spoor_record *record = &batch->records[from];
        const bool is_stated = so_far->stated;
        uint64_t count = so_far->count; /* of those that began up to the end of the record */
        switch ((enum spoor_kind)record->kind) {
        case SPOOR_UOP:
            so_far->stated = true;
            count += uop_begins(batch, from);
            break;
        case SPOOR_INSN:
            so_far->stated = true;
            count += record->op < SPOOR_INSN_AGAIN;
            break;
        case SPOOR_MEM: count += !is_stated && record->op == SPOOR_MEM_FETCH; break;
        case SPOOR_BUS: count += !is_stated && record->op == SPOOR_BUS_FETCH; break;
        case SPOOR_FLOW:
            if (!is_stated && (record->has & SPOOR_HAS_INDEX) && record->flow.index > count)
                count = record->flow.index;
            break;
        default: break;
        }
        if (count > number) return from;
        so_far->count = count;
    }
    return to;
}
