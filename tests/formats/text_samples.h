/* SPDX-License-Identifier: MIT */
/* text_samples.h: lines of each text format, as traces have them. */
#ifndef TESTS_FORMATS_TEXT_SAMPLES_H
#define TESTS_FORMATS_TEXT_SAMPLES_H

#include <stddef.h>

static const char *const tarmac_lines[] = {
    "25 clk cpu0 IT (1) 00023000:000015223000 91000423 O EL1h_n : ADD      x1,x1,#1",
    "25 clk cpu0 R X2 14057B7EF767814F",
    "26 clk cpu1 IT (2) 23004 9100 T svc : b clk {pc}",
    "28 clk cpu0 MR8 0620e008:00001b40e008_NS 00000000_00066b61",
    "28 clk cpu1 MW4 ffff000008080000:0000880080000_S 8a",
    "29 clk cpu0 R cpsr 600003cd",
    "29 clk cpu0 R V3 0123456789abcdef:fedcba9876543210",
    "271ns cpu IT 8000 e3a00001 A usr :   mov r0, #1",
    "123456789012345 clk cpu1 IT (9876543210) ffff000008080000:0000880080000_NS d65f03c0 O EL1h_n "
    ":   ret a word that ends like clk and goes on after the next 64 bytes of the text ; clk",
    "29 clk cpu0 MR16 FFFF000008080000:0000880080000 00112233_44556677_8899aabb_ccddeeff",
    "29 clk cpu0 MW2 1:2 0:f",
    "31 clk cpu0 MR8 0620e008:00001b40e008 14057B7EF767814F",
    "32 clk cpu0 MW16 0620e010:00001b40e010 0123456789ABCDEF0123456789ABCDEF",
    "33 clk cpu0 MR4 1000:1000 00:11:22:33",
    "30 clk 0 IT (3) 0000000080000000 D2800000 O EL3h_s : mov",
    "30 clk R X0 0000000000000010",
    "1000000000 ps cpu0 MR8 ffff000008080010 1122334455667788",
    "  ES  (0000000000000000:d2a00020) O el3h_s:    MOV      x0, #0x10000",
    "LD  0000000000001000  ........ ........ 00000000 12345678  0:00001000 S",
    "Tarmac Text Rev 3t",
    "E 00000000 EL1h 00000019 CoreEvent_ModeChange",
    "28 clk cpu0 IT (1) 0123456789abcdef:0123456789abcdef_NS 0123456789abcdef O EL1h_n : ADD",
    "28 clk cpu0 R TLBI ALLE3 00000000:00000000",
    NULL};

static const char *const din_lines[] = {"2 401ab70",     "1 1fff0006e8", "0 0",
                                        "2 0",           "0 00401ab7",   "2 4",
                                        "1 7FFF00A",     "2\t401ab70",   "0 ffffffffffffffff",
                                        "1 1 some rest", "2 0x401ab70",  NULL};

static const char *const xdin_lines[] = {
    "i 401ab70 3",  "w 1fff0006e8 8",    "r 0 1",        "m 7fff0a 10", "c 1000 40", "v 20 0",
    "i 00401AB7 4", "r 1fff000a 4 rest", " i 401ab70 3", "r 0x12 0x4",  NULL};

static const char *const lackey_lines[] = {"I  04025310,3",
                                           " S 1ffeffe9b8,8",
                                           " L 0401ab70,4",
                                           " M 1ffefff1c0,16",
                                           "I  04025313,5",
                                           " L 00000000,1",
                                           " S 1FFEFFE9B8,8",
                                           "==123== Command: ls",
                                           " L 123,4",
                                           " L 00001ffeffe9b8,8",
                                           NULL};

static const char *const matcher_lines[] = {
    "50 clk 0 IT (50) 000000000001110c 00048593 A usr_ns : addi x11,x9,0",
    "50 clk R x11 0000000000013030",
    "53 clk MW8 00000000000142d8 0000000000013020",
    "55 clk MR8 0000000000013038 00000000000000E7",
    "55 clk R x13 00000000000000e7",
    "54 clk 0 IT (54) 0000000000011008 02050a63 A usr_ns : beq x10,x0,1103c",
    "30 clk R r13<31..0> 0000000000000010",
    "30 clk cpu IT (3) 00000 D2 O EL3h_s : mov",
    "31 clk MR4X 1000 0a0b0c0d",
    "31 clk 1 IS (7) 8000 e3a00001 T svc : mov r0, #1",
    NULL};

