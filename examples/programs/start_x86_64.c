/* SPDX-License-Identifier: MIT */
/*
 * start_x86_64.c: as start.c, for x86-64 Linux: the first instructions, write and exit (1 and 60).
 */
#include <stddef.h>
#include <stdint.h>

long write(int file, const void *bytes, size_t size);

__attribute__((aligned(16), used)) static uint8_t stack[4096];

__asm__(".globl _start\n"
        "_start:\n"
        "    leaq stack + 4096(%rip), %rsp\n"
        "    call main\n"
        "    movl %eax, %edi\n"
        "    movl $60, %eax\n"
        "    syscall\n");

long write(int file, const void *bytes, size_t size)
{
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(1L), "D"((long)file), "S"(bytes), "d"(size)
                     : "rcx", "r11", "memory");
    return result;
}
