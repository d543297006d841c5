/* SPDX-License-Identifier: MIT */
/* vectors-arm64.c: vectors, their lanes, elements and structures, without a library; exits with 0.
 */
#include <arm_neon.h>

static unsigned words[64];
static float reals[64];
static unsigned char bytes[96];
static volatile unsigned long sums[8];

static void fill(void)
{
    unsigned x = 12345;
    for (int i = 0; i < 64; i++) {
        words[i] = x = x * 1103515245 + 12345;
        reals[i] = (float)(x >> 16) / 3;
    }
    for (int i = 0; i < 96; i++) bytes[i] = (unsigned char)(words[i % 64] >> (i % 4 * 8));
}

static unsigned long lanes(int at)
{
    uint32x4_t a = vld1q_u32(words + at), b = vld1q_u32(words + at + 4);
    uint32x4_t c = vmlaq_u32(vaddq_u32(a, b), a, b);
    c = vsetq_lane_u32((unsigned)at, c, 2);
    c = vcopyq_laneq_u32(c, 0, b, 3);
    vst1q_u32(words + at, c);
    return vgetq_lane_u32(c, 1) + vgetq_lane_u32(c, 2) + vgetq_lane_u32(c, 0);
}

static unsigned long structures(int at)
{
    uint8x16x3_t rgb = vld3q_u8(bytes + at);
    uint16x4x2_t pair = vld2_u16((const unsigned short *)(words + at));
    rgb.val[0] = veorq_u8(rgb.val[0], rgb.val[2]);
    vst3q_u8(bytes + at, rgb);
    pair.val[1] = vadd_u16(pair.val[1], pair.val[0]);
    vst2_u16((unsigned short *)(words + at), pair);
    words[at + 8] = vget_lane_u16(pair.val[1], 3);
    return vgetq_lane_u8(rgb.val[1], 5);
}

static float scalars(int at)
{
    float32x4_t a = vld1q_f32(reals + at);
    float32x2_t low = vget_low_f32(a), high = vget_high_f32(a);
    a = vld1q_lane_f32(reals + at + 7, a, 1);
    vst1q_lane_f32(reals + at + 5, a, 1);
    vst1_f32(reals + at + 8, vmul_f32(low, high));
    return vgetq_lane_f32(a, 1) * reals[at] + vget_lane_f32(low, 0);
}

void _start(void)
{
    fill();
    for (int i = 0; i < 40; i++) {
        sums[i % 8] += lanes(i) + structures(i);
        sums[(i + 3) % 8] ^= (unsigned long)(long)scalars(i);
    }
    register long status __asm__("x0") = 0;
    register long number __asm__("x8") = 94;
    __asm__ volatile("svc 0" : : "r"(status), "r"(number));
}
