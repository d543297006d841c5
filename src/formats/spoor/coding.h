/* SPDX-License-Identifier: MIT */
/*
 * formats/spoor/coding.h: the symbols of a segment, each with the contexts that predict it.
 *
 * In a segment with the flag SEGMENT_CODED, templates, codes and literals are an arithmetic code
 * (mixed.h), whose contexts come from the model.  The encoder and the decoder call the same
 * functions; the decoder's values are ignored.
 */
#ifndef SPOOR_FORMATS_SPOOR_CODING_H
#define SPOOR_FORMATS_SPOOR_CODING_H

#include "formats/spoor/match.h"
#include "formats/spoor/mixed.h"
#include "formats/spoor/segment.h"

struct coding {
    struct mixed *mixed;
    uint32_t misses, codes;           /* the last ones, four bits each */
    uint32_t seen, reg;               /* the last ones */
    uint64_t values[LANE_CLASSES][2]; /* the last values of lanes */
    struct match match;
};

/* The columns of a segment that are coded; the others are sections as in every segment. */
static inline bool coding_has(unsigned section)
{
    return section == SEGMENT_MISSES || section == SEGMENT_SEEN || section == SEGMENT_REGISTERS ||
           section == SEGMENT_CONSTANTS || section >= SEGMENT_CODES;
}

static inline uint32_t coding_sections(void)
{
    uint32_t sections = 0;
    for (unsigned i = 0; i < SEGMENT_SECTIONS; i++) sections |= (uint32_t)coding_has(i) << i;
    return sections;
}

/* Begins a segment; its columns are to be begun, too. */
static inline void coding_begin(struct coding *coding)
{
    coding->misses = coding->codes = coding->seen = coding->reg = 0;
    memset(coding->values, 0, sizeof coding->values);
    match_begin(&coding->match);
    mixed_begin(coding->mixed, SIZE_MAX);
}

static inline uint32_t coding_fold(uint64_t value)
{
    return (uint32_t)((value ^ value >> 29) * UINT64_C(0x9E3779B97F4A7C15) >> 32);
}

/* What follows at the place that matches: 0: there is none; 1: the first guess; 2: the second; 3: a
 * template that followed the last one; 4: another one. */
static inline uint32_t coding_expected(const struct match *match, const struct model_guess *guess)
{
    if (!match->at) return 0;
    const uint32_t local = match->templates[match->at];
    if (local == guess->first) return 1;
    if (local == model_second(guess)) return 2;
    for (unsigned i = 0; i < FOLLOWERS; i++)
        if (guess->follows[i] == local) return 3 + i;
    return 3 + FOLLOWERS;
}

/* 0: the first guess is right; else 1 more than enum segment_miss. */
static inline unsigned coding_miss(struct coding *coding, const struct model *model,
                                   const struct model_guess *guess, unsigned miss)
{
    struct mixed_contexts contexts = {.count = 0};
    const uint32_t second = model_second(guess);
    const uint32_t last = model->last.previous << 16 | model->last.before, misses = coding->misses;
    const uint32_t found = (uint32_t)(*guess->after >> 16 == guess->tag) << 2 |
                           (uint32_t)(*guess->after_few >> 16 == guess->tag_few) << 1 |
                           (uint32_t)(guess->first == second);
    mixed_add(&contexts, 0, found, misses & 0xFF);
    mixed_add(&contexts, 1, model->last.previous, found);
    mixed_add(&contexts, 2, model->last.previous, guess->first);
    mixed_add(&contexts, 3, guess->first << 16 | second, misses & 0xFF);
    mixed_add(&contexts, 4, last, model->last.before_that);
    mixed_add(&contexts, 5, last, misses & 0xFFF);
    mixed_add(&contexts, 6, model->last.history, 0);
    mixed_add(&contexts, 7, model->last.previous, coding_fold(model->registers[REGISTER_ADDRESS]));
    match_find(&coding->match);
    const uint32_t expected = coding_expected(&coding->match, guess);
    mixed_add(&contexts, 60, expected << 8 | coding->match.quality, misses & 15);
    mixed_add(&contexts, 61, expected << 16 | model->last.previous, guess->first);
    contexts.select = expected;
    miss = mixed_rare(coding->mixed, SEGMENT_MISSES, &contexts, miss);
    coding->misses = misses << 4 | miss;
    return miss;
}

