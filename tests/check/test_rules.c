/* SPDX-License-Identifier: MIT */
/* test_rules.c: for every rule of check, a trace that violates it and a nearly identical one that
 * does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "spoor/check.h"
#include "support/trace.h"

struct bytes {
    const char *at;
    size_t size;
};
#define BYTES(literal)                  \
    {                                   \
        "" literal, sizeof(literal) - 1 \
    }

/* x86: nop at eight places. */
#define NOP8                                                                                      \
    "401000 1 90\n401001 1 90\n401002 1 90\n401003 1 90\n401004 1 90\n401005 1 90\n401006 1 90\n" \
    "401007 1 90\n"

/* RISC-V: auipc x5, 0 at eight places; then lw x6, 8(x5) at eight. */
#define AUIPC(at) "3 0x800000" at " (0x00000297) x5  0x800000" at "\n"
/* clang-format off */
#define AUIPC8 \
    AUIPC("00") AUIPC("04") AUIPC("08") AUIPC("0c") AUIPC("10") AUIPC("14") AUIPC("18") AUIPC("1c")
/* clang-format on */
#define LOAD(at) "3 0x800000" at " (0x0082a303) x6  0x00000001 mem 0x80000024\n"
#define LOAD8 \
    LOAD("20") LOAD("24") LOAD("28") LOAD("2c") LOAD("30") LOAD("34") LOAD("38") LOAD("3c")
#define LOOP "3 0x80000000 (0x00000013)\n3 0x80000004 (0xffdff06f)\n"
#define DISASM(at, text) "core   0: 0x800000" at " (0x00000297) " text "\n"
#define DISASM_AUIPC(at) DISASM(at, "auipc   t0, 0x0")
/* clang-format off */
#define DISASM8 \
    DISASM_AUIPC("00") DISASM_AUIPC("04") DISASM_AUIPC("08") DISASM_AUIPC("0c") \
    DISASM_AUIPC("10") DISASM_AUIPC("14") DISASM_AUIPC("18") DISASM_AUIPC("1c")
/* clang-format on */
#define JUMP(immediate) "1 400 -1 -1 -1 - T - " immediate " 0 402 400 JMP JMP_IMM\n"
#define EXEC(tick, at, micro, text)                                            \
    tick ": system.cpu: T0 : 0x" at " @main+" micro " : " text " : IntAlu :  " \
         "D=0x0000000000000001\n"
#define O3(rest) "O3PipeView:" rest "\n"
#define FETCH(number, tick) O3("fetch:" tick ":0x00001000:0:" number ":add r1, r2")
#define TWICE "core   0: 0x80000000 (0x0000006f) j pc\ncore   0: 3 0x80000000 (0x0000006f)\n"

/* ChampSim: an instruction without registers and accesses at `pc`. */
#define ZEROS8 "\0\0\0\0\0\0\0\0"
#define CHAMPSIM(pc) pc ZEROS8 ZEROS8 ZEROS8 ZEROS8 ZEROS8 ZEROS8 ZEROS8
#define CHAMPSIM_BRANCH                                                                            \
    "\x00\x00\x40\x00\x00\x00\x00\x00\x01\x00\x1a\x00\x1a\x19\x00\x00" ZEROS8 ZEROS8 ZEROS8 ZEROS8 \
        ZEROS8 ZEROS8
#define CHAMPSIM8                                \
    CHAMPSIM("\x00\x00\x40\x00\x55\x55\x00\x00") \
    CHAMPSIM("\x04\x00\x40\x00\x55\x55\x00\x00") \
    CHAMPSIM("\x08\x00\x40\x00\x55\x55\x00\x00") \
    CHAMPSIM("\x0c\x00\x40\x00\x55\x55\x00\x00") \
    CHAMPSIM("\x10\x00\x40\x00\x55\x55\x00\x00") \
    CHAMPSIM("\x14\x00\x40\x00\x55\x55\x00\x00") \
    CHAMPSIM("\x18\x00\x40\x00\x55\x55\x00\x00") CHAMPSIM("\x1c\x00\x40\x00\x55\x55\x00\x00")
#define CHAMPSIM32 CHAMPSIM8 CHAMPSIM8 CHAMPSIM8 CHAMPSIM8

/* SBBT: a header, and a branch with these low bits; another one with this target. */
#define SBBT_TO(low, target) low "\x00\x40\x00\x00\x00\x00" target "\x01\x00\x00\x00\x00\x00"
#define SBBT_ONE(low) "SBBT\n\1\0\0" ZEROS8 ZEROS8 SBBT_TO(low, "\x01\x10")
/* A branch to itself, the gap-th instruction since it was there last. */
#define SBBT_LOOP(gap) "\x01\x08\x00\x40\x00\x00\x00\x00" gap "\x00\x00\x40\x00\x00\x00\x00"
/* clang-format off */
#define SBBT_LOOPS \
    "SBBT\n\1\0\0" ZEROS8 ZEROS8 SBBT_LOOP("\1") SBBT_LOOP("\1") SBBT_LOOP("\1") SBBT_LOOP("\1") \
    SBBT_LOOP("\1") SBBT_LOOP("\1") SBBT_LOOP("\1") SBBT_LOOP("\1") SBBT_LOOP("\1") \
    SBBT_LOOP("\1")
/* clang-format on */

/* drmemtrace: an entry of 12 bytes with a value below 2^32, and groups of entries. */
#define ENTRY(type, size, value) type "\0" size "\0" value "\0\0\0\0"
#define MARKER(kind, value) ENTRY("\x1C", kind, value)
#define SMALL(value) value "\0\0\0"
#define DRM_FIRST ENTRY("\x19", "\0", SMALL("\7")) MARKER("\x0C", SMALL("\7"))
#define DRM_TYPE MARKER("\x09", "\x08\x02\0\0")
#define DRM_THREAD ENTRY("\x16", "\4", SMALL("\5"))
#define DRM_TIME MARKER("\x0A", SMALL("\x40")) MARKER("\2", SMALL("\1")) MARKER("\3", SMALL("\1"))
#define DRM_HEAD DRM_FIRST DRM_TYPE DRM_THREAD DRM_TIME
#define DRM_CODE(bits) ENTRY("\x2F", "\4", bits)
#define DRM_INSN(pc) ENTRY("\x0A", "\4", SMALL(pc))
#define DRM_NOP(pc) DRM_CODE("\x1F\x20\x03\xD5") DRM_INSN(pc)
#define DRM_SVC(pc) DRM_CODE("\1\0\0\xD4") DRM_INSN(pc)
#define DRM_EXIT ENTRY("\x17", "\4", SMALL("\5"))
#define DRM_FOOTER ENTRY("\x1A", "\0", SMALL("\0"))
#define DRM_END DRM_EXIT DRM_FOOTER
#define DRM_CALL MARKER("\x19", SMALL("\1"))
#define DRM_CHUNK(number) MARKER("\x15", SMALL(number))

struct example {
    const char *rule, *format;
    struct bytes bad, good;
    uint64_t findings; /* number of findings in `bad` */
};

/* ---- pieces of traces ---- */

/* one 12-byte record: address 00001000 + low, type, size, attribute, processor, delta */
#define BYU12(low, type, size, attribute, processor, delta) \
    low "\x10\x00\x00" type size attribute processor delta
#define FIRST BYU12("\x00", "\x01", "\x08", "\x00", "\x00", "\xff\xff\xff\xff")
#define TICK "\x07\x00\x00\x00"
#define TICKING BYU12("\x00", "\x01", "\x08", "\x00", "\x00", TICK)
/* one 6-byte record: address 00001000 + low, byte enables, control */
#define BYU6(low, enables, control) "\x00\x00\x10" low enables control

/* a page that a TLB maps, by its memory type */
#define FILL(type) \
    "1 clk cpu0 TLB FILL cpu.cpu0.ITLB 4K 0x00021000 EL3_s:0x0015221000 " type " xn=0\n"

