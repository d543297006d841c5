/* SPDX-License-Identifier: MIT */
/* registers-arm.c: registers, flags and memory in both instruction sets; exits with 5. */
static unsigned values[32];

__attribute__((target("arm"), noinline)) static unsigned mix(unsigned a, unsigned b)
{
    return a < b ? a * 3 + (b >> 7) : (a ^ b) - (unsigned)((int)b >> 2);
}

__attribute__((target("thumb"), noinline)) static unsigned sum(void)
{
    unsigned total = 0;
    for (int i = 1; i < 32; i++)
        if (values[i] > values[i - 1]) total += values[i] & 0xFF;
    return total;
}

void _start(void)
{
    unsigned x = 0x12345678;
    for (int i = 0; i < 32; i++) values[i] = x = mix(x, (unsigned)i << i);
    values[0] = sum();
    register int status __asm__("r0") = 5;
    register int number __asm__("r4") = 248;
    __asm__ volatile("push {r7}\n\tmov r7, %1\n\tsvc 0\n\tpop {r7}" : : "r"(status), "r"(number));
}