static const char *const spike_lines[] = {
    "core   0: 0x00001000 (0x00000297) auipc   t0, 0x0",
    "core   0: 0x00000086 (0x00000207) \tuipc   t5, 0x0",
    "core   0: 3 0x00001000 (0x00000297) x5  0x00001000",
    "core   0: 3 0 0x00001004 (0x02028593) x11 0x00001020",
    "core   0: 3 0x0000000080000000 (0x4501) x10 0x0000000000000000",
    "core   0: 3 0x00001010 (0x0182b283) x5  0x80000000 mem 0x00001018",
    "core   0: 3 0x80000130 (0x00532023) mem 0x80001000 0x00000001",
    "core   0: 3 0x80000134 (0x30529073) c773_mtvec 0x80000004",
    "3 0x00000000800000c4 (0x0002b507) f10 0x3ff0000000000000 mem 0x0000000080002000",
    "core   0: exception trap_illegal_instruction, epc 0x80000004",
    "core   0:           tval 0x00000000",
    "core   0: >>>>  main",
    "3 0x8000 (0x1A2b) x 5 0xABCD",
    NULL};

static const char *const execlog_lines[] = {
    "0, 0x400580, 0xd10043ff, \"sub sp, sp, #0x10\"",
    "0, 0x400584, 0xf90007e0, \"str x0, [sp, #8]\", store, 0x5500800ff8",
    "0, 0x400588, 0xf94007e0, \"ldr x0, [sp, #8]\", load, 0x5500800ff8, x0 -> 0x0000000000000001",
    "1, 0xa14, 0xf94, \"ldr r1, [r0]\", load, 0x0000a110, RAM",
    "0, 0x11334, 0x2197, \"auipc x3,0x2\", x3 -> 0x0000000000013334",
    "0, 0x400580, 0x1, \"say \"a\", b\"",
    "# a comment",
    NULL};

static const char *const riscv_dv_lines[] = {
    "pc,instr,gpr,csr,binary,mode,instr_str,operand,pad",
    "80000000,,t0:00000000,,f14022f3,3,\"csrr    t0, mhartid\",,",
    "00011334,auipc,x3:0000000000013334,,00002197,usr_ns,\"auipc x3,0x2\",\"x3,0x2\",",
    "80000004,addi,t1:00000000,,00000313,,\"addi\tx6,x0,0\",\"t1,zero,0\",",
    "80000008,c.li,a0:00000001,mstatus:00001800,4505,3,\"c.li a0, 1\",\"a0,1\",",
    "8000000c,sw,,,00a12023,3,\"sw a0,0(sp)\",\"a0,0(sp)\",",
    "80000010,mul,a0:0000000A;a1:0000000b,,02b50533,3,\"mul a0,a0,a1\",\"a0,a0,a1\",,more",
    NULL};

static const char *const bt9_lines[] = {"BT9_SPA_TRACE_FORMAT",
                                        "NODE 1 0x401000 - 0x0f05 2 class: JMP+DIR+CND",
                                        "EDGE 1 1 2 T 0x401100 - 5",
                                        "BT9_EDGE_SEQUENCE",
                                        "0",
                                        "17",
                                        "123456789",
                                        "4294967295",
                                        "12 # a comment",
                                        "EOF",
                                        NULL};