/* clk cpu0 IT */
#define IT(time, index, pc, opcode, rest) \
    time " clk cpu0 IT (" index ") " pc " " opcode " " rest "\n"
#define IS(time, index, pc, opcode, rest) \
    time " clk cpu0 IS (" index ") " pc " " opcode " " rest "\n"
#define NOP(time, index, pc) IT(time, index, pc, "d503201f", "O EL1h_n : NOP")

/* a header with both counts below 256; a jump, the fifth instruction */
#define SBBT(instructions, branches) \
    "SBBT\n\1\0\0" instructions "\0\0\0\0\0\0\0" branches "\0\0\0\0\0\0\0"
#define SBBT_JUMP "\x00\x08\x00\x00\x04\x00\x00\x00\x05\x00\x80\x00\x04\x00\x00\x00"
/* one branch that jumps to itself by way of four other instructions */
#define BT9(instructions, branches)                        \
    "BT9_SPA_TRACE_FORMAT\n"                               \
    "total_instruction_count:   " instructions "    # x\n" \
    "branch_instruction_count:  " branches "\n"            \
    "BT9_NODES\nNODE 0 0 - 0 0\n"                          \
    "NODE 1 0x400010 - 0 4 class: JMP+DIR+UCD\n"           \
    "BT9_EDGES\nEDGE 0 0 1 T 0x400000 - 4\nEDGE 1 1 1 T 0x400000 - 4\nBT9_EDGE_SEQUENCE\n"

