/* SPDX-License-Identifier: MIT */
/* record/crack_integer.c: moves, the stack, and instructions that need more than load, operate,
 * store. */
#include <stdio.h>
#include <string.h>

#include "record/micro_op_builder.h"

static void set_macro(struct builder *builder, const char *macro)
{
    strcpy(builder->out->macro, macro);
}

/* ---- moves ---- */

static void move(struct builder *builder)
{
    set_macro(builder, "MOV");
    const int16_t dest = register_of(builder, 0);
    if (is_memory(builder, 0)) {
        const struct place place = find_store_place(builder, 0, TEMP);
        add_store(builder, &place, register_of(builder, 1));
    } else if (is_memory(builder, 1)) {
        load_operand(builder, 1, dest);
    } else if (is_immediate(builder, 1)) {
        add_immediate(builder, "ADD_IMM", NO_REGISTER, dest, operand(builder, 1)->imm);
    } else {
        add(builder, "ADD", register_of(builder, 1), NO_REGISTER, dest);
    }
}

static const char *name_of_size(uint8_t size)
{
    return size == 1 ? "BYTE" : size == 2 ? "WORD" : size == 4 ? "DWORD" : "QWORD";
}

static void extend_register(struct builder *builder, const char *how, int16_t source, int16_t dest,
                            uint8_t from, uint8_t to)
{
    char micro[MICRO_SIZE];
    snprintf(micro, sizeof micro, "%s_%s_TO_%s", how, name_of_size(from), name_of_size(to));
    add(builder, micro, source, NO_REGISTER, dest);
}

static void extend(struct builder *builder)
{
    const bool zero = builder->name[3] == 'z';
    set_macro(builder, zero ? "MOVZX" : "MOVSX");
    const int16_t source = source_of(builder, 1, TEMP);
    extend_register(builder, zero ? "ZEXT" : "SEXT", source, register_of(builder, 0),
                    operand(builder, 1)->size, operand(builder, 0)->size);
}

/* CBW, CWDE, CDQE: within RAX.  CWD, CDQ, CQO: its sign into RDX. */
static void extend_rax(struct builder *builder)
{
    const bool whole = strcmp(builder->name, "cdqe") == 0, word = builder->name[1] == 'w';
    const uint8_t from = whole ? 4 : word ? 2 : 1;
    extend_register(builder, "SEXT", RAX, RAX, from, (uint8_t)(2 * from));
}
static void extend_into_rdx(struct builder *builder)
{
    const int64_t bits = builder->name[1] == 'q' ? 64 : builder->name[1] == 'd' ? 32 : 16;
    add_immediate(builder, "SAR_IMM", RAX, RDX, bits - 1);
}

static void load_address(struct builder *builder)
{
    const int16_t dest = register_of(builder, 0);
    const cs_x86_op *op = operand(builder, 1);
    if (op->mem.base == X86_REG_RIP || op->mem.base == X86_REG_EIP) {
        add_immediate(builder, "SAVE_PC", NO_REGISTER, dest, op->mem.disp);
        return;
    }
    add(builder, "LEA", number_of_register(op->mem.index), number_of_register(op->mem.base), dest)
        ->immediate = op->mem.disp;
}

static void exchange(struct builder *builder)
{
    const size_t memory = is_memory(builder, 0) ? 0 : 1;
    const int16_t other = register_of(builder, 1 - memory);
    if (!is_memory(builder, memory)) {
        const int16_t first = register_of(builder, 0);
        if (first == other && builder->insn->bytes[builder->insn->size - 1] == 0x90) {
            add(builder, "NOP", NO_REGISTER, NO_REGISTER, NO_REGISTER);
            return;
        }
        add(builder, "ADD", first, NO_REGISTER, TEMP);
        add(builder, "ADD", register_of(builder, 1), NO_REGISTER, first);
        add(builder, "ADD", TEMP, NO_REGISTER, register_of(builder, 1));
        return;
    }
    const struct place place = find_store_place(builder, memory, TEMP);
    add_load(builder, &place, TEMP_LOAD);
    add_store(builder, &place, other);
    add(builder, "ADD", TEMP_LOAD, NO_REGISTER, other);
}