static const char *const perf_lines[] = {
    " 4711/4711   5000.000001010:          1           branches:u:   call                 "
    "            40102a _start+0x5 (/demo/sum) =>           401005 add_up+0x0 (/demo/sum)",
    " 4711  5000.000001010:   return                           401004 =>           401016",
    "             sum  4711 [002]  5000.000012:     100003 cycles:u:            401036 _start+0x11 "
    "(/demo/sum) 0x401024(/demo/sum)/0x40102f(/demo/sum)/M/-/-/3/RET  0x401004/0x401016/P/-/-/4",
    "             sum  4711 [002]  5000.000012:     100003 cycles:u:            401036 _start+0x11 "
    "(/demo/sum)",
    "             sum  4711 [002]  5000.000014:          1 faults:             401036 _start+0x11",
    "           401025 insn: bf 03 00 00 00",
    "           40103b insn: ff d1",
    "\t000000000040102a\tinsn: e8 d6 ff ff ff          \t# PRED 12 cycles [12]",
    "\t          4008de main+0x87 (/usr/local/home/demo)",
    "\t    7f1c0c875c69 [unknown] ([unknown])",
    "\tadd_up:",
    "1439745/1439745 2472089.651285331:       1   branches:uH:   call                 "
    "ffffffffad878fb4 std::map<std::string, std::vector<unsigned long>>::operator=>(std::map<"
    "std::string, std::vector<unsigned long>>&&, std::allocator<unsigned long> const&)+0x4 "
    "(foo.so) "
    "=> ffffffffad878f20 pmd_val+0x0 (foo.so)",
    "1439745/1439745 02472.089651:      50 branch-misses/period=50/u:      0     7fca99728318 "
    "dlclose+0x28 (/usr/lib64/libdl-2.28.so)",
    " instruction trace error type 1 time 47170.086912826 cpu -1 pid 293415 tid 293415 ip "
    "0x7ffff7327730 code 7: Overflow packet",
    "21302/21302 82318.700445693:  1  cbr:  tr end   cbr: 45 freq: 4500 MHz (118%)  0   5368e58 f",
    " 4711  5000.000002000:   tr strt                               0 =>           401019",
    "sum  4711 [002]  5000.000000: PERF_RECORD_COMM exec: sum:4711/4711",
    "           401036 0x401024/0x40102f/M/-/-/3/RET  0x401004/0x401016/P/-/-/4/RET ",
    "# captured on: Wed Aug 15 16:01:24 2018",
    "\t    7f5c0c875c60 [unknown] ([unknown])",
    "\t          4008de",
    " 149754      5ffeb3637150",
    "           401036 [unknown]",
    NULL};

static const char *const whisper_lines[] = {
    "#1 0  M 0000000080000000 00000297 r 0000000000000005 0000000080000000 auipc    x5, 0x0",
    "#8 0  M 000000008000001a     450d r 000000000000000a 0000000000000003 c.li     x10, 0x3",
    "#11 0  M 0000000080000066     e406 m 0000000080001120 0000000080000020 c.sdsp   x1, 0x8 "
    "[0x80001120]",
    "#16 1  M 0000000080000070     fff5 r 0000000000000000 0000000000000000 c.bnez   x15, . - 0x4",
    "#29 0  S 000000008000002c 0003a583 r 000000000000000b 0000000000000006 lw       x11, 0x0(x7) "
    "[0x800010c0:0x900010c0]",
    "#30 0  M 0000000080000030 00a3b62f r 000000000000000c 0000000000000006 amoadd.d x12, x10, "
    "(x7) [0x800010c0]  +",
    "#36 0  M 0000000080000048 0203e0a7 r 0000000000000000 0000000000000000 vse32.v v1, (x7) "
    "[0x800010c0=0x00000000;0x800010c4=0x00000001]",
    "#35 0  M 0000000080000044 5208a0d7 v 01 ffffffff00000003000000020000000100000000 vid.v v1",
    "#37 0  M 000000008000004c 00000073 c 0000000000000342 000000000000000b ecall     (exception)",
    "#3 0  M 80000006 3002a073 c 0300       80007800  csrrs    zero, mstatus, t0",
    "#3 0  M 80000006 3002a073 q 0300       80007800  csrrs    zero, mstatus, t0",
    NULL};

static const char *const whisper_csv_lines[] = {
    "pc, inst, modified regs, source operands, memory, inst info, privilege, trap, disassembly, "
    "hartid",
    "80000000,297,x5=80000000,i0,,,m,,auipc    x5; 0x0,0",
    "8000001c,48000ef,x1=80000020;pc=80000064,i48,,c,m,,jal      x1; . + 0x48,0",
    "80000066,e406,,x1;x2;i8,80001120=80000020,s,m,,c.sdsp   x1; 0x8,0",
    "8000002c,3a583,x11=6,x7;i0,800010c0:900010c0,l,m,,lw       x11; 0x0(x7),1",
    "80000048,203e0a7,,v1;x7,800010c0=0;800010c4=1,v,m,,vse32.v v1; (x7),0",
    "8000004c,73,c833=8000004c;c834=b,,,,m,b,ecall    ,0",
    "8000004c,73,q833=8000004c,,,,m,b,ecall    ,0",
    NULL};

static const char *const whisper_branches_lines[] = {"c 0x8000001c 0x80000064 4",
                                                     "t 0x80000070 0x8000006c 2",
                                                     "t 0x80000070 0x80000072 2",
                                                     "r 0x80000076 0x80000020 2",
                                                     "x 0x8000004c 0x80000078 0",
                                                     "q 0x8000004c 0x80000078 0",
                                                     NULL};