static const struct example examples[] = {
    /* ---- bytes ---- */
    {"syntax", "uop", BYTES("1 400 -1 -1 13 - - - 0 0 404 0 SET\n"),
     BYTES("1 400 -1 -1 13 - - - 0 0 404 0 SET ADD\n"), 1},
    {"syntax", "uop", BYTES("1 400 -1 -1 13 - -9 - 0 0 404 0 SET ADD\n"),
     BYTES("1 400 -1 -1 13 - - - 0 0 404 0 SET ADD\n"), 1},
    {"trailing-bytes", "byu12", BYTES(FIRST "\x00\x00"), BYTES(FIRST), 1},

    /* ---- counts ---- */
    {"branch-count", "sbbt", BYTES(SBBT("\x05", "\x02") SBBT_JUMP),
     BYTES(SBBT("\x05", "\x01") SBBT_JUMP), 1},
    {"branch-count", "sbbt", BYTES(SBBT("\x05", "\x01")), BYTES(SBBT("\x05", "\x00")), 1},
    {"branch-count", "bt9", BYTES(BT9("5", "1") "0\n1\n1\nEOF\n"),
     BYTES(BT9("5", "2") "0\n1\n1\nEOF\n"), 1},
    {"instruction-count", "sbbt", BYTES(SBBT("\x04", "\x01") SBBT_JUMP),
     BYTES(SBBT("\x06", "\x01") SBBT_JUMP), 1},
    {"instruction-count", "bt9", BYTES(BT9("9", "2") "0\n1\n1\n"),
     BYTES(BT9("10", "2") "0\n1\n1\n"), 1},

    /* ---- order ---- */
    {"time-order", "tarmac", BYTES(NOP("10", "1", "00001000") NOP("9", "2", "00001004")),
     BYTES(NOP("10", "1", "00001000") NOP("10", "2", "00001004")), 1},
    {"time-order", "tarmac",
     BYTES("10 clk cpu0 R X0 0000000000000000\n"
           "20 clk cpu1 R X0 0000000000000000\n"
           "9 clk cpu0 R X0 0000000000000000\n"),
     BYTES("10 clk cpu0 R X0 0000000000000000\n"
           "20 clk cpu1 R X0 0000000000000000\n"
           "11 clk cpu0 R X0 0000000000000000\n"),
     1},
    {"time-unit", "tarmac", BYTES("10 clk R r0 00000000\n11 ps R r0 00000000\n"),
     BYTES("10 clk R r0 00000000\n11 clk R r0 00000000\n"), 1},
    {"time-scale", "tarmac",
     BYTES("10 cpu0 R X0 0000000000000000\n11 cpu0 R X0 0000000000000000\n"),
     BYTES("10 clk cpu0 R X0 0000000000000000\n11 clk cpu0 R X0 0000000000000000\n"), 1},
    {"index-order", "tarmac", BYTES(NOP("10", "2", "00001000") NOP("11", "1", "00001004")),
     BYTES(NOP("10", "2", "00001000") NOP("11", "3", "00001004")), 1},
    {"trace-lost", "perf",
     BYTES(" instruction trace error type 1 cpu -1 pid 7 tid 7 ip 0 code 8: Lost trace data\n"),
     BYTES(" 7  5.000000001:   call                 40102a =>           401005\n"), 1},
    {"index-gap", "tarmac", BYTES(NOP("10", "1", "00001000") NOP("11", "3", "00001004")),
     BYTES(NOP("10", "1", "00001000") NOP("11", "2", "00001004")), 1},

    {"insn-micro", "gem5",
     BYTES(EXEC("1000", "400", "0. 0", "  A : ld t1, [rsp]")
               EXEC("1000", "400", "0. 2", "  A : br")),
     BYTES(EXEC("1000", "400", "0. 0", "  A : ld t1, [rsp]") EXEC("1000", "400", "0. 1", "  A : br")
               EXEC("1000", "400", "0. 7", "  A : add t1, t1, t2")),
     1},
    {"insn-change", "gem5",
     BYTES(EXEC("1", "400", "0   ", "li a0, 1") EXEC("2", "400", "0   ", "li a0, 1")
               EXEC("3", "400", "0   ", "li a0, 3") EXEC("4", "400", "0   ", "li a0, 1")),
     BYTES(EXEC("1", "400", "0   ", "li a0, 1") EXEC("2", "400", "0   ", "li a0, 1")
               EXEC("3", "400", "0   ", "li a0, 3") EXEC("4", "400", "0   ", "li a0, 3")),
     1},
    {"symbol-place", "gem5",
     BYTES(EXEC("1", "400", "0   ", "li a0, 1") EXEC("2", "404", "4   ", "li a0, 1")
               EXEC("3", "408", "9   ", "li a0, 3") EXEC("4", "40c", "12   ", "li a0, 1")),
     BYTES(EXEC("1", "400", "0   ", "li a0, 1") EXEC("2", "404", "4   ", "li a0, 1")
               EXEC("3", "408", "8   ", "li a0, 3") EXEC("4", "40c", "12   ", "li a0, 3")),
     1},

    /* ---- stages of a pipeline ---- */
    {"stage-order", "o3pipeview", BYTES(FETCH("10", "1000") O3("decode:900")),
     BYTES(FETCH("10", "1000") O3("decode:1000")), 1},
    {"stage-order", "o3pipeview", BYTES(FETCH("10", "1000") O3("complete:0") O3("retire:10")),
     BYTES(FETCH("10", "1000") O3("complete:0") O3("retire:1000")), 1},
    {"stage-begin", "o3pipeview", BYTES(O3("decode:900") FETCH("10", "1000")),
     BYTES(FETCH("10", "1000") O3("decode:1000")), 1},
    {"stage-begin", "kanata", BYTES("I\t1\t0\t0\nS\t2\t0\tF\n"), BYTES("I\t1\t0\t0\nS\t1\t0\tF\n"),
     1},
    {"stage-begin", "kanata", BYTES("I\t1\t0\t0\nW\t1\t99\t0\n"), BYTES("I\t1\t0\t0\nW\t1\t0\t0\n"),
     1},
    {"stage-once", "kanata", BYTES("I\t1\t0\t0\nI\t1\t0\t0\n"), BYTES("I\t1\t0\t0\nI\t2\t0\t0\n"),
     1},
    {"stage-once", "kanata", BYTES("I\t1\t0\t0\nR\t1\t0\t0\nR\t1\t1\t0\n"),
     BYTES("I\t1\t0\t0\nR\t1\t0\t0\nL\t1\t0\tlate\n"), 1},
    {"stage-squashed", "o3pipeview", BYTES(FETCH("10", "1000") O3("retire:0:store:2000")),
     BYTES(FETCH("10", "1000") O3("retire:2000:store:2000")), 1},
    {"retire-order", "o3pipeview",
     BYTES(FETCH("11", "1000") O3("retire:2000:store:0") FETCH("10", "1000")
               O3("retire:3000:store:0")),
     BYTES(FETCH("11", "1000") O3("retire:2000:store:0") FETCH("10", "1000")
               O3("retire:2000:store:0")),
     1},
    /* ---- markers ---- */
    {"marker-head", "drmemtrace", BYTES(DRM_FIRST DRM_THREAD DRM_TIME DRM_NOP("\4") DRM_END),
     BYTES(DRM_HEAD DRM_NOP("\4") DRM_END), 1},
    {"marker-thread", "drmemtrace", BYTES(DRM_FIRST DRM_TYPE DRM_THREAD DRM_NOP("\4") DRM_END),
     BYTES(DRM_HEAD DRM_NOP("\4") DRM_END), 1},
    {"marker-end", "drmemtrace", BYTES(DRM_HEAD DRM_NOP("\4") DRM_EXIT),
     BYTES(DRM_HEAD DRM_NOP("\4") DRM_END), 1},
    {"marker-chunk", "drmemtrace", BYTES(DRM_HEAD DRM_NOP("\4") DRM_CHUNK("\1") DRM_END),
     BYTES(DRM_HEAD DRM_NOP("\4") DRM_CHUNK("\0") DRM_END), 1},
    {"marker-code", "drmemtrace", BYTES(DRM_HEAD DRM_NOP("\4") DRM_INSN("\x08") DRM_END),
     BYTES(DRM_HEAD DRM_NOP("\4") DRM_NOP("\x08") DRM_END), 1},
    {"marker-next", "drmemtrace", BYTES(DRM_HEAD DRM_NOP("\4") DRM_NOP("\x0C") DRM_END),
     BYTES(DRM_HEAD DRM_NOP("\4") DRM_NOP("\x08") DRM_END), 1},
    {"marker-call", "drmemtrace", BYTES(DRM_HEAD DRM_NOP("\4") DRM_CALL DRM_END),
     BYTES(DRM_HEAD DRM_SVC("\4") DRM_CALL DRM_END), 1},

    /* ---- micro-ops ---- */
    {"uop-step", "uop",
     BYTES("1 400 -1 -1 13 - - - 0 0 404 0 SET ADD\n3 400 -1 -1 13 R - - 1 0 404 0 SET ADD_IMM\n"),
     BYTES("1 400 -1 -1 13 - - - 0 0 404 0 SET ADD\n2 400 -1 -1 13 R - - 1 0 404 0 SET ADD_IMM\n"),
     1},
    {"uop-step", "uop", BYTES("0 400 -1 -1 13 - - - 0 0 404 0 SET ADD\n"),
     BYTES("2 400 -1 -1 13 - - - 0 0 404 0 SET ADD\n"), 1},
    {"uop-group", "uop",
     BYTES("1 400 -1 -1 13 - - - 0 0 404 0 SET ADD\n2 400 -1 -1 13 R - - 1 0 405 0 SET ADD_IMM\n"),
     BYTES("1 400 -1 -1 13 - - - 0 0 404 0 SET ADD\n2 400 -1 -1 13 R - - 1 0 404 0 SET ADD_IMM\n"),
     1},
    {"uop-macro", "uop",
     BYTES("1 400 -1 -1 13 - - - 0 0 404 0 SET ADD\n2 400 -1 -1 13 R - - 1 0 404 0 MOV ADD_IMM\n"),
     BYTES("1 400 -1 -1 13 - - - 0 0 404 0 SET ADD\n2 400 -1 -1 13 R - - 1 0 404 0 SET ADD_IMM\n"),
     1},
    {"uop-next-pc", "uop",
     BYTES("1 400 -1 -1 13 - - - 0 0 404 0 SET ADD\n1 408 -1 -1 13 - - - 0 0 40c 0 SET ADD\n"),
     BYTES("1 400 -1 -1 13 - - - 0 0 404 0 SET ADD\n1 404 -1 -1 13 - - - 0 0 408 0 SET ADD\n"), 1},
    {"uop-next-pc", "uop", /* a taken branch, a repetition, and a line that cannot be read */
     BYTES("1 400 -1 -1 -1 - T - 0 0 402 500 JMP JMP_IMM\n"
           "1 402 0 0 0 - - S 0 9000 403 0 STOS STORE\n"),
     BYTES("1 400 -1 -1 -1 - T - 0 0 402 500 JMP JMP_IMM\n"
           "1 500 0 0 0 - - S 0 9000 501 0 STOS STORE\n"
           "1 500 0 0 0 - - S 0 9000 501 0 STOS STORE\n"
           "?\n"
           "1 400 -1 -1 -1 - N - 0 0 402 500 J JMP_IMM\n"
           "1 402 0 0 0 - - S 0 9000 403 0 STOS STORE\n"),
     1},
    {"uop-size", "uop", BYTES("1 400 -1 -1 13 - - - 0 0 410 0 SET ADD\n"),
     BYTES("1 400 -1 -1 13 - - - 0 0 40f 0 SET ADD\n"), 1},
    {"uop-size", "uop", BYTES("1 400 -1 -1 13 - - - 0 0 400 0 SET ADD\n"),
     BYTES("1 400 -1 -1 13 - - - 0 0 401 0 SET ADD\n"), 1},
    {"uop-target", "uop", BYTES("1 400 -1 -1 -1 - T - 0 0 402 0 JMP JMP_IMM\n"),
     BYTES("1 400 -1 -1 -1 - T - 0 0 402 500 JMP JMP_IMM\n"), 1},
    {"uop-target", "uop", BYTES("1 400 -1 -1 13 - - - 0 0 404 500 SET ADD\n"),
     BYTES("1 400 -1 -1 13 - - - 0 0 404 0 SET ADD\n"), 1},
    {"uop-address", "uop", BYTES("1 400 -1 -1 13 - - - 0 9000 404 0 SET ADD\n"),
     BYTES("1 400 -1 -1 13 - - L 0 9000 404 0 MOV LOAD\n"), 1},
    {"uop-address-zero", "uop", BYTES("1 400 -1 5 3 - - L 0 0 404 0 MOV LOAD\n"),
     BYTES("1 400 -1 5 3 - - L 0 8 404 0 MOV LOAD\n"), 1},
    {"uop-register", "uop", BYTES("1 400 -2 5 50 - - - 0 0 404 0 MOV ADD\n"),
     BYTES("1 400 -1 5 49 - - - 0 0 404 0 MOV ADD\n"), 2},
    {"uop-change", "uop", BYTES(JUMP("0") JUMP("0") JUMP("5") JUMP("0")),
     BYTES(JUMP("0") JUMP("0") JUMP("5") JUMP("5") JUMP("0")), 1},

    /* ---- requests at the pins ---- */
    {"bus-type", "byu12", BYTES(FIRST BYU12("\x00", "\x30", "\x08", "\x00", "\x00", TICK)),
     BYTES(FIRST BYU12("\x00", "\x31", "\x08", "\x00", "\x00", TICK)), 1},
    {"bus-type", "byu6", BYTES(BYU6("\x00", "\x00", "\xa0")), BYTES(BYU6("\x00", "\x00", "\x90")),
     1},
    {"bus-reserved", "byu6", BYTES(BYU6("\x00", "\x00", "\x81")),
     BYTES(BYU6("\x00", "\x00", "\x80")), 1},
    {"bus-size", "byu12", BYTES(FIRST BYU12("\x00", "\x01", "\x0c", "\x00", "\x00", TICK)),
     BYTES(FIRST BYU12("\x00", "\x01", "\x10", "\x00", "\x00", TICK)), 1},
    {"bus-size-type", "byu12", BYTES(FIRST BYU12("\x00", "\x01", "\x00", "\x00", "\x00", TICK)),
     BYTES(FIRST BYU12("\x00", "\x20", "\x00", "\x00", "\x00", TICK)), 1},
    {"bus-size-type", "byu12", /* converted from a format without sizes of data */
     BYTES(FIRST BYU12("\x00", "\x01", "\x00", "\x00", "\x00", TICK)),
     BYTES(FIRST BYU12("\x00", "\x03", "\x00", "\x00", "\x00", TICK)
               BYU12("\x00", "\x03", "\x00", "\x00", "\x00", TICK)),
     1},
    {"bus-alignment", "byu12", BYTES(FIRST BYU12("\x04", "\x01", "\x08", "\x00", "\x00", TICK)),
     BYTES(FIRST BYU12("\x04", "\x01", "\x04", "\x00", "\x00", TICK)), 1},
    {"bus-delta", "byu12", BYTES(FIRST TICKING FIRST),
     BYTES(FIRST BYU12("\x00", "\x01", "\x08", "\x00", "\x00", "\xff\xff\xff\x7f")), 1},
    {"bus-delta", "byu12", BYTES(FIRST TICKING FIRST), BYTES(FIRST FIRST), 1}, /* without times */
    {"bus-delta", "byu12",
     BYTES(FIRST BYU12("\x00", "\x01", "\x08", "\x00", "\x00", "\x00\x00\x00\x80")),
     BYTES(FIRST BYU12("\x00", "\x01", "\x08", "\x00", "\x00", "\xff\xff\xff\x7f")), 1},
    {"bus-delta-zero", "byu12",
     BYTES(FIRST TICKING BYU12("\x00", "\x01", "\x08", "\x00", "\x00", "\x00\x00\x00\x00")),
     BYTES(FIRST BYU12("\x00", "\x01", "\x08", "\x00", "\x00", "\x01\x00\x00\x00")), 1},
    {"bus-delta-zero", "byu12", /* a trace of zeros has no time at all */
     BYTES(FIRST TICKING BYU12("\x00", "\x01", "\x08", "\x00", "\x00", "\x00\x00\x00\x00")),
     BYTES(FIRST BYU12("\x00", "\x01", "\x08", "\x00", "\x00", "\x00\x00\x00\x00")
               BYU12("\x00", "\x01", "\x08", "\x00", "\x00", "\x00\x00\x00\x00")),
     1},
    {"bus-attribute", "byu12", BYTES(FIRST BYU12("\x00", "\x01", "\x08", "\x04", "\x00", TICK)),
     BYTES(FIRST BYU12("\x00", "\x01", "\x08", "\x03", "\x00", TICK)), 1},
    {"bus-agent", "byu12", BYTES(FIRST BYU12("\x00", "\x01", "\x08", "\x00", "\x10", TICK)),
     BYTES(FIRST BYU12("\x00", "\x01", "\x08", "\x00", "\x0f", TICK)), 1},
    {"bus-lane-address", "byu6", BYTES(BYU6("\x04", "\x0f", "\xc0")),
     BYTES(BYU6("\x08", "\x0f", "\xc0")), 1},
    {"bus-enables", "byu6", BYTES(BYU6("\x00", "\x5f", "\xc0") BYU6("\x00", "\xff", "\xc0")),
     BYTES(BYU6("\x00", "\x9f", "\xc0") BYU6("\x00", "\xff", "\x30")), 2},
    {"bus-enables", "byu6", /* converted from a format without sizes of data */
     BYTES(BYU6("\x00", "\x0f", "\xc0") BYU6("\x00", "\xff", "\xc0")),
     BYTES(BYU6("\x00", "\xff", "\xf0") BYU6("\x00", "\x0f", "\xc0")), 1},

    /* ---- instructions ---- */
    {"insn-size", "tarmac", BYTES(IT("1", "1", "00001000", "f000", "T svc_s : BL {pc}+4")),
     BYTES(IT("1", "1", "00001000", "f000f800", "T svc_s : BL {pc}+4")), 1},
    {"insn-size", "tarmac", BYTES(IT("1", "1", "00001000", "a00a2000", "T svc_s : ADR r0,{pc}")),
     BYTES(IT("1", "1", "00001000", "a00a", "T svc_s : ADR r0,{pc}")), 1},
    {"insn-size", "tarmac", BYTES(IT("1", "1", "00001000", "201f", "O EL1h_n : NOP")),
     BYTES(NOP("1", "1", "00001000")), 1},
    {"insn-alignment", "tarmac", BYTES(NOP("1", "1", "00001002")), BYTES(NOP("1", "1", "00001004")),
     1},
    {"insn-alignment", "tarmac", BYTES(IT("1", "1", "00001001", "a00a", "T svc_s : ADR r0,{pc}")),
     BYTES(IT("1", "1", "00001002", "a00a", "T svc_s : ADR r0,{pc}")), 1},
    {"insn-a32", "tarmac", BYTES(IT("1", "1", "00001002", "e1a00000", "A svc_s : MOV r0,r0")),
     BYTES(IT("1", "1", "00001004", "e1a00000", "A svc_s : MOV r0,r0")), 1},
    {"insn-a32", "tarmac", BYTES(IT("1", "1", "00001000", "46c0", "A svc_s : MOV r8,r8")),
     BYTES(IT("1", "1", "00001000", "46c0", "T svc_s : MOV r8,r8")), 1},
    /* letters of Trace Matcher name no instruction set */
    {"insn-a32", "tarmac", BYTES(IT("1", "1", "00001000", "4501", "A svc_s : C.LI")),
     BYTES(NOP("1", "1", "00001000")), 1},
    {"insn-a32", "tarmac", BYTES(IT("1", "1", "00001002", "e1a00000", "A svc_s : MOV r0,r0")),
     BYTES(NOP("1", "1", "00001000")), 1},
    /* a call has five bytes; 06 is no opcode in 64-bit mode, which eight instructions show */
    {"insn-code", "scarab-pt", BYTES(NOP8 "401100 6 e8 d6 ff ff ff 90\n"),
     BYTES("401100 6 e8 d6 ff ff ff 90\n" NOP8 "401008 5 e8 d6 ff ff ff\n"), 1},
    {"insn-code", "scarab-pt", BYTES(NOP8 "401200 1 06\n"), BYTES("401200 1 06\n" NOP8), 1},
    {"insn-skipped", "tarmac", BYTES(IS("1", "1", "00001000", "d503201f", "O EL1h_n : NOP")),
     BYTES(IS("1", "1", "00001000", "54000062", "O EL1h_n : B.CS {pc}+0xc")), 1},
    {"insn-skipped", "tarmac", BYTES(IS("1", "1", "00001000", "5400006e", "O EL1h_n : B.AL")),
     BYTES(IS("1", "1", "00001000", "340001a8", "O EL1h_n : CBZ w8,{pc}+0x34")
               IS("2", "2", "00001004", "37000068", "O EL1h_n : TBNZ w8,#0,{pc}+0xc")),
     1},
    {"insn-skipped", "tarmac", BYTES(IS("1", "1", "00001000", "e1a00000", "A svc_s : MOV r0,r0")),
     BYTES(IS("1", "1", "00001000", "2a000001", "A svc_s : BCS {pc}+0xc")), 1},
    {"insn-after-skip", "tarmac",
     BYTES(IS("1", "1", "00001000", "54000062", "O EL1h_n : B.CS {pc}+0xc")
               NOP("2", "2", "0000100c")),
     BYTES(IS("1", "1", "00001000", "54000062", "O EL1h_n : B.CS {pc}+0xc")
               NOP("2", "2", "00001004")),
     1},
    {"insn-mode", "tarmac", BYTES(IT("1", "1", "00001000", "d503201f", "O svc_s : NOP")),
     BYTES(NOP("1", "1", "00001000")), 1},
    {"insn-mode", "tarmac", BYTES(IT("1", "1", "00001000", "a00a", "T EL0t_n : ADR r0,{pc}")),
     BYTES(IT("1", "1", "00001000", "a00a", "T usr_n : ADR r0,{pc}")), 1},
    {"insn-mode", "spike", BYTES("core   0: 2 0x80000000 (0x00000013)\n"),
     BYTES("core   0: 3 0x80000000 (0x00000013)\ncore   0: 1 0x80000004 (0x00000013)\n"), 1},
    {"insn-mode", "tarmac",
     BYTES(IT("1", "1", "00001000", "e1a00000", "A foo_s : MOV r0,r0")
               IT("2", "2", "00001004", "e1a00000", "A svc_q : MOV r0,r0")
                   IT("3", "3", "00001008", "d503201f", "O EL4h_s : NOP")),
     BYTES(IT("1", "1", "00001000", "e1a00000", "A hyp_ns : MOV r0,r0")
               IT("2", "2", "00001004", "e1a00000", "A svc : MOV r0,r0")
                   IT("3", "3", "00001008", "d503201f", "O el3h_rl : NOP")
                       IT("4", "4", "0000100c", "46c0", "T handler_s : MOV r8,r8")),
     3},
    {"insn-mode", "matcher", BYTES("1 clk 0 IT (1) 00001000 e1a00000 A foo : x\n"),
     BYTES("1 clk 0 IT (1) 00001000 e1a00000 A und_ns : x\n"), 1},
    {"insn-mode", "matcher",
     BYTES("1 clk 0 IT (1) 00001000 e1a00000 A hyp_ns : x\n"
           "2 clk 0 IT (2) 00001004 e1a00000 A svc_n : x\n"
           "3 clk 0 IT (3) 00001008 e1a00000 A handler : x\n"),
     BYTES("1 clk 0 IT (1) 00001000 e1a00000 A mon_s : x\n"
           "2 clk 0 IT (2) 00001004 e1a00000 A svc : x\n"
           "3 clk 0 IT (3) 00001008 d503201f O EL0t_n : x\n"),
     3},
    {"insn-mode", "matcher", BYTES("1 clk 0 IT (1) 00001000 e1a00000 A SVC_s : x\n"),
     BYTES("1 clk 0 IT (1) 00001000 d503201f O EL1h_s : x\n"), 1},
    {"insn-mode", "tarmac", BYTES("1 clk cpu0 E 00011540 EL9h_n 00000019 CoreEvent_ModeChange\n"),
     BYTES("1 clk cpu0 E 00011540 EL1h_n 00000019 CoreEvent_ModeChange\n"), 1},
    {"insn-size", "matcher", BYTES("1 clk 0 IT (1) 00001000 e1a000 A svc : x\n"),
     BYTES("1 clk 0 IT (1) 00001000 00e1a00000000000 T svc : x\n"), 1},
    {"flow-alignment", "tarmac", BYTES("1 clk cpu0 FD (1) 01000074 01000102 O\n"),
     BYTES("1 clk cpu0 FD (1) 01000074 01000104 O\n"), 1},
    {"insn-pc", "spike",
     BYTES(AUIPC8 "3 0x80000120 (0x00000297) x5  0x80000020\n3 0x80000024 (0x00000297) x5  0x0\n"),
     BYTES(AUIPC8 "3 0x80000120 (0x00000297) x5  0x80000020\n3 0x80000124 (0x00000297) x5  0x0\n"),
     1},
    {"insn-pc", "champsim",
     BYTES(CHAMPSIM_BRANCH CHAMPSIM("\x00\x00\x40\x00\x00\x00\x00\x00") CHAMPSIM(
         "\x04\x08\x40\x00\x00\x00\x00\x00") CHAMPSIM("\x08\x00\x40\x00\x00\x00\x00\x00")),
     BYTES(CHAMPSIM_BRANCH CHAMPSIM("\x00\x00\x40\x00\x00\x00\x00\x00") CHAMPSIM(
         "\x04\x00\x40\x00\x00\x00\x00\x00") CHAMPSIM("\x08\x00\x40\x00\x00\x00\x00\x00")),
     1},
    {"insn-next", "spike", BYTES(AUIPC8 LOAD8 AUIPC("40") AUIPC("48") AUIPC("4c")),
     BYTES(AUIPC8 LOAD8 AUIPC("40") AUIPC("44") AUIPC("48")), 1},
    {"insn-next", "spike", BYTES(AUIPC8 LOAD8 AUIPC("40") AUIPC("40") AUIPC("44")),
     BYTES(AUIPC8 LOAD8 AUIPC("40") "3 0x80001000 (0x00000297) x5  0x80001000\n"), 1},
    {"insn-change", "spike", BYTES(LOOP LOOP "3 0x80000004 (0x0000006b)\n" LOOP),
     BYTES(LOOP LOOP "3 0x80000004 (0x0000006b)\n3 0x80000004 (0x0000006b)\n" LOOP), 1},
    {"insn-again", "spike",
     BYTES(TWICE TWICE TWICE TWICE "core   0: 0x80000000 (0x0000006f) j pc\n"
                                   "core   0: 3 0x80000004 (0x0000006f)\n"),
     BYTES("core   0: 0x80000000 (0x0000006f) j pc\ncore   0: 3 0x80000004 (0x0000006f)\n" TWICE
               TWICE TWICE TWICE "core   0: 0x80000000 (0x0000006f) j pc\n"),
     1},
    {"insn-disasm", "spike", BYTES(DISASM8 DISASM("20", "auipc   t1, 0x0")),
     BYTES(DISASM8 DISASM_AUIPC("20")), 1},
    {"insn-disasm", "spike", BYTES(DISASM8 DISASM("20", "lui     t0, 0x0")),
     BYTES(DISASM8 DISASM("20", "auipc   t0, 0x0 # lui")), 1},
    {"insn-disasm", "spike", BYTES(DISASM8 DISASM("20", "auipc   t0, 0x1")),
     BYTES(DISASM8 DISASM("20", "auipc   x5, 0")), 1},
    {"flow-reserved", "sbbt", BYTES(SBBT_ONE("\x11\x00")), BYTES(SBBT_ONE("\x01\x00")), 1},
    {"flow-outcome", "sbbt", BYTES(SBBT_ONE("\x08\x00")), BYTES(SBBT_ONE("\x00\x00")), 1},
    {"flow-type", "sbbt", BYTES(SBBT_ONE("\x04\x08")), BYTES(SBBT_ONE("\x06\x08")), 1},
    {"flow-site", "sbbt",
     BYTES(SBBT_ONE("\x01\x08") SBBT_TO("\x01\x08", "\x00\x10") SBBT_TO("\x01\x08", "\x00\x20")
               SBBT_TO("\x01\x08", "\x00\x10")),
     BYTES(SBBT_ONE("\x03\x08") SBBT_TO("\x03\x08", "\x00\x10") SBBT_TO("\x03\x08", "\x00\x20")
               SBBT_TO("\x03\x08", "\x00\x10")),
     1},
    {"flow-distance", "sbbt", BYTES(SBBT_LOOPS SBBT_LOOP("\2")), BYTES(SBBT_LOOPS SBBT_LOOP("\1")),
     1},
    {"page-offset", "tarmac",
     BYTES(IT("1", "1", "00001000:000080001004", "d503201f", "O EL1h_n : NOP")),
     BYTES(IT("1", "1", "00001000:000080001000", "d503201f", "O EL1h_n : NOP")), 1},
    {"page-offset", "tarmac", BYTES("1 clk cpu0 MR4 00011540:000015211544 13000000\n"),
     BYTES("1 clk cpu0 MR4 00011540:000015211540 13000000\n"), 1},
    {"page-offset", "tarmac",
     BYTES("1 clk cpu0 FD (1) 01000074:000011000074_NS 01000100:000011000104_NS O\n"),
     BYTES("1 clk cpu0 FD (1) 01000074:000011000074_NS 01000100:000011000100_NS O\n"), 1},

    /* ---- accesses and registers ---- */
    {"mem-size", "tarmac", BYTES("1 clk cpu0 MR3 00011540 130000\n"),
     BYTES("1 clk cpu0 MR2 00011540 1300\n"), 1},
    {"data-width", "tarmac", BYTES("1 clk cpu0 MR4 00011540 1300\n"),
     BYTES("1 clk cpu0 MR4 00011540 00001300\n"), 1},
    {"data-width", "matcher", BYTES("10 clk MR8 00103fc4 00104000\n"),
     BYTES("10 clk MR8 00103fc4 0010400000000000\n"), 1},
    {"reg-width", "tarmac", BYTES("1 clk cpu0 R X0 00000000\n"),
     BYTES("1 clk cpu0 R X0 0000000000000000\n"), 1},
    {"reg-width", "tarmac", BYTES("1 clk cpu0 R r13_mon 0000000000000000\n"),
     BYTES("1 clk cpu0 R r13_mon 00000000\n"), 1},
    /* a trace without leading zeros may print values of any width in fewer digits */
    {"reg-width", "tarmac", BYTES("1 clk cpu0 R r0 00000008\n1 clk cpu0 R r1 8\n"),
     BYTES("1 clk cpu0 R r0 8\n1 clk cpu0 R r1 12345\n1 clk cpu0 R r2 0\n"), 1},
    {"reg-width", "tarmac", BYTES("1 clk cpu0 R r0 123456789\n"),
     BYTES("1 clk cpu0 R x0 123456789\n"), 1},
    {"reg-width", "tarmac", BYTES("1 clk cpu0 R z31 00000000_00000000_00000000\n"),
     BYTES("1 clk cpu0 R z31 00000000_00000000_00000000_00000000\n"), 1},

    {"reg-case", "matcher", BYTES("10 clk R R8 00000000\n"),
     BYTES("10 clk R r8 00000000\n10 clk R XREG[1] 0000000000000000\n"), 1},
    {"reg-exists", "spike", BYTES("3 0x80000000 (0x00000297) x37 0x80000000\n"),
     BYTES("3 0x80000000 (0x00000297) x31 0x80000000\n3 0x80000000 (0x1) f40f 0x8\n"), 1},
    {"reg-destination", "spike", BYTES(AUIPC8 "3 0x80000020 (0x00000297) x6  0x80000020\n"),
     BYTES(AUIPC8 "3 0x80000020 (0x00000297) x5  0x80000020\n"
                  "3 0x80000024 (0x00000073) x10 0x0\n"),
     1},
    {"reg-value", "spike", BYTES(AUIPC8 "3 0x80000020 (0x00000297) x5  0x80000021\n"),
     BYTES(AUIPC8 "3 0x80000020 (0x00000297) x5  0x80000020\n"
                  "3 0x80000024 (0x00028013) x0  0x00000000\n"),
     1},
    {"reg-value", "spike", BYTES(AUIPC8 "3 0x80000020 (0xffe28313) x6  0x80000000\n"),
     BYTES(AUIPC8 "3 0x80000020 (0xffe28313) x6  0x8000001a\n"), 1}, /* addi x6, x5, -2 */
    {"mem-address", "spike",
     BYTES(AUIPC8 LOAD8 "3 0x80000040 (0x0082a303) x6 0x1 mem 0x8000002c\n"),
     BYTES(AUIPC8 LOAD8 "3 0x80000040 (0x0082a303) x6 0x1 mem 0x80000024\n"), 1},
    {"address-range", "champsim", BYTES(CHAMPSIM32 CHAMPSIM("\x00\x00\x40\x00\x00\x00\x00\x00")),
     BYTES(CHAMPSIM32 CHAMPSIM("\x00\x00\x40\x00\x55\x55\x00\x00")), 1},

    /* ---- caches, walks, TLBs, events ---- */
    {"cache-alignment", "tarmac",
     BYTES("1 clk cpu0 CACHE cpu.cpu0.l1icache LINE 0096 ALLOC 0x0000152112c8\n"),
     BYTES("1 clk cpu0 CACHE cpu.cpu0.l1icache LINE 0096 ALLOC 0x0000152112c0\n"), 1},
    {"walk-range", "tarmac",
     BYTES("1 clk cpu0 TTW ITLB LPAE 3:4 000016390010 00000000152204c3 : FAULT\n"),
     BYTES("1 clk cpu0 TTW ITLB LPAE 2:3 000016390010 00000000152204c3 : FAULT\n"), 2},
    {"walk-range", "tarmac", BYTES("1 clk cpu0 TTW ITLB VMSA 1:0 000016390010 15220000 : FAULT\n"),
     BYTES("1 clk cpu0 TTW ITLB LPAE 1:0 000016390010 0000000015220000 : FAULT\n"), 1},
    {"walk-range", "tarmac",
     BYTES("1 clk cpu0 TTW XTLB LPAE 1:3 000016390010 00000000152204c3 : FAULT\n"),
     BYTES("1 clk cpu0 TTU DTLB LPAE 1:3 000016390010 00000000152204c3 : FAULT\n"), 1},
    {"walk-alignment", "tarmac",
     BYTES("1 clk cpu0 TTW ITLB LPAE 1:3 000016390014 00000000152204c3 : FAULT\n"),
     BYTES("1 clk cpu0 TTW ITLB VMSA 1:2 000016390014 152204c3 : FAULT\n"), 1},
    {"walk-result", "tarmac",
     BYTES("1 clk cpu0 TTW ITLB LPAE 1:3 000016390010 00000000152204c3 : TABLE ADDR=0x0\n"),
     BYTES("1 clk cpu0 TTW ITLB LPAE 1:2 000016390010 00000000152204c3 : TABLE ADDR=0x0\n"), 1},
    {"walk-result", "tarmac",
     BYTES("1 clk cpu0 TTW ITLB LPAE 1:2 000016390010 00000000152204c3 : TABLE\n"
           "1 clk cpu0 TTW ITLB XPAE 1:2 000016390010 00000000152204c3 : TABLE ADDR=0x0\n"),
     BYTES("1 clk cpu0 TTW ITLB LPAE 1:2 000016390010 00000000152204c3 : TABLE ADDR=0x0\n"
           "1 clk cpu0 TTW ITLB LPAE 1:2 000016390010 00000000152204c3 : BLOCK\n"),
     2},
    {"walk-result", "tarmac",
     BYTES("1 clk cpu0 TTW ITLB LPAE 1:2 000016390010 00000000152204c3 : SECTION ADDR=0x0\n"),
     BYTES("1 clk cpu0 TTW ITLB VMSA 1:1 000016390010 152204c3 : SECTION ADDR=0x0\n"), 1},
    {"tlb-alignment", "tarmac",
     BYTES("1 clk cpu0 TLB FILL cpu.cpu0.ITLB 64K 0x00021000 EL3_s:0x0015221000 xn=0\n"),
     BYTES("1 clk cpu0 TLB FILL cpu.cpu0.ITLB 4K 0x00021000 EL3_s:0x0015221000 xn=0\n"), 2},
    {"tlb-regime", "tarmac", BYTES("1 clk cpu0 TLB EVICT cpu.cpu0.ITLB 4K 0x00021000 EL2_s\n"),
     BYTES("1 clk cpu0 TLB EVICT cpu.cpu0.ITLB 4K 0x00021000 EL3_s\n"), 1},
    {"tlb-attributes", "tarmac",
     BYTES("1 clk cpu0 TLB FILL cpu.cpu0.ITLB 4K 0x00021000 EL3_s:0x0015221000\n"),
     BYTES("1 clk cpu0 TLB FILL cpu.cpu0.ITLB 4K 0x00021000 EL3_s:0x0015221000 xn=0\n"
           "1 clk cpu0 TLB EVICT cpu.cpu0.ITLB 4K 0x00021000 EL3_s\n"),
     1},
    {"memory-type", "tarmac",
     BYTES(FILL("Normal Sharable Inner=WriteBack Outer=WriteBack") FILL("Device-nGnR")
               FILL("Normal Shareable Inner=WriteBackAllocate Outer=WriteBack") FILL(
                   "Normal Shareable Inner=WriteBack Outer=Write") "1 clk cpu0 CACHE MAINTENANCE D "
                                                                   "CLEAN MVA_POC "
                                                                   "00011540:000015211540 4K "
                                                                   "Funny\n"),
     BYTES(FILL("Normal NonShareable Inner=WriteBackWriteAllocate Outer=NonCacheable")
               FILL("Normal Shareable Inner=WriteThroughNonReadAllocateNonWriteAllocate "
                    "Outer=WriteBackNonReadAllocate") FILL("Device-nGnRnE (StronglyOrdered)")
                   FILL("Device-GRE") "1 clk cpu0 CACHE MAINTENANCE D CLEAN MVA_POC "
                                      "00011540:000015211540 4K Normal\n"),
     5},
    {"memory-type", "tarmac", BYTES(FILL("Device-nGnRnE (Foo)") FILL("Device-GRE (Device)")),
     BYTES(FILL("Device-nGnRE (Device)") FILL("Device-nGnRnE (StronglyOrdered)")), 2},
    {"event-name", "tarmac",
     BYTES("1 clk cpu0 E 00011540 00000019 CoreEvent_ModeChange\n"
           "1 clk cpu0 E 00011540 EL1h_n 00000007 CoreEvent_IRQ\n"),
     BYTES("1 clk cpu0 E 00011540 EL1h_n 00000019 CoreEvent_ModeChange\n"
           "1 clk cpu0 E 00011540 00000007 CoreEvent_IRQ\n"),
     2},
    {"event-known", "tarmac", BYTES("1 clk cpu0 E 00011540 00000099 CoreEvent_Foo\n"),
     BYTES("1 clk cpu0 E 00011540 00000013 CoreEvent_EXT_INT3\n"
           "1 clk cpu0 E 00011540 00000010 CoreEvent_EXT_INT0\n"
           "1 clk cpu0 E 00011540 00000099 CoreEvent_IRQ\n"
           "1 clk cpu0 E 00011540 0000008a CoreEvent_LOWER_64_FIQ\n"),
     1},
    {"event-name", "tarmac", BYTES("1 clk cpu0 E 00011540 0000000f CoreEvent_EXT_INT3\n"),
     BYTES("1 clk cpu0 E 00011540 00000010 CoreEvent_EXT_INT0\n"), 1},
    {"event-name", "tarmac", BYTES("1 clk cpu0 E 00011540 00000008 CoreEvent_IRQ\n"),
     BYTES("1 clk cpu0 E 00011540 00000007 CoreEvent_IRQ\n"), 1},
    {"event-name", "tarmac", BYTES("1 clk cpu0 E 00011540 00000001 CoreEvent_IRQ\n"),
     BYTES("1 clk cpu0 E 00011540 00000000 CoreEvent_RESET\n"
           "1 clk cpu0 E 00011540 00000090 CoreEvent_OfSomeOtherModel\n"
           "1 clk cpu0 E 00011540 00000003 CoreEvent_HARDFAULT\n"
           "1 clk cpu0 E 00011540 00000005 CoreEvent_handleDataAbort\n"
           "1 clk cpu0 ES  EXC [0x00] Reset\n"),
     1},
};
enum { EXAMPLES = sizeof examples / sizeof *examples };

