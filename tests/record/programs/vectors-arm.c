/* SPDX-License-Identifier: MIT */
/* vectors-arm.c: single, double and quad registers, their lanes and structures, without a library;
 * exits with 0. */
#include <arm_neon.h>

static unsigned words[64];
static float reals[64];
static double doubles[16];
static volatile unsigned sum;

static void fill(void)
{
    unsigned x = 12345;
    for (int i = 0; i < 64; i++) {
        words[i] = x = x * 1103515245 + 12345;
        reals[i] = (float)(x >> 16) * 0.25f;
        doubles[i % 16] = (double)reals[i] * 1.5;
    }
}

static unsigned lanes(int at)
{
    uint32x4_t a = vld1q_u32(words + at), b = vld1q_u32(words + at + 4);
    uint16x4x2_t pair = vld2_u16((const unsigned short *)(words + at));
    a = vmlaq_u32(vaddq_u32(a, b), a, b);
    a = vsetq_lane_u32((unsigned)at, a, 2);
    pair.val[1] = vadd_u16(pair.val[1], pair.val[0]);
    vst2_u16((unsigned short *)(words + at), pair);
    vst1q_u32(words + at + 2, vextq_u32(a, b, 1));
    return vgetq_lane_u32(a, 1) + vget_lane_u16(pair.val[1], 3);
}

static int scalars(int at)
{
    const float f = reals[at] * reals[at + 1] - reals[at + 2];
    const double d = doubles[at % 16] / 3 + (double)f;
    reals[at + 3] = (float)d;
    doubles[(at + 1) % 16] = d;
    return f > 1000 ? (int)d : at;
}

void _start(void)
{
    fill();
    for (int i = 0; i < 40; i++) sum += lanes(i) ^ (unsigned)scalars(i);
    register int status __asm__("r0") = 0;
    register int number __asm__("r4") = 248;
    __asm__ volatile("push {r7}\n\tmov r7, %1\n\tsvc 0\n\tpop {r7}" : : "r"(status), "r"(number));
}