/* ---- the stack ---- */

static uint16_t stack_size(const struct builder *builder)
{
    return builder->x86->prefix[2] == X86_PREFIX_OPSIZE ? 2 : 8;
}

static struct place below_top(const struct builder *builder)
{
    const uint16_t size = stack_size(builder);
    return (struct place){.index = NO_REGISTER, .base = RSP, .displacement = -size, .size = size};
}

static struct place at_top(const struct builder *builder)
{
    return (struct place){.index = NO_REGISTER, .base = RSP, .size = stack_size(builder)};
}

static void push(struct builder *builder)
{
    const struct place top = below_top(builder);
    add_store(builder, &top, operands(builder) ? source_of(builder, 0, TEMP) : NO_REGISTER);
    add_immediate(builder, "SUB_IMM", RSP, RSP, top.size);
}

static void pop(struct builder *builder)
{
    const struct place top = at_top(builder);
    const bool to_memory = is_memory(builder, 0);
    const int16_t dest = to_memory ? TEMP_LOAD : register_of(builder, 0);
    add_load(builder, &top, dest);
    if (dest == RSP) return;
    add_immediate(builder, "ADD_IMM", RSP, RSP, top.size);
    if (!to_memory) return;
    const struct place place = find_store_place(builder, 0, TEMP);
    add_store(builder, &place, TEMP_LOAD);
}

static void push_flags(struct builder *builder)
{
    const struct place top = below_top(builder);
    add(builder, "READ_FLAGS", NO_REGISTER, NO_REGISTER, TEMP)->op = SPOOR_UOP_READS_FLAGS;
    add_store(builder, &top, TEMP);
    add_immediate(builder, "SUB_IMM", RSP, RSP, top.size);
}

static void pop_flags(struct builder *builder)
{
    const struct place top = at_top(builder);
    add_load(builder, &top, TEMP);
    add_immediate(builder, "ADD_IMM", RSP, RSP, top.size);
    add(builder, "WRITE_FLAGS", TEMP, NO_REGISTER, NO_REGISTER)->op = SPOOR_UOP_WRITES_FLAGS;
}

static void leave(struct builder *builder)
{
    const struct place top = {.index = NO_REGISTER, .base = RSP, .size = 8};
    add(builder, "ADD", RBP, NO_REGISTER, RSP);
    add_load(builder, &top, RBP);
    add_immediate(builder, "ADD_IMM", RSP, RSP, top.size);
}

/* ---- arithmetic ---- */

/* An operation of a register with itself has no source; the traces show it as 0 + 0 without
 * flags. */
static void exclusive_or(struct builder *builder)
{
    const int16_t dest = register_of(builder, 0);
    if (dest != NO_REGISTER && dest == register_of(builder, 1) &&
        operand(builder, 0)->reg == operand(builder, 1)->reg)
        add(builder, "ADD", NO_REGISTER, NO_REGISTER, dest);
    else
        crack_generic(builder);
}

/* The traces show INC and DEC without flags. */
static void count_by_one(struct builder *builder)
{
    const char *micro = builder->name[0] == 'i' ? "ADD_IMM" : "SUB_IMM";
    if (!is_memory(builder, 0)) {
        add_immediate(builder, micro, register_of(builder, 0), register_of(builder, 0), 1);
        return;
    }
    const struct place place = find_store_place(builder, 0, TEMP);
    const int16_t result = place.base == TEMP ? TEMP_LOAD : TEMP;
    add_load(builder, &place, TEMP_LOAD);
    add_immediate(builder, micro, TEMP_LOAD, result, 1);
    add_store(builder, &place, result);
}