static void keep(void *context, const struct spoor_finding *finding)
{
    struct spoor_finding *last = context;
    *last = *finding;
}

/* Counts the findings of one rule in a batch; the last one is stored in `last`. */
static uint64_t count_in(const struct spoor_batch *batch, const char *rule,
                         struct spoor_finding *last)
{
    const struct spoor_check_options how = {.sink = keep, .context = last};
    struct spoor_check *check = NULL;
    assert_int_equal(spoor_check_new(&check, &how, NULL), SPOOR_OK);
    int wanted = spoor_rule_find(rule);
    assert_true(wanted >= 0);
    for (size_t i = 0; i < spoor_rule_count(); i++)
        spoor_check_enable(check, (int)i, (int)i == wanted);
    assert_int_equal(spoor_check_feed(check, batch, NULL), SPOOR_OK);
    uint64_t count = spoor_check_count(check, wanted);
    spoor_check_free(check);
    return count;
}

static uint64_t count_of(const struct example *example, const struct bytes *bytes,
                         struct spoor_finding *last)
{
    struct trace trace;
    const struct spoor_format *format = spoor_format_find(example->format);
    assert_non_null(format);
    trace_decode(&trace, format, bytes->at, bytes->size);
    uint64_t count = count_in(&trace.batch, example->rule, last);
    trace_free(&trace);
    return count;
}

