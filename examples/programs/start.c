/* SPDX-License-Identifier: MIT */
/*
 * start.c: the first instructions of a freestanding RISC-V program, and its two system calls.
 *
 * The calls are those of RISC-V Linux (64 write, 93 exit), so that the programs also run under
 * qemu-riscv64.  The program uses its own stack, not the system's, so its addresses are the same
 * everywhere.
 */
#include <stddef.h>
#include <stdint.h>

long write(int file, const void *bytes, size_t size);

__attribute__((aligned(16), used)) static uint8_t stack[4096];

__asm__(".globl _start\n"
        "_start:\n"
        ".option push\n"
        ".option norelax\n"
        "    lla gp, __global_pointer$\n"
        ".option pop\n"
        "    lla sp, stack + 4096\n"
        "    call main\n"
        "    li a7, 93\n"
        "    ecall\n");

long write(int file, const void *bytes, size_t size)
{
    register long a0 __asm__("a0") = file;
    register const void *a1 __asm__("a1") = bytes;
    register size_t a2 __asm__("a2") = size;
    register long a7 __asm__("a7") = 64;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
    return a0;
}
