/* SPDX-License-Identifier: MIT */
/*
 * start_aarch64.c: as start.c, for AArch64 Linux: the first instructions, write and exit (64 and
 * 93).
 */
#include <stddef.h>
#include <stdint.h>

long write(int file, const void *bytes, size_t size);

__attribute__((aligned(16), used)) static uint8_t stack[4096];

__asm__(".globl _start\n"
        "_start:\n"
        "    adrp x9, stack + 4096\n"
        "    add x9, x9, :lo12:stack + 4096\n"
        "    mov sp, x9\n"
        "    bl main\n"
        "    mov x8, 93\n"
        "    svc 0\n");

long write(int file, const void *bytes, size_t size)
{
    register long x0 __asm__("x0") = file;
    register const void *x1 __asm__("x1") = bytes;
    register size_t x2 __asm__("x2") = size;
    register long x8 __asm__("x8") = 64;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x1), "r"(x2), "r"(x8) : "memory");
    return x0;
}
