/* SPDX-License-Identifier: MIT */
/* mixed.c: mix the predictions of contexts, and code bits by them. */
#include "formats/spoor/mixed.h"

#include <stdlib.h>
#include <string.h>

enum {
    LOGIT_MAX = 2815, /* 1/256 of the logarithm of odds */
    CERTAIN = 65535,  /* a probability */
    EVEN = 32768,
    SEEN_MAX = 60,
    WEIGHT = 10240, /* at first, of each set; 65536 is 1 */
    WEIGHT_MAX = 1 << 20,
    LEARNING = 16, /* bits */
    SLOTS_PER_BYTE = 32,
    LINE_BITS = 4,
    LINE = 1 << LINE_BITS, /* slots: a cache line */
    RARE_BITS = 3,
};

/* 65536 / (1 + e^(-k / 2)) for k from -22 to 22. */
static const uint16_t logistic[MIXED_CURVE] = {
    1,     2,     3,     5,     8,     13,    22,    36,    60,    98,    162,   267,
    439,   720,   1179,  1921,  3108,  4971,  7812,  11955, 17625, 24743, 32768, 40793,
    47911, 53581, 57724, 60565, 62428, 63615, 64357, 64816, 65097, 65269, 65374, 65438,
    65476, 65500, 65514, 65523, 65528, 65531, 65533, 65534, 65535};

/* The value of a curve at a logit. */
static inline uint32_t curve_at(const uint16_t *curve, int32_t logit)
{
    const uint32_t at = (uint32_t)(logit + LOGIT_MAX + 1), part = at & 127;
    const uint16_t *entry = &curve[at >> 7];
    return (entry[0] * (128 - part) + entry[1] * part) >> 7;
}

static inline uint32_t squash(int32_t logit)
{
    return curve_at(logistic, logit);
}

struct mixed *mixed_new(void)
{
    struct mixed *mixed = aligned_alloc(_Alignof(struct mixed), sizeof *mixed);
    int32_t logit = -LOGIT_MAX;
    if (!mixed) return NULL;
    for (uint32_t i = 0; i < MIXED_STEPS; i++) {
        while (logit < LOGIT_MAX && squash(logit) < 16 * i + 8) logit++;
        mixed->stretch[i] = (int16_t)logit;
    }
    for (uint32_t i = 0; i < 256; i++) mixed->rates[i] = (uint16_t)(131072 / (2 * i + 3));
    return mixed;
}

void mixed_begin(struct mixed *mixed, size_t bytes)
{
    unsigned bits = MIXED_BITS_MIN;
    while (bits < MIXED_BITS_MAX && ((size_t)1 << bits) / SLOTS_PER_BYTE < bytes) bits++;
    mixed->shift = 32 - bits + LINE_BITS;
    for (size_t i = 0; i < (size_t)1 << bits; i++)
        mixed->slots[i] = (struct mixed_slot){.probability = EVEN};
}

static void begin_column(struct mixed_column *column)
{
    *column = (struct mixed_column){.high = UINT32_MAX};
    for (size_t set = 0; set < MIXED_SETS; set++)
        for (size_t i = 0; i < MIXED_CONTEXTS; i++) column->weights[set][i] = WEIGHT;
    for (size_t set = 0; set < MIXED_SELECTED; set++)
        for (size_t i = 0; i < MIXED_CONTEXTS; i++) column->selected[set][i] = WEIGHT;
    for (size_t set = 0; set < MIXED_SELECTED; set++)
        memcpy(column->corrected[set], logistic, sizeof logistic);
}

static inline void read_byte(struct mixed_column *column)
{
    column->code = column->code << 8 | (column->at < column->end ? *column->at++ : 0);
}

void mixed_begin_decoding(struct mixed *mixed, unsigned number, const void *bytes, size_t size)
{
    struct mixed_column *column = &mixed->columns[number];
    begin_column(column);
    column->at = bytes;
    column->end = size ? column->at + size : column->at;
    for (unsigned i = 0; i < 4; i++) read_byte(column);
}

void mixed_begin_encoding(struct mixed *mixed, unsigned number, struct text *out)
{
    begin_column(&mixed->columns[number]);
    mixed->columns[number].out = out;
}

static void write_byte(struct mixed_column *column, uint32_t byte)
{
    const char letter = (char)byte;
    text_put(column->out, &letter, 1);
}