/* The number of a template that the segment has seen. */
static inline uint32_t coding_seen(struct coding *coding, const struct model *model, uint32_t seen)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < 2; i++) {
        struct mixed_contexts contexts = {.count = 0};
        const uint32_t salt = 8 + 6 * i;
        mixed_add(&contexts, salt, value, 0);
        mixed_add(&contexts, salt + 1, value, model->last.previous);
        mixed_add(&contexts, salt + 2, value, model->last.previous << 16 | model->last.before);
        mixed_add(&contexts, salt + 3, value, coding->seen);
        mixed_add(&contexts, salt + 4, value, model->last.history);
        const struct match *match = &coding->match;
        mixed_add(&contexts, salt + 5, value, match->at ? match->templates[match->at] + 1U : 0);
        value = value << 8 |
                mixed_number(coding->mixed, SEGMENT_SEEN, &contexts, 8, seen >> (8 - 8 * i) & 0xFF);
    }
    coding->seen = value;
    return value;
}

/* What the contexts of a lane have in common. */
struct coding_lane {
    unsigned group;
    uint32_t word, slot;
    uint32_t last, stride; /* of the context, folded */
    uint32_t one, two;     /* the last value of the class, and the last two, folded */
    uint64_t before;       /* the last value of the context */
    uint32_t near;         /* the last address, and the increase of the time, folded */
    uint64_t memory;       /* what memory holds; of other lanes than data, what way 0 predicts */
    uint64_t expected;     /* by the place that matches, */
    uint32_t quality;      /* 0: nothing is */
    uint32_t right;        /* 1: it is what the way of the context predicts; 2: it is not */
};

static inline struct coding_lane coding_lane(const struct coding *coding, struct model *model,
                                             enum lane_class class, unsigned word, uint32_t slot,
                                             const struct model_context *context, uint64_t memory)
{
    uint64_t expected = 0;
    const bool matches = match_lane(&coding->match, model->last.previous, &expected);
    const uint64_t predicted = model_predict(model, context, slot, context->way, memory);
    const bool is_data = class == LANE_DATA || class == LANE_DATA_HIGH;
    const uint64_t *values = coding->values[class], *registers = model->registers;
    const uint64_t address = registers[REGISTER_ADDRESS] * UINT64_C(0x9E3779B97F4A7C15);
    return (struct coding_lane){
        .group = lane_group(class),
        .word = (uint32_t) class << 3 | word,
        .slot = slot,
        .before = context->last,
        .last = coding_fold(context->last),
        .stride = coding_fold(context->last * UINT64_C(0x9E3779B97F4A7C15) + context->stride),
        .one = coding_fold(values[0]),
        .two = coding_fold(values[0] * UINT64_C(0x9E3779B97F4A7C15) + values[1]),
        .near = coding_fold(class == LANE_TIME ? address : address + model->increase),
        .memory = is_data ? memory : model_predict(model, context, slot, WAY_CONTEXT, memory),
        .expected = expected,
        .quality = matches ? coding->match.quality : 0,
        .right = !matches                ? 0
                 : expected == predicted ? 1
                                         : 2,
    };
}

/* The lane has this value. */
static inline void coding_value(struct coding *coding, enum lane_class class, uint64_t value)
{
    match_value(&coding->match, value, class == LANE_ADDRESS || class == LANE_PHYSICAL);
    coding->values[class][1] = coding->values[class][0];
    coding->values[class][0] = value;
}

static inline unsigned coding_code(struct coding *coding, const struct model *model,
                                   const struct coding_lane *lane, struct model_context *context,
                                   unsigned code)
{
    struct mixed_contexts contexts = {.count = 0};
    const uint32_t codes = coding->codes, own = context->codes, miss = coding->misses & 15;
    mixed_add(&contexts, 20, lane->word, own & 0xFF);
    mixed_add(&contexts, 21, lane->slot, own & 0xFFF);
    mixed_add(&contexts, 22, lane->slot, (codes & 0xFF) << 4 | miss);
    mixed_add(&contexts, 23, lane->word << 16 | own, codes & 0xFFF);
    mixed_add(&contexts, 24, model->last.previous << 16 | model->last.before,
              lane->word << 4 | (own & 15));
    mixed_add(&contexts, 25, lane->slot, lane->last);
    mixed_add(&contexts, 26, lane->word, lane->two);
    mixed_add(&contexts, 27, lane->slot, lane->near);
    mixed_add(&contexts, 28, lane->word << 2 | lane->right, lane->quality << 4 | (own & 15));
    mixed_add(&contexts, 29, lane->slot << 2 | lane->right, coding_fold(lane->expected));
    contexts.select = lane->right << 3 | lane->word >> 3;
    code = mixed_rare(coding->mixed, SEGMENT_CODES + lane->group, &contexts, code);
    coding->codes = codes << 4 | code;
    context->codes = (uint16_t)(own << 4 | code);
    return code;
}

