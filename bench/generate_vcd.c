/* SPDX-License-Identifier: MIT */
/*
 * generate_vcd.c: a waveform of a core that retires an instruction in two of three cycles, with its
 * RISC-V Formal Interface: additions and loads.
 */
#include <inttypes.h>

#include "generate.h"

enum { DRAIN = 1 << 20, WIDEST = 64, HALF_CYCLE = 5, PROGRAM = 2048 /* bytes */ };

struct signal {
    const char *name;
    unsigned width;
    uint64_t value;
};
enum signal_number {
    CLOCK,
    VALID,
    ORDER,
    INSN,
    PC,
    RD,
    RD_VALUE,
    ADDRESS,
    READS,
    READ,
    OTHERS, /* that no mapping names: most of what a waveform has */
    SIGNALS = OTHERS + 12
};
static const struct signal at_first[OTHERS] = {
    [CLOCK] = {"clk", 1, 0},
    [VALID] = {"rvfi_valid", 1, 0},
    [ORDER] = {"rvfi_order", 64, 0},
    [INSN] = {"rvfi_insn", 32, 0},
    [PC] = {"rvfi_pc_rdata", 32, 0},
    [RD] = {"rvfi_rd_addr", 5, 0},
    [RD_VALUE] = {"rvfi_rd_wdata", 32, 0},
    [ADDRESS] = {"rvfi_mem_addr", 32, 0},
    [READS] = {"rvfi_mem_rmask", 4, 0},
    [READ] = {"rvfi_mem_rdata", 32, 0},
};

static void put_change(struct text *out, const struct signal *signals, unsigned number)
{
    char *at = text_reserve(out, WIDEST + 4);
    if (!at) return;
    const uint64_t value = signals[number].value;
    const bool vector = signals[number].width > 1;
    unsigned digits = 1;
    while (digits < signals[number].width && value >> digits) digits++;
    if (vector) at = put_char(at, 'b');
    for (unsigned bit = digits; bit-- > 0;) at = put_char(at, (char)('0' + (value >> bit & 1)));
    if (vector) at = put_char(at, ' ');
    text_commit(out, put_char(put_char(at, (char)('!' + number)), '\n'));
}

static void put_header(struct text *out, const struct signal *signals)
{
    text_puts(out, "$timescale 1ns $end\n$scope module core $end\n");
    for (unsigned i = 0; i < SIGNALS; i++)
        text_printf(out, "$var wire %u %c %s%s $end\n", signals[i].width, '!' + i, signals[i].name,
                    i < OTHERS ? "" : (char[]){(char)('a' + i - OTHERS), 0});
    text_puts(out, "$upscope $end\n$enddefinitions $end\n#0\n");
    for (unsigned i = 0; i < SIGNALS; i++) put_change(out, signals, i);
}

static void set(struct text *out, struct signal *signals, enum signal_number number, uint64_t value)
{
    if (signals[number].value == value) return;
    signals[number].value = value;
    put_change(out, signals, number);
}

/* The instruction at the pc, always the same: a load or an addition. */
static void retire(struct text *out, struct signal *signals, struct chance *chance)
{
    const uint64_t pc = chance_below(chance, 16) ? (signals[PC].value + 4) % PROGRAM : 0;
    struct chance at_pc = {pc + 1};
    const bool loads = chance_below(&at_pc, 4) == 0;
    const uint64_t rd = 1 + chance_below(&at_pc, 31), offset = chance_below(&at_pc, 512) * 4;
    const uint64_t value = chance_below(chance, UINT64_C(1) << 32);
    set(out, signals, INSN, (loads ? 0x2003 : 0x13) | rd << 7 | offset << 20);
    set(out, signals, PC, pc);
    set(out, signals, RD, rd);
    set(out, signals, RD_VALUE, value);
    set(out, signals, READS, loads ? 15 : 0);
    if (loads) set(out, signals, ADDRESS, offset);
    if (loads) set(out, signals, READ, value);
    set(out, signals, ORDER, signals[ORDER].value + 1);
}

void generate_vcd(uint64_t bytes)
{
    struct chance chance = {UINT64_C(0xfcfcfcfcfcfcfcfc)};
    struct signal signals[SIGNALS];
    struct text out = {0};
    memcpy(signals, at_first, sizeof at_first);
    for (unsigned i = OTHERS; i < SIGNALS; i++) signals[i] = (struct signal){"state", 32, 0};
    put_header(&out, signals);
    uint64_t drained = 0;
    for (uint64_t time = HALF_CYCLE; drained + out.size < bytes; time += HALF_CYCLE) {
        const bool rises = !signals[CLOCK].value;
        text_printf(&out, "#%" PRIu64 "\n", time);
        set(&out, signals, CLOCK, rises);
        for (unsigned i = OTHERS; rises && i < SIGNALS; i++)
            if (chance_below(&chance, 4))
                set(&out, signals, i, chance_below(&chance, UINT64_C(1) << 32));
        if (!rises) {
            set(&out, signals, VALID, chance_below(&chance, 3) != 0);
            if (signals[VALID].value) retire(&out, signals, &chance);
        }
        if (out.size >= DRAIN) drained += out.size;
        drain(&out, DRAIN);
    }
    drain(&out, 1);
    text_free(&out);
}