static void broken_and_kept(void **state)
{
    (void)state;
    for (size_t i = 0; i < EXAMPLES; i++) {
        const struct example *example = &examples[i];
        struct spoor_finding finding = {0};
        uint64_t good = count_of(example, &example->good, &finding);
        if (good)
            print_error("%s: '%s': found %s, expected %s\n", example->rule, example->good.at,
                        finding.found, finding.expected);
        assert_int_equal(good, 0);
        uint64_t bad = count_of(example, &example->bad, &finding);
        if (bad != example->findings) print_error("%s: '%s'\n", example->rule, example->bad.at);
        assert_int_equal(bad, example->findings);
        assert_string_equal(finding.rule->name, example->rule);
        assert_true(finding.found[0] && finding.expected[0]);
    }
}

/* ---- rules whose traces no short text makes ---- */

static void over_long_line(void **state)
{
    (void)state;
    struct trace trace;
    struct spoor_finding finding = {0};
    trace_decode(&trace, spoor_format_find("uop"), "aaaa", 4);
    assert_int_equal(count_in(&trace.batch, "line-length", &finding), 0);
    struct line line = {trace.batch.text, trace.batch.text + 4, SPOOR_EOL_NONE};
    line_piece(&trace.batch, &line);
    assert_int_equal(count_in(&trace.batch, "line-length", &finding), 1);
    assert_string_equal(finding.found, "'aaaa'");
    trace_free(&trace);
}

