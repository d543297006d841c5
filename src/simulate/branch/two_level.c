/* SPDX-License-Identifier: MIT */
/*
 * two_level.c: histories (selected by the pc, or one for all) that index tables of two-bit counters
 * (selected by the pc, or one for all): local (PAg), pas (PAs) and gag (GAg) of Yeh and Patt.
 */
#include "simulate/branch/counter.h"
#include "simulate/branch/predictor.h"

enum { HISTORY, SHIFT, START, HISTORIES, TABLES };
#define KEYS(HISTORY_BITS, HISTORIES_BITS, MAX_HISTORIES, TABLE_BITS, MAX_TABLES)                 \
    {                                                                                             \
        {"history", "outcomes in a history", HISTORY_BITS, 0, 26}, KEY_SHIFT, KEY_START,          \
            {"histories", "log2 of the number of histories, chosen by the pc", HISTORIES_BITS, 0, \
             MAX_HISTORIES},                                                                      \
            {"tables", "log2 of the number of counter tables, chosen by the pc", TABLE_BITS, 0,   \
             MAX_TABLES},                                                                         \
        {                                                                                         \
            0                                                                                     \
        }                                                                                         \
    }
static const struct spoor_component_key local_keys[] = KEYS(10, 10, 20, 0, 0);
static const struct spoor_component_key pas_keys[] = KEYS(10, 10, 20, 4, 10);
static const struct spoor_component_key gag_keys[] = KEYS(14, 0, 0, 0, 0);

struct two_level {
    uint64_t histories_mask, tables_mask, history_mask;
    unsigned shift, history_bits;
    uint32_t *histories; /* after the counters */
    uint8_t counters[];
};

static inline uint8_t *two_level_counter(struct two_level *self, const struct spoor_branch *branch)
{
    const uint64_t pc = branch->pc >> self->shift, table = pc & self->tables_mask;
    return &self->counters[table << self->history_bits |
                           self->histories[pc & self->histories_mask]];
}
static inline bool two_level_predict(void *state, const struct spoor_branch *branch)
{
    return counter_taken(*two_level_counter(state, branch));
}
static inline void two_level_train(void *state, const struct spoor_branch *branch)
{
    counter_train(two_level_counter(state, branch), branch_is_taken(branch));
}
static inline void two_level_track(void *state, const struct spoor_branch *branch)
{
    struct two_level *self = state;
    if (!branch_is_conditional(branch)) return;
    uint32_t *history = &self->histories[branch->pc >> self->shift & self->histories_mask];
    *history = (uint32_t)((*history << 1 | branch_is_taken(branch)) & self->history_mask);
}
PREDICTOR_LOOP(two_level_run, two_level_predict, two_level_train, two_level_track)

/* Counters, rounded up so that the histories after them are aligned. */
static size_t two_level_counters(const uint64_t *values)
{
    const size_t count = (size_t)1 << (values[HISTORY] + values[TABLES]);
    return (count + 7) & ~(size_t)7;
}
static const char *two_level_size(const struct component_setup *setup, struct component_size *size)
{
    const uint64_t *values = setup->values;
    size->tables = two_level_counters(values) + (sizeof(uint32_t) << values[HISTORIES]);
    size->bits = (UINT64_C(2) << (values[HISTORY] + values[TABLES])) +
                 (values[HISTORY] << values[HISTORIES]);
    return NULL;
}
static void two_level_start(void *state, const struct component_setup *setup)
{
    const uint64_t *values = setup->values;
    struct two_level *self = state;
    self->history_bits = (unsigned)values[HISTORY];
    self->history_mask = low_bits(self->history_bits);
    self->histories_mask = low_bits((unsigned)values[HISTORIES]);
    self->tables_mask = low_bits((unsigned)values[TABLES]);
    self->shift = (unsigned)values[SHIFT];
    self->histories = (uint32_t *)(void *)(self->counters + two_level_counters(values));
    memset(self->counters, (int)values[START], two_level_counters(values));
}
#define TWO_LEVEL(NAME, TITLE, KEYS_OF)                                                   \
    {                                                                                     \
        .component = {.about = {SPOOR_PREDICTOR, NAME, TITLE, "Yeh, Patt 1992", KEYS_OF}, \
                      .struct_size = sizeof(struct two_level),                            \
                      .size = two_level_size,                                             \
                      .start = two_level_start},                                          \
        .predict = two_level_predict, .train = two_level_train, .track = two_level_track, \
        .run = two_level_run,                                                             \
    }
const struct predictor predictor_local =
    TWO_LEVEL("local", "two levels: local histories, one table (PAg)", local_keys);
const struct predictor predictor_pas =
    TWO_LEVEL("pas", "two levels: local histories, tables by pc (PAs)", pas_keys);
const struct predictor predictor_gag =
    TWO_LEVEL("gag", "two levels: global history, one table (GAg)", gag_keys);