static const char *const sail_lines[] = {
    "mem[X,0x000000000000100A] -> 0xF140",
    "[2] [M]: 0x0000000000001008 (0xF1402573) csrrs a0, mhartid, zero",
    "[3] [M]: 0x000000008000000C (0x6319) c.lui t1, 0x6",
    "[4] [M]: 0x000000008000000C (0x6319) c.lui t1, 0x6                                  main+12",
    "[7]: 0x0000000000001008 (0xF1402573) csrrs a0, mhartid, zero",
    "CSR mhartid (0xF14) -> 0x0000000000000000",
    "CSR mstatus <- 0x0000000A00000000 (input: 0x0000000000000000)",
    "x10 <- 0x0000000000000000",
    "v1 <- 0x00000000000000000000000000000000ABCDEF",
    "mem[W,0x0000000080001120] <- 0x0000000080000020",
    "mem[R.ss,0x0000000080001120] -> 0x20",
    "trapping from M to M to handle m-call",
    "handling exc#store/amo-page-fault at priv M with tval 0x0000000000000000",
    "a program says so",
    NULL};

static const char *const rvvi_lines[] = {
    "VERSION 0 3 'every element'",
    "RET  0x80000000 0x00000297 'auipc t0, 0x0' X 5 't0' 0x80000000",
    "RET  80000440 'rvtest_code_begin+48' 02010f87 'vle8.v  v31,(sp)'      V 31 'v31' 0ff0faaf",
    "TRAP 0x100c '_start+12'           0x9002 'ebreak'  C 0x342 'mcause' 0x00000003",
    "HART 0 RET 0x80 0x3e800093 'li ra, 1000' X 1 0x3e8 HART 1 RET 0x10080 0x7d008113 X 2 0x7d0",
    "HART 0 RET 0x84 0x00000093 'a \\ is text' RET 0x88 0x00000113 X 2 0x0 CYCLE 1 TIME 10",
    "    ISSUE 1 ORDER 4 RET 0x90 0x0001 \\",
    "NET \"MSWInterrupt\" 0x1",
    "CYCLE 10 TIME 100",
    "MODE 0x1 VIRT 0 META 2 VMEM 0x1083 RET 0x92 0x13",
    "RET 0x80 0x13 X 32 0x0",
    NULL};

static const char *const qemu_lines[] = {
    "Trace 0: 0x7f8e84000100 [0000000000000000/000000000040102e/1040c0b3/00000200] _start",
    "Trace 0: 0x7f6f1c000100 [0000000000000000/0000000000011334/00207600/00000201] ",
    "Trace 0x7f6f1c000100 [0: 0000000000011334] ",
    "RAX=0000000000000000 RBX=0000000000000000 RCX=0000000000000000 RDX=000000000000000A",
    "R8 =0000000000000000 R9 =0000000000000000 R10=0000000000000000 R11=0000000000000000",
    "RIP=000000000040102e RFL=00000202 [-------] CPL=3 II=0 A20=1 SMM=0 HLT=0",
    "CS =0033 0000000000000000 ffffffff 00effb00 DPL=3 CS64 [-RA]",
    " PC=0000000000400188 X00=0000000000000000 X01=0000000000000000",
    "PSTATE=40000000 -Z-- EL0t  SVCR=00000000 --  BTYPE=0",
    "R00=00003200 R01=40800a53 R02=00000000 R03=00000000",
    " x0/zero  0000000000000000 x1/ra    0000000000000000 x2/sp    00000040008007e0 x3/gp    "
    "0000000000013334",
    " pc       0000000000011334",
    "0x0000000000011334:  00002197          auipc                   gp,8192",
    "IN: main",
    NULL};

static const char *const ibex_lines[] = {
    "Time\tCycle\tPC\tInsn\tDecoded instruction\tRegister and memory contents",
    "             20\t        10\t00100080\t00000297\tauipc\tx5,0x0\t  x5=0x00100080",
    "             22\t        11\t00100084\t0062a023\tsw\tx6,0(x5)\t  x5:0x00100080  "
    "x6:0x00000001 PA:0x00100080 store:0x00000001",
    "             26\t        13\t00100088\t4318\tc.lw\tx14,0(x14)\t x14:0x00100080 "
    "x14=0x00000001 PA:0x00100080 load:0x00000001",
    "                  40              12 00000080 00000297 auipc            x5, 0x0             "
    "     x5=0x00000080",
    "                  44              14 00000088 00000013 nop                                 ",
    "             26\t        13\t00100088\t431\tc.lw\tx14,0(x14)",
    NULL};