/* After the lanes of a record. */
static inline void coding_end(struct coding *coding, const struct model *model)
{
    match_end(&coding->match, model->last.previous);
}

/* A number of up to 8 bytes: how many these are, then from the highest. */
static inline uint64_t coding_number(struct coding *coding, const struct coding_lane *lane,
                                     unsigned sizes, unsigned bytes, uint64_t number)
{
    unsigned size = 0;
    while (size < 8 && number >> (8 * size)) size++;
    struct mixed_contexts contexts = {.count = 0};
    mixed_add(&contexts, 30, lane->word, coding->codes & 0xFF);
    mixed_add(&contexts, 31, lane->slot, 0);
    mixed_add(&contexts, 32, lane->slot, lane->stride);
    mixed_add(&contexts, 33, lane->slot, lane->last);
    mixed_add(&contexts, 34, lane->word, lane->one);
    mixed_add(&contexts, 35, lane->word, lane->two);
    mixed_add(&contexts, 36, lane->slot, lane->near);
    const uint64_t expected = lane->expected;
    const uint32_t quality = lane->quality;
    unsigned likely = 0;
    while (likely < 8 && expected >> (8 * likely)) likely++;
    mixed_add(&contexts, 37, lane->word, quality << 4 | likely);
    mixed_add(&contexts, 38, lane->slot, coding_fold(lane->memory));
    contexts.select = lane->right;
    size = mixed_number(coding->mixed, sizes, &contexts, 4, size);
    uint64_t value = 0;
    for (unsigned i = size < 8 ? size : 8; i-- > 0;) {
        const uint32_t place = lane->word << 8 | size << 4 | i;
        const uint32_t before = coding_fold(value) ^ place;
        const uint64_t rest = lane->before >> (8 * i);
        const uint32_t same = (uint32_t)(rest >> 8 == value) << 8 | (uint8_t)rest;
        contexts.count = 0;
        mixed_add(&contexts, 40, place, same);
        mixed_add(&contexts, 41, place << 9 | same, lane->slot);
        mixed_add(&contexts, 42, before, 0);
        mixed_add(&contexts, 43, before, lane->slot);
        mixed_add(&contexts, 44, before, lane->last);
        mixed_add(&contexts, 45, before, lane->one);
        mixed_add(&contexts, 46, before, lane->two);
        mixed_add(&contexts, 47, before, lane->stride);
        const uint64_t held = lane->memory >> (8 * i), there = expected >> (8 * i);
        const bool agrees = quality && there >> 8 == value;
        mixed_add(&contexts, 48, place, agrees ? quality << 8 | (uint8_t)there : 0);
        mixed_add(&contexts, 49, place << 9 | (uint32_t)(held >> 8 == value) << 8 | (uint8_t)held,
                  lane->slot);
        contexts.select = (unsigned)agrees << 3 | i;
        value =
            value << 8 | mixed_number(coding->mixed, bytes, &contexts, 8, number >> (8 * i) & 0xFF);
    }
    return value;
}

static inline uint64_t coding_literal(struct coding *coding, const struct coding_lane *lane,
                                      uint64_t literal)
{
    return coding_number(coding, lane, SEGMENT_SIZES + lane->group, SEGMENT_LITERALS + lane->group,
                         literal);
}

/* The number of a register and a constant. */
static inline unsigned coding_register(struct coding *coding, const struct coding_lane *lane,
                                       unsigned reg)
{
    struct mixed_contexts contexts = {.count = 0};
    mixed_add(&contexts, 50, lane->word, 0);
    mixed_add(&contexts, 51, lane->slot, 0);
    mixed_add(&contexts, 52, lane->word, coding->reg);
    mixed_add(&contexts, 53, lane->slot, lane->stride);
    coding->reg = mixed_number(coding->mixed, SEGMENT_REGISTERS, &contexts, 8, reg);
    return coding->reg;
}
static inline uint64_t coding_constant(struct coding *coding, const struct coding_lane *lane,
                                       uint64_t constant)
{
    struct coding_lane of = *lane;
    of.word = 64 + coding->reg;
    of.one = of.two = lane->word;
    return coding_number(coding, &of, SEGMENT_CONSTANTS, SEGMENT_CONSTANTS, constant);
}

#endif
