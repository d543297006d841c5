/* SPDX-License-Identifier: MIT */
/* record/crack_string.c: string instructions; each repetition is executed, and recorded, as a
 * separate instruction. */
#include <string.h>

#include "record/micro_op_builder.h"

static uint16_t element_size(const struct builder *builder)
{
    switch (builder->name[strlen(builder->name) - 1]) {
    case 'b': return 1;
    case 'w': return 2;
    case 'd': return 4;
    default: return 8;
    }
}

static struct place at_register(const struct builder *builder, int16_t base)
{
    return (struct place){.index = NO_REGISTER, .base = base, .size = element_size(builder)};
}

static void load_through(struct builder *builder, int16_t base, int16_t dest)
{
    const struct place place = at_register(builder, base);
    add_load(builder, &place, dest);
}

static void store_through(struct builder *builder, int16_t base, int16_t data)
{
    const struct place place = at_register(builder, base);
    add_store(builder, &place, data);
}

static void advance_register(struct builder *builder, int16_t base)
{
    add_immediate(builder, "ADD_IMM", base, base, element_size(builder));
}

static void count_down(struct builder *builder)
{
    if (!has_repeat(builder)) return;
    add_immediate(builder, "SUB_IMM", RCX, RCX, 1);
    builder->out->skips = true;
}

static void move_string(struct builder *builder)
{
    load_through(builder, RSI, TEMP);
    store_through(builder, RDI, TEMP);
    advance_register(builder, RSI);
    advance_register(builder, RDI);
    count_down(builder);
}

static void store_string(struct builder *builder)
{
    store_through(builder, RDI, RAX);
    advance_register(builder, RDI);
    count_down(builder);
}

static void load_string(struct builder *builder)
{
    load_through(builder, RSI, RAX);
    advance_register(builder, RSI);
    count_down(builder);
}

static void compare_strings(struct builder *builder)
{
    load_through(builder, RSI, TEMP);
    load_through(builder, RDI, TEMP_LOAD);
    add(builder, "SUB", TEMP, TEMP_LOAD, TEMP)->op = SPOOR_UOP_WRITES_FLAGS;
    advance_register(builder, RSI);
    advance_register(builder, RDI);
    count_down(builder);
}

static void scan_string(struct builder *builder)
{
    load_through(builder, RDI, TEMP_LOAD);
    add(builder, "SUB", RAX, TEMP_LOAD, TEMP)->op = SPOOR_UOP_WRITES_FLAGS;
    advance_register(builder, RDI);
    count_down(builder);
}

cracking *string_family(const struct builder *builder)
{
    static const struct family families[] = {
        {"movsb", move_string},     {"movsw", move_string},     {"movsd", move_string},
        {"movsq", move_string},     {"stosb", store_string},    {"stosw", store_string},
        {"stosd", store_string},    {"stosq", store_string},    {"lodsb", load_string},
        {"lodsw", load_string},     {"lodsd", load_string},     {"lodsq", load_string},
        {"cmpsb", compare_strings}, {"cmpsw", compare_strings}, {"cmpsd", compare_strings},
        {"cmpsq", compare_strings}, {"scasb", scan_string},     {"scasw", scan_string},
        {"scasd", scan_string},     {"scasq", scan_string},
    };
    for (size_t i = 0; i < operands(builder); i++)
        if (is_vector(register_of(builder, i))) return NULL; /* MOVSD and CMPSD of SSE2 */
    return find_family(builder, families, sizeof families / sizeof *families);
}
