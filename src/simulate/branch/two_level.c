/* SPDX-License-Identifier: MIT */
/*
 * two_level.c: histories (selected by the pc, or one for all) that index tables of two-bit counters
 * (selected by the pc, or one for all): local (PAg), pas (PAs) and gag (GAg) of Yeh and Patt.
 */
#include "simulate/branch/kind.h"

#include "simulate/branch/counter.h"

enum { HISTORY, SHIFT, START, HISTORIES, TABLES };
#define KEYS(HISTORY_BITS, HISTORIES_BITS, MAX_HISTORIES, TABLE_BITS, MAX_TABLES)                 \
    {                                                                                             \
        {"history", "outcomes in a history", HISTORY_BITS, 0, 26}, KEY_SHIFT, KEY_START,          \
            {"histories", "log2 of the number of histories, chosen by the pc", HISTORIES_BITS, 0, \
             MAX_HISTORIES},                                                                      \
            {"tables", "log2 of the number of counter tables, chosen by the pc", TABLE_BITS, 0,   \
             MAX_TABLES},                                                                         \
            KEYS_END,                                                                             \
    }
static const struct spoor_predictor_key local_keys[] = KEYS(10, 10, 20, 0, 0);
static const struct spoor_predictor_key pas_keys[] = KEYS(10, 10, 20, 4, 10);
static const struct spoor_predictor_key gag_keys[] = KEYS(14, 0, 0, 0, 0);

struct two_level {
    uint64_t histories_mask, tables_mask, history_mask;
    unsigned shift, history_bits;
    uint32_t *histories; /* after the counters */
    uint8_t counters[];
};

static inline uint8_t *counter_of(struct two_level *self, const struct spoor_branch *branch)
{
    uint64_t pc = branch->pc >> self->shift;
    uint64_t table = pc & self->tables_mask;
    return &self->counters[table << self->history_bits |
                           self->histories[pc & self->histories_mask]];
}
static inline bool predict(struct two_level *self, const struct spoor_branch *branch)
{
    return counter_taken(*counter_of(self, branch));
}
static inline void train(struct two_level *self, const struct spoor_branch *branch)
{
    uint8_t *counter = counter_of(self, branch);
    *counter = counter_moved(*counter, is_taken(branch));
}
static inline void track(struct two_level *self, const struct spoor_branch *branch)
{
    if (!is_conditional(branch)) return;
    uint32_t *history = &self->histories[branch->pc >> self->shift & self->histories_mask];
    *history = (uint32_t)((*history << 1 | is_taken(branch)) & self->history_mask);
}
PREDICTOR_FUNCTIONS(struct two_level)

/* Counters, rounded up so that the histories after them are aligned. */
static size_t counters_capacity(const uint64_t *values)
{
    size_t count = (size_t)1 << (values[HISTORY] + values[TABLES]);
    return (count + 7) & ~(size_t)7;
}
static size_t capacity(const uint64_t *values)
{
    return sizeof(struct two_level) + counters_capacity(values) +
           (sizeof(uint32_t) << values[HISTORIES]);
}
static void start(void *state, const uint64_t *values)
{
    struct two_level *self = state;
    self->history_bits = (unsigned)values[HISTORY];
    self->history_mask = low_bits(self->history_bits);
    self->histories_mask = low_bits((unsigned)values[HISTORIES]);
    self->tables_mask = low_bits((unsigned)values[TABLES]);
    self->shift = (unsigned)values[SHIFT];
    self->histories = (uint32_t *)(void *)(self->counters + counters_capacity(values));
    memset(self->counters, (int)values[START], counters_capacity(values));
}
static uint64_t storage(const uint64_t *values)
{
    return (UINT64_C(2) << (values[HISTORY] + values[TABLES])) +
           (values[HISTORY] << values[HISTORIES]);
}

#define TWO_LEVEL(NAME, TITLE, KEYS_OF)                                               \
    const struct predictor_kind predictor_##NAME = {                                  \
        .about = {#NAME, TITLE, "Yeh, Patt 1992", SPOOR_PREDICTS_DIRECTION, KEYS_OF}, \
        .capacity = capacity,                                                         \
        .start = start,                                                               \
        .storage = storage,                                                           \
        PREDICTOR_DOORS,                                                              \
    }

TWO_LEVEL(local, "two levels: local histories, one table (PAg)", local_keys);
TWO_LEVEL(pas, "two levels: local histories, tables by pc (PAs)", pas_keys);
TWO_LEVEL(gag, "two levels: global history, one table (GAg)", gag_keys);
