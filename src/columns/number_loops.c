/* SPDX-License-Identifier: MIT */
/* number_loops.c: loops that a compiler turns into vectors. */
#include "columns/number_loops.h"

#include "base/cpu.h"
#include "base/inline.h"

static FORCE_INLINE struct number_range range_of(const uint64_t *numbers, size_t count,
                                                 uint64_t inverted)
{
    /* processors compare signed numbers in vectors */
    const uint64_t top = UINT64_C(1) << 63, flip = inverted ^ top;
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        const int64_t number = (int64_t)(numbers[i] ^ flip);
        low = number < low ? number : low;
        high = number > high ? number : high;
    }
    return (struct number_range){(uint64_t)low ^ flip, (uint64_t)high ^ flip};
}

static FORCE_INLINE int64_t differences_of(const uint64_t *numbers, size_t count, uint64_t before,
                                           uint64_t *differences)
{
    int64_t smallest = INT64_MAX;
    if (count == 0) return 0;
    differences[0] = numbers[0] - before;
    for (size_t i = 1; i < count; i++) differences[i] = numbers[i] - numbers[i - 1];
    for (size_t i = 0; i < count; i++)
        smallest = (int64_t)differences[i] < smallest ? (int64_t)differences[i] : smallest;
    for (size_t i = 0; i < count; i++) differences[i] -= (uint64_t)smallest;
    return smallest;
}

static FORCE_INLINE void narrow(const uint64_t *numbers, size_t count, uint64_t lowest,
                                uint16_t *codes)
{
    for (size_t i = 0; i < count; i++) codes[i] = (uint16_t)(numbers[i] - lowest);
}

static FORCE_INLINE void halve(const uint32_t *codes, size_t count, uint16_t *lower)
{
    for (size_t i = 0; i < count; i++) lower[i] = (uint16_t)codes[i];
}

/* Four codes, each in 16 bits, moved together: `width` is at most 4. */
static FORCE_INLINE uint64_t four_codes(const uint16_t *codes, unsigned width)
{
    uint64_t four;
    memcpy(&four, codes, sizeof four);
    return (four | four >> (16 - width) | four >> 2 * (16 - width) | four >> 3 * (16 - width)) &
           ((UINT64_C(1) << 4 * width) - 1);
}

static FORCE_INLINE char *pack_codes(char *at, const uint16_t *codes, size_t count, unsigned width)
{
    const size_t size = count * width / 8;
    switch (width) {
    case 1:
        for (size_t i = 0; i < size; i++)
            at[i] = (char)(four_codes(codes + 8 * i, 1) | four_codes(codes + 8 * i + 4, 1) << 4);
        break;
    case 2:
        for (size_t i = 0; i < size; i++) at[i] = (char)four_codes(codes + 4 * i, 2);
        break;
    case 4:
        for (size_t i = 0; i < size; i++) at[i] = (char)(codes[2 * i] | codes[2 * i + 1] << 4);
        break;
    case 8:
        for (size_t i = 0; i < size; i++) at[i] = (char)codes[i];
        break;
    default: memcpy(at, codes, size);
    }
    return at + size;
}

#if CPU_MAY_HAVE_AVX2
FOR_AVX2 static void narrow_avx2(const uint64_t *numbers, size_t count, uint64_t lowest,
                                 uint16_t *codes)
{
    narrow(numbers, count, lowest, codes);
}

FOR_AVX2 static void halve_avx2(const uint32_t *codes, size_t count, uint16_t *lower)
{
    halve(codes, count, lower);
}

FOR_AVX2 static char *pack_codes_avx2(char *at, const uint16_t *codes, size_t count, unsigned width)
{
    return pack_codes(at, codes, count, width);
}

FOR_AVX2 static struct number_range range_avx2(const uint64_t *numbers, size_t count,
                                               uint64_t inverted)
{
    return range_of(numbers, count, inverted);
}

FOR_AVX2 static int64_t differences_avx2(const uint64_t *numbers, size_t count, uint64_t before,
                                         uint64_t *differences)
{
    return differences_of(numbers, count, before, differences);
}
#endif

struct number_range numbers_range(const uint64_t *numbers, size_t count, uint64_t inverted)
{
#if CPU_MAY_HAVE_AVX2
    if (cpu_has_avx2()) return range_avx2(numbers, count, inverted);
#endif
    return range_of(numbers, count, inverted);
}

int64_t numbers_differences(const uint64_t *numbers, size_t count, uint64_t before,
                            uint64_t *differences)
{
#if CPU_MAY_HAVE_AVX2
    if (cpu_has_avx2()) return differences_avx2(numbers, count, before, differences);
#endif
    return differences_of(numbers, count, before, differences);
}

void numbers_narrow(const uint64_t *numbers, size_t count, uint64_t lowest, uint16_t *codes)
{
#if CPU_MAY_HAVE_AVX2
    if (cpu_has_avx2()) {
        narrow_avx2(numbers, count, lowest, codes);
        return;
    }
#endif
    narrow(numbers, count, lowest, codes);
}

void codes_narrow(const uint32_t *codes, size_t count, uint16_t *lower)
{
#if CPU_MAY_HAVE_AVX2
    if (cpu_has_avx2()) {
        halve_avx2(codes, count, lower);
        return;
    }
#endif
    halve(codes, count, lower);
}

char *codes_pack(char *at, const uint16_t *codes, size_t count, unsigned width)
{
#if CPU_MAY_HAVE_AVX2
    if (cpu_has_avx2()) return pack_codes_avx2(at, codes, count, width);
#endif
    return pack_codes(at, codes, count, width);
}