/* One operand: RDX:RAX = RAX x operand. */
static void multiply(struct builder *builder)
{
    if (operands(builder) != 1) {
        crack_generic(builder);
        return;
    }
    const bool is_signed = builder->name[0] == 'i';
    const char *low = is_signed ? "IMUL" : "MUL", *high = is_signed ? "IMUL_HIGH" : "MUL_HIGH";
    const int16_t source = source_of(builder, 0, TEMP_LOAD);
    const bool byte = operand(builder, 0)->size == 1;
    struct micro_op *product = add(builder, low, RAX, source, byte ? RAX : TEMP);
    product->op = SPOOR_UOP_WRITES_FLAGS;
    if (byte) return;
    add(builder, high, RAX, source, RDX);
    add(builder, "ADD", TEMP, NO_REGISTER, RAX);
}

/* Concatenate RDX:RAX, then compute its remainder and its quotient. */
static void divide(struct builder *builder)
{
    const bool is_signed = builder->name[0] == 'i';
    const char *quotient = is_signed ? "IDIV" : "DIV";
    const char *remainder = is_signed ? "IDIV_REMAINDER" : "DIV_REMAINDER";
    const int16_t source = source_of(builder, 0, TEMP_LOAD);
    if (operand(builder, 0)->size == 1) {
        add(builder, quotient, RAX, source, RAX);
        return;
    }
    add(builder, "CONCATENATE", RDX, RAX, TEMP);
    add(builder, remainder, TEMP, source, RDX);
    add(builder, quotient, TEMP, source, RAX);
}

/* ---- conditions ---- */

static void set_byte(struct builder *builder)
{
    set_macro(builder, "SET");
    const bool stores = is_memory(builder, 0);
    const int16_t dest = stores ? TEMP : register_of(builder, 0);
    add(builder, "ADD", NO_REGISTER, NO_REGISTER, dest);
    add_immediate(builder, "ADD_IMM", NO_REGISTER, dest, 1)->op = SPOOR_UOP_READS_FLAGS;
    if (!stores) return;
    const struct place place = find_store_place(builder, 0, TEMP_LOAD);
    add_store(builder, &place, TEMP);
}

static void conditional_move(struct builder *builder)
{
    set_macro(builder, "CMOV");
    const int16_t dest = register_of(builder, 0);
    const int16_t source = source_of(builder, 1, TEMP_LOAD);
    add(builder, "CMOV", dest, source, dest)->op = SPOOR_UOP_READS_FLAGS;
}

/* ---- locked ---- */

static void exchange_and_add(struct builder *builder)
{
    const int16_t other = register_of(builder, 1), dest = register_of(builder, 0);
    if (!is_memory(builder, 0)) {
        add(builder, "ADD", dest, other, TEMP)->op = SPOOR_UOP_WRITES_FLAGS;
        add(builder, "ADD", dest, NO_REGISTER, other);
        add(builder, "ADD", TEMP, NO_REGISTER, dest);
        return;
    }
    const struct place place = find_store_place(builder, 0, TEMP);
    const int16_t sum = place.base == TEMP ? TEMP_CHAIN : TEMP;
    add_load(builder, &place, TEMP_LOAD);
    add(builder, "ADD", TEMP_LOAD, other, sum)->op = SPOOR_UOP_WRITES_FLAGS;
    add_store(builder, &place, sum);
    add(builder, "ADD", TEMP_LOAD, NO_REGISTER, other);
}

