/* SPDX-License-Identifier: MIT */
/* number_loops.c: loops that a compiler turns into vectors. */
#include "columns/number_store.h"

struct number_range numbers_range(const uint64_t *numbers, size_t count, uint64_t inverted)
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

int64_t numbers_differences(const uint64_t *numbers, size_t count, uint64_t before,
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

/* One loop for each width. */
#define RANGE(TYPE, MAXIMUM)                                       \
    TYPE low = MAXIMUM, high = 0;                                  \
    for (size_t i = 0; i < count; i++) {                           \
        TYPE number;                                               \
        memcpy(&number, bytes + i * sizeof number, sizeof number); \
        low = number < low ? number : low;                         \
        high = number > high ? number : high;                      \
    }                                                              \
    return (struct number_range){low + base, high + base};
struct number_range numbers_stored_range(const char *bytes, size_t count, uint64_t base,
                                         unsigned width, uint64_t inverted)
{
    const void *numbers = bytes;
    if (width == sizeof base) return numbers_range(numbers, count, inverted);
    if (width == 1) {
        RANGE(uint8_t, UINT8_MAX)
    } else if (width == 2) {
        RANGE(uint16_t, UINT16_MAX)
    } else {
        RANGE(uint32_t, UINT32_MAX)
    }
}

#define PUT(TYPE)                                                  \
    for (size_t i = 0; i < count; i++) {                           \
        const TYPE number = (TYPE)(numbers[i] - base);             \
        memcpy(bytes + i * sizeof number, &number, sizeof number); \
    }
void numbers_put(char *restrict bytes, const uint64_t *restrict numbers, size_t count,
                 uint64_t base, unsigned width)
{
    switch (width) {
    case 1: PUT(uint8_t) break;
    case 2: PUT(uint16_t) break;
    case 4: PUT(uint32_t) break;
    default: PUT(uint64_t)
    }
}

#define GET(TYPE)                                                  \
    for (size_t i = 0; i < count; i++) {                           \
        TYPE number;                                               \
        memcpy(&number, bytes + i * sizeof number, sizeof number); \
        numbers[i] = number + base;                                \
    }
void numbers_get(const char *restrict bytes, size_t count, uint64_t base, unsigned width,
                 uint64_t *restrict numbers)
{
    switch (width) {
    case 1: GET(uint8_t) break;
    case 2: GET(uint16_t) break;
    case 4: GET(uint32_t) break;
    default: GET(uint64_t)
    }
}

#define CODES(CODE, TYPE)                                          \
    for (size_t i = 0; i < count; i++) {                           \
        TYPE number;                                               \
        memcpy(&number, bytes + i * sizeof number, sizeof number); \
        const CODE code = (CODE)((CODE)number + (CODE)more);       \
        memcpy(codes + i * sizeof code, &code, sizeof code);       \
    }
#define CODES_OF(CODE)                   \
    switch (width) {                     \
    case 1: CODES(CODE, uint8_t) break;  \
    case 2: CODES(CODE, uint16_t) break; \
    case 4: CODES(CODE, uint32_t) break; \
    default: CODES(CODE, uint64_t)       \
    }
void numbers_to_codes(const char *restrict bytes, size_t count, unsigned width, uint64_t more,
                      void *restrict into, unsigned code_width)
{
    char *codes = into;
    if (code_width == 1)
        CODES_OF(uint8_t)
    else
        CODES_OF(uint16_t)
}

/* Four codes, each in 16 bits, moved together: `width` is at most 4. */
static inline uint64_t codes_four(const uint16_t *codes, unsigned width)
{
    uint64_t four;
    memcpy(&four, codes, sizeof four);
    return (four | four >> (16 - width) | four >> 2 * (16 - width) | four >> 3 * (16 - width)) &
           ((UINT64_C(1) << 4 * width) - 1);
}

/* Eight codes, each in a byte, moved together: `bits` is at most 4. */
static inline uint32_t codes_eight(const uint8_t *codes, unsigned bits)
{
    const uint64_t pairs =
        (UINT64_C(0x0001000100010001) << 2 * bits) - UINT64_C(0x0001000100010001);
    const uint64_t fours =
        (UINT64_C(0x0000000100000001) << 4 * bits) - UINT64_C(0x0000000100000001);
    uint64_t eight;
    memcpy(&eight, codes, sizeof eight);
    eight = (eight | eight >> (8 - bits)) & pairs;
    eight = (eight | eight >> 2 * (8 - bits)) & fours;
    return (uint32_t)(eight | eight >> 4 * (8 - bits));
}

char *codes_pack(char *at, const struct codes *codes, size_t count, unsigned bits)
{
    const size_t size = count * bits / 8;
    if (codes->width > 1) {
        const uint16_t *wide = codes->at;
        switch (bits) {
        case 1:
            for (size_t i = 0; i < size; i++)
                at[i] = (char)(codes_four(wide + 8 * i, 1) | codes_four(wide + 8 * i + 4, 1) << 4);
            break;
        case 2:
            for (size_t i = 0; i < size; i++) at[i] = (char)codes_four(wide + 4 * i, 2);
            break;
        case 4:
            for (size_t i = 0; i < size; i++) at[i] = (char)(wide[2 * i] | wide[2 * i + 1] << 4);
            break;
        case 8:
            for (size_t i = 0; i < size; i++) at[i] = (char)wide[i];
            break;
        default: memcpy(at, wide, size);
        }
        return at + size;
    }
    const uint8_t *bytes = codes->at;
    switch (bits) {
    case 1:
        for (size_t i = 0; i < size; i++) at[i] = (char)codes_eight(bytes + 8 * i, 1);
        break;
    case 2:
        for (size_t i = 0; i < size; i += 2) {
            const uint16_t two = (uint16_t)codes_eight(bytes + 4 * i, 2);
            memcpy(at + i, &two, sizeof two);
        }
        break;
    case 4:
        for (size_t i = 0; i < size; i++) at[i] = (char)(bytes[2 * i] | bytes[2 * i + 1] << 4);
        break;
    default: memcpy(at, bytes, size);
    }
    return at + size;
}
