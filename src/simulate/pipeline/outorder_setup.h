/* SPDX-License-Identifier: MIT */
/* outorder_setup.h: the resolved configuration of out-of-order machines. */
#ifndef SPOOR_PIPELINE_OUTORDER_SETUP_H
#define SPOOR_PIPELINE_OUTORDER_SETUP_H

#include "simulate/pipeline/machine.h"

/* The configuration with every 0 that means another number replaced by that number. */
struct outorder_setup {
    uint32_t fetch_width, issue_width, commit_width, rob, capacity[STRUCTURES];
    uint32_t issue_delay, penalty, latency[SPOOR_CLASSES];
    uint32_t
        longest; /* the longest data delay beyond the greater of issue_delay and every latency */
    uint8_t units[SPOOR_CLASSES];
    bool taken_ends_group, divide_pipelined, checks_in_flight, checks_first, bounds_queues;
};

/* Resolves a configuration; `longest`: the longest data delay. */
struct outorder_setup outorder_setup_of(const struct spoor_pipeline_config *config,
                                        uint32_t longest);
/* Returns the smallest power of two greater than `value`. */
uint32_t power_of_two_over(uint64_t value);

#endif
