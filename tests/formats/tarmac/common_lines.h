/* SPDX-License-Identifier: MIT */
/* common_lines.h: lines of the common forms, which the fast decoders handle: two clocks, several
 * heads, data in one and in several parts. */
#ifndef TESTS_TARMAC_COMMON_LINES_H
#define TESTS_TARMAC_COMMON_LINES_H

static const char common_lines[] =
    "25 clk cpu0 IT (1) 00023000:000015223000 91000423 O EL1h_n : ADD      x1,x1,#1\n"
    "25 clk cpu0 R X2 14057B7EF767814F\n"
    "26 clk cpu1 IT (2) 23004 9100 T svc : b clk {pc}\n"
    "28 clk cpu0 MR8 0620e008:00001b40e008_NS 00000000_00066b61\n"
    "28 clk cpu1 MW4 ffff000008080000:0000880080000_S 8a\n"
    "29 clk cpu0 R cpsr 600003cd\n"
    "29 clk cpu0 R V3 0123456789abcdef:fedcba9876543210\n"
    "271ns cpu IT 8000 e3a00001 A usr :   mov r0, #1\n"
    "272ns cpu R R0 00000001\r\n"
    "123456789012345 clk cpu1 IT (9876543210) ffff000008080000:0000880080000_NS d65f03c0 O EL1h_n :"
    "   ret a word that ends like clk and goes on behind the next 32 bytes of the text ; clk\n"
    "29 clk cpu0 MR16 FFFF000008080000:0000880080000 00112233_44556677_8899aabb_ccddeeff\n"
    "29 clk cpu0 MW2 1:2 0:f\n"
    "29 clk cpu1 R sixteen_bytes_ID 0123456789ABCDEF_0123456789ABCDEF\n"
    "31 clk cpu0 IT (77) 00023004:000015223004_NS f9400020 O EL1h_n : LDR      x0,[x1]\n"
    "31 clk cpu0 MR8 0620e008:00001b40e008 14057B7EF767814F\n"
    "32 clk cpu0 MW16 0620e010:00001b40e010 0123456789ABCDEF0123456789ABCDEF\n"
    "32 clk cpu1 MW4 FFFF00000808ABCD:0000880A8BCDE 0a1bcdef\n"
    "33 clk cpu0 IT 00023008:000015223008 91000423 O EL1h_n : ADD      x1,x1,#1\n"
    "33 clk cpu0 MR4 1000:1000 00:11:22:33\n"
    "32 clk cpu0 IT 9000 e1a0 T svc : NOP\r\n"
    "30 clk 0 IT (3) 0000000080000000 D2800000 O EL3h_s : mov\n"
    "30 clk R X0 0000000000000010\n";

#endif