static void verbatim_line(void **state)
{
    (void)state;
    struct trace trace;
    struct spoor_finding finding = {0};
    const char line[] = "1 400 -1 -1 13 - - - 0 0 404 0 SET ADD\n";
    trace_decode(&trace, spoor_format_find("uop"), line, sizeof line - 1);
    assert_int_equal(count_in(&trace.batch, "verbatim-line", &finding), 0);
    spoor_batch_spill(&trace.batch, SPOOR_SPILL_LINE, (struct spoor_ref){0, 38});
    assert_int_equal(count_in(&trace.batch, "verbatim-line", &finding), 1);
    trace_free(&trace);
}

/* ---- the table ---- */

static bool has_example(const char *rule)
{
    if (strcmp(rule, "line-length") == 0 || strcmp(rule, "verbatim-line") == 0) return true;
    for (size_t i = 0; i < EXAMPLES; i++)
        if (strcmp(examples[i].rule, rule) == 0) return true;
    return false;
}

static void every_rule_is_tested(void **state)
{
    (void)state;
    for (size_t i = 0; i < spoor_rule_count(); i++) {
        const struct spoor_rule_info *info = spoor_rule_at(i);
        if (!has_example(info->name)) print_error("no example of %s\n", info->name);
        assert_true(has_example(info->name));
        assert_int_equal(spoor_rule_find(info->name), i);
        assert_true(info->demand[0] && info->source[0]);
    }
    assert_null(spoor_rule_at(spoor_rule_count()));
    assert_int_equal(spoor_rule_find("no-such-rule"), -1);
}