void mixed_end(struct mixed *mixed, unsigned number)
{
    struct mixed_column *column = &mixed->columns[number];
    struct text *out = column->out;
    unsigned kept = 0; /* bytes of the shortest number from low to high */
    uint32_t value = 0;
    while (value < column->low) {
        kept++;
        value = kept < 4 ? column->high & ~(UINT32_MAX >> (8 * kept)) : column->high;
    }
    for (unsigned i = 0; i < kept; i++) write_byte(column, value >> (24 - 8 * i));
    while (out->size > 0 && out->bytes[out->size - 1] == 0) out->size--;
}

/* Codes the bit, whose probability to be 1 is given. */
static inline unsigned code_bit(struct mixed_column *column, uint32_t probability, unsigned bit)
{
    const uint32_t range = column->high - column->low;
    const uint32_t middle = column->low + (uint32_t)((uint64_t)range * probability >> 16);
    if (!column->out) bit = column->code <= middle;
    if (bit)
        column->high = middle;
    else
        column->low = middle + 1;
    while ((column->low ^ column->high) >> 24 == 0) {
        if (column->out)
            write_byte(column, column->high >> 24);
        else
            read_byte(column);
        column->low <<= 8;
        column->high = column->high << 8 | 255;
    }
    return bit;
}

/* For up to four bits of a symbol: where the slots of each context lie. */
struct lines {
    struct mixed_slot *at[MIXED_CONTEXTS]; /* LINE slots, of which the context has some */
    uint8_t check[MIXED_CONTEXTS], turn[MIXED_CONTEXTS];
};

/* The lines after the bits so far, which are the node. */
static inline void find_lines(struct mixed *mixed, const struct mixed_contexts *contexts,
                              uint32_t node, struct lines *lines)
{
    for (unsigned i = 0; i < contexts->count; i++) {
        uint32_t hash = (contexts->of[i] + node * UINT32_C(0xC2B2AE35)) * UINT32_C(0x9E3779B1);
        hash = (hash ^ hash >> 15) * UINT32_C(0x85EBCA6B);
        lines->at[i] = &mixed->slots[(size_t)(hash >> mixed->shift) * LINE];
        lines->check[i] = (uint8_t)hash;
        lines->turn[i] = (uint8_t)(hash >> 8 & (LINE - 1));
    }
}

static inline struct mixed_slot *find_slot(const struct lines *lines, unsigned i, unsigned place)
{
    struct mixed_slot *slot = lines->at[i] + (place ^ lines->turn[i]);
    const uint8_t check = lines->check[i];
    if (slot->check != check) *slot = (struct mixed_slot){.probability = EVEN, .check = check};
    return slot;
}

static inline void learn(int32_t *weight, int32_t change)
{
    const int32_t sum = *weight + ((change + (1 << (LEARNING - 1))) >> LEARNING);
    *weight = sum > WEIGHT_MAX ? WEIGHT_MAX : sum < -WEIGHT_MAX ? -WEIGHT_MAX : sum;
}

/* The nearest point of the curve learns. */
static inline void correct(uint16_t *curve, int32_t logit, int32_t target)
{
    uint16_t *point = &curve[(uint32_t)(logit + LOGIT_MAX + 1 + 64) >> 7];
    *point = (uint16_t)(*point + ((target - *point) >> 6));
}

/* Codes a bit; `place`: 0, or the bits of the line so far after a 1. */
static unsigned mix_bit(struct mixed *mixed, unsigned number, const struct mixed_contexts *contexts,
                        const struct lines *lines, unsigned place, unsigned bit)
{
    struct mixed_column *column = &mixed->columns[number];
    struct mixed_slot *slots[MIXED_CONTEXTS];
    int32_t logits[MIXED_CONTEXTS];
    unsigned set = 0;
    int64_t sum = 0;
    for (unsigned i = 0; i < contexts->count; i++) {
        slots[i] = find_slot(lines, i, place);
        logits[i] = slots[i]->seen ? mixed->stretch[slots[i]->probability >> 4] : 0;
        if (slots[i]->seen) set = i + 1;
    }
    int32_t *weights = column->weights[2 * set + (place == 0)];
    int32_t *selected = column->selected[contexts->select];
    for (unsigned i = 0; i < contexts->count; i++)
        sum += (int64_t)(weights[i] + selected[i]) * logits[i];
    sum >>= 16;
    const int32_t logit = sum > LOGIT_MAX    ? LOGIT_MAX
                          : sum < -LOGIT_MAX ? -LOGIT_MAX
                                             : (int32_t)sum;
    const uint32_t probability = squash(logit);
    uint16_t *curve = column->corrected[contexts->select];
    bit = code_bit(column, (probability + curve_at(curve, logit) + 1) / 2, bit);
    const int32_t target = bit ? CERTAIN : 0, error = target - (int32_t)probability;
    correct(curve, logit, target);
    for (unsigned i = 0; i < contexts->count; i++) {
        struct mixed_slot *slot = slots[i];
        learn(&weights[i], logits[i] * error);
        learn(&selected[i], logits[i] * error);
        const int64_t change = ((int64_t)target - slot->probability) * mixed->rates[slot->seen];
        slot->probability = (uint16_t)(slot->probability + (change >> 16));
        if (slot->seen < SEEN_MAX) slot->seen++;
    }
    return bit;
}

