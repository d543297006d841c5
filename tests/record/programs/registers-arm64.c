/* SPDX-License-Identifier: MIT */
/* registers-arm64.c: registers, flags, memory and calls without a library; exits with 5. */
static unsigned long values[32];

static unsigned long mix(unsigned long a, unsigned long b)
{
    return a < b ? a * 3 + (b >> 7) : (a ^ b) - (long)b / 5;
}

void _start(void)
{
    unsigned long x = 0x123456789ABCDEF0;
    for (int i = 0; i < 32; i++) values[i] = x = mix(x, (unsigned long)i << (2 * i));
    for (int i = 1; i < 32; i++)
        if (values[i] > values[i - 1]) values[0] += (unsigned)values[i];
    register long status __asm__("x0") = 5;
    register long number __asm__("x8") = 94;
    __asm__ volatile("svc 0" : : "r"(status), "r"(number));
}