/* docs/rules.md has a row for every rule, with the text of the table. */
static void every_rule_is_documented(void **state)
{
    (void)state;
    static const char *const severities[] = {"note", "warning", "error"};
    static char text[1 << 16];
    FILE *file = fopen("docs/rules.md", "r"); /* tests run in the source directory */
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    for (size_t i = 0; i < spoor_rule_count(); i++) {
        const struct spoor_rule_info *info = spoor_rule_at(i);
        char row[400];
        snprintf(row, sizeof row, "| `%s` | %s | %s | %s |", info->name, severities[info->severity],
                 info->on ? "yes" : "no", info->demand);
        if (!strstr(text, row)) print_error("docs/rules.md lacks: %s\n", row);
        assert_non_null(strstr(text, row));
    }
}

static void letters_of_matcher_name_no_instruction_set(void **state)
{
    (void)state;
    static const char *const rules[] = {"insn-a32", "insn-size", "reg-width"};
    struct bytes lines = BYTES("1 clk 0 IT (1) 00000000 4501 A svc_ns : c.li a0, 0\n"
                               "2 clk 0 IT (2) 00000002 00000013 A svc_ns : nop\n"
                               "3 clk 0 IT (3) 00000008 0000000000000013 A svc_ns : vliw\n"
                               "4 clk 0 IT (4) 00000010 0000000000000013 T svc_ns : vliw\n"
                               "5 clk 0 IT (5) 00000018 00000013 X svc_ns : vliw\n"
                               "5 clk R r1 0000000000000013\n");
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        struct spoor_finding finding = {0};
        struct example example = {.rule = rules[i], .format = "matcher"};
        assert_int_equal(count_of(&example, &lines, &finding), 0);
    }
}