/* The comparison, then both outcomes as conditional moves; memory is always written. */
static void compare_and_exchange(struct builder *builder)
{
    const int16_t other = register_of(builder, 1), dest = register_of(builder, 0);
    struct place place = {0};
    int16_t found = dest;
    if (is_memory(builder, 0)) {
        place = find_store_place(builder, 0, TEMP);
        found = TEMP_LOAD;
        add_load(builder, &place, found);
    }
    const int16_t compared = is_memory(builder, 0) && place.base == TEMP ? TEMP_CHAIN : TEMP;
    add(builder, "SUB", RAX, found, compared)->op = SPOOR_UOP_WRITES_FLAGS;
    const int16_t result = is_memory(builder, 0) ? compared : dest;
    add(builder, "CMOV", found, other, result)->op = SPOOR_UOP_READS_FLAGS;
    if (is_memory(builder, 0)) add_store(builder, &place, result);
    add(builder, "CMOV", RAX, found, RAX)->op = SPOOR_UOP_READS_FLAGS;
}

/* CMPXCHG8B, CMPXCHG16B: the same with RDX:RAX and RCX:RBX. */
static void compare_and_exchange_pair(struct builder *builder)
{
    const struct place place = find_store_place(builder, 0, TEMP);
    add_load(builder, &place, TEMP_LOAD);
    add(builder, "CONCATENATE", RDX, RAX, TEMP_CHAIN);
    add(builder, "SUB", TEMP_CHAIN, TEMP_LOAD, TEMP_CHAIN)->op = SPOOR_UOP_WRITES_FLAGS;
    add(builder, "CONCATENATE", RCX, RBX, TEMP_CHAIN);
    add(builder, "CMOV", TEMP_LOAD, TEMP_CHAIN, TEMP_CHAIN)->op = SPOOR_UOP_READS_FLAGS;
    add_store(builder, &place, TEMP_CHAIN);
    add(builder, "CMOV", RAX, TEMP_LOAD, RAX)->op = SPOOR_UOP_READS_FLAGS;
    add(builder, "CMOV", RDX, TEMP_LOAD, RDX)->op = SPOOR_UOP_READS_FLAGS;
}

/* ---- no operation ---- */

static void no_operation(struct builder *builder)
{
    if (builder->insn->bytes[builder->insn->size - 1] == 0x90 && builder->insn->size <= 2 &&
        builder->insn->bytes[0] != 0xF3) /* F3 90 is PAUSE */
        set_macro(builder, "XCHG");
    add(builder, "NOP", NO_REGISTER, NO_REGISTER, NO_REGISTER);
}

static void prefetch(struct builder *builder)
{
    const cs_x86_op *op = operand(builder, 0);
    add(builder, "PREFETCH", number_of_register(op->mem.index), number_of_register(op->mem.base),
        NO_REGISTER)
        ->immediate = op->mem.disp;
}

cracking *integer_family(const struct builder *builder)
{
    static const struct family families[] = {
        {"mov", move},
        {"movabs", move},
        {"movzx", extend},
        {"movsx", extend},
        {"movsxd", extend},
        {"cbw", extend_rax},
        {"cwde", extend_rax},
        {"cdqe", extend_rax},
        {"cwd", extend_into_rdx},
        {"cdq", extend_into_rdx},
        {"cqo", extend_into_rdx},
        {"lea", load_address},
        {"xchg", exchange},
        {"push", push},
        {"pop", pop},
        {"pushf*", push_flags},
        {"popf*", pop_flags},
        {"leave", leave},
        {"xor", exclusive_or},
        {"inc", count_by_one},
        {"dec", count_by_one},
        {"mul", multiply},
        {"imul", multiply},
        {"div", divide},
        {"idiv", divide},
        {"set*", set_byte},
        {"cmov*", conditional_move},
        {"xadd", exchange_and_add},
        {"cmpxchg", compare_and_exchange},
        {"cmpxchg8b", compare_and_exchange_pair},
        {"cmpxchg16b", compare_and_exchange_pair},
        {"nop", no_operation},
        {"pause", no_operation},
        {"endbr64", no_operation},
        {"endbr32", no_operation},
        {"lfence", no_operation},
        {"mfence", no_operation},
        {"sfence", no_operation},
        {"prefetch*", prefetch},
    };
    return find_family(builder, families, sizeof families / sizeof *families);
}
