/* SPDX-License-Identifier: MIT */
/*
 * start_arm.c: as start.c, for Arm Linux (EABI): the first instructions, write and exit (4 and 1).
 */
#include <stddef.h>
#include <stdint.h>

long write(int file, const void *bytes, size_t size);

__attribute__((aligned(16), used)) static uint8_t stack[4096];

__asm__(".globl _start\n"
        ".type _start, %function\n"
        "_start:\n"
        "    movw r0, #:lower16:(stack + 4096)\n"
        "    movt r0, #:upper16:(stack + 4096)\n"
        "    mov sp, r0\n"
        "    mov r1, #0\n" /* qemu passes an address in it, which depends on the environment */
        "    bl main\n"
        "    mov r7, #1\n"
        "    svc 0\n");

/* The division that compilers expect (Run-time ABI for the Arm Architecture, 4.3.1): r0 and r1 by
 * r2 and r3; the quotient is in r0 and r1, the remainder in r2 and r3. */
__asm__(".globl __aeabi_uldivmod\n"
        ".type __aeabi_uldivmod, %function\n"
        "__aeabi_uldivmod:\n"
        "    orrs r12, r1, r3\n"
        "    bne 2f\n"
        "    udiv r12, r0, r2\n"
        "    mls r2, r12, r2, r0\n"
        "    mov r0, r12\n"
        "    bx lr\n"
        "2:  push {r4, r5, r6, r7, r8, lr}\n"
        "    mov r4, #0\n"
        "    mov r5, #0\n"
        "    mov r6, #64\n"
        "1:  lsls r0, r0, #1\n"
        "    adcs r1, r1, r1\n"
        "    adcs r4, r4, r4\n"
        "    adc r5, r5, r5\n"
        "    subs r7, r4, r2\n"
        "    sbcs r8, r5, r3\n"
        "    movcs r4, r7\n"
        "    movcs r5, r8\n"
        "    orrcs r0, r0, #1\n"
        "    subs r6, r6, #1\n"
        "    bne 1b\n"
        "    mov r2, r4\n"
        "    mov r3, r5\n"
        "    pop {r4, r5, r6, r7, r8, pc}\n");

long write(int file, const void *bytes, size_t size)
{
    register long r0 __asm__("r0") = file;
    register const void *r1 __asm__("r1") = bytes;
    register size_t r2 __asm__("r2") = size;
    register long r7 __asm__("r7") = 4;
    __asm__ volatile("svc 0" : "+r"(r0) : "r"(r1), "r"(r2), "r"(r7) : "memory");
    return r0;
}