static const char *const cva6_lines[] = {
    "      40ns       12 M 0000000080000000 0 00000297 auipc          t0, 0x0                  "
    " t0  :0000000080000000",
    "      44ns       13 M 0000000080000004 0 0062b023 sd             t1, 0(t0)                "
    " t1  :0000000000000001 t0  :0000000080000000 VA: 0000000080000000 PA: 00000080000000",
    "      46ns       14 M 0000000080000008 1 00004518 c.lw           a4, 8(a0)                "
    " a4  :0000000000000005 a0  :0000000080000000 VA: 0000000080000008 PA: 00000080000008",
    "Exception @        50, PC: 000000008000000a, Cause: Illegal Instruction, ",
    "\t\t\t\ttval: 00000000ffffffff",
    "Exception @        60, PC: 000000008000000e, Cause: Environment Call Machine Mode",
    NULL};

static const char *const picorv32_lines[] = {"000000010", "10000002c", "200001234", "0abcdef05",
                                             "b00000400", "00000xxxx", "400000000", NULL};

static const char *const cis501_arm_lines[] = {
    "10000\t2\t_\t0\t_\t0\t0\tW\t  _\t r3\t  _\tcmp r3, #1",
    "10002\t4\tN\t10020\t_\t0\t0\tR\t  _\t  _\t  _\tbne.w #0x10020",
    "10006\t2\t_\t0\tL\tbeff00ac\t4\t_\t r3\t sp\t  _\tldr r3, [sp, #0x9c]",
    "00010000\t2\tUD\tT\t00010040\t_\t00000000\t0\t_\t lr\t  _\t  _\tbl #0x10040",
    "00010040\t2\t _\t_\t00000000\tS\tbeff00a8\t4\tB\t sp\tr11\t lr\tpush {r11, lr}",
    NULL};

static const char *const gem5_lines[] = {
    "   1332: board.processor.cores.core: A0 T0 : 0x1055a @load_gp+4    : addi gp, gp, -1166       "
    "  "
    ": IntAlu :  D=0x00000000000710c8  flags=(IsInteger)",
    "   3663: board.processor.cores.core: A0 T0 : 0x10536 @_start+14    : c_lwsp a1, 0(sp)         "
    "  "
    ": MemRead :  D=0x0000000000000001 A=0x7fffffffffffff00  FetchSeq=12  CPSeq=10  "
    "flags=(IsInteger|IsLoad)",
    "8658: system.cpu: T0 : 0x10678 : c_sdsp a1, 8(sp)           : MemWrite :  D=0x00000001 "
    "A=0x7ffffffffffffd98",
    "7992: system.cpu: T1 : 0x10550 @main+40    : jal ra, 294                : IntAlu :  "
    "D=0x0000000000010554  flags=(IsInteger|IsControl|IsDirectControl|IsUncondControl|IsCall)",
    "77000: system.cpu T0 : @_start+3.0  :   MOV_R_R : mov   rdi, rdi, rsp : IntAlu :  "
    "D=0x00007fffffffedc0",
    "0: system.cpu: T0 : 0x400a00    : beqz x1, 12 : IntAlu : Predicated False",
    "99: system.cpu.dcache: access for ReadReq [1000:103f]",
    NULL};

static const char *const tenet_lines[] = {
    "rdi=0x7ff5ffffe000,rsp=0x13ff58,r8=0x7,rip=0x14000419c,mr=0x13ff58:f21327a6fb7f0000,"
    "mw=0x13ff58:f21327a6fb7f0000",
    "rip=0x1400041a0",
    "rsp=0x13ff30,rip=0x1400041a0",
    "rbx=0x2b992ddfa232,rcx=0xABCD,rip=0x1400045ff",
    "rsp=0x13ff28,rip=0x1400045dc,mw=0x13ff28:a541004001000000",
    "rax=0xd6bdee99ed73,rip=0x1400045f0,mr=0x140007000:73ed99eebdd60000",
    "eax=0x1,eip=0x401000,mrw=0x1000:0A0B",
    "r0=0xFFFF,pc=0x8000,mr=0x20:000102030405060708090a0b0c0d0e0f1011",
    "pc=0x8004,r1=0x2,mw=0x24:01",
    "xmm0=0x00112233445566778899aabbccddeeff,rip=0x7",
    "rax=0x2,mr=0x10:00",
    NULL};

