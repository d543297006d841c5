/* SPDX-License-Identifier: MIT */
/*
 * record/crack_vector.c: moves of SSE, AVX and MMX registers, whose operations are generic; x87
 * instructions.
 *
 * The physical register of the top of the x87 stack depends on the execution, so ST(i) is numbered
 * by its distance from the top, as the instruction names it, and pushing and popping move nothing.
 */
#include <string.h>

#include "record/crack.h"

/* Unmodified to or from memory, or between registers. */
static void crack_move_vector(struct builder *builder)
{
    const char *micro = builder->out->macro;
    if (is_memory(builder, 0)) {
        const struct place place = crack_store_place(builder, 0, TEMP);
        crack_store(builder, &place, crack_register(builder, 1));
    } else if (is_memory(builder, 1) && x86_operands(builder) == 2) {
        crack_load_operand(builder, 1, crack_register(builder, 0));
    } else if (x86_operands(builder) == 2) {
        crack_add(builder, micro, crack_register(builder, 1), NO_REGISTER,
                  crack_register(builder, 0));
    } else {
        crack_generic(builder);
    }
}

/* Half of a register: loading keeps the other half, storing extracts. */
static void crack_move_half(struct builder *builder)
{
    if (!is_memory(builder, 0)) {
        crack_generic(builder);
        return;
    }
    const char *micro = builder->out->macro;
    const struct place place = crack_store_place(builder, 0, TEMP);
    crack_add(builder, micro, crack_register(builder, 1), NO_REGISTER, TEMP_RESULT);
    crack_store(builder, &place, TEMP_RESULT);
}

/* XOR and similar operations of a register with itself have no source. */
static void crack_clear_vector(struct builder *builder)
{
    const size_t last = x86_operands(builder) - 1;
    if (is_memory(builder, last) ||
        crack_register(builder, last) != crack_register(builder, last - 1)) {
        crack_generic(builder);
        return;
    }
    const char *micro = builder->out->macro;
    crack_add(builder, micro, NO_REGISTER, NO_REGISTER, crack_register(builder, 0));
}

/* A mask selects the accessed elements, possibly none. */
static void crack_masked(struct builder *builder)
{
    crack_generic(builder);
    builder->out->skips = true;
}

/* ---- x87 ---- */

/* FLD, FILD, FLD1, ...: push a value. */
static void crack_x87_push(struct builder *builder)
{
    const char *micro = builder->out->macro;
    const int16_t source =
        x86_operands(builder) ? crack_source(builder, 0, TEMP_VECTOR) : NO_REGISTER;
    crack_add(builder, micro, source, NO_REGISTER, ST0);
}

/* FST, FIST, ...: the top goes to memory or to another register. */
static void crack_x87_store(struct builder *builder)
{
    const char *micro = builder->out->macro;
    if (!is_memory(builder, 0)) {
        crack_add(builder, micro, ST0, NO_REGISTER, crack_register(builder, 0));
        return;
    }
    const struct place place = crack_store_place(builder, 0, TEMP);
    crack_add(builder, micro, ST0, NO_REGISTER, TEMP_RESULT);
    crack_store(builder, &place, TEMP_RESULT);
}

/* FNSTCW, FNSTSW, FNSTENV, ... and STMXCSR, which capstone 4 reports as a load: the unit's state
 * goes to memory or AX. */
static void crack_x87_store_state(struct builder *builder)
{
    const char *micro = builder->out->macro;
    if (!is_memory(builder, 0)) {
        crack_add(builder, micro, NO_REGISTER, NO_REGISTER, RAX);
        return;
    }
    struct place place = crack_store_place(builder, 0, TEMP);
    if (!crack_name_begins(builder, "fnstcw") && !crack_name_begins(builder, "fnstsw"))
        place.size = 0;
    crack_add(builder, micro, NO_REGISTER, NO_REGISTER, TEMP_RESULT);
    crack_store(builder, &place, TEMP_RESULT);
}

static void crack_x87_load_state(struct builder *builder)
{
    const char *micro = builder->out->macro;
    struct place place = crack_load_place(builder, 0, TEMP);
    if (!crack_name_begins(builder, "fldcw")) place.size = 0;
    crack_load(builder, &place, TEMP_VECTOR);
    crack_add(builder, micro, TEMP_VECTOR, NO_REGISTER, NO_REGISTER);
}

static void crack_x87_exchange(struct builder *builder)
{
    const int16_t other = x86_operands(builder) ? crack_register(builder, x86_operands(builder) - 1)
                                                : (int16_t)(ST0 + 1);
    crack_add(builder, "FXCH", ST0, NO_REGISTER, TEMP_RESULT);
    crack_add(builder, "FXCH", other, NO_REGISTER, ST0);
    crack_add(builder, "FXCH", TEMP_RESULT, NO_REGISTER, other);
}

/* The operand other than the top; ST(1) if none is named. */
static int16_t crack_x87_other(struct builder *builder)
{
    int16_t other = ST0 + 1;
    for (size_t i = 0; i < x86_operands(builder); i++) {
        const int16_t source = crack_source(builder, i, TEMP_VECTOR);
        if (source != ST0) other = source;
    }
    return other;
}

static void crack_x87_compare(struct builder *builder)
{
    const char *micro = builder->out->macro;
    struct micro_op *op = crack_add(builder, micro, ST0, crack_x87_other(builder), NO_REGISTER);
    if (strstr(builder->name, "comi")) op->op = SPOOR_UOP_WRITES_FLAGS; /* the others: x87 status */
}

