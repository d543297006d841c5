/* SPDX-License-Identifier: MIT */
/* record/crack_vector.c: moves of SSE, AVX and MMX registers; operations are generic. */
#include <string.h>

#include "record/micro_op_builder.h"

/* Unmodified to or from memory, or between registers. */
static void move_vector(struct builder *builder)
{
    char micro[MICRO_SIZE];
    name_operation(builder->name, false, micro);
    if (is_memory(builder, 0)) {
        const struct place place = find_store_place(builder, 0, TEMP);
        add_store(builder, &place, register_of(builder, 1));
    } else if (is_memory(builder, 1) && operands(builder) == 2) {
        load_operand(builder, 1, register_of(builder, 0));
    } else if (operands(builder) == 2) {
        add(builder, micro, register_of(builder, 1), NO_REGISTER, register_of(builder, 0));
    } else {
        crack_generic(builder);
    }
}

/* Half of a register: loading keeps the other half, storing extracts. */
static void move_half(struct builder *builder)
{
    if (!is_memory(builder, 0)) {
        crack_generic(builder);
        return;
    }
    char micro[MICRO_SIZE];
    name_operation(builder->name, false, micro);
    const struct place place = find_store_place(builder, 0, TEMP);
    add(builder, micro, register_of(builder, 1), NO_REGISTER, TEMP_RESULT);
    add_store(builder, &place, TEMP_RESULT);
}

/* XOR and similar operations of a register with itself have no source. */
static void clear_vector(struct builder *builder)
{
    const size_t last = operands(builder) - 1;
    if (is_memory(builder, last) || register_of(builder, last) != register_of(builder, last - 1)) {
        crack_generic(builder);
        return;
    }
    char micro[MICRO_SIZE];
    name_operation(builder->name, false, micro);
    add(builder, micro, NO_REGISTER, NO_REGISTER, register_of(builder, 0));
}

/* A mask selects the accessed elements, possibly none. */
static void masked(struct builder *builder)
{
    crack_generic(builder);
    builder->out->skips = true;
}

/* True if an operand is a vector register, or a move goes between memory and a general one. */
static bool has_vector(const struct builder *builder)
{
    for (size_t i = 0; i < operands(builder); i++)
        if (is_vector(register_of(builder, i))) return true;
    return false;
}

cracking *vector_family(const struct builder *builder)
{
    static const struct family families[] = {
        {"movaps", move_vector},  {"movapd", move_vector},  {"movups", move_vector},
        {"movupd", move_vector},  {"movdqa", move_vector},  {"movdqu", move_vector},
        {"movq", move_vector},    {"movd", move_vector},    {"movss", move_vector},
        {"movsd", move_vector},   {"movnt*", move_vector},  {"lddqu", move_vector},
        {"vmovaps", move_vector}, {"vmovapd", move_vector}, {"vmovups", move_vector},
        {"vmovupd", move_vector}, {"vmovdqa", move_vector}, {"vmovdqu", move_vector},
        {"vmovq", move_vector},   {"vmovd", move_vector},   {"vmovss", move_vector},
        {"vmovsd", move_vector},  {"vmovnt*", move_vector}, {"vlddqu", move_vector},
        {"movhp*", move_half},    {"movlp*", move_half},    {"vmovhp*", move_half},
        {"vmovlp*", move_half},   {"pxor", clear_vector},   {"xorps", clear_vector},
        {"xorpd", clear_vector},  {"vpxor", clear_vector},  {"vxorps", clear_vector},
        {"vxorpd", clear_vector}, {"maskmov*", masked},     {"vmaskmov*", masked},
        {"vpmaskmov*", masked},   {"vgather*", masked},     {"vpgather*", masked},
    };
    if (!has_vector(builder)) return NULL;
    return find_family(builder, families, sizeof families / sizeof *families);
}
