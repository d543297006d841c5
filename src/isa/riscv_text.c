/* SPDX-License-Identifier: MIT */
/*
 * riscv_text.c: RISC-V instructions as text.
 *
 * Names and registers are those of riscv.def and rvc.def; the immediate numbers follow the formats
 * of The RISC-V Instruction Set Manual, Volume I: R, I, S, B, U and J.
 */
#include "isa/riscv_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "isa/opcode.h"
#include "isa/operands.h"

/* The instruction that is written. */
struct writing {
    uint64_t pc;
    uint32_t opcode;
    struct isa_operands operands;
    char *text;
    size_t capacity;
};

static unsigned field(uint32_t opcode, unsigned low)
{
    return bits_of(opcode, low, 5);
}

enum { RD = 7, RS1 = 15, RS2 = 20 };

static int64_t immediate_i(uint32_t opcode)
{
    return (int64_t)sign_extended(opcode >> 20, 12);
}

static uint64_t target_of(const struct writing *writing, unsigned size)
{
    return opcode_riscv(writing->pc, writing->opcode, size).target;
}

static void put(const struct writing *writing, const char *arguments)
{
    snprintf(writing->text, writing->capacity, "%s%s%s", writing->operands.name,
             *arguments ? " " : "", arguments);
}

/* A register as an operand names it. */
static void name_register(unsigned reg, char name[8])
{
    if (reg >= ISA_VECTOR)
        snprintf(name, 8, "f%u", (reg - ISA_VECTOR) & 31);
    else
        snprintf(name, 8, "x%u", reg & 31);
}

/* The registers that are written, then those that are read. */
static void put_registers(const struct writing *writing, const char *more)
{
    const struct isa_operands *operands = &writing->operands;
    char words[80] = "", name[8];
    size_t used = 0;
    for (unsigned i = 0; i < operands->write_count + operands->read_count; i++) {
        name_register(i < operands->write_count ? operands->writes[i]
                                                : operands->reads[i - operands->write_count],
                      name);
        used += (size_t)snprintf(words + used, sizeof words - used, "%s%s", used ? "," : "", name);
    }
    snprintf(words + used, sizeof words - used, "%s%s", used && *more ? "," : "", more);
    put(writing, words);
}

/* ---- 16 bits ---- */

static void put_compressed_access(const struct writing *writing)
{
    const struct isa_operands *operands = &writing->operands;
    char words[40], data[8];
    const unsigned last = operands->read_count ? operands->reads[operands->read_count - 1] : 0;
    name_register(operands->load ? operands->writes[0] : operands->data_count ? last : 0, data);
    snprintf(words, sizeof words, "%s,%" PRId64 "(x%d)", data, operands->offset, operands->base);
    put(writing, words);
}

/* The signed number of six bits that several instructions have. */
static int64_t immediate_c(uint32_t opcode)
{
    return (int64_t)sign_extended(bits_of(opcode, 12, 1) << 5 | bits_of(opcode, 2, 5), 6);
}

static void put_compressed(const struct writing *writing)
{
    static const char *const with_number[] = {"c.addi", "c.addiw", "c.li",   "c.lui",
                                              "c.andi", "c.srli",  "c.srai", "c.slli"};
    const char *name = writing->operands.name;
    char number[24] = "";
    const struct opcode flow = opcode_riscv(writing->pc, writing->opcode, 2);
    if (writing->operands.load || writing->operands.store) {
        put_compressed_access(writing);
        return;
    }
    for (size_t i = 0; i < sizeof with_number / sizeof *with_number; i++)
        if (strcmp(name, with_number[i]) == 0)
            snprintf(number, sizeof number, "%" PRId64, immediate_c(writing->opcode));
    if (flow.flow == OPCODE_BRANCH && flow.target)
        snprintf(number, sizeof number, "%" PRIx64, flow.target);
    put_registers(writing, number);
}

/* ---- 32 bits ---- */