/* FSQRT, FABS, ...: the top only. */
static void crack_x87_on_top(struct builder *builder)
{
    const char *micro = builder->out->macro;
    crack_add(builder, micro, ST0, NO_REGISTER, ST0);
}

/* FADD, FMUL, FCMOV, ...: the top and another, into the first operand (popping: into the other). */
static void crack_x87_arithmetic(struct builder *builder)
{
    const char *micro = builder->out->macro;
    const int16_t other = crack_x87_other(builder);
    const bool pops = builder->name[strlen(builder->name) - 1] == 'p';
    const int16_t first = crack_register(builder, 0);
    const int16_t dest = pops ? other : x86_operands(builder) > 1 && first >= ST0 ? first : ST0;
    struct micro_op *op = crack_add(builder, micro, ST0, other, dest);
    if (crack_name_begins(builder, "fcmov")) op->op = SPOOR_UOP_READS_FLAGS;
}

static void crack_x87_no_operation(struct builder *builder)
{
    const char *micro = builder->out->macro;
    crack_add(builder, micro, NO_REGISTER, NO_REGISTER, NO_REGISTER);
}

cracking *crack_vector_family(const struct builder *builder)
{
    static const struct family vectors[] = {
        {"movaps", crack_move_vector},  {"movapd", crack_move_vector},
        {"movups", crack_move_vector},  {"movupd", crack_move_vector},
        {"movdqa", crack_move_vector},  {"movdqu", crack_move_vector},
        {"movq", crack_move_vector},    {"movd", crack_move_vector},
        {"movss", crack_move_vector},   {"movsd", crack_move_vector},
        {"movnt*", crack_move_vector},  {"lddqu", crack_move_vector},
        {"vmovaps", crack_move_vector}, {"vmovapd", crack_move_vector},
        {"vmovups", crack_move_vector}, {"vmovupd", crack_move_vector},
        {"vmovdqa", crack_move_vector}, {"vmovdqu", crack_move_vector},
        {"vmovq", crack_move_vector},   {"vmovd", crack_move_vector},
        {"vmovss", crack_move_vector},  {"vmovsd", crack_move_vector},
        {"vmovnt*", crack_move_vector}, {"vlddqu", crack_move_vector},
        {"movhp*", crack_move_half},    {"movlp*", crack_move_half},
        {"vmovhp*", crack_move_half},   {"vmovlp*", crack_move_half},
        {"pxor", crack_clear_vector},   {"xorps", crack_clear_vector},
        {"xorpd", crack_clear_vector},  {"vpxor", crack_clear_vector},
        {"vxorps", crack_clear_vector}, {"vxorpd", crack_clear_vector},
        {"maskmov*", crack_masked},     {"vmaskmov*", crack_masked},
        {"vpmaskmov*", crack_masked},   {"vgather*", crack_masked},
        {"vpgather*", crack_masked},
    };
    static const struct family x87[] = {
        {"fldcw", crack_x87_load_state},
        {"fldenv", crack_x87_load_state},
        {"frstor", crack_x87_load_state},
        {"fld*", crack_x87_push},
        {"fild", crack_x87_push},
        {"fbld", crack_x87_push},
        {"fstcw", crack_x87_store_state},
        {"fstsw", crack_x87_store_state},
        {"fnstcw", crack_x87_store_state},
        {"fnstsw", crack_x87_store_state},
        {"fnstenv", crack_x87_store_state},
        {"fnsave", crack_x87_store_state},
        {"stmxcsr", crack_x87_store_state},
        {"vstmxcsr", crack_x87_store_state},
        {"fst*", crack_x87_store},
        {"fist*", crack_x87_store},
        {"fbstp", crack_x87_store},
        {"fxch", crack_x87_exchange},
        {"fcom*", crack_x87_compare},
        {"fucom*", crack_x87_compare},
        {"ficom*", crack_x87_compare},
        {"ftst", crack_x87_on_top},
        {"fxam", crack_x87_on_top},
        {"fsqrt", crack_x87_on_top},
        {"fabs", crack_x87_on_top},
        {"fchs", crack_x87_on_top},
        {"frndint", crack_x87_on_top},
        {"fsin*", crack_x87_on_top},
        {"fcos", crack_x87_on_top},
        {"fptan", crack_x87_on_top},
        {"f2xm1", crack_x87_on_top},
        {"fxtract", crack_x87_on_top},
        {"fninit", crack_x87_no_operation},
        {"fnclex", crack_x87_no_operation},
        {"fnop", crack_x87_no_operation},
        {"fwait", crack_x87_no_operation},
        {"wait", crack_x87_no_operation},
        {"ffree*", crack_x87_no_operation},
        {"fincstp", crack_x87_no_operation},
        {"fdecstp", crack_x87_no_operation},
    };
    cracking *found = NULL;
    if (crack_on_vectors(builder))
        found = crack_find_family(builder, vectors, sizeof vectors / sizeof *vectors);
    if (!found) found = crack_find_family(builder, x87, sizeof x87 / sizeof *x87);
    if (found) return found;
    return builder->name[0] == 'f' && !crack_name_begins(builder, "fx") ? crack_x87_arithmetic
                                                                        : NULL;
}
