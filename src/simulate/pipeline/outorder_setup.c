/* SPDX-License-Identifier: MIT */
/* outorder_setup.c: resolves the configuration of an out-of-order machine. */
#include "simulate/pipeline/outorder_setup.h"

uint32_t power_of_two_over(uint64_t value)
{
    uint32_t power = 1;
    while (power <= value) power *= 2;
    return power;
}

static uint32_t capacity_or(uint32_t own, uint32_t rob)
{
    return own && own < rob ? own : rob;
}

static uint32_t longest_latency(const struct spoor_pipeline_config *config, uint32_t delay)
{
    uint32_t longest = config->issue_delay;
    for (int i = 0; i < SPOOR_CLASSES; i++)
        if (longest < config->latency[i]) longest = config->latency[i];
    return longest + delay;
}

struct outorder_setup outorder_setup_of(const struct spoor_pipeline_config *config,
                                        uint32_t longest)
{
    struct outorder_setup setup = {
        .fetch_width = width_or(config->fetch_width, config),
        .issue_width = width_or(config->issue_width, config),
        .commit_width = width_or(config->commit_width, config),
        .rob = config->rob,
        .capacity = {[ROB] = config->rob,
                     [ISSUE_QUEUE] = capacity_or(config->issue_queue, config->rob),
                     [LOAD_QUEUE] = capacity_or(config->load_queue, config->rob),
                     [STORE_QUEUE] = capacity_or(config->store_queue, config->rob)},
        .issue_delay = config->issue_delay,
        .penalty = config->mispredict_penalty,
        .longest = longest_latency(config, longest),
        .taken_ends_group = config->taken_ends_group,
        .divide_pipelined = config->divide_pipelined,
        .checks_in_flight = config->store_check != SPOOR_CHECK_ALL,
        .checks_first = config->store_check == SPOOR_CHECK_FIRST,
    };
    setup.bounds_queues =
        setup.capacity[LOAD_QUEUE] < setup.rob || setup.capacity[STORE_QUEUE] < setup.rob;
    for (int i = 0; i < SPOOR_CLASSES; i++) {
        setup.latency[i] = config->latency[i];
        setup.units[i] = (uint8_t)(config->units[i] ? config->units[i] : MAX_WIDTH);
    }
    return setup;
}