static const char *const scarab_pt_lines[] = {"4010e1 7 48 8d 1d 58 2f 00 00",
                                              "4010e8 2 ff d0",
                                              "4010ea 2 75 f4",
                                              "7f1c3b2a9040 11 48 c7 84 24 80 00 00 00 01 00 00",
                                              "7f1c3b2a904b b 48 c7 84 24 80 00 00 00 02 00 00",
                                              "7f1c3b2a9056 1 c3 ",
                                              "0x401000  5  E8 2B 0 0 0",
                                              "401005 3 90 90",
                                              NULL};
static const char *const pinatrace_lines[] = {"#eof",
                                              "0x40001e8: R 0xbe8d0c4",
                                              "0x7f3a5e0d2c03: W 0x7ffe12345678",
                                              "0x7f3a5e0d2c07: R     0x7ffe12345670  8  0x10A",
                                              "0x7f3a5e0d2c0b: W 0x7ffe12345680 16 0x0102030405",
                                              "0x401000: R 0x601040 4 0",
                                              NULL};

static const char *const uop_lines[] = {
    "1 48d1e2 -1  5 45 - - L      -264  7fffe7ff048       48d1e9            0 CMP      LOAD",
    "1 48d1e2 -1 5 45 - - L -264 7fffe7ff048 48d1e9 0 CMP LOAD",
    "2 48d1e2 45 3 44 W - - 0 0 48d1e9 0 CMP SUB",
    "1 48d237 -1 -1 -1 R N -       -25            0       48d239       48d220 J        JMP_IMM",
    "1 7fffe7ff0478 -1 15 45 - - L 123456789 7fffe7ff0480 7fffe7ff0480 7fffe7ff0480 CMPXCHG8 A",
    "2 40028ef3a4 44 -1  0 - - -         0            0   40028ef3aa            0 MOVZX    "
    "ZEXT_BYTE_TO_DWORD",
    " 1\t48d1e2  -1 5 45 - - S  0 7fffe7ff048 48d1e9 0 MOV STORE ",
    "1 48D1E2 -1 5 45 - - L 0 0x7fffe7ff048 48d1e9 0 CMP LOAD",
    "1 48d1e2 -1 5 45 - - L 0 7fffe7ff048 48d1e9",
    NULL};

static const char *const wally_lines[] = {
    "0000000080000000, 00000297, auipc\t\trf[05] = 0000000080000000 ",
    "0000000080000004, 00004501, c.li\t\trf[10] = 0000000000000000 ",
    "0000000080000006, 0002b087, fld\t\tfrf[01] = 3ff0000000000000 csr[300] = 8000000a00006000 ",
    "000000008000000a, 00532023, sw\t\t", NULL};
static const char *const handcar_lines[] = {
    "Cpu 0 868 ----",
    "Cpu 0 PC(VA) 0x0000000000020200 op: 0x00000000ff8e0e13 : addi    x28, x28, -8",
    "Cpu 0 Reg R x28 val 0x0000000000000000 mask 0xffffffffffffffff",
    "Cpu 0 Reg W x28 val 0xfffffffffffffff8 mask 0xffffffffffffffff",
    "Cpu 0 Reg W mstatus val 0x0000000a00001800 mask 0x0000000000001800",
    "Cpu 0 PC(VA) 0x0000000000020204 op: 0x00000000001e3023 : sd      x1, 0(x28)",
    "Cpu 0 Mem W bank 0 VA 0x0000000080000000 PA 0x0000000080001000 size 8 bytes "
    "0x0001020304050607",
    "Mem R bank 1 VA 0x0000000080000000 PA 0x0000000080001000 size 10 bytes "
    "0x000102030405060708090a0b0c0d0e0f",
    "Cpu 0 (spcltv) Reg R x28 val 0x0000000000000000 mask 0xffffffffffffffff",
    "Cpu 0 PC(VA) 0x0000000000020208 op: 0x0000000000004501 : c.li    x10, 0",
    "MMU evt VA 0x0000000000020204 PA 0x0000000000020204 type  Normal has-stage 2? no",
    "Excpt ID 0x2 attrs 0x0 cmnts illegal instruction",
    NULL};
