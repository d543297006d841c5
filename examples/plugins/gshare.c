/* SPDX-License-Identifier: MIT */
/* gshare.c: a branch predictor as a plug-in: two-bit counters by the pc xor the global history
 * (McFarling 1993).  `spoor branch --plugin ./gshare.so -p my-gshare:bits=12 TRACE` counts what the
 * built-in gshare counts. */
#include <spoor/plugin.h>
#include <string.h>

enum { BITS, HISTORY, SHIFT, START };
static const struct spoor_component_key keys[] = {
    {"bits", "log2 of the number of counters", 14, 0, 30},
    {"history", "outcomes in the history, at most `bits`", SPOOR_KEY_AS_BEFORE, 0, 30},
    {"shift", "low bits of the pc that are dropped", 2, 0, 16},
    {"start", "value of the counters at the beginning", 1, 0, 3},
    {NULL, NULL, 0, 0, 0},
};

struct gshare {
    uint64_t mask, history_mask;
    uint64_t history; /* the newest outcome in bit 0 */
    uint64_t shift;
    uint8_t counters[]; /* 0 and 1 predict not taken, 2 and 3 taken */
};

static const char *gshare_size(struct spoor_plugin_setup *setup)
{
    const uint64_t counters = UINT64_C(1) << setup->values[BITS];
    setup->state_bytes = sizeof(struct gshare) + counters;
    setup->storage_bits = 2 * counters + setup->values[HISTORY];
    return setup->values[HISTORY] > setup->values[BITS] ? "`history` is at most `bits`" : NULL;
}

static const char *gshare_create(void *state, struct spoor_plugin_setup *setup)
{
    struct gshare *self = state;
    self->mask = (UINT64_C(1) << setup->values[BITS]) - 1;
    self->history_mask = (UINT64_C(1) << setup->values[HISTORY]) - 1;
    self->shift = setup->values[SHIFT];
    memset(self->counters, (int)setup->values[START], self->mask + 1);
    return NULL;
}

static inline uint8_t *gshare_counter(struct gshare *self, const struct spoor_branch *branch)
{
    return &self->counters[(branch->pc >> self->shift ^ self->history) & self->mask];
}

static inline bool gshare_predict(void *state, const struct spoor_branch *branch)
{
    return *gshare_counter(state, branch) >= 2;
}

static inline void gshare_train(void *state, const struct spoor_branch *branch)
{
    uint8_t *counter = gshare_counter(state, branch);
    const uint8_t up = *counter < 3 ? *counter + 1 : 3, down = *counter > 0 ? *counter - 1 : 0;
    *counter = spoor_branch_is_taken(branch) ? up : down;
}

static inline void gshare_track(void *state, const struct spoor_branch *branch)
{
    struct gshare *self = state;
    if (!spoor_branch_is_conditional(branch)) return;
    self->history = (self->history << 1 | spoor_branch_is_taken(branch)) & self->history_mask;
}

SPOOR_PREDICTOR_LOOP(gshare_run, gshare_predict, gshare_train, gshare_track)

static const struct spoor_plugin_predictor gshare = {
    .design = {.name = "my-gshare",
               .title = "two-bit counters by pc xor global history",
               .source = "McFarling 1993, section 7",
               .keys = keys,
               .size = gshare_size,
               .create = gshare_create},
    .predict = gshare_predict,
    .train = gshare_train,
    .track = gshare_track,
    .run = gshare_run,
};

static const struct spoor_plugin_predictor *const predictors[] = {&gshare, NULL};
const struct spoor_plugin spoor_plugin_table = {SPOOR_PLUGIN_HEAD, .predictors = predictors};
