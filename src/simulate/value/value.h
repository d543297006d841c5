/* SPDX-License-Identifier: MIT */
/*
 * value.h: how to write a value predictor: one `const struct value_predictor
 * value_predictor_NAME`, and its line in components.def.
 */
#ifndef SPOOR_SIMULATE_VALUE_H
#define SPOOR_SIMULATE_VALUE_H

#include "simulate/component.h"
#include "spoor/plugin.h"

struct value_predictor {
    struct component component;
    bool (*predict)(void *state, const struct spoor_plugin_value *value, uint64_t *guess);
    void (*train)(void *state, const struct spoor_plugin_value *value);
    void (*track)(void *state, uint64_t pc, uint64_t next); /* NULL: it tracks nothing */
};

/* The keys of tables of instructions, from 0 on. */
enum { VALUE_BITS, VALUE_SURE, VALUE_KEYS };
#define KEYS_OF_VALUES                                                                        \
    {"bits", "log2 of the entries, by the address of the instruction", 12, 0, 24},            \
    {                                                                                         \
        "sure", "times in succession that it was right before a prediction is used", 7, 0, 63 \
    }
enum { VALUE_TAG_BITS = 14 };

static inline unsigned value_log2(uint64_t count)
{
    unsigned bits = 0;
    while (UINT64_C(1) << bits < count) bits++;
    return bits;
}

/* Where an instruction's value is, and its tag: parts of it are as far apart as instructions. */
static inline uint64_t value_hash(const struct spoor_plugin_value *value)
{
    return (value->pc >> 2) + value->part;
}
static inline uint16_t value_tag(const struct spoor_plugin_value *value, unsigned bits)
{
    return value_hash(value) >> bits & ((1u << VALUE_TAG_BITS) - 1);
}

#endif