static const char *const waveform_lines[] = {
    "# waveform by rvfi: TOP.top",
    "150 ps #0 pc 00000000 op 00010137 mode M w x2=00010000",
    "190 ps #1 pc 00000004 op 0002a303 r x5=00000100 load 00000100 4 00000007 w x6=00000007",
    "240 ps cpu t.b #2 pc 00000008 op 4501 handler r x2=0000ffe0 save 0000fffd 1 2a trap",
    "300 ps pc 0000000a op 00000013 load 00000100 2 ~0X00 w x6~000XX007",
    "310 ps",
    NULL};
static const char *const otbn_lines[] = {
    "E PC: 0x0000012c, insn: 0x7c002c73",
    "E 000000076 PC: 0x00000130, insn: 0x2220892b",
    "S 000000077 PC: 0x0000014c, insn: 0x01800d13",
    "    < x00: 0x00000000",
    "    > x24: 0x00000055",
    "    > FLAGS0: {C: 1, M: 0, L: 1, Z: 0}",
    "> w03: 0x1296659f_bbc28370_23634ee9_22168ae8_613491bf_0357f208_320054d4_ed103473",
    "R [0x00000040]: 0xcccccccc_bbbbbbbb_aaaaaaaa_facefeed_deadbeef_cafed00d_baadf00d_1234abcd",
    "W [0x00000004]: 0xd0beb533",
    NULL};
static const char *const dromajo_lines[] = {
    "0 3 0x0000000000010000 (0xf1402573) x10 0x0000000000000000",
    "0 3 0x0000000000010004 (0x00000597) x11 0x0000000000010004 auipc   a1, 0x0",
    "0 3 0x0000000080000012 (0x4505) x10 0x0000000000000001",
    "0 3 0x0000000080000014 (0x00000073) exception 11, tval 0000000000000000",
    "hartid=0: exception interrupt #7, epc 0x0000000080000018",
    "hartid=0 priv: 3 exception illegal_instruction, epc 0x000000008000001c",
    "1 0 0x0000000080000100 (0x0000006f)",
    NULL};

static const char *const golden_trace_lines[] = {"1 bfc00000 04 00000000", "1 bfc00004 1a bfaf0000",
                                                 "1 bfc006a8 08 ffff8000", "0 9fc006ac 1F 00000001",
                                                 NULL};

static const char *const imperas_lines[] = {
    "Info 257: 'refRoot/cpu', 0x000000008000045c(rvtest_code_begin+c0): Machine 4703b303 ld      "
    "x6,1136(x7)",
    "Info 258: 'refRoot/cpu', 0x0000000080000460: User 8082 ret",
    "# Info   MEMR 0x80003470 0x80003470 8 000000008000039c",
    "Info   MEMW 0x80003470 0x80003470 4 0000039c",
    "# Info   x6 0000000000000002 -> 000000008000039c",
    "Info   mstatus 0000000000000000 -> 0000000a00000000 [mpp=3]",
    "# Warning (RISCV_UDEC) CPU 'refRoot/cpu' 0x800050b4 0000     c.illegal",
    NULL};

static const char *const ncsu_lines[] = {"302d28 t", "302dd3 n", "0302df5 n", NULL};

static const char *const ncsu_cache_lines[] = {"r ffe04540", "w ffe04544", "r 0eff2340", NULL};

static const char *const nemu_lines[] = {"0x80000000: 00 00 02 97 auipc   t0, 0",
                                         "(nemu) si 1",
                                         "0x0000000080000004: 00 02 80 67 jr      t0",
                                         "(nemu) si 10 0x80000008: 45 05 c.li a0, 1",
                                         "Welcome to riscv32-NEMU!",
                                         NULL};

static const char *const neorv32_lines[] = {"0 31 00000000 f1402573 M",
                                            "1 34 00000004 80002217 M auipc x4, 0x80002",
                                            "2 36 0x00000008 0xffb20213 M",
                                            "3 40 0x0000000a 0x4501 U <TRAP_ENTRY>",
                                            "4 44 0000000c 30200073 D mret <TRAP_ENTRY>",
                                            NULL};

static const char *const rocket_lines[] = {
    "C0:         19 [1] pc=[0000000000010000] W[r10=0000000000010000][1] R[r 0=0000000000000000] "
    "R[r 0=0000000000000000] inst=[00000517] auipc   a0, 0x0",
    "C0:      33212 [1] pc=[0000000840] W[r 8=0000000000000007][0] R[r 2=0000000000000000] R[r "
    "0=0000000000000003] inst=[00813023] DASM(00813023)",
    "C0:         21 [0] pc=[0000000000010004] W[r 0=0000000000000000][0] R[r 0=0000000000000000] "
    "R[r 0=0000000000000000] inst=[04050513] addi",
    "3 0x00080000000 (0x00000297) x5 0x0000000080000000",
    "3 0x00080000004 (0x02b50533) x10 p19 0xXXXXXXXXXXXXXXXX",
    "x10 p19 0x0000000000000006",
    "0 0x00080000008 (0x00a5b023) (STORE) addr=80001000 data=0000000000000006 size=8",
    NULL};

