/* SPDX-License-Identifier: MIT */
/*
 * generate_tarmac.c: Tarmac text as Arm's Fast Models print it: mostly instructions, registers and
 * memory accesses, and every other record of the document from time to time.
 */
#include "generate.h"

enum { DRAIN = 1 << 20, LONGEST_LINE = 200, RARE = 64, LOOP = 1500 };

struct run {
    struct text out;
    struct chance chance;
    uint64_t time, written;
    uint64_t pc, data, value;
};

static char *put_words(char *at, const char *words)
{
    return put_bytes(at, words, strlen(words));
}

static char *put_head(char *at, const struct run *run, const char *keyword)
{
    at = put_decimal(at, run->time);
    at = put_words(at, " clk cpu0 ");
    return put_words(at, keyword);
}

/* "00023060:000015223060_NS": the virtual address, and where it is mapped. */
static char *put_address(char *at, uint64_t address)
{
    at = put_char(put_hex(at, address, 8), ':');
    at = put_hex(at, address + UINT64_C(0x15200000), 12);
    return address & 0x01000000 ? put_words(at, "_NS") : at;
}

static void commit(struct run *run, char *at)
{
    size_t before = run->out.size;
    at = put_char(at, '\n');
    text_commit(&run->out, at);
    run->written += run->out.size - before;
    drain(&run->out, DRAIN);
}

static void put_instruction(struct run *run, uint32_t opcode, const char *disassembly)
{
    char *at = text_reserve(&run->out, LONGEST_LINE);
    if (!at) return;
    at = put_head(at, run, "IT (");
    at = put_words(put_decimal(at, run->time - 24), ") ");
    at = put_char(put_address(at, run->pc), ' ');
    at = put_words(put_hex(at, opcode, 8), " O EL1h_n : ");
    commit(run, put_words(at, disassembly));
}

static void put_register(struct run *run, unsigned number, uint64_t value)
{
    char *at = text_reserve(&run->out, LONGEST_LINE);
    if (!at) return;
    at = put_head(at, run, "R X");
    at = put_char(put_decimal(at, number), ' ');
    commit(run, put_hex_upper(at, value, 16));
}

static void put_access(struct run *run, const char *keyword, uint64_t address, uint64_t value)
{
    char *at = text_reserve(&run->out, LONGEST_LINE);
    if (!at) return;
    at = put_char(put_head(at, run, keyword), ' ');
    at = put_char(put_address(at, address), ' ');
    at = put_char(put_hex(at, value >> 32, 8), '_');
    commit(run, put_hex(at, value & UINT32_MAX, 8));
}

/* The records that are not instructions, registers and accesses, one after the other: @ stands for
 * the pc, % for three digits that change, # for the index. */
static const char *const rare[] = {
    "FD (#) @:0000@ 00000%:000000000% O",
    "FI (#) @:0000@_NS 00000%:000000000%_NS O",
    "CACHE cpu.cpu0.l1icache LINE 0096 ALLOC 0x0000@",
    "CACHE cpu.cpu0.l1dcache LINE 0% DIRTY 0x0000@_NS",
    "CACHE cluster.l2_cache LINE 04b0 EVICT 0x0000@",
    "CACHE MAINTENANCE D CLEAN+INVALIDATE MVA_POC @:0000@ 4K Normal",
    "CACHE MAINTENANCE I INVALIDATE ALL_POU 00000000",
    "TTW ITLB LPAE 1:3 0000@ 00000000152204c3 : BLOCK ATTRIDX=0 NS=0 AP=3 SH=0 AF=1 nG=0 "
    "16E=0 PXN=0 XN=0 ADDR=0x0000000015220000",
    "TTU DTLB LPAE 1:3 0000@ 0000000016000463 : TABLE ADDR=0x0000000016000000",
    "TLB FILL cpu.cpu0.DTLB 64K 0x@, nG asid=0:0x0016000000_NS Normal NonShareable "
    "Inner=WriteBackWriteAllocate Outer=WriteBackWriteAllocate xn=0 pxn=0 ContiguousHint =0",
    "TLB EVICT cpu.cpu0.DTLB 4K 0x@ EL1_n vmid=3, nG asid=17",
    "WALKCACHE FILL cpu.cpu0.WALK 2M 0x@ EL1_n vmid=3:0x0016000000",
    "E @:0000@ 00000088 CoreEvent_LOWER_64_SYNC",
    "E 00000000 EL1h 00000019 CoreEvent_ModeChange",
    "MU8_ADD 0000@ 00000000_00000%",
    "BR8D__S I_RCB_ O_RCB_ 0 0000@ 0000000013000000",
    "R z31 00000000_00000000_00000000_@",
    "R p0 ffff",
};
enum { RARES = sizeof rare / sizeof *rare };

static char *put_shape(char *at, const struct run *run, const char *shape)
{
    for (; *shape; shape++) switch (*shape) {
        case '@': at = put_hex(at, run->pc, 8); break;
        case '%': at = put_hex(at, run->data & 0xfff, 3); break;
        case '#': at = put_decimal(at, run->time); break;
        default: at = put_char(at, *shape);
        }
    return at;
}

static void put_rare(struct run *run, const char *shape)
{
    char *at = text_reserve(&run->out, 2 * LONGEST_LINE);
    if (at) commit(run, put_shape(put_head(at, run, ""), run, shape));
}

/* One instruction with what it did. */
static void step(struct run *run)
{
    static const char *const loads[] = {"LDR      x0,[x1,#8]", "LDR      x8,[sp,#0x18]"};
    unsigned number = (unsigned)chance_below(&run->chance, 31);
    uint64_t dice = chance_below(&run->chance, 100);
    run->time++;
    run->value = run->value * 6364136223846793005u + 1442695040888963407u;
    uint64_t value = dice & 1 ? run->value : run->value >> 44;
    if (dice < 22) {
        put_instruction(run, 0xf9400420, loads[dice & 1]);
        run->data += 8;
        put_access(run, "MR8", run->data, value);
        put_register(run, number, value);
    } else if (dice < 32) {
        put_instruction(run, 0xf9000100, "STR      x0,[x8,#0]");
        put_access(run, "MW8", run->data ^ 0x1000, value);
    } else if (dice < 82) {
        put_instruction(run, 0x91000421 + number, "ADD      x1,x1,#1");
        put_register(run, number, value);
    } else {
        put_instruction(run, 0x54ffff61, "B.NE     {pc}-0x14 ; 0x23038");
        if (dice < 94) run->pc -= 24;
    }
    run->pc += 4;
}

void generate_tarmac(uint64_t bytes)
{
    struct run run = {
        .chance = {UINT64_C(0x7a27a27a27a27a2)}, .time = 24, .pc = 0x00023000, .data = 0x0620e000};
    for (uint64_t steps = 1; run.written < bytes; steps++) {
        step(&run);
        if (steps % RARE == 0) put_rare(&run, rare[steps / RARE % RARES]);
        if (steps % LOOP == 0) run.pc = 0x00023000 + 0x400 * chance_below(&run.chance, 512);
        if (run.pc < 0x1000) run.pc = 0x00023000;
    }
    drain(&run.out, 1);
    text_free(&run.out);
}
