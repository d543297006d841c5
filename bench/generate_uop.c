/* SPDX-License-Identifier: MIT */
/*
 * generate_uop.c: micro-ops: runs a random program of 4,096 instructions.  The mix is close to that
 * of the public samples: a quarter loads, a tenth stores, a sixth branches, 1.3 micro-ops each.
 */
#include "base/quick_put.h"
#include "generate.h"

enum { SITES = 4096, FIRST_PC = 0x48d000, LONGEST_LINE = 160, DRAIN = 1 << 20 };

enum shape { ALU, LOAD, STORE, COMPARE_LOAD, SET, BRANCH, SHAPES };

/* One instruction of the program. */
struct site {
    enum shape shape;
    uint64_t pc, address, stride;
    uint32_t length, target; /* bytes; the site that a branch goes to */
    uint32_t taken_of_16;
    int source, destination;
    int64_t immediate;
};

/* One line, before it is printed. */
struct uop {
    uint64_t step, pc;
    int src1, src2, dest;
    char flags, branch, ldst;
    int64_t immediate;
    uint64_t address, fall, target;
    const char *macro, *micro;
};

static const char *const alu_names[][2] = {
    {"ADD", "ADD_IMM"}, {"MOV", "ADD"},     {"LEA", "ADD"}, {"SUB", "SUB"},
    {"XOR", "XOR"},     {"SHL", "SLL_IMM"}, {"AND", "AND"}, {"MOVZX", "ZEXT"},
};
enum { ALU_NAMES = sizeof alu_names / sizeof *alu_names };

static enum shape shape_of(uint64_t dice)
{
    static const unsigned char below[SHAPES] = {44, 66, 76, 82, 85, 100};
    enum shape shape = ALU;
    while (dice >= below[shape]) shape++;
    return shape;
}

static void lay_out(struct site *sites, struct chance *chance)
{
    uint64_t pc = FIRST_PC;
    for (uint32_t i = 0; i < SITES; i++) {
        struct site *site = &sites[i];
        *site = (struct site){
            .shape = i + 1 < SITES ? shape_of(chance_below(chance, 100)) : BRANCH,
            .pc = pc,
            .length = 2 + (uint32_t)chance_below(chance, 6),
            .address = (i & 1 ? UINT64_C(0x7fffe7fe000) : UINT64_C(0x12f0000)) +
                       8 * chance_below(chance, 4096),
            .stride = i & 1 ? 0 : 8 * chance_below(chance, 9),
            .source = (int)chance_below(chance, 16),
            .destination = (int)chance_below(chance, 16),
            .immediate = (int64_t)chance_below(chance, 512) - 256,
        };
        bool loops = chance_below(chance, 3) == 0;
        uint32_t away = 1 + (uint32_t)chance_below(chance, 24);
        if (loops)
            site->target = i > away ? i - away : 0;
        else
            site->target = i + away < SITES ? i + away : 0;
        site->taken_of_16 = loops ? 13 : 1 + (uint32_t)chance_below(chance, 8);
        pc += site->length;
    }
    sites[SITES - 1].target = 0;
    sites[SITES - 1].taken_of_16 = 16;
}

static char *put_columns(char *at, const struct uop *uop, int padded)
{
    unsigned narrow = padded ? 2 : 0, medium = padded ? 9 : 0, wide = padded ? 12 : 0;
    size_t macro = strlen(uop->macro);
    at = put_char(put_decimal(at, uop->step), ' ');
    at = put_char(put_hex(at, uop->pc, 1), ' ');
    at = put_char(put_signed_padded(at, uop->src1, narrow), ' ');
    at = put_char(put_signed_padded(at, uop->src2, narrow), ' ');
    at = put_char(put_signed_padded(at, uop->dest, narrow), ' ');
    at = put_char(put_char(at, uop->flags), ' ');
    at = put_char(put_char(at, uop->branch), ' ');
    at = put_char(put_char(at, uop->ldst), ' ');
    at = put_char(put_signed_padded(at, uop->immediate, medium), ' ');
    at = put_char(quick_put_hex_padded(at, uop->address, wide), ' ');
    at = put_char(quick_put_hex_padded(at, uop->fall, wide), ' ');
    at = put_char(quick_put_hex_padded(at, uop->target, wide), ' ');
    at = put_bytes(at, uop->macro, macro);
    for (; padded && macro < 8; macro++) at = put_char(at, ' ');
    at = put_char(at, ' ');
    at = put_bytes(at, uop->micro, strlen(uop->micro));
    return put_char(at, '\n');
}

static void put_uop(struct text *out, const struct uop *uop, int padded)
{
    char *at = text_reserve(out, LONGEST_LINE + PUT_SLACK);
    if (at) text_commit(out, put_columns(at, uop, padded));
    drain(out, DRAIN);
}

/* The micro-ops of one execution of an instruction; gives their number. */
static unsigned run_site(struct site *site, const struct site *sites, bool taken, struct uop *uops)
{
    struct uop uop = {.step = 1,
                      .pc = site->pc,
                      .src1 = -1,
                      .src2 = site->source,
                      .dest = site->destination,
                      .flags = '-',
                      .branch = '-',
                      .ldst = '-',
                      .immediate = site->immediate,
                      .fall = site->pc + site->length};
    uops[0] = uops[1] = uop;
    uops[1].step = 2;
    switch (site->shape) {
    case LOAD:
    case COMPARE_LOAD:
    case STORE:
        uops[0].ldst = site->shape == STORE ? 'S' : 'L';
        uops[0].address = site->address;
        site->address += site->stride;
        uops[0].macro = site->shape == COMPARE_LOAD ? "CMP" : "MOV";
        uops[0].micro = site->shape == STORE ? "STORE" : "LOAD";
        uops[1].macro = "CMP";
        uops[1].micro = "SUB";
        uops[1].flags = 'W';
        uops[1].dest = 44;
        return site->shape == COMPARE_LOAD ? 2 : 1;
    case BRANCH:
        uops[0].src2 = uops[0].dest = -1;
        uops[0].flags = site->taken_of_16 == 16 ? '-' : 'R';
        uops[0].branch = taken ? 'T' : 'N';
        uops[0].target = sites[site->target].pc;
        uops[0].macro = site->taken_of_16 == 16 ? "JMP" : "J";
        uops[0].micro = "JMP_IMM";
        return 1;
    case SET:
        uops[0].macro = uops[1].macro = "SET";
        uops[0].micro = "ADD";
        uops[1].micro = "ADD_IMM";
        uops[1].flags = 'R';
        return 2;
    default:
        uops[0].macro = alu_names[site->destination % ALU_NAMES][0];
        uops[0].micro = alu_names[site->destination % ALU_NAMES][1];
        uops[0].flags = site->length > 4 ? 'W' : '-';
        return 1;
    }
}

void generate_uop(uint64_t count, int padded)
{
    static struct site sites[SITES];
    struct chance chance = {UINT64_C(0x5eed5eed5eed5eed)};
    struct text out = {0};
    lay_out(sites, &chance);
    for (uint32_t at = 0; count;) {
        struct uop uops[2];
        bool taken = sites[at].shape == BRANCH && chance_below(&chance, 16) < sites[at].taken_of_16;
        unsigned steps = run_site(&sites[at], sites, taken, uops);
        for (unsigned i = 0; i < steps && count; i++, count--) put_uop(&out, &uops[i], padded);
        at = taken ? sites[at].target : at + 1;
    }
    drain(&out, 1);
    text_free(&out);
}