static void an_event_has_the_name_of_its_number(void **state)
{
    (void)state;
    struct spoor_finding finding = {0};
    struct example example = {.rule = "event-name", .format = "tarmac"};
    struct bytes lines = BYTES("8 clk cpu0 E 00001008 00000007 CoreEvent_FIQ\n");
    assert_int_equal(count_of(&example, &lines, &finding), 1);
    assert_string_equal(finding.expected, "CoreEvent_IRQ (M profile: CoreEvent_SECUREFAULT)");
    struct bytes m_lines =
        BYTES(IT("1", "1", "00001000", "46c0",
                 "T thread : MOV r8,r8") "8 clk cpu0 E 00001008 00000007 CoreEvent_FIQ\n");
    assert_int_equal(count_of(&example, &m_lines, &finding), 1);
    assert_string_equal(finding.expected, "CoreEvent_SECUREFAULT");
    struct bytes h_lines =
        BYTES(IT("1", "1", "00001000", "e1a00000",
                 "A hyp_ns : MOV r0,r0") "8 clk cpu0 E 00001008 00000007 CoreEvent_FIQ\n");
    assert_int_equal(count_of(&example, &h_lines, &finding), 1);
    assert_string_equal(finding.expected, "CoreEvent_IRQ (M profile: CoreEvent_SECUREFAULT)");
    struct bytes a_lines = BYTES("8 clk cpu0 E 00001008 00000001 CoreEvent_IRQ\n");
    assert_int_equal(count_of(&example, &a_lines, &finding), 1);
    assert_string_equal(finding.expected, "CoreEvent_Reset");
    struct bytes named = BYTES("8 clk cpu0 E 00001008 00000090 CoreEvent_IRQ\n");
    assert_int_equal(count_of(&example, &named, &finding), 1);
    assert_string_equal(finding.expected, "number 00000007 for this name");
}

/* The names of table 6-16, and those of the M profile (Armv7-M Architecture Reference Manual, "The
 * exceptions"), by number. */
static void each_number_has_its_events(void **state)
{
    (void)state;
    static const struct {
        unsigned number;
        const char *of_a, *of_m;
    } names[] = {
        {0x01, "Reset", NULL},
        {0x02, "UndefinedInstr", "NMI"},
        {0x03, "SWI", "HARDFAULT"},
        {0x04, "PrefetchAbort", "MEMMANAGE"},
        {0x05, "DataAbort", "BUSFAULT"},
        {0x06, NULL, "USAGEFAULT"},
        {0x07, "IRQ", "SECUREFAULT"},
        {0x08, "FIQ", NULL},
        {0x0B, NULL, "SVCALL"},
        {0x0C, NULL, "DEBUGMONITOR"},
        {0x0E, "ImpDataAbort", "PENDSV"},
        {0x0F, NULL, "SYSTICK"},
        {0x80, "CURRENT_SP0_SYNC", NULL},
        {0x88, "LOWER_64_SYNC", NULL},
    };
    for (size_t i = 0; i < 2 * sizeof names / sizeof *names; i++) {
        const bool m = i % 2;
        const char *of_a = names[i / 2].of_a, *of_m = names[i / 2].of_m;
        struct spoor_finding finding = {0};
        struct example example = {.rule = "event-name", .format = "tarmac"};
        char lines[200], expected[100];
        const int size = snprintf(lines, sizeof lines,
                                  "1 clk cpu0 IT (1) 00001000 46c0 T %s : MOV r8,r8\n"
                                  "8 clk cpu0 E 00001008 %08x CoreEvent_ModeChange\n",
                                  m ? "handler" : "svc_s", names[i / 2].number);
        if (of_a && of_m && !m)
            snprintf(expected, sizeof expected, "CoreEvent_%s (M profile: CoreEvent_%s)", of_a,
                     of_m);
        else
            snprintf(expected, sizeof expected, "CoreEvent_%s", of_m ? of_m : of_a);
        assert_int_equal(count_of(&example, &(struct bytes){lines, (size_t)size}, &finding), 1);
        assert_string_equal(finding.expected, expected);
    }
}

static void where_it_is(void **state)
{
    (void)state;
    struct spoor_finding finding = {0};
    struct example text = {.rule = "uop-size", .format = "uop"};
    struct bytes lines = BYTES("\n1 400 -1 -1 13 - - - 0 0 404 0 SET ADD\n"
                               "1 404 -1 -1 13 - - - 0 0 404 0 SET ADD\n");
    assert_int_equal(count_of(&text, &lines, &finding), 1);
    assert_int_equal(finding.record, 2);
    assert_int_equal(finding.line, 3);
    struct example binary = {.rule = "bus-delta", .format = "byu12"};
    struct bytes records = BYTES(FIRST TICKING FIRST);
    assert_int_equal(count_of(&binary, &records, &finding), 1);
    assert_int_equal(finding.line, 0);
    assert_int_equal(finding.offset, 24);
}

static void told_up_to_a_limit(void **state)
{
    (void)state;
    struct trace trace;
    struct spoor_finding last = {0};
    const char records[] = FIRST TICKING FIRST FIRST FIRST;
    trace_decode(&trace, spoor_format_find("byu12"), records, sizeof records - 1);
    const struct spoor_check_options how = {.sink = keep, .context = &last, .maximum = 2};
    struct spoor_check *check = NULL;
    assert_int_equal(spoor_check_new(&check, &how, NULL), SPOOR_OK);
    assert_int_equal(spoor_check_feed(check, &trace.batch, NULL), SPOOR_OK);
    assert_int_equal(spoor_check_count(check, spoor_rule_find("bus-delta")), 3);
    assert_int_equal(last.record, 3);
    spoor_check_free(check);
    trace_free(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_and_kept),
        cmocka_unit_test(over_long_line),
        cmocka_unit_test(verbatim_line),
        cmocka_unit_test(every_rule_is_tested),
        cmocka_unit_test(every_rule_is_documented),
        cmocka_unit_test(letters_of_matcher_name_no_instruction_set),
        cmocka_unit_test(an_event_has_the_name_of_its_number),
        cmocka_unit_test(each_number_has_its_events),
        cmocka_unit_test(where_it_is),
        cmocka_unit_test(told_up_to_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
