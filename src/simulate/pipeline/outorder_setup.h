/* SPDX-License-Identifier: MIT */
/* outorder_setup.h: what the out-of-order machines make of a configuration. */
#ifndef SPOOR_PIPELINE_OUTORDER_SETUP_H
#define SPOOR_PIPELINE_OUTORDER_SETUP_H

#include "simulate/pipeline/machine.h"

/* The configuration, as it is used: every 0 that stands for another number resolved. */
struct outorder_setup {
    uint32_t fetch_width, issue_width, commit_width, rob, capacity[STRUCTURES];
    uint32_t issue_delay, penalty, latency[SPOOR_CLASSES];
    uint32_t
        longest; /* the longest data delay beyond the greater of issue_delay and every latency */
    uint8_t units[SPOOR_CLASSES];
    bool taken_ends_group, divide_pipelined, checks_in_flight, checks_first, bounds_queues;
};

/* `longest`: the longest data delay. */
struct outorder_setup outorder_setup_of(const struct spoor_pipeline_config *config,
                                        uint32_t longest);
/* The least power of two that is more than `value`. */
uint32_t power_of_two_over(uint64_t value);

#endif
