/* SPDX-License-Identifier: MIT */
/* return_stack.c: the return stack as a predictor. */
#include "simulate/branch/return_stack.h"

enum { ENTRIES, LENGTH };
static const struct spoor_component_key return_stack_keys[] = {
    {"entries", "number of addresses; the oldest is overwritten", 16, 1, 65536},
    {"length", "bytes of a call at first, if the trace does not state its fall-through", 4, 1, 15},
    {0},
};

static inline bool return_stack_asks(const struct spoor_branch *branch)
{
    return branch->type & SPOOR_BRANCH_RETURN && branch_is_taken(branch);
}
TARGET_LOOP(return_stack_run, return_stack_asks, return_stack_predict, predictor_ignore,
            return_stack_track)

static const char *return_stack_size(const struct component_setup *setup,
                                     struct component_size *size)
{
    size->tables = sizeof(struct return_entry) * setup->values[ENTRIES];
    size->bits = 64 * setup->values[ENTRIES];
    return NULL;
}
static void return_stack_start(void *state, const struct component_setup *setup)
{
    return_stack_begin(state, (uint32_t)setup->values[ENTRIES], (uint8_t)setup->values[LENGTH]);
}
const struct predictor predictor_return_stack = {
    .component = {.about = {SPOOR_PREDICTOR, "return-stack", "return address stack",
                            "Kaeli, Emma 1991", return_stack_keys},
                  .struct_size = sizeof(struct return_stack),
                  .size = return_stack_size,
                  .start = return_stack_start},
    .asks = return_stack_asks,
    .predict = return_stack_predict,
    .train = predictor_ignore,
    .track = return_stack_track,
    .run = return_stack_run,
};
