/* SPDX-License-Identifier: MIT */
/* record/crack_flow.c: jumps, calls, returns and system calls. */
#include <string.h>

#include "record/micro_op_builder.h"

enum { WORD = 8 /* bytes that a call pushes */ };

static uint64_t fall_through(const struct builder *builder)
{
    return builder->insn->address + builder->insn->size;
}

static void set_macro(struct builder *builder, const char *macro)
{
    strcpy(builder->out->macro, macro);
}

/* A direct jump; the immediate is the distance from the instruction's end. */
static struct micro_op *jump_direct(struct builder *builder, enum branch branch)
{
    const uint64_t target = (uint64_t)operand(builder, 0)->imm;
    builder->out->branch = branch;
    builder->out->target = target;
    return add_immediate(builder, "JMP_IMM", NO_REGISTER, NO_REGISTER,
                         (int64_t)(target - fall_through(builder)));
}

static void jump_indirect(struct builder *builder, int16_t target)
{
    builder->out->branch = BRANCH_INDIRECT;
    add(builder, "JMP_REG", target, NO_REGISTER, NO_REGISTER);
}

static void conditional_jump(struct builder *builder)
{
    set_macro(builder, "J");
    jump_direct(builder, BRANCH_CONDITIONAL)->op = SPOOR_UOP_READS_FLAGS;
}

/* JRCXZ and LOOP test a register. */
static void jump_on_count(struct builder *builder)
{
    jump_direct(builder, BRANCH_CONDITIONAL)->src1 = RCX;
}

static void loop(struct builder *builder)
{
    add_immediate(builder, "SUB_IMM", RCX, RCX, 1);
    struct micro_op *jump = jump_direct(builder, BRANCH_CONDITIONAL);
    jump->src1 = RCX;
    if (builder->name[4]) jump->op = SPOOR_UOP_READS_FLAGS; /* LOOPE, LOOPNE */
}

static void jump(struct builder *builder)
{
    set_macro(builder, "JMP");
    if (is_immediate(builder, 0))
        jump_direct(builder, BRANCH_DIRECT);
    else
        jump_indirect(builder, source_of(builder, 0, TEMP));
}

static void call(struct builder *builder)
{
    const bool direct = is_immediate(builder, 0);
    const int16_t target = direct ? NO_REGISTER : source_of(builder, 0, TEMP_LOAD);
    const struct place top = {.index = NO_REGISTER, .base = RSP, .size = WORD};
    add(builder, "SAVE_PC", NO_REGISTER, NO_REGISTER, TEMP);
    add_immediate(builder, "SUB_IMM", RSP, RSP, WORD);
    add_store(builder, &top, TEMP);
    if (direct)
        jump_direct(builder, BRANCH_DIRECT);
    else
        jump_indirect(builder, target);
}

static void ret(struct builder *builder)
{
    const struct place top = {.index = NO_REGISTER, .base = RSP, .size = WORD};
    const int64_t more = is_immediate(builder, 0) ? operand(builder, 0)->imm : 0;
    add_load(builder, &top, TEMP);
    add_immediate(builder, "ADD_IMM", RSP, RSP, WORD + more);
    jump_indirect(builder, TEMP);
}

/* Only the registers that the instruction itself writes: the kernel's work is not recorded. */
static void system_call(struct builder *builder)
{
    add(builder, "SAVE_PC", NO_REGISTER, NO_REGISTER, RCX);
    add(builder, "READ_FLAGS", NO_REGISTER, NO_REGISTER, R11)->op = SPOOR_UOP_READS_FLAGS;
    add(builder, "SYSCALL", RAX, NO_REGISTER, RAX);
}

cracking *flow_family(const struct builder *builder)
{
    static const struct family families[] = {
        {"jmp", jump},
        {"jcxz", jump_on_count},
        {"jecxz", jump_on_count},
        {"jrcxz", jump_on_count},
        {"j*", conditional_jump},
        {"loop*", loop},
        {"call", call},
        {"ret", ret},
        {"syscall", system_call},
    };
    return find_family(builder, families, sizeof families / sizeof *families);
}