static const char *const rvfi_log_lines[] = {
    "54.000 ns: RVFI      1 00000080 0000d197 M x 1 00000000 x 0 00000000 x 3 0000d080  -- "
    "-------- -------- _start crt0.S 23 - auipc x3,0xd",
    "74.500 ns: RVFI      2 00000084 42018193 M x 3 0000d080 x16 00000000 x 3 0000d4a0 N/A",
    "149.000 ns: RVFI      3 00000088 00112023 M x 2 00400000 x 1 00000007 x 0 00000000   W "
    "00400000 00000007 main crt0.S 40 - sw x1,0(x2)",
    "     0.000 ns: RVFI  Order       PC    Instr M rs1",
    "75.000 ns: RVFI      3 00000084 42018193 M x 3 0000d080 x16 00000000 x 3 0000d4a0 N/A loop - "
    "addi x3,x3,1056",
    NULL};

static const char *const veer_lines[] = {
    "        16 :       #1 0 80000000 595552b7  t0=59555000 ; lui     t0,0x59555000",
    "        28 :       #3 0 80000008 7c029073              ; csrrw   zero,csr_7c0,t0",
    "        40 : #7 0 80000044 1141 r 02 f0040ff0",
    "        41 : #8 0 80000046 c622",
    "//   Cycle : #inst    0    pc    opcode    reg=value   ; mnemonic",
    NULL};

static const char *const xiangshan_lines[] = {
    "[00] commit pc 0000000010000000 inst 0010029b wen 1 dst 05 data 0000000000000001 idx 000 "
    "addiw   t0, zero, 1",
    "[02] commit pc 0000000010000008 inst 00028067 wen 0 dst 00 data 0000000000000000 idx 002",
    "[08] commit pc 000000008000002e inst 00833023 wen 0 dst 00 data 0000000000000000 idx 01c (00) "
    "addr 0000000080000100 data 0000000045000000 mask 08 sd      s0, 0(t1)",
    "[10] exception pc 0000000080000032 inst 00000000 cause 0000000000000002 <--",
    "commit group [06]: pc 00800001cc cmtcnt 2",
    "[11] commit pc 0000000080000036 inst 00012503 wen 1 dst x10 data 0000000000000007 idx 020",
    NULL};

static const struct {
    const char *format;
    const char *const *lines; /* NULL at the end */
} samples[] = {
    {"din", din_lines},
    {"xdin", xdin_lines},
    {"lackey", lackey_lines},
    {"tarmac", tarmac_lines},
    {"matcher", matcher_lines},
    {"spike", spike_lines},
    {"bt9", bt9_lines},
    {"execlog", execlog_lines},
    {"riscv-dv", riscv_dv_lines},
    {"perf", perf_lines},
    {"uop", uop_lines},
    {"whisper", whisper_lines},
    {"sail", sail_lines},
    {"rvvi", rvvi_lines},
    {"qemu", qemu_lines},
    {"whisper-csv", whisper_csv_lines},
    {"whisper-branches", whisper_branches_lines},
    {"ibex", ibex_lines},
    {"cva6", cva6_lines},
    {"picorv32", picorv32_lines},
    {"cis501-arm", cis501_arm_lines},
    {"gem5", gem5_lines},
    {"pinatrace", pinatrace_lines},
    {"scarab-pt", scarab_pt_lines},
    {"tenet", tenet_lines},
    {"dromajo", dromajo_lines},
    {"wally", wally_lines},
    {"handcar", handcar_lines},
    {"waveform", waveform_lines},
    {"otbn", otbn_lines},
    {"golden-trace", golden_trace_lines},
    {"imperas", imperas_lines},
    {"ncsu", ncsu_lines},
    {"ncsu-cache", ncsu_cache_lines},
    {"nemu", nemu_lines},
    {"neorv32", neorv32_lines},
    {"rocket", rocket_lines},
    {"rvfi-log", rvfi_log_lines},
    {"veer", veer_lines},
    {"xiangshan", xiangshan_lines},
};

#endif
