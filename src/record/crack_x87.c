/* SPDX-License-Identifier: MIT */
/*
 * record/crack_x87.c: x87 instructions.
 *
 * The physical register of the top of the stack depends on the execution, so ST(i) is numbered by
 * its distance from the top, as the instruction names it, and pushing and popping move nothing.
 */
#include <string.h>

#include "record/micro_op_builder.h"

static void name_of(const struct builder *builder, char micro[MICRO_SIZE])
{
    name_operation(builder->name, false, micro);
}

/* FLD, FILD, FLD1, ...: push a value. */
static void push_value(struct builder *builder)
{
    char micro[MICRO_SIZE];
    name_of(builder, micro);
    const int16_t source = operands(builder) ? source_of(builder, 0, TEMP_VECTOR) : NO_REGISTER;
    add(builder, micro, source, NO_REGISTER, ST0);
}

/* FST, FIST, ...: the top goes to memory or to another register. */
static void store_value(struct builder *builder)
{
    char micro[MICRO_SIZE];
    name_of(builder, micro);
    if (!is_memory(builder, 0)) {
        add(builder, micro, ST0, NO_REGISTER, register_of(builder, 0));
        return;
    }
    const struct place place = find_store_place(builder, 0, TEMP);
    add(builder, micro, ST0, NO_REGISTER, TEMP_RESULT);
    add_store(builder, &place, TEMP_RESULT);
}

/* FNSTCW, FNSTSW, FNSTENV, ... and STMXCSR, which capstone 4 reports as a load: the unit's state
 * goes to memory or AX. */
static void store_state(struct builder *builder)
{
    char micro[MICRO_SIZE];
    name_of(builder, micro);
    if (!is_memory(builder, 0)) {
        add(builder, micro, NO_REGISTER, NO_REGISTER, RAX);
        return;
    }
    struct place place = find_store_place(builder, 0, TEMP);
    if (!name_begins(builder, "fnstcw") && !name_begins(builder, "fnstsw")) place.size = 0;
    add(builder, micro, NO_REGISTER, NO_REGISTER, TEMP_RESULT);
    add_store(builder, &place, TEMP_RESULT);
}

static void load_state(struct builder *builder)
{
    char micro[MICRO_SIZE];
    name_of(builder, micro);
    struct place place = find_place(builder, 0, TEMP);
    if (!name_begins(builder, "fldcw")) place.size = 0;
    add_load(builder, &place, TEMP_VECTOR);
    add(builder, micro, TEMP_VECTOR, NO_REGISTER, NO_REGISTER);
}

static void exchange(struct builder *builder)
{
    const int16_t other =
        operands(builder) ? register_of(builder, operands(builder) - 1) : (int16_t)(ST0 + 1);
    add(builder, "FXCH", ST0, NO_REGISTER, TEMP_RESULT);
    add(builder, "FXCH", other, NO_REGISTER, ST0);
    add(builder, "FXCH", TEMP_RESULT, NO_REGISTER, other);
}

/* The operand other than the top; ST(1) if none is named. */
static int16_t other_operand(struct builder *builder)
{
    int16_t other = ST0 + 1;
    for (size_t i = 0; i < operands(builder); i++) {
        const int16_t source = source_of(builder, i, TEMP_VECTOR);
        if (source != ST0) other = source;
    }
    return other;
}

static void x87_compare(struct builder *builder)
{
    char micro[MICRO_SIZE];
    name_of(builder, micro);
    struct micro_op *op = add(builder, micro, ST0, other_operand(builder), NO_REGISTER);
    if (strstr(builder->name, "comi")) op->op = SPOOR_UOP_WRITES_FLAGS; /* the others: x87 status */
}

/* FSQRT, FABS, ...: the top only. */
static void on_top(struct builder *builder)
{
    char micro[MICRO_SIZE];
    name_of(builder, micro);
    add(builder, micro, ST0, NO_REGISTER, ST0);
}

/* FADD, FMUL, FCMOV, ...: the top and another, into the first operand (popping: into the other). */
static void arithmetic(struct builder *builder)
{
    char micro[MICRO_SIZE];
    name_of(builder, micro);
    const int16_t other = other_operand(builder);
    const bool pops = builder->name[strlen(builder->name) - 1] == 'p';
    const int16_t first = register_of(builder, 0);
    const int16_t dest = pops ? other : operands(builder) > 1 && first >= ST0 ? first : ST0;
    struct micro_op *op = add(builder, micro, ST0, other, dest);
    if (name_begins(builder, "fcmov")) op->op = SPOOR_UOP_READS_FLAGS;
}

static void no_operation(struct builder *builder)
{
    char micro[MICRO_SIZE];
    name_of(builder, micro);
    add(builder, micro, NO_REGISTER, NO_REGISTER, NO_REGISTER);
}

cracking *x87_family(const struct builder *builder)
{
    static const struct family families[] = {
        {"fldcw", load_state},     {"fldenv", load_state},    {"frstor", load_state},
        {"fld*", push_value},      {"fild", push_value},      {"fbld", push_value},
        {"fstcw", store_state},    {"fstsw", store_state},    {"fnstcw", store_state},
        {"fnstsw", store_state},   {"fnstenv", store_state},  {"fnsave", store_state},
        {"stmxcsr", store_state},  {"vstmxcsr", store_state}, {"fst*", store_value},
        {"fist*", store_value},    {"fbstp", store_value},    {"fxch", exchange},
        {"fcom*", x87_compare},    {"fucom*", x87_compare},   {"ficom*", x87_compare},
        {"ftst", on_top},          {"fxam", on_top},          {"fsqrt", on_top},
        {"fabs", on_top},          {"fchs", on_top},          {"frndint", on_top},
        {"fsin*", on_top},         {"fcos", on_top},          {"fptan", on_top},
        {"f2xm1", on_top},         {"fxtract", on_top},       {"fninit", no_operation},
        {"fnclex", no_operation},  {"fnop", no_operation},    {"fwait", no_operation},
        {"wait", no_operation},    {"ffree*", no_operation},  {"fincstp", no_operation},
        {"fdecstp", no_operation},
    };
    cracking *found = find_family(builder, families, sizeof families / sizeof *families);
    if (found) return found;
    return builder->name[0] == 'f' && !name_begins(builder, "fx") ? arithmetic : NULL;
}