unsigned mixed_number(struct mixed *mixed, unsigned column, const struct mixed_contexts *contexts,
                      unsigned bits, unsigned value)
{
    struct lines lines;
    uint32_t node = 1;
    for (unsigned left = bits; left > 0;) {
        const unsigned end = left > LINE_BITS ? left - LINE_BITS : 0;
        unsigned place = 1;
        find_lines(mixed, contexts, node, &lines);
        for (; left > end; left--) {
            const unsigned bit =
                mix_bit(mixed, column, contexts, &lines, place, value >> (left - 1) & 1);
            place = place << 1 | bit;
            node = node << 1 | bit;
        }
    }
    return node - (1U << bits);
}

unsigned mixed_rare(struct mixed *mixed, unsigned column, const struct mixed_contexts *contexts,
                    unsigned value)
{
    struct lines lines;
    unsigned place = 1;
    find_lines(mixed, contexts, 0, &lines);
    if (!mix_bit(mixed, column, contexts, &lines, 0, value != 0)) return 0;
    for (unsigned left = RARE_BITS; left-- > 0;)
        place =
            place << 1 | mix_bit(mixed, column, contexts, &lines, place, (value - 1) >> left & 1);
    return 1 + place - (1U << RARE_BITS);
}

/* ---- bytes ---- */

/* Codes byte `at` of these. */
static unsigned code_byte(struct mixed *mixed, const uint8_t *bytes, size_t at, unsigned width,
                          unsigned value)
{
    struct mixed_contexts contexts = {.count = 0};
    uint32_t recent = 0, more = 0;
    for (size_t i = 1; i <= 4 && i <= at; i++) recent |= (uint32_t)bytes[at - i] << (8 * (i - 1));
    for (size_t i = 5; i <= 6 && i <= at; i++) more |= (uint32_t)bytes[at - i] << (8 * (i - 5));
    const uint32_t above = width && at >= width ? bytes[at - width] : 0;
    const uint32_t place = width ? (uint32_t)(at % width) : 0;
    mixed_add(&contexts, 0, place, 0);
    mixed_add(&contexts, 1, recent & 0xFF, 0);
    if (width)
        mixed_add(&contexts, 2, place, above);
    else
        mixed_add(&contexts, 2, recent & 0xFFFF00, 0);
    mixed_add(&contexts, 3, recent & 0xFFFF, width ? above << 8 | place : 0);
    mixed_add(&contexts, 4, recent & 0xFFFFFF, 0);
    mixed_add(&contexts, 5, recent, 0);
    mixed_add(&contexts, 6, recent, more);
    return mixed_number(mixed, 0, &contexts, 8, value);
}

bool mixed_compress(struct mixed *mixed, const struct text *bytes, unsigned width, struct text *out)
{
    const uint8_t *at = (const uint8_t *)bytes->bytes;
    const char first = (char)width;
    struct text coded = {0};
    mixed_begin(mixed, bytes->size);
    mixed_begin_encoding(mixed, 0, &coded);
    for (size_t i = 0; i < bytes->size; i++) code_byte(mixed, at, i, width, at[i]);
    mixed_end(mixed, 0);
    text_put(out, &first, 1);
    text_append(out, &coded);
    text_free(&coded);
    return !out->failed;
}

bool mixed_decompress(struct mixed *mixed, const char *at, size_t stored, char *to, size_t size)
{
    uint8_t *bytes = (uint8_t *)to;
    if (stored == 0) return false;
    const unsigned width = (uint8_t)*at;
    mixed_begin(mixed, size);
    mixed_begin_decoding(mixed, 0, at + 1, stored - 1);
    for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)code_byte(mixed, bytes, i, width, 0);
    return true;
}