static void put_immediate(const struct writing *writing)
{
    const uint32_t opcode = writing->opcode, function = bits_of(opcode, 12, 3);
    const bool shifts = function == 1 || function == 5;
    char words[40];
    if (shifts)
        snprintf(words, sizeof words, "x%u,x%u,0x%x", field(opcode, RD), field(opcode, RS1),
                 bits_of(opcode, 20, 6));
    else
        snprintf(words, sizeof words, "x%u,x%u,%" PRId64, field(opcode, RD), field(opcode, RS1),
                 immediate_i(opcode));
    put(writing, words);
}

static void put_access(const struct writing *writing)
{
    const uint32_t opcode = writing->opcode;
    const bool store = opcode & 0x20, wide = opcode & 4; /* wide: floating-point */
    char words[40];
    snprintf(words, sizeof words, "%c%u,%" PRId64 "(x%u)", wide ? 'f' : 'x',
             field(opcode, store ? RS2 : RD), writing->operands.offset, field(opcode, RS1));
    put(writing, words);
}

static void put_system(const struct writing *writing)
{
    const uint32_t opcode = writing->opcode, function = bits_of(opcode, 12, 3);
    char words[40];
    if (!writing->operands.system) {
        put_registers(writing, "");
        return;
    }
    snprintf(words, sizeof words, "x%u,0x%x,%s%u", field(opcode, RD), opcode >> 20,
             function & 4 ? "" : "x", field(opcode, RS1));
    put(writing, words);
}

static void put_atomic(const struct writing *writing)
{
    const uint32_t opcode = writing->opcode;
    char words[40];
    if (writing->operands.store)
        snprintf(words, sizeof words, "x%u,x%u,(x%u)", field(opcode, RD), field(opcode, RS2),
                 field(opcode, RS1));
    else
        snprintf(words, sizeof words, "x%u,(x%u)", field(opcode, RD), field(opcode, RS1));
    put(writing, words);
}

static void put_wide(const struct writing *writing)
{
    const uint32_t opcode = writing->opcode;
    char words[48];
    switch (opcode & 0x7F) {
    case 0x37:
    case 0x17: snprintf(words, sizeof words, "x%u,0x%x", field(opcode, RD), opcode >> 12); break;
    case 0x6F:
        snprintf(words, sizeof words, "x%u,%" PRIx64, field(opcode, RD), target_of(writing, 4));
        break;
    case 0x67:
        snprintf(words, sizeof words, "x%u,%" PRId64 "(x%u)", field(opcode, RD),
                 immediate_i(opcode), field(opcode, RS1));
        break;
    case 0x63:
        snprintf(words, sizeof words, "x%u,x%u,%" PRIx64, field(opcode, RS1), field(opcode, RS2),
                 target_of(writing, 4));
        break;
    case 0x33:
    case 0x3B:
        snprintf(words, sizeof words, "x%u,x%u,x%u", field(opcode, RD), field(opcode, RS1),
                 field(opcode, RS2));
        break;
    case 0x13:
    case 0x1B: put_immediate(writing); return;
    case 0x03:
    case 0x07:
    case 0x23:
    case 0x27: put_access(writing); return;
    case 0x2F: put_atomic(writing); return;
    case 0x73: put_system(writing); return;
    default: put_registers(writing, ""); return;
    }
    put(writing, words);
}

size_t riscv_text(uint64_t pc, uint64_t opcode, char *text, size_t capacity)
{
    struct writing writing = {
        .pc = pc, .opcode = (uint32_t)opcode, .text = text, .capacity = capacity};
    const bool wide = (opcode & 3) == 3;
    if (opcode > UINT32_MAX || (!wide && opcode > UINT16_MAX) ||
        !isa_operands_of(&writing.operands, ISA_RISCV, false, opcode, 0))
        return 0;
    if (wide)
        put_wide(&writing);
    else
        put_compressed(&writing);
    return wide ? 4 : 2;
}
